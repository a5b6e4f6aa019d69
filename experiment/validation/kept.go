package validation

import (
	"context"

	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"
)

// Kept is the time in core cycles of one pass over kb KB of data that a kernel updates over and over, while it updates as
// many bytes beside them only once. Each thread doubles a number of either, as in the sliding window of NVIDIA's CUDA C++ Best Practices
// Guide. The L2 is told to keep a share of the data, in aside bytes that are set aside; with none it is told nothing.
func Kept(ctx context.Context, gpu *wiring.Config, kb int, aside uint64, share float64) (float64, error) {
	return (&bench{ctx: ctx, gpu: gpu}).kept(kb, aside, share)
}

func (b *bench) kept(kb int, aside uint64, share float64) (float64, error) {
	const each = 32 // warps of a thread block
	lines := kb << 10 / protocol.LineBytes
	var asks *workload.Residency
	if aside > 0 {
		asks = &workload.Residency{SetAside: aside, Window: workload.Window{Base: array, Bytes: uint64(kb) << 10,
			Eviction: workload.NewEviction(workload.EvictLast, workload.EvictFirst, share)}}
	}
	first := 0 // line beside the data that no kernel has updated
	passes := func(n int) *workload.Kernel {
		begin, tbs := first, n*lines/each
		first += n * lines
		k := script.Kernel("update", tbs, each*workload.WarpSize, func(tb, warp int) (list []workload.Inst) {
			i := tb*each + warp
			for reg, line := range [2]uint64{array + uint64(i%lines)*protocol.LineBytes, 2*array + uint64(begin+i)*protocol.LineBytes} {
				load := script.Access(workload.Load, workload.Global, line, 4, 4, uint8(reg), workload.NoReg)
				store := script.Access(workload.Store, workload.Global, line, 4, 4, workload.NoReg, uint8(reg))
				list = append(list, load, store)
			}
			return append(list, script.Op(workload.Exit, workload.NoReg))
		})
		k.L2 = asks
		return k
	}
	// The first kernel fills the L2.
	return b.perStep(1, passes, passes(1+2*b.l2Lines()/lines))
}
