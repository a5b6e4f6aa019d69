package reproduce

import (
	"fmt"
	"slices"

	"cotenant/experiment/sweep"
)

// qosCase is a mix in which the first tenants have goals, each a percentage of what
// it has alone.
type qosCase struct {
	mix     []string
	with    int // how many have a goal
	percent int
}

// specs names the case's applications with their inputs and goals.
func (c qosCase) specs(s Scale) []string {
	specs := sized(s, c.mix)
	for i := range c.with {
		specs[i] += fmt.Sprintf("&qos=%g", float64(c.percent)/100)
	}
	return specs
}

// qosSet is what a figure of the QoS paper sweeps: every mix with every goal.
type qosSet struct {
	name     string
	mixes    [][]string
	with     int
	percents []int
}

// cases are those of the set, by goal.
func (q qosSet) cases() (list []qosCase) {
	for _, percent := range q.percents {
		list = append(list, q.at(percent)...)
	}
	return list
}

// at are the cases of one goal.
func (q qosSet) at(percent int) (list []qosCase) {
	for _, mix := range q.mixes {
		list = append(list, qosCase{mix, q.with, percent})
	}
	return list
}

// of is the set with some of the mixes.
func (q qosSet) of(name string, which func(mix []string) bool) qosSet {
	q.name = name
	q.mixes = slices.DeleteFunc(slices.Clone(q.mixes), func(mix []string) bool { return !which(mix) })
	return q
}

// qosRuns lists the runs of a set under some policies.
func qosRuns(s Scale, q qosSet, policies ...named) (runs []sweep.Run) {
	for _, p := range policies {
		for _, c := range q.cases() {
			runs = append(runs, sweep.Run{GPU: s.GPU, Policy: p.spec, Apps: c.specs(s), Window: sweep.Window{Cycles: s.Cycles}, Seed: 1})
		}
	}
	return runs
}

// The goals of the QoS paper in percent of the isolated IPC (4.1): those of one
// tenant, and of each of two. The quick scale takes the first, the sixth and the
// last.
var (
	oneGoal  = []int{50, 55, 60, 65, 70, 75, 80, 85, 90, 95}
	twoGoals = []int{25, 30, 35, 40, 45, 50, 55, 60, 65, 70}
)

func (s Scale) goals(all []int) []int {
	if s.Quick {
		return []int{all[0], all[5], all[9]}
	}
	return all
}

// qosPairs are pairs of a tenant with a goal and one without: the paper's 90 (4.1),
// 900 cases with its goals. The quick scale has 20 of them, 60 cases: each
// application once with a compute-intensive and once with a memory-intensive
// partner, the next of its class or the one of its place in the other, so that 4
// are C+C, 10 C+M and 6 M+M.
func qosPairs(s Scale) qosSet {
	set := qosSet{name: "pairs", with: 1, percents: s.goals(oneGoal)}
	for _, class := range [][]string{compute, memory} {
		for i, app := range class {
			if !s.Quick {
				for _, other := range slices.Concat(compute, memory) {
					if other != app {
						set.mixes = append(set.mixes, []string{app, other})
					}
				}
				continue
			}
			for _, partners := range [][]string{compute, memory} {
				place := i
				if partners[0] == class[0] {
					place++
				}
				set.mixes = append(set.mixes, []string{app, partners[place%len(partners)]})
			}
		}
	}
	return set
}

// qosPairs56 are the pairs for the GPU of 56 SMs. The quick scale takes every third
// of its 20, 21 cases with seven different applications with goals: a run of that GPU
// takes long.
func qosPairs56(s Scale) qosSet {
	set := qosPairs(s)
	if s.Quick {
		set.mixes = every(3, set.mixes)
	}
	return set
}

// qosTrios are mixes of three tenants of which one or two have goals: 60, which with
// the goals are 600 cases of each kind (4.1). The paper does not list them. Of the
// 120 sets of three applications, in the order of their names, these are every
// second one, each turned by its number, so that its first tenant, or its first two,
// are not always those of the first letters. The quick scale takes every tenth of
// the 60, 18 cases of each kind.
func qosTrios(s Scale, with int) qosSet {
	set := qosSet{name: "trios with one goal", with: with, percents: s.goals(oneGoal)}
	if with == 2 {
		set.name, set.percents = "trios with two goals", s.goals(twoGoals)
	}
	apps := slices.Sorted(slices.Values(slices.Concat(compute, memory)))
	for i := range apps {
		for j := i + 1; j < len(apps); j++ {
			for _, third := range apps[j+1:] {
				set.mixes = append(set.mixes, []string{apps[i], apps[j], third})
			}
		}
	}
	set.mixes = every(2, set.mixes)
	for number, mix := range set.mixes {
		turn := number % len(mix)
		set.mixes[number] = slices.Concat(mix[turn:], mix[:turn])
	}
	if s.Quick {
		set.mixes = every(10, set.mixes)
	}
	return set
}

// every is the first of each n mixes.
func every(n int, mixes [][]string) (some [][]string) {
	for i := 0; i < len(mixes); i += n {
		some = append(some, mixes[i])
	}
	return some
}

// qosClasses are the pairs of a set by class, whichever of the two has the goal.
func qosClasses(q qosSet) (sets []qosSet) {
	for n, name := range []string{"M+M", "C+M", "C+C"} {
		sets = append(sets, q.of(name, func(mix []string) bool {
			c := 0
			for _, app := range mix {
				if slices.Contains(compute, app) {
					c++
				}
			}
			return c == n
		}))
	}
	slices.Reverse(sets)
	return sets
}
