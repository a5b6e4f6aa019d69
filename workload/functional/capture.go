package functional

import (
	"context"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// resident is the number of thread blocks that Capture executes side by side, as
// a GPU does: few enough that their registers stay in the host's caches.
const resident = 16

// Capture executes one launch of a kernel and packs its thread blocks. It hands
// them to block in their order. The observer must not have Begun and Finished.
func Capture(ctx context.Context, k *workload.Kernel, c *packed.Capture, o Observer, block func(tb int, t *packed.Captured) error) error {
	var places [resident]struct {
		captured *packed.Captured
		finished bool
	}
	next, executed := 0, o.Executed // next thread block to be handed on
	o.Begun = func(tb, warps int) { places[tb%resident].captured = c.Begin(warps) }
	o.Executed = func(tb, warp int, inst *workload.Inst) {
		places[tb%resident].captured.Add(warp, inst)
		if executed != nil {
			executed(tb, warp, inst)
		}
	}
	o.Finished = func(tb int) error {
		p := &places[tb%resident]
		p.finished = true
		for p = &places[next%resident]; p.finished; p = &places[next%resident] {
			if err := block(next, p.captured); err != nil {
				return err
			}
			c.Recycle(p.captured)
			p.finished = false
			next++
		}
		return nil
	}
	return Run(ctx, k, resident, o)
}
