package residency

import (
	"cotenant/protocol"
	"cotenant/sm/barrier"
)

// Evict stops the warps of the thread block of a placement from issuing, so that it
// drains.
func (u *Unit) Evict(serial uint64) {
	for i := range u.Warps {
		if w := &u.Warps[i]; w.InUse && w.TB.Serial == serial {
			u.hold(w.TB)
			u.parts.Gates.Moved()
			return
		}
	}
	u.Evicted = append(u.Evicted, &protocol.TBEvicted{Serial: serial}) // it has finished
	u.Reports = true
}

func (u *Unit) hold(b *Block) {
	b.Leaving = true
	for _, n := range b.Warps {
		w := &u.Warps[n]
		if !w.InUse || w.TB != b || w.Ended {
			continue
		}
		w.Held = true
		u.Departing++
		g := &u.Signals[w.Scheduler]
		g.Held |= w.Bit
		g.Still = 0
		u.parts.Keeper.Stop(w)
	}
	u.Drained(b)
}

// Drained takes a leaving thread block off the SM if nothing of it is in flight. Its
// context has no warps that have ended: of the warps that end in one cycle the first
// may find all of them still in their slots.
func (u *Unit) Drained(b *Block) {
	for _, n := range b.Warps {
		if w := &u.Warps[n]; w.InUse && w.TB == b && !u.parts.Keeper.Look(int(w.Slot)).Quiet {
			return
		}
	}
	for _, n := range b.Warps {
		if w := &u.Warps[n]; w.InUse && w.TB == b && w.Ended {
			u.release(w)
			b.left--
		}
	}
	if b.left == 0 {
		u.blockDone(b)
		return
	}
	context := &protocol.Context{Barriers: b.Barriers.State, Arrivals: b.Barriers.Arrivals}
	for _, n := range b.Warps {
		if w := &u.Warps[n]; w.InUse && w.TB == b { // else it has ended
			at := u.parts.Barriers.Warp(int(w.Slot))
			context.Warps = append(context.Warps, protocol.WarpContext{Stream: w.Stream, Inst: w.Inst,
				AtBarrier: at.Waits, Barrier: at.At, Turn: at.Turn, Line: w.Line})
		}
	}
	context.Extra = u.parts.Keeper.Save(b, context)
	for _, n := range b.Warps {
		if w := &u.Warps[n]; w.InUse && w.TB == b {
			u.silence(w)
			u.Signals[w.Scheduler].Needs[w.Unit] &^= w.Bit
			u.release(w)
		}
	}
	u.changeResources(b.Account, &b.Demand, -1)
	u.Stats.Accounts.Of(b.Account).TBsEvicted++
	u.Evicted = append(u.Evicted, &protocol.TBEvicted{Serial: b.Serial, Context: context})
	u.Reports = true
	u.Forget(b)
}

// resume puts a thread block's warps back where they were.
func (u *Unit) resume(b *Block, context *protocol.Context) {
	b.left = len(context.Warps)
	b.Barriers.Reset(len(context.Warps))
	b.Barriers.State, b.Barriers.Arrivals = context.Barriers, context.Arrivals
	for i := range context.Warps {
		c := &context.Warps[i]
		w := u.newWarp(b, c.Stream)
		w.Inst, w.Line = c.Inst, c.Line
		u.parts.Barriers.Resume(&b.Barriers, int(w.Slot), barrier.Warp{Waits: c.AtBarrier, At: c.Barrier, Turn: c.Turn})
		u.parts.Keeper.Start(w, c)
	}
}
