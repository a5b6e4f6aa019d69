// Package sampling estimates the cycles of an application from a few of its kernel
// launches. Applications that iterate launch the same kernels over and over, and launches
// that execute as many instructions take about as long. The method follows Sieve (Naderan-Tahan
// et al., ISPASS 2023), which stratifies launches by kernel and instruction count and splits
// a stratum by its coefficient of variation, and PKA (Avalos Baddouh et al., MICRO 2021),
// which clusters launches by counts that do not depend on a machine.
//
//   - Emulation without timing counts each launch: thread blocks, instructions, memory that
//     it touches, and memory that no launch before it has touched.
//   - Clusters part launches by kernel and shape, and then by counts until the coefficient of
//     variation of each count in a cluster is at most Spec.Spread.
//   - NewPlan picks Spec.Representatives launches of each cluster, the middle ones of equal
//     stretches of the application's run, and as warm-up the Spec.WarmUps launches before each.
//   - Do simulates these launches in one run of the application. It executes all other
//     launches without timing, so that memory holds the right values; copies and CPU phases
//     take their time.
//   - Plan.Estimate gives every other launch the cycles per warp instruction of its cluster's
//     representatives.
//
// # State of the caches
//
// A launch that is not simulated leaves the caches as they are. So a representative would
// begin with the caches of an earlier launch. Its warm-ups run before it with timing, and
// their cycles do not count: a warm-up launch is estimated like a launch that is not
// simulated. Launches with much memory that no launch has touched before, such as the first
// of an application, are in clusters of their own, because FreshBytes differ.
//
// # Error bound
//
// The bound of a cluster has two parts, and clusters' bounds add up.
//
//   - Sampling: each representative is left out in turn and predicted from the remaining
//     ones. The jackknife's standard error of the estimated launches, times Student's t for
//     95 %, bounds the error of taking a few launches for all.
//   - State: the launch right before a representative is simulated with one warm-up fewer.
//     The mean difference between the simulated and the estimated cycles of such launches
//     bounds what a further warm-up would change. A cluster without such a launch takes the
//     mean difference of the whole application. Launches before the first skipped launch are
//     exact.
//
// The bound covers no launch that differs from its cluster although its counts agree, such as
// a launch soon after the first, while the caches still change. If the order of thread blocks
// changes what an application does, the counts of emulation are approximate. A launch of
// another kernel or grid than emulation found ends the run with an error.
package sampling
