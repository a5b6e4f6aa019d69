package reproduce

import (
	"fmt"
	"slices"

	"cotenant/experiment/sweep"
)

// The three classes of the CCBP paper's Table 2.
const (
	latencySensitive = "LS"
	nocIntensive     = "NBI"
	dramIntensive    = "DBI"
)

// ccbpKernel is a row of Table 2: a kernel alone, with shares in percent.
type ccbpKernel struct {
	name, class            string
	app, set               string // the application here, and what it is given beside its size (docs/workloads.md)
	ipc, noc, dram, missL2 float64
}

// ccbpKernels are in the order in which mixes are made of them. Within a class it is not
// the table's, but one with which every third pair makes a good --quick (ccbpPairs).
var ccbpKernels = []ccbpKernel{
	{"BP", latencySensitive, "backprop", "work:24,adjust:0", 68, 19, 36, 51},
	{"BFS", latencySensitive, "rodinia-bfs", "", 44, 14, 24, 100},
	{"HG", latencySensitive, "histogram1024", "work:24", 28, 19, 25, 74},
	{"BT", latencySensitive, "btree", "", 24, 27, 19, 44},
	{"PF", latencySensitive, "pathfinder", "work:72", 72, 28, 39, 90},
	{"CFD", nocIntensive, "cfd", "", 7, 54, 14, 15},
	{"LAV", nocIntensive, "lavamd", "", 5, 53, 1, 1},
	{"SMV", nocIntensive, "spmv", "scatter:512", 10, 52, 25, 30},
	{"KM", nocIntensive, "kmeans", "work:16", 2, 52, 22, 17},
	{"LBM", dramIntensive, "lbm", "", 17, 15, 61, 88},
	{"SAD", dramIntensive, "sad-larger", "", 5, 17, 64, 78},
	{"FTD", dramIntensive, "fdtd2d", "", 29, 32, 65, 66},
	{"SRT", dramIntensive, "hybridsort", "", 25, 37, 59, 69},
}

// kernelNamed is a row of Table 2 by its name.
func kernelNamed(name string) *ccbpKernel {
	return &ccbpKernels[slices.IndexFunc(ccbpKernels, func(k ccbpKernel) bool { return k.name == name })]
}

// spec is the kernel as an application.
func (k *ccbpKernel) spec(s Scale) string {
	spec := k.app + "?size=" + s.Size
	if k.set != "" {
		spec += "&set=" + k.set
	}
	return spec
}

// ccbpNames are the kernels of some classes.
func ccbpNames(classes ...string) (names []string) {
	for _, k := range ccbpKernels {
		if slices.Contains(classes, k.class) {
			names = append(names, k.name)
		}
	}
	return names
}

// ccbpSpecs are the kernels of a mix as applications.
func ccbpSpecs(s Scale, mix []string) (specs []string) {
	for _, name := range mix {
		specs = append(specs, kernelNamed(name).spec(s))
	}
	return specs
}

// beside lists the pairs of a kernel of a class with each of another class, those of one
// of the others after those of the one before.
func beside(class, other string) (mixes [][]string) {
	for _, b := range ccbpNames(other) {
		for _, a := range ccbpNames(class) {
			mixes = append(mixes, []string{a, b})
		}
	}
	return mixes
}

// ccbpPairs are the 66 pairs by class (7.1): LS+NBI, LS+DBI, NBI+DBI and LS+LS. The
// quick scale has every third of the 66 in this order, 7, 7, 5 and 3, among them BP+CFD,
// BT+CFD and CFD+FTD.
func ccbpPairs(s Scale) []oldGroup {
	var bound [][]string
	for _, a := range ccbpNames(nocIntensive) {
		for _, b := range ccbpNames(dramIntensive) {
			bound = append(bound, []string{a, b})
		}
	}
	groups := []oldGroup{{"LS+NBI", beside(latencySensitive, nocIntensive)}, {"LS+DBI", beside(latencySensitive, dramIntensive)},
		{"NBI+DBI", bound}, {"LS+LS", sweep.Pairs(ccbpNames(latencySensitive))}}
	if !s.Quick {
		return groups
	}
	place := 0
	for i := range groups {
		groups[i].mixes = slices.DeleteFunc(groups[i].mixes, func([]string) bool {
			place++
			return place%3 != 1
		})
	}
	return groups
}

// ccbpGroups are the pairs as Figure 9 has them, LS+LS, LS+BI, NBI+DBI and ALL.
func ccbpGroups(s Scale) []oldGroup {
	by := ccbpPairs(s)
	return withAll(by[3], oldGroup{"LS+BI", slices.Concat(by[0].mixes, by[1].mixes)}, by[2])
}

// ccbpFewer are fewer of the pairs of Figure 9.
func ccbpFewer(s Scale) []oldGroup { return fewer(s, ccbpGroups(s)[:3]) }

// fewer are groups for what is looked at beside a figure: the same in full, of the
// quick pairs every third of each; and all of them. Their names say how many pairs they
// have.
func fewer(s Scale, groups []oldGroup) []oldGroup {
	groups = slices.Clone(groups)
	if s.Quick {
		for i := range groups {
			groups[i].mixes = every(3, groups[i].mixes)
		}
	}
	groups = withAll(groups...)
	for i, g := range groups {
		groups[i].name += fmt.Sprintf(" of %d pairs", len(g.mixes))
	}
	return groups
}

// withAll adds to groups the one of all their mixes.
func withAll(groups ...oldGroup) []oldGroup {
	all := oldGroup{name: "ALL"}
	for _, g := range groups {
		all.mixes = append(all.mixes, g.mixes...)
	}
	return append(groups, all)
}

// ccbpMost is the group of three or four kernels in each mix, 40 mixes (7.4). The paper
// draws them at random and names one, HG+LBM+SAD: that is the first, and the others are
// drawn with a seed of their own. The quick scale has the first six.
func ccbpMost(s Scale, kernels int) oldGroup {
	g := oldGroup{name: fmt.Sprintf("%d kernels", kernels)}
	if kernels == 3 {
		g.mixes = append(g.mixes, hgLBMSAD)
	}
	for _, mix := range sweep.Draw(40, kernels, ccbpNames(latencySensitive, nocIntensive, dramIntensive), uint64(kernels)) {
		if !slices.Equal(mix, hgLBMSAD) {
			g.mixes = append(g.mixes, mix)
		}
	}
	if g.mixes = g.mixes[:40]; s.Quick {
		g.mixes = g.mixes[:6]
	}
	return g
}

var hgLBMSAD = []string{"HG", "LBM", "SAD"}
