// Package ws implements Warped-Slicer (Xu et al., ISCA 2016) as CCBP compares itself to it (CCBP 7):
// kernels share every SM, with numbers of thread blocks that follow from each kernel's scaling.
// The policy follows Warped-Slicer as far as the CCBP paper and other descriptions go; the
// rest is ours.
//
// A new set of kernels is profiled. The SMs are divided between the kernels, and a kernel runs
// another number of thread blocks on each of its SMs. After a warm-up a sample measures the
// performance of each number (curve.go), and water filling finds the numbers that minimise
// the largest loss (waterfill.go). Then these run on all SMs (package targets).
//
// The findings for a set serve whenever the same set runs again. A kernel is known by its
// tenant and by the demand of its thread blocks, which is all that a policy sees of it. It
// belongs to the set while its tenant has a claim (package claim), between launches too. If
// the set changes during profiling, profiling begins again; its warm-up starts when the
// present step is over. So an application with ever-changing kernels is always being profiled.
//
//   - With more numbers than SMs, the numbers are at even distances, with interpolation in
//     between.
//   - A sample counts the SMs that have the intended thread blocks at its end. If a kernel
//     has no such SM the sample is repeated, ten times at most. After that the kernel's
//     performance is assumed proportional to its thread blocks.
//   - Surplus thread blocks leave an SM when kernels are profiled, and later when another
//     kernel needs the room.
//   - SMs stay divided, each kernel alone on its own, if one thread block of each does not
//     fit on an SM, or if a kernel's predicted loss exceeds the option loss. The option is
//     off by default: CCBP looks at sharing within SMs. With more kernels than SMs the last
//     to arrive wait then.
//   - With more kernels than SMs none is profiled, and the performance of all is assumed
//     proportional to their thread blocks.
package ws

import (
	"errors"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/targets"
)

// phase is the policy's state.
type phase uint8

const (
	alone   phase = iota // there is one kernel, or none
	warmUp               // of the profiling
	sample               // of the profiling
	shared               // numbers of thread blocks of each on all SMs
	divided              // SMs of each
)

// member is a kernel of a set.
type member struct {
	tenant int
	demand occupancy.Demand // of a thread block
}

// finding holds the findings for a set of kernels.
type finding struct {
	set []member // in the order of their tenants' arrival
	// tbs are the thread blocks of each on an SM; nil: SMs are divided.
	tbs []int
	// levels are the predicted parts of each kernel's best performance.
	levels []float64
	curves [][]float64
}

// patience limits repetitions of a sample that shows nothing of a kernel.
const patience = 10

type ws struct {
	warmUp, sample uint64 // cycles
	limits         limits
	loss           float64 // part of its best that a kernel may lose; 1 for all
	mechanism      policy.Mechanism
	epoch          uint64

	claims  claim.Claims
	targets *targets.Targets
	phase   phase
	set     []member
	known   []*finding
	last    *finding // that the policy followed last, nil while a set is profiled
	// profiled is, by SM, the place in the set of its kernel, -1 for none.
	profiled []int
	repeated int // samples
	// open: a window is open. timed: the window belongs to the present profiling, not to an
	// abandoned one.
	open, timed bool
}

// Needs makes it a policy.Policy. A pause of an epoch between launches costs a tenant its
// claim.
func (w *ws) Needs() policy.Needs {
	return policy.Needs{Epoch: w.epoch, Check: check, Explain: w.explain, Registers: w.registers}
}

func check(v *policy.View) error {
	if v.Mixed() {
		return errors.New("a kernel's performance on one SM does not stand for every SM: the GPU has SMs of several kinds")
	}
	return nil
}

// Decide profiles unknown kernels, and runs known ones with the numbers found.
func (w *ws) Decide(v *policy.View, a policy.Actions) {
	if w.targets == nil {
		w.targets, w.profiled = targets.New(v), make([]int, len(v.SMs))
	}
	changed := w.claims.Update(v)
	changed = w.targets.Meet(v) || changed
	ended := v.Event == policy.WindowEnded
	if ended {
		w.open = false
	}
	switch {
	case changed && w.meet():
		w.begin(v, a)
	case ended:
		w.goOn(v, a)
	}
	w.targets.Dispatch(v, a, w.claims.Order, w.mechanism)
}

// meet notes the kernels of the tenants with a claim, and reports whether they have changed.
func (w *ws) meet() (changed bool) {
	var set []member
	for _, tenant := range w.claims.Order {
		if d := w.targets.Demand[tenant]; d.TBs > 0 {
			set = append(set, member{tenant, d})
		}
	}
	changed = !slices.Equal(set, w.set)
	w.set = set
	return changed
}

// begin sets targets for a new set of kernels: the known ones, or the targets of profiling.
func (w *ws) begin(v *policy.View, a policy.Actions) {
	known := slices.IndexFunc(w.known, func(f *finding) bool { return slices.Equal(f.set, w.set) })
	switch {
	case len(w.set) < 2:
		w.phase = alone
		w.divide(v, nil)
	case known >= 0:
		w.apply(v, w.known[known])
	case len(w.set) > len(v.SMs):
		w.find(v, make([][]point, len(w.set)))
	default:
		w.phase = warmUp
		w.last = nil
		w.repeated = 0
		w.divide(v, steps)
		w.targets.Trim(v, a, w.claims.Order, w.mechanism)
		if w.timed = !w.open; w.timed {
			w.window(a, w.warmUp)
		}
	}
}

// goOn takes the next step at the end of a window.
func (w *ws) goOn(v *policy.View, a policy.Actions) {
	switch {
	case w.phase == warmUp && !w.timed:
		w.timed = true
		w.window(a, w.warmUp)
	case w.phase == warmUp:
		w.phase = sample
		w.window(a, w.sample)
	case w.phase == sample:
		points := w.read(v)
		if w.repeated < patience && slices.ContainsFunc(points, func(p []point) bool { return p == nil }) {
			w.repeated++
			w.window(a, w.sample)
			break
		}
		w.find(v, points)
	}
}

func (w *ws) window(a policy.Actions, cycles uint64) {
	a.Window(cycles)
	w.open = true
}

// find computes the numbers of thread blocks from each kernel's samples.
func (w *ws) find(v *policy.View, points [][]point) {
	c := v.SMs[0].Capacity
	f := &finding{set: slices.Clone(w.set)}
	var demands []occupancy.Demand
	for k, m := range w.set {
		most, _ := c.Occupancy(m.demand)
		f.curves = append(f.curves, w.limits.curve(points[k], most))
		demands = append(demands, m.demand)
	}
	f.tbs = waterfill(f.curves, demands, c)
	for k, n := range f.tbs {
		f.levels = append(f.levels, level(f.curves[k], n))
	}
	if slices.ContainsFunc(f.levels, func(part float64) bool { return 1-part > w.loss }) {
		f.tbs, f.levels = nil, nil
	}
	w.known = append(w.known, f)
	w.apply(v, f)
}

// apply sets the targets of a finding.
func (w *ws) apply(v *policy.View, f *finding) {
	w.last = f
	if f.tbs == nil {
		w.phase = divided
		w.divide(v, nil)
		return
	}
	w.phase = shared
	w.clear()
	for k, m := range w.set {
		for i := range v.SMs {
			w.targets.TBs[m.tenant][i] = f.tbs[k]
		}
	}
}
