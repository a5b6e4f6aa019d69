package reproduce

import (
	"math"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/protocol"
)

// The sustainable parts of peak bandwidths (CCBP 3.2, 5.4).
const (
	sustainedNoC  = 0.6
	sustainedDRAM = 0.7
)

// everybody is the number that stands for all tenants.
const everybody = -1

// counter is a counter of a tenant, or of all; NaN if the result has none.
func counter(r *experiment.Result, module, name string, tenant int) float64 {
	oldGroup, counts := r.Stats[module], stats.Counts(nil)
	switch {
	case tenant == everybody:
		counts = oldGroup.Total
	case tenant < len(oldGroup.Tenants):
		counts = oldGroup.Tenants[tenant]
	}
	n, ok := counts.Get(name)
	if !ok {
		return math.NaN()
	}
	return float64(n)
}

// readFlits are the flits of the reply crossbar that a read takes: the line, and a header
// (CCBP equation 1).
func readFlits(gpu *wiring.Config) float64 {
	flit := float64(gpu.ReplyNoC.FlitBytes)
	return (protocol.LineBytes + flit) / flit
}

// nocUse is the share of the reply crossbar's cycles that a tenant's reads take, or
// everybody's. As in the paper (5.3), acknowledgements of writes count for nothing.
func nocUse(r *experiment.Result, gpu *wiring.Config, tenant int) float64 {
	ports := float64(min(gpu.SMs.Count(), gpu.Address.Slices))
	cycles := float64(r.Cycles) * float64(gpu.Clocks.NoC) / float64(gpu.Clocks.Core)
	return counter(r, "l2", "reads", tenant) * readFlits(gpu) / (ports * cycles)
}

// readLatency is the mean of core cycles from a read's coming into the controller's queue
// to its reply, of a tenant; NaN without controllers.
func readLatency(r *experiment.Result, tenant int) float64 {
	return counter(r, "irc", "read_latency", tenant) / counter(r, "irc", "read_replies", tenant)
}

// dfOverRF is how many accesses of the DRAM a tenant's requests make for each read
// (CCBP equations 2 and 4).
func dfOverRF(r *experiment.Result, tenant int) float64 {
	return counter(r, "l2", "dram_accesses", tenant) / counter(r, "l2", "reads", tenant)
}

// peakIPC is the thread instructions that a GPU can issue in a cycle.
func peakIPC(gpu *wiring.Config) (n float64) {
	for _, m := range gpu.SMList() {
		n += float64(m.Spec.Schedulers * m.Spec.IssueWidth * 32)
	}
	return n
}

// boundByNoC is 1 if inequality 7 holds for the first tenant: of the sustained
// bandwidths the crossbar's runs out first.
func boundByNoC(r *experiment.Result, gpu *wiring.Config) float64 {
	noc := sustainedNoC * float64(gpu.ReplyNoC.FlitBytes*min(gpu.SMs.Count(), gpu.Address.Slices)*gpu.Clocks.NoC) * 1e6
	dram := sustainedDRAM * float64(gpu.DRAM.PeakBytesPerSecond(uint64(gpu.Clocks.DRAM)*1_000_000)) * float64(gpu.Address.Channels)
	reply := readFlits(gpu) * float64(gpu.ReplyNoC.FlitBytes)
	ratio := dfOverRF(r, 0)
	if ratio != ratio {
		return ratio
	}
	return yes(ratio < dram/noc*reply/protocol.LineBytes)
}
