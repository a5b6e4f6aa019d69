package reproduce

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	sets["mixes of three"] = func(f *Experiment, s Scale) []mix { return covering(f, s, 3, 56) }
	sets["mixes of four"] = func(f *Experiment, s Scale) []mix { return covering(f, s, 4, 70) }
	sets["pairs in order"], sets["trios"] = orderedPairs, trios
	for _, n := range []int{2, 4, 6, 8} {
		sets[fmt.Sprintf("%d processes", n)] = func(f *Experiment, s Scale) []mix { return processes(f, s, n) }
	}
	sets["thick and lean ones"] = fours
	sets["forty of three"] = func(f *Experiment, s Scale) []mix { return forty(f, s, 3, "HG", "LBM", "SAD") }
	sets["forty of four"] = func(f *Experiment, s Scale) []mix { return forty(f, s, 4) }
}

// covering draws n mixes (SMK 6.6), or 12 at the quick scale, in the order of one draw: first
// a mix of every number of compute-intensive applications, then the rest.
func covering(f *Experiment, s Scale, size, count int) []mix {
	if s.Quick {
		count = 12
	}
	apps := f.ofClass("compute", "memory")
	seen := map[int]bool{}
	var first, rest [][]string
	for _, drawn := range sweep.Draw(sweep.Combinations(len(apps), size), size, apps, uint64(size)) {
		computing := 0
		for _, app := range drawn {
			if f.hasClass(app, "compute") {
				computing++
			}
		}
		if seen[computing] {
			rest = append(rest, drawn)
			continue
		}
		seen[computing] = true
		first = append(first, drawn)
	}
	return mixesOf(append(first, rest[:count-len(first)]...)...)
}

// orderedPairs are pairs of a tenant with a goal and a tenant without: the QoS paper's 90
// (4.1). The quick scale has 20: each application once with a compute-intensive and once with
// a memory-intensive partner, the next of its class or the application of its place in the
// other class. So 4 are C+C, 10 C+M and 6 M+M.
func orderedPairs(f *Experiment, s Scale) (list []mix) {
	classes := [][]string{f.ofClass("compute"), f.ofClass("memory")}
	for _, class := range classes {
		for i, app := range class {
			for _, partners := range classes {
				place := i
				if partners[0] == class[0] {
					place++
				}
				if s.Quick {
					partners = []string{partners[place%len(partners)]}
				}
				for _, other := range partners {
					if other != app {
						list = append(list, mix{apps: []string{app, other}})
					}
				}
			}
		}
	}
	return list
}

// trios are 60 mixes of three tenants; with the goals they make 600 cases (QoS 4.1). The
// paper does not list them. trios takes every second of the 120 sets of three applications,
// in the order of their names, and turns each by its number, so that the tenants with goals
// are not always the first by name.
func trios(f *Experiment, _ Scale) (list []mix) {
	apps := slices.Sorted(slices.Values(f.ofClass("compute", "memory")))
	number := 0
	for i := range apps {
		for j := i + 1; j < len(apps); j++ {
			for _, third := range apps[j+1:] {
				if set := []string{apps[i], apps[j], third}; number%2 == 0 {
					turn := number / 2 % len(set)
					list = append(list, mix{apps: slices.Concat(set[turn:], set[:turn])})
				}
				number++
			}
		}
	}
	return list
}

// forty are 40 mixes of n kernels (CCBP 7.4). The paper draws them at random and names at
// most one: that is the first, and a seed of their own draws the rest. The quick scale has
// the first six.
func forty(f *Experiment, s Scale, kernels int, named ...string) []mix {
	var list [][]string
	if named != nil {
		list = append(list, named)
	}
	for _, apps := range sweep.Draw(40, kernels, f.ofClass("LS", "NBI", "DBI"), uint64(kernels)) {
		if !slices.Equal(apps, named) {
			list = append(list, apps)
		}
	}
	if list = list[:40]; s.Quick {
		list = list[:6]
	}
	return mixesOf(list...)
}

// fours are 50 mixes of four with both thick and lean kernels (HeteroCore 6.4), drawn with a
// seed of their own; the quick scale has the first six. The paper has 50 of 310, and there
// are 465.
func fours(f *Experiment, s Scale) []mix {
	var list [][]string
	for _, apps := range sweep.Draw(100, 4, f.ofClass("lean", thick), 4) {
		n := 0
		for _, app := range apps {
			if f.hasClass(app, thick) {
				n++
			}
		}
		if n > 0 && n < len(apps) {
			list = append(list, apps)
		}
	}
	if list = list[:50]; s.Quick {
		list = list[:6]
	}
	return mixesOf(list...)
}

// processes draws workloads of n processes. Every application is the preferred process
// equally often (thesis 5.3.2): five times, or at the quick scale each of its class quick
// once. Its place in the workload is drawn too.
func processes(f *Experiment, s Scale, n int) (mixes []mix) {
	apps := f.ofClass("SHORT", "MEDIUM", "LONG")
	turns := 5
	if s.Quick {
		turns = 1
	}
	random := rand.NewPCG(uint64(n), 0)
	for turn := range turns {
		for i, app := range apps {
			if s.Quick && !f.hasClass(app, "quick") {
				continue
			}
			others := slices.Delete(slices.Clone(apps), i, i+1)
			drawn := sweep.Draw(1, n-1, others, uint64(1000*turn+100*n+i))[0]
			place := int(random.Uint64() % uint64(n))
			mixes = append(mixes, mix{apps: slices.Insert(drawn, place, app), preferred: place})
		}
	}
	return mixes
}
