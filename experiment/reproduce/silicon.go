package reproduce

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload"
)

// launchCycles are the cycles that a launch takes on a Volta before its first thread block leaves
// for an SM, where a launch of ours begins: 2,119 elapsed cycles that Nsight Compute counts for a
// kernel that does nothing, by a line through kernels of more and more thread blocks
// (ShihengCao/AMALi at 20d5dbc, hardware/ISA/Volta.py: kernel_launch_ovhd), less the 237 that the same
// line has here, where these kernels need no launch.
const launchCycles = 2119 - 237

// launchGap is the time in seconds that each of several launches in sequence takes on a V100 beside
// the execution of its thread blocks: what two kernels take more than one kernel with the work of
// both (Zhang, Wahib and Matsuoka, Understanding the overheads of launching CUDA kernels, ICPP
// 2019 poster, figure 5; neozhang307/SyncMicrobenchmark at a3fe713).
const launchGap = 993e-9

// executed are the cycles of a launch from its first thread block on.
func executed(l *experiment.LaunchResult) float64 { return float64(l.EndCycle - l.StartCycle) }

// elapsed are the cycles of a launch as a profiler counts them.
func elapsed(l *experiment.LaunchResult, _ *wiring.Config) float64 { return executed(l) + launchCycles }

// idleSMs is the mean number of SMs without a warp in the elapsed cycles of a launch.
func idleSMs(l *experiment.LaunchResult, gpu *wiring.Config) float64 {
	sms := float64(gpu.SMs.Count())
	return (float64(l.IdleCycles)/float64(gpu.SM.Schedulers) + sms*launchCycles) / elapsed(l, gpu)
}

// launchPower is the mean power of a GPU while a launch repeats, by what the launch does.
func launchPower(l *experiment.LaunchResult, gpu *wiring.Config) float64 {
	table, err := metrics.EnergiesOf(gpu.Energies)
	if err != nil {
		return math.NaN()
	}
	e := metrics.Events{
		Seconds:      executed(l)/(float64(gpu.Clocks.Core)*1e6) + launchGap,
		SMs:          float64(gpu.SMs.Count()),
		Instructions: float64(l.ThreadInstructions + workload.WarpSize*l.TensorSteps), TensorMultiplyAdds: float64(l.TensorMultiplyAdds),
		SharedPasses: float64(l.SharedAccesses + l.SharedConflicts),
		L1Accesses:   float64(l.L1.Accesses + l.L1.Writes + l.L1.Atomics),
		L1Sectors:    float64(l.Sectors.L1Read + l.Sectors.L2Written + protocol.SectorsPerLine*l.L1.Atomics),
		L2Bytes:      protocol.SectorBytes * float64(l.Sectors.L2Read+l.Sectors.L2Written),
		Activates:    float64(l.DRAM.RowMisses + l.DRAM.RowConflicts),
		DRAMBytes:    protocol.SectorBytes * float64(l.Sectors.DRAMRead+l.Sectors.DRAMWritten),
	}
	e.Flits = e.L2Bytes / metrics.FlitBytes
	return table.Energy(e) / e.Seconds
}

// powerFitted are the kernels that metrics.GV100 is fitted on.
var powerFitted = []string{"hotspot, calculate_temp", "b+tree, findRangeK", "fastWalshTransform, fwtBatch2", "histogram, histogram64", "dct8x8, 1DCT"}

// ofLaunches is a metric of a kernel: its mean over the launches that have ended, as profilers
// report it.
func ofLaunches(unit string, value func(l *experiment.LaunchResult, gpu *wiring.Config) float64) *metric {
	return &metric{unit: unit, of: func(p *point) float64 {
		gpu := p.gpu(p.run.GPU)
		if gpu == nil {
			return math.NaN()
		}
		sum, n := 0.0, 0.0
		for i := range p.result.Kernels {
			for k := range p.result.Kernels[i].Launches {
				if l := &p.result.Kernels[i].Launches[k]; l.Kernel == p.kernel() && l.EndCycle > 0 {
					sum += value(l, gpu)
					n++
				}
			}
		}
		return sum / n
	}}
}

// launchCounter shows a counter of launches.
func launchCounter(unit string, counter func(l *experiment.LaunchResult) uint64) *metric {
	return ofLaunches(unit, func(l *experiment.LaunchResult, _ *wiring.Config) float64 { return float64(counter(l)) })
}

func init() {
	type launch = experiment.LaunchResult
	maps.Copy(measures, map[string]*metric{
		"elapsed cycles":    ofLaunches("cycles", elapsed),
		"idle SMs":          ofLaunches("", idleSMs),
		"L1 read hits":      launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.L1Read - l.Sectors.L1Fetched }),
		"L1 read misses":    launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.L1Fetched }),
		"shared accesses":   launchCounter("instructions", func(l *launch) uint64 { return l.SharedAccesses }),
		"L2 reads":          launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.L2Read }),
		"L2 read hits":      launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.L2Read - l.Sectors.L2Fetched }),
		"L2 read misses":    launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.L2Fetched }),
		"L2 write hits":     launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.L2Written }),
		"DRAM reads":        launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.DRAMRead }),
		"DRAM writes":       launchCounter("sectors", func(l *launch) uint64 { return l.Sectors.DRAMWritten }),
		"warp instructions": launchCounter("instructions", func(l *launch) uint64 { return l.WarpInstructions }),
		"mean power":        ofLaunches("W", launchPower),
	})
	makers["errors of cycles"] = func(_ *evaluation, before []Row) []Row { return errorsOf("cycles", "cycles", before) }
	makers["errors of power"] = func(_ *evaluation, before []Row) []Row {
		fitted := func(r Row) bool {
			return slices.ContainsFunc(powerFitted, func(kernel string) bool { return r.Label == kernel+", mean power" })
		}
		return errorsOf("W", "power that was not fitted", slices.DeleteFunc(slices.Clone(before), fitted))
	}
}

// errorsOf are the mean and the largest of the absolute errors of rows with a unit, in percent
// of the published values, of what is named so.
func errorsOf(unit, of string, before []Row) []Row {
	sum, worst, n := 0.0, 0.0, 0
	for _, r := range before {
		if r.Unit == unit && r.Ours != nil && r.Paper != nil {
			err := 100 * math.Abs(*r.Ours / *r.Paper - 1)
			sum, worst, n = sum+err, max(worst, err), n+1
		}
	}
	if n == 0 {
		worst = math.NaN()
	}
	return []Row{
		figureRow(fmt.Sprintf("mean absolute error of %s, %d kernels", of, n), "%", sum/float64(n)),
		figureRow("largest error of "+of, "%", worst),
	}
}
