package reproduce

import (
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	register(&Experiment{
		Name:   "heterocore-fig9",
		About:  "each application alone on HeteroCore, over alone on the conventional GPU: IPC",
		Source: "HeteroCore, Figure 9",
		GPU:    hetero8b8s,
		Notes:  "IPC on all 16 SMs over that on all 16 SMs of the conventional GPU, less 1, and on the eight big and the eight small SMs. Windows are 10M cycles, 1M with --quick. NQU, STO, DXTC and HISTO lose less than B+TREE in the paper.",
		runs: func(s Scale) []sweep.Run {
			return slices.Concat(singles(s, conventional(s), fcfs.spec, heteroAll()), singles(s, s.GPU, fcfs.spec, heteroAll()))
		},
		more: func(d *Data) []sweep.Run {
			f, err := d.fleet(d.Scale.GPU)
			if err != nil {
				return nil
			}
			return append(singles(d.Scale, d.Scale.GPU, f.onKind(true), heteroAll()), singles(d.Scale, d.Scale.GPU, f.onKind(false), heteroAll())...)
		},
		rows: func(d *Data) (rows []Row, err error) {
			f, err := d.fleet(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			for _, on := range []struct{ name, policy string }{{"all SMs", fcfs.spec}, {"big SMs", f.onKind(true)}, {"small SMs", f.onKind(false)}} {
				for _, name := range heteroAll() {
					ipc, _ := d.ipcAlone(d.Scale.GPU, on.policy, name)
					base, _ := d.ipcAlone(conventional(d.Scale), fcfs.spec, name)
					rows = append(rows, figureRow("IPC, "+name+", "+on.name, "%", higher(ipc, base)))
				}
			}
			return oldPublished{
				"IPC, B+TREE, all SMs": {-6.3, "text 6.3"},
				"IPC, NN, all SMs":     {9.9, "text 6.3"},
				"IPC, FDTD3D, all SMs": {19.9, "text 6.3"},
				"IPC, SC, all SMs":     {46.6, "text 6.3"},
			}.add(rows), nil
		},
	})
}
