package ccbp

import (
	"math"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// The sustainable parts of peak bandwidths (CCBP 3.2, 5.4): "60 % and 70 % to their
// theoretical peak bandwidth".
const (
	sustainedNoC  = 0.6
	sustainedDRAM = 0.7
)

// Units is M, the units of a bandwidth (CCBP 5.2: above 20 little changes).
const Units = 20

// Bandwidth is the sustained bandwidth: each SM's even part in an interval of the issue-rate
// controllers.
type Bandwidth struct {
	Replies  float64 // with a line each: (L1BlkSize + FlitSize) bytes of the reply crossbar (equation 1)
	Accesses float64 // of the DRAM: L2BlkSize bytes (equation 3)
}

// sustained is the bandwidth of a GPU with a number of SMs.
func sustained(m policy.Machine, sms int) Bandwidth {
	each := m.RateIntervalSeconds / float64(sms)
	return Bandwidth{
		Replies:  sustainedNoC * m.ReplyBytesPerSecond * each / float64(m.L1LineBytes+m.FlitBytes),
		Accesses: sustainedDRAM * m.DRAMBytesPerSecond * each / float64(m.L2LineBytes),
	}
}

// over divides a part of a bandwidth by a request's cost; infinite if the request costs
// nothing.
func over(part, factor float64) float64 {
	if factor <= 0 {
		return math.Inf(1)
	}
	return part / factor
}

// even is IREven, a kernel's largest rate, in requests of an SM in an interval, within an even
// share of either bandwidth among the kernels (equation 5).
func even(f Factors, b Bandwidth, kernels int) float64 {
	return min(over(b.Replies/float64(kernels), f.Reads), over(b.Accesses/float64(kernels), f.DRAM))
}

// units converts a rate into units of the crossbar and of the DRAM (equations 1 and 3).
func units(rate float64, f Factors, b Bandwidth) (noc, dram float64) {
	return rate * f.Reads / b.Replies * Units, rate * f.DRAM / b.Accesses * Units
}

// rate is the issue rate of a grant of units, in requests of an SM in an interval: by its own
// resource for a bandwidth-intensive kernel, by the smaller of both for a sensitive kernel.
// Infinity: no limit.
func rate(kind Kind, f Factors, b Bandwidth, noc, dram float64) float64 {
	byNoC, byDRAM := over(noc/Units*b.Replies, f.Reads), over(dram/Units*b.Accesses, f.DRAM)
	switch kind {
	case NoCBound:
		return byNoC
	case DRAMBound:
		return byDRAM
	}
	return min(byNoC, byDRAM)
}

// fixed is a rate in the controllers' fixed point, rounded; limited is false for a rate beyond
// their reach. Each kernel has a part of a request at least, so that none stops for good.
func fixed(rate float64) (requests uint32, limited bool) {
	r := math.Round(rate * protocol.RateOne)
	if r >= protocol.RateLimit {
		return 0, false
	}
	return uint32(max(r, 1)), true
}
