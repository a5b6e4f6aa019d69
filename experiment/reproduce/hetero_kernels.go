package reproduce

import (
	"slices"

	"cotenant/experiment/sweep"
)

// heteroKernel is an application of the HeteroCore paper's Table 3.
type heteroKernel struct {
	name string // as Table 3 has it
	// class is that of Figures 1 and 2: thick, or lean, which is flat or cacheSensitive.
	class string
	app   string // the application here
	set   string // what it is given beside its size (docs/workloads.md)
}

// The kinds of kernel of Figures 1 and 2, by their IPC over the resources of an SM.
const (
	thick          = "thick"
	flat           = "flat"
	cacheSensitive = "cache-sensitive"
)

// heteroKernels are those of Figure 2, "the four on the left" and "the two on the right"
// (2.2), and of Figure 1.
var heteroKernels = []heteroKernel{
	{"LAVAMD", flat, "lavamd", "arch=fermi"},
	{"SYRK", flat, "syrk", ""},
	{"KMEANS", flat, "kmeans", ""},
	{"SYR2K", flat, "syr2k", ""},
	{"NN", cacheSensitive, "nn", ""},
	{"SC", cacheSensitive, "streamcluster", ""},
	{"FDTD3D", thick, "fdtd3d", ""},
	{"NQU", thick, "nqueens", ""},
	{"STO", thick, "storegpu", ""},
	{"B+TREE", thick, "btree", "set=range_queries:6000"},
	{"DXTC", thick, "dxtc", ""},
	{"HISTO", thick, "histogram64", ""},
}

// heteroNamed is an application by its name.
func heteroNamed(name string) *heteroKernel {
	return &heteroKernels[slices.IndexFunc(heteroKernels, func(k heteroKernel) bool { return k.name == name })]
}

// heteroNames are the applications of some kinds.
func heteroNames(classes ...string) (names []string) {
	for _, k := range heteroKernels {
		if slices.Contains(classes, k.class) {
			names = append(names, k.name)
		}
	}
	return names
}

// heteroAll are the twelve.
func heteroAll() []string { return heteroNames(flat, cacheSensitive, thick) }

// heteroSpecs are the applications of a mix with their inputs.
func heteroSpecs(s Scale, mix []string) (specs []string) {
	for _, name := range mix {
		k := heteroNamed(name)
		spec := k.app + "?size=" + s.Size
		if k.set != "" {
			spec += "&" + k.set
		}
		specs = append(specs, spec)
	}
	return specs
}

// heteroPairs are the 66 pairs by class: a thick kernel, which comes first, and a lean one,
// the heterogeneous ones of the paper; two lean ones; two thick ones. The quick scale has
// of each a third, those whose places in their class add up to a multiple of three: each
// kernel is in two to five of them.
func heteroPairs(s Scale) []oldGroup {
	of := [2][]string{heteroNames(flat, cacheSensitive), heteroNames(thick)}
	var mixed [][]string
	for _, b := range of[1] {
		for _, a := range of[0] {
			mixed = append(mixed, []string{b, a})
		}
	}
	groups := []oldGroup{{"heterogeneous", mixed}, {"lean+lean", sweep.Pairs(of[0])}, {"thick+thick", sweep.Pairs(of[1])}}
	if !s.Quick {
		return groups
	}
	place := func(name string) int { return max(slices.Index(of[0], name), slices.Index(of[1], name)) }
	for i := range groups {
		groups[i].mixes = slices.DeleteFunc(groups[i].mixes, func(mix []string) bool { return (place(mix[0])+place(mix[1]))%3 != 0 })
	}
	return groups
}

// heteroGroups are the pairs as means are given: by class, homogeneous ones together, and
// ALL.
func heteroGroups(s Scale) []oldGroup {
	by := heteroPairs(s)
	homogeneous := oldGroup{"homogeneous", slices.Concat(by[1].mixes, by[2].mixes)}
	return append(withAll(by[0], homogeneous), by[1], by[2])
}

// heteroMixes are all pairs.
func heteroMixes(s Scale) [][]string { return heteroGroups(s)[2].mixes }

// heteroFours are 50 mixes of four with both thick and lean kernels (6.4), drawn with a
// seed of their own, of which the quick scale has the first six. The paper has 50 of 310,
// and there are 465.
func heteroFours(s Scale) oldGroup {
	g := oldGroup{name: "four kernels"}
	for _, mix := range sweep.Draw(100, 4, heteroAll(), 4) {
		n := 0
		for _, name := range mix {
			n += index(heteroNamed(name).class == thick)
		}
		if n > 0 && n < len(mix) {
			g.mixes = append(g.mixes, mix)
		}
	}
	if g.mixes = g.mixes[:50]; s.Quick {
		g.mixes = g.mixes[:6]
	}
	return g
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
