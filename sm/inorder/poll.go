package inorder

import (
	"math/bits"

	"cotenant/sm/residency"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// polls are the warps that wait for what other thread blocks of their clusters do, on other SMs: their streams are
// asked in each cycle. A stream answers by what happened before the cycle, and the order of the SMs in a cycle
// does not matter.
type polls struct {
	any   bool
	slots [warps.MaxSchedulers]warps.Mask
}

// waitsForCluster notes a warp: its next instruction is an Await that is not met. It reports whether nothing
// but other thread blocks ends the wait.
func (p *Pipeline) waitsForCluster(s *residency.Scheduler, w *residency.Warp) (alone bool) {
	if waiter, is := w.Stream.(workload.Waiter); is && waiter.Waits() {
		p.polls.slots[s.Number] |= w.Bit
		p.polls.any, p.timed = true, true
	}
	return w.Inst.Warps == workload.ClusterWaits
}

// poll asks the streams.
func (p *Pipeline) poll() (moved bool) {
	p.polls.any = false
	for i := range p.Schedulers {
		s := &p.Schedulers[i]
		waiting := p.polls.slots[i] & s.Signals.Live & s.Signals.Copies
		for m := waiting; m != 0; m &= m - 1 {
			w := &s.Warps[bits.TrailingZeros64(m)]
			if w.Stream.(workload.Waiter).Over() {
				p.copies.Over(int(w.Slot))
				waiting &^= w.Bit
				moved = true
			}
		}
		p.polls.slots[i] = waiting
		p.polls.any = p.polls.any || waiting != 0
	}
	return moved
}
