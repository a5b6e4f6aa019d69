package reproduce

import (
	"fmt"
	"strings"

	"cotenant/experiment/sweep"
)

// The applications of the SMK paper by class (6.1).
var (
	compute = []string{"cutcp", "mri-q", "sgemm", "tpacf"}
	memory  = []string{"histo", "lbm", "mri-gridding", "sad", "spmv", "stencil"}
)

// group is a set of mixes that a paper reports together.
type group struct {
	name  string
	mixes [][]string // of application names
}

// pairGroups are the 45 pairs by class, and all of them (SMK 6.1).
func pairGroups() []group {
	var mixed [][]string
	for _, c := range compute {
		for _, m := range memory {
			mixed = append(mixed, []string{c, m})
		}
	}
	groups := []group{{"C+C", sweep.Pairs(compute)}, {"C+M", mixed}, {"M+M", sweep.Pairs(memory)}}
	all := group{name: "all pairs"}
	for _, g := range groups {
		all.mixes = append(all.mixes, g.mixes...)
	}
	return append(groups, all)
}

// computeMemory are the pairs of a compute- and a memory-intensive application.
func computeMemory() group { return pairGroups()[1] }

// allPairs are the 45 pairs.
func allPairs() group { return pairGroups()[3] }

// largest are the inputs of Parboil's largest data sets, which the SMK paper ran
// (6.1), where size medium is not one: a box of 104 angstroms for cutcp, and
// catalogues of 10,391 points for tpacf.
var largest = map[string]string{"cutcp": "&set=regions:26", "tpacf": "&set=points:10391"}

// sized names the input of each application of a mix.
func sized(s Scale, mix []string) (specs []string) {
	for i, app := range mix {
		spec := app + "?size=" + s.Size
		if s.Size == "medium" {
			spec += largest[app]
		}
		if i > 0 && s.later > 0 {
			spec += fmt.Sprintf("&arrival=%d", s.later)
		}
		specs = append(specs, spec)
	}
	return specs
}

// smkRuns lists the runs of some mixes under some policies on the SMK paper's
// GPU.
func smkRuns(s Scale, mixes [][]string, policies ...named) (runs []sweep.Run) {
	for _, p := range policies {
		for _, mix := range mixes {
			runs = append(runs, sweep.Run{GPU: s.GPU, Policy: p.spec, Apps: sized(s, mix), Window: sweep.Window{Cycles: s.Cycles}, Seed: 1})
		}
	}
	return runs
}

// title names a mix.
func title(mix []string) string { return strings.Join(mix, "+") }
