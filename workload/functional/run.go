package functional

import (
	"context"
	"fmt"

	"cotenant/workload"
)

// Observer is told what a kernel does. Each function may be nil.
type Observer struct {
	// Begun: a thread block with a number of warps is about to start.
	Begun func(tb, warps int)
	// Executed: a warp has executed an instruction, which is valid during the
	// call.
	Executed func(tb, warp int, inst *workload.Inst)
	// Long: no thread block has finished for so long that the kernel may be in a
	// loop without an end. executed is the number of warp instructions since,
	// and inst of the stream the last.
	Long func(executed int, stream workload.Stream, inst *workload.Inst)
	// Patience is the number of instructions of warps without the end of a thread
	// block after which Run gives up with an EndlessError; 0 never gives up.
	Patience uint64
	// Finished: all warps of a thread block have ended. An error ends the run.
	Finished func(tb int) error
}

// longStretch is how many instructions of warps without a thread block that
// finishes are taken for a loop that may have no end. Tests have no such patience.
var longStretch = 100_000_000

// EndlessError is of a launch that Run has given up.
type EndlessError struct {
	// Kernel is its name, Executed the number of instructions of warps since a thread
	// block has ended, Place where the last one stands.
	Kernel   string
	Executed uint64
	Place    string
}

// Error names them.
func (e *EndlessError) Error() string {
	return fmt.Sprintf("kernel %s: no thread block has ended for %d instructions of warps, the last at %s; it may never end", e.Kernel, e.Executed, e.Place)
}

// checkEvery is the number of rounds over the warps between looks at the
// context.
const checkEvery = 64

// Run executes one launch of a kernel. Up to resident thread blocks, at least
// one, are on their way at a time: each of their warps executes one instruction
// in turn, and waits at a barrier for the rest of its thread block, as the
// timing model has it. A thread block starts when the thread block
// that is resident numbers before it has finished, so that at most as many wait
// for an earlier one to finish.
func Run(ctx context.Context, k *workload.Kernel, resident int, o Observer) (err error) {
	if k.ClusterTBs > 1 {
		return fmt.Errorf("kernel %s has clusters of %d thread blocks, which are not recorded; valid are kernels without clusters", k.Name, k.ClusterTBs)
	}
	launch, err := k.Source.Open()
	if err != nil {
		return err
	}
	defer func() {
		if closed := launch.Close(); err == nil {
			err = closed
		}
	}()
	r := runner{launch: launch, observer: o, blocks: make([]block, min(resident, k.TBs()))}
	started, finished := 0, 0
	for round := 0; finished < k.TBs(); round++ {
		if round%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		moved := false
		for i := range r.blocks {
			b := &r.blocks[i]
			if b.live == 0 {
				// Thread block n is in place n modulo resident.
				if b.begun || started == k.TBs() || started%len(r.blocks) != i {
					continue
				}
				if err := r.begin(b); err != nil {
					return err
				}
				started++
			}
			moved = r.turn(b) || moved
			if r.endless != nil {
				r.endless.Kernel = k.Name
				return r.endless
			}
			if b.live == 0 {
				if err := r.finish(b); err != nil {
					return err
				}
				finished++
			}
		}
		if !moved {
			return fmt.Errorf("kernel %s: its warps wait at barriers for others that never come", k.Name)
		}
	}
	return nil
}

type runner struct {
	launch   workload.Launch
	observer Observer
	blocks   []block
	executed int // instructions since a thread block has finished
	endless  *EndlessError
}

// block is a place for a thread block.
type block struct {
	tb       workload.TB
	warps    []warp
	live     int // warps that have not ended
	begun    bool
	barriers [workload.Barriers]barrier
}

// warp has its next instruction in inst.
type warp struct {
	inst    workload.Inst
	ended   bool
	waiting bool  // at barrier
	barrier uint8 // its number
}

func (r *runner) begin(b *block) error {
	if err := r.launch.Next(&b.tb); err != nil {
		return err
	}
	b.begun = true
	b.live = len(b.tb.Warps)
	b.barriers = [workload.Barriers]barrier{}
	b.warps = append(b.warps[:0], make([]warp, len(b.tb.Warps))...)
	if r.observer.Begun != nil {
		r.observer.Begun(b.tb.ID, len(b.warps))
	}
	for i := range b.warps {
		b.fetch(i)
	}
	return nil
}

func (b *block) fetch(i int) {
	if !b.tb.Warps[i].Fetch(&b.warps[i].inst) {
		b.warps[i].ended = true
		b.live--
	}
}

// turn lets each warp of a thread block execute an instruction, and reports
// whether any could.
func (r *runner) turn(b *block) (moved bool) {
	for i := range b.warps {
		w := &b.warps[i]
		if w.ended || w.waiting {
			continue
		}
		moved = true
		b.tb.Warps[i].Execute(&w.inst)
		if r.observer.Executed != nil {
			r.observer.Executed(b.tb.ID, i, &w.inst)
		}
		if r.executed++; r.executed == longStretch && r.observer.Long != nil {
			r.observer.Long(r.executed, b.tb.Warps[i], &w.inst)
		}
		if uint64(r.executed) == r.observer.Patience {
			r.endless = &EndlessError{Executed: r.observer.Patience, Place: workload.Where(b.tb.Warps[i], w.inst.PC)}
			return true
		}
		met := w.inst.Class == workload.Barrier
		if met {
			b.arrive(w)
		}
		b.fetch(i)
		if met || w.ended {
			b.open()
		}
	}
	return moved
}

func (r *runner) finish(b *block) error {
	b.begun = false
	r.executed = 0
	if r.observer.Finished != nil {
		if err := r.observer.Finished(b.tb.ID); err != nil {
			return err
		}
	}
	r.launch.Recycle(&b.tb)
	return nil
}
