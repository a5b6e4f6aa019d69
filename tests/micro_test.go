package tests

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

const array = uint64(1) << 32 // address of the first array

// chase is one lane that follows a chain of n loads, stride bytes apart, a
// number of times over.
func chase(n int, stride uint64, passes int) *workload.App {
	return script.App("chase", script.Kernel("chase", 1, 32, func(int, int) (list []workload.Inst) {
		for i := range n * passes {
			load := script.Access(workload.Load, workload.Global, array+uint64(i%n)*stride, 0, 4, 1, 1)
			load.Active = 1
			list = append(list, load)
		}
		return list
	}))
}

// warpAccess is one line for each warp, its lanes side by side.
func warpAccess(class workload.Class, addr uint64, reg uint8) workload.Inst {
	if class == workload.Load {
		return script.Access(class, workload.Global, addr, 4, 4, reg)
	}
	return script.Access(class, workload.Global, addr, 4, 4, workload.NoReg, reg)
}

const (
	streamTBs   = 512
	streamWarps = 8
)

// stream is a grid of warps that walk an array together, a line each: they read
// it, or copy it to another one.
func stream(copies bool, rounds int) *workload.App {
	return script.App("stream", script.Kernel("stream", streamTBs, 32*streamWarps, func(tb, warp int) (list []workload.Inst) {
		for i := range rounds {
			offset := uint64((i*streamTBs+tb)*streamWarps+warp) * 128
			list = append(list, warpAccess(workload.Load, array+offset, uint8(i%100)))
			if copies {
				list = append(list, warpAccess(workload.Store, 2*array+offset, uint8(i%100)))
			}
		}
		return list
	}))
}

// cached is a grid of warps that read lines of 1 MB in no particular order:
// more than the L1s keep, less than the L2.
func cached(rounds int) *workload.App {
	return script.App("cached", script.Kernel("cached", streamTBs, 32*streamWarps, func(tb, warp int) (list []workload.Inst) {
		state := uint64(tb*streamWarps+warp) + 1
		for i := range rounds {
			state = state*6364136223846793005 + 1442695040888963407
			list = append(list, warpAccess(workload.Load, array+state>>33%8192*128, uint8(i%100)))
		}
		return list
	}))
}

func TestDependentALUChainTakesFourCyclesAnInstructionOnTheWholeGPU(t *testing.T) {
	chain := func(n int) *workload.App {
		return script.App("chain", script.Kernel("chain", 1, 32, func(int, int) (list []workload.Inst) {
			for range n {
				list = append(list, script.Op(workload.FP32, 1, 1))
			}
			return list
		}))
	}
	gpu := preset(t, "plain16")
	short, long := run(t, gpu, "fcfs", 0, chain(100)), run(t, gpu, "fcfs", 0, chain(1100))
	require.Equal(t, uint64(1000*4), long.Cycles-short.Cycles)
}

// CCBP Table 1: L2 cache latency 200 cycles.
func TestIdleL2HitTakes200Cycles(t *testing.T) {
	gpu := preset(t, "ccbp16")
	const lines = 1024 // 128 KB: beyond the L1, within the L2
	two, three := run(t, gpu, "fcfs", 0, chase(lines, 128, 2)), run(t, gpu, "fcfs", 0, chase(lines, 128, 3))
	require.Equal(t, two.L2.Misses, three.L2.Misses, "the third pass hits the L2")
	require.InEpsilon(t, 200, float64(three.Cycles-two.Cycles)/lines, 0.05)
}

// CCBP Table 1: DRAM latency 380 cycles.
func TestIdleDRAMAccessTakes380Cycles(t *testing.T) {
	gpu := preset(t, "ccbp16")
	few, many := run(t, gpu, "fcfs", 0, chase(64, 4224, 1)), run(t, gpu, "fcfs", 0, chase(1064, 4224, 1))
	require.InEpsilon(t, 380, float64(many.Cycles-few.Cycles)/1000, 0.05)
}

// CCBP 3.2: DRAM-intensive kernels saturate at 60 to 70 % of the peak.
func TestStreamingSaturatesDRAMBelowItsPeak(t *testing.T) {
	for _, copies := range []bool{false, true} {
		r := run(t, preset(t, "ccbp16"), "fcfs", 0, stream(copies, 20))
		share := r.DRAM.GigabytesPerSec / r.DRAM.PeakGigabytes
		t.Logf("copies %v: %.3f of the peak", copies, share)
		require.True(t, share > 0.60 && share < 0.75, "copies %v: %.3f", copies, share)
	}
}

// CCBP 3.2: NoC-intensive kernels saturate at 50 to 60 % of the crossbar's peak.
func TestReadsThatHitTheL2SaturateTheCrossbarBelowItsPeak(t *testing.T) {
	r := run(t, preset(t, "ccbp16"), "fcfs", 0, cached(60))
	t.Logf("%.3f of the peak, L2 hit rate %.3f", r.NoC.ReplyUtilization, r.L2.HitRate)
	require.True(t, r.NoC.ReplyUtilization > 0.50 && r.NoC.ReplyUtilization < 0.65, "%.3f", r.NoC.ReplyUtilization)
}
