package reproduce

import (
	"cotenant/experiment/sweep"
	"cotenant/platform/build"
)

// useCase compares ways to go on with what a fault leaves with stalling on it.
type useCase struct {
	kernels []faultKernel
	pages   build.PageMode
	ways    []scheme
}

var (
	// switching is block switching on a fault (6.4.1), at most four extra thread blocks.
	switching = useCase{parboil, build.PagesDemand, []scheme{
		{"switching", log16.option + "&driver.block_switching.extra=4"},
		{"ideal switching", log16.option + "&driver.block_switching.extra=4&driver.block_switching.ideal=true"},
	}}
	// onSM are handlers on the SMs, of 20 us (6.4.2, 6.5.4).
	onSM       = scheme{"handled on the SMs", log16.option + "&mmu.fill.local=true&sm.faults.handler_cycles=20000"}
	lazyHeap   = useCase{allocating, build.PagesLazyHeap, []scheme{onSM}}
	lazyOutput = useCase{parboil, build.PagesLazyOutput, []scheme{onSM}}
)

// runs are those of each kernel that stalls, and goes each of the ways, on both links.
func (u *useCase) runs(s Scale) (runs []sweep.Run) {
	for _, l := range links {
		for _, x := range append([]scheme{{}}, u.ways...) {
			for i := range u.kernels {
				runs = append(runs, u.kernels[i].run(s, joined(l.option, x.option), u.pages))
			}
		}
	}
	return runs
}

// speedups are those of each kernel on a link by one of the ways, over stalling.
func (u *useCase) speedups(d *Data, l link, x scheme) (list []float64) {
	for i := range u.kernels {
		k := &u.kernels[i]
		list = append(list, launched(d.resultOf(k.run(d.Scale, l.option, u.pages)))/launched(d.resultOf(k.run(d.Scale, joined(l.option, x.option), u.pages))))
	}
	return list
}

// regions are rows of how many regions were served for each kernel while it stalled, on
// the first link: on how many there are depends what can be gained.
func (u *useCase) regions(d *Data) (rows []Row) {
	for i := range u.kernels {
		k := &u.kernels[i]
		served, ok := d.resultOf(k.run(d.Scale, links[0].option, u.pages)).Stats["fill"].Total.Get("regions")
		r := Row{Label: "faults, " + k.app}
		if n := float64(served); ok {
			r.Ours = &n
		}
		rows = append(rows, r)
	}
	return rows
}

// rows are the speedups of all, as a ratio or in percent above 1, and their means.
func (u *useCase) rows(d *Data, percent bool) (rows []Row) {
	shown := func(label string, x float64) {
		if percent {
			rows = append(rows, figureRow(label, "%", 100*(x-1)))
		} else {
			rows = append(rows, figureRow(label, "", x))
		}
	}
	for _, l := range links {
		for _, x := range u.ways {
			list := u.speedups(d, l, x)
			for i := range u.kernels {
				shown(u.kernels[i].app+", "+l.name+", "+x.name, list[i])
			}
			shown("geometric mean, "+l.name+", "+x.name, geometricMean(list))
		}
	}
	return append(rows, u.regions(d)...)
}

const (
	useNotes   = " Faults stay in a region of 64 KB and are served one by one. Times are those of all launches of an application: the first that accesses a page waits for it. Rows of faults count regions that the CPU serves on NVLink."
	switchNote = "All data are in the CPU's memory at first. Thread blocks that leave have an operand log of 16 KB, which the thesis does not say."
	lazyNote   = "Handlers on SMs take 20 us, any number of them at a time, with an operand log of 16 KB; they are compared with the CPU, which serves one fault at a time, and SMs that stall."
)

func init() {
	use := func(name, about, source, notes string, u *useCase, percent bool, values oldPublished) {
		register(&Experiment{
			Name: name, About: about, Source: source, GPU: pagefault16, Notes: notes + useNotes,
			runs: u.runs,
			rows: func(d *Data) ([]Row, error) { return values.add(u.rows(d, percent)), nil },
		})
	}
	const text3, text4 = "text 6.5.3", "text 6.5.4"
	use("thesis-fig6.13", "speedup of block switching on a fault over stalling, with demand paging", "Tanasic's thesis, Figure 6.13", switchNote, &switching, true, oldPublished{
		"sgemm, NVLink, switching":          {13.6, text3},
		"histo, NVLink, switching":          {9.9, text3},
		"stencil, NVLink, switching":        {7.6, text3},
		"mri-gridding, NVLink, switching":   {-14, text3},
		"histo, PCIe, switching":            {4.6, text3},
		"geometric mean, NVLink, switching": {0, text3 + ": unchanged"},
	})
	use("thesis-fig6.14", "speedup of handling faults on the SMs, of kernels that allocate", "Tanasic's thesis, Figure 6.14", lazyNote, &lazyHeap, false, oldPublished{
		"geometric mean, NVLink, " + onSM.name: {1.80, text4},
		"geometric mean, PCIe, " + onSM.name:   {1.98, text4},
	})
	use("thesis-fig6.15", "speedup of handling faults on the SMs, of pages that kernels write first", "Tanasic's thesis, Figure 6.15", lazyNote, &lazyOutput, false, oldPublished{
		"geometric mean, NVLink, " + onSM.name: {1.04, text4},
		"geometric mean, PCIe, " + onSM.name:   {1.08, text4},
	})
}
