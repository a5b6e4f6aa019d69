package reproduce

import (
	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/platform/build"
	"cotenant/protocol"
)

func init() {
	names := ccbpNames(latencySensitive, nocIntensive, dramIntensive)
	register(&Experiment{
		Name:   "ccbp-table2",
		About:  "13 kernels alone: throughput, use of the crossbar and of the DRAM, and L2 misses",
		Source: "CCBP, Table 2",
		GPU:    "ccbp16",
		Notes:  "Kernels alone with greedy-then-oldest scheduling, in a window of 2M cycles, 300,000 with --quick; the paper's has 100M. Bandwidths are shares of the peak, of the crossbar that of replies with data. Whether a kernel is bound by the crossbar or by the DRAM is by inequality 7, for those that the paper calls bandwidth-intensive: 1 is NBI, 0 DBI. Latency-sensitive kernels are told by their demand beside others only.",
		runs:   func(s Scale) []sweep.Run { return aloneOn(s, greedy, names) },
		rows: func(d *Data) (rows []Row, err error) {
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				k, r := kernelNamed(name), d.corun(greedy(d.Scale), fcfs.spec, []string{name})
				rows = append(rows,
					figureRow(name+", throughput", "%", 100*r.Kernels[0].IPC/peakIPC(gpu)).is(k.ipc, "printed"),
					figureRow(name+", NoC bandwidth", "%", 100*nocUse(r, gpu, 0)).is(k.noc, "printed"),
					figureRow(name+", DRAM bandwidth", "%", 100*r.DRAM.Utilization).is(k.dram, "printed"),
					figureRow(name+", L2 misses", "%", 100*(1-float64(r.L2.HitRate))).is(k.missL2, "printed"))
				if k.class != latencySensitive {
					rows = append(rows, figureRow(name+", bound by the crossbar", "", boundByNoC(r, gpu)).is(yes(k.class == nocIntensive), "printed: its type"))
				}
			}
			return rows, nil
		},
	})
}

// peakIPC is the thread instructions that a GPU can issue in a cycle.
func peakIPC(gpu *build.Config) (n float64) {
	for _, m := range gpu.SMList() {
		n += float64(m.Spec.Schedulers * m.Spec.IssueWidth * 32)
	}
	return n
}

// boundByNoC is 1 if inequality 7 holds for the first tenant: of the sustained
// bandwidths the crossbar's runs out first.
func boundByNoC(r *experiment.Result, gpu *build.Config) float64 {
	noc := sustainedNoC * float64(gpu.ReplyNoC.FlitBytes*min(gpu.SMs.Count(), gpu.Address.Slices)*gpu.Clocks.NoC) * 1e6
	dram := sustainedDRAM * float64(gpu.DRAM.PeakBytesPerSecond(uint64(gpu.Clocks.DRAM)*1_000_000)) * float64(gpu.Address.Channels)
	reply := readFlits(gpu) * float64(gpu.ReplyNoC.FlitBytes)
	ratio := dfOverRF(r, 0)
	if ratio != ratio {
		return ratio
	}
	return yes(ratio < dram/noc*reply/protocol.LineBytes)
}
