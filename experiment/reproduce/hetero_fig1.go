package reproduce

import (
	"fmt"

	"cotenant/experiment/sweep"
)

func init() {
	for _, f := range []struct {
		name, about, source, text string
		classes                   []string
	}{
		{"heterocore-fig1", "IPC of the thick kernels by the resources of an SM", "HeteroCore, Figure 1", "text 2.1", []string{thick}},
		{"heterocore-fig2", "IPC of the lean kernels by the resources of an SM", "HeteroCore, Figure 2", "text 2.2", []string{flat, cacheSensitive}},
	} {
		register(&Experiment{
			Name:   f.name,
			About:  f.about,
			Source: f.source,
			GPU:    "fermi16",
			Notes: "On SMs with 1/2, 1 and 3/2 of the resources of fermi16's, each kernel alone on 16 of them for 10M cycles, 1M with --quick. " +
				"The paper prints no IPC. A kernel is flat here if both IPCs are within 5 % of that on the baseline, cache-sensitive if it is faster by more on small SMs or slower on big ones, and else thick. " +
				"KMEANS is its transposition in the first 1.5M cycles.",
			runs: func(s Scale) (runs []sweep.Run) {
				for _, gpu := range resources(s) {
					for _, name := range heteroNames(f.classes...) {
						runs = append(runs, sweep.Run{GPU: gpu, Policy: fcfs.spec, Apps: heteroSpecs(s, []string{name}), Window: sweep.Window{Cycles: heteroCycles(s)}, Seed: 1})
					}
				}
				return runs
			},
			rows: func(d *Data) (rows []Row, err error) {
				right := map[string]int{}
				for _, name := range heteroNames(f.classes...) {
					var ipc [3]float64
					for i, gpu := range resources(d.Scale) {
						ipc[i], _ = d.ipcAlone(gpu, fcfs.spec, name)
					}
					class := heteroNamed(name).class
					as := index(classOf(ipc[0]/ipc[1], ipc[2]/ipc[1]) == class)
					right[class] += as
					rows = append(rows, figureRow("IPC, "+name, "", ipc[1]), figureRow("IPC, "+name+", 1/2 over baseline", "", ipc[0]/ipc[1]),
						figureRow("IPC, "+name+", 3/2 over baseline", "", ipc[2]/ipc[1]),
						row(name+" is "+class, "", float64(as)).is(1, f.text))
				}
				for _, class := range f.classes {
					n := len(heteroNames(class))
					rows = append(rows, row(fmt.Sprintf("%s, of the paper's %d", class, n), "kernels", float64(right[class])).is(float64(n), f.text))
				}
				return rows, nil
			},
		})
	}
}

// resources are machines whose SMs have 1/2, 1 and 3/2 of the resources.
func resources(s Scale) [3]string {
	if s.GPU == "fermi16" {
		return [3]string{"fermi16-half", "fermi16", "fermi16-threehalves"}
	}
	of := func(registers, shared, threads, tbs int) string {
		return with(s.GPU, fmt.Sprintf("sm.registers=%d&sm.shared_bytes=[%d]&sm.threads=%d&sm.tbs=%d", registers, shared, threads, tbs))
	}
	return [3]string{of(16384, 24576, 768, 4), s.GPU, of(49152, 73728, 2304, 12)}
}

// classOf is the kind of a kernel whose IPCs on small and on big SMs are such parts of that
// on baseline ones.
func classOf(small, big float64) string {
	switch {
	case small > 1.05 || small >= 0.95 && big < 0.95:
		return cacheSensitive
	case small >= 0.95 && big <= 1.05:
		return flat
	}
	return thick
}
