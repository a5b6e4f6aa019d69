package inorder

import (
	"math"
	"math/bits"

	"cotenant/sm/residency"
	"cotenant/sm/warps"
)

// never is later than every cycle.
const never = math.MaxUint64

// sleepers are the warps that sleep for a time: nanosleep.
type sleepers struct {
	next  uint64   // the first cycle at which a sleeping warp is awake, or an earlier one
	until []uint64 // by slot, the first cycle at which its warp is awake
}

func newSleepers(slots warps.Slots) sleepers {
	return sleepers{until: make([]uint64, slots.Count()), next: never}
}

// sleep keeps a warp from issuing for a time from a cycle on. A preempted warp does not
// sleep on: its time passes while its context is saved.
func (p *Pipeline) sleep(w *residency.Warp, nanoseconds, cycle uint64) {
	const perSecond = 1_000_000_000
	until := cycle + max((nanoseconds*p.spec.Hz+perSecond-1)/perSecond, 1)
	p.sleepers.until[w.Slot] = until
	p.sleepers.next = min(p.sleepers.next, until)
	g := p.Schedulers[w.Scheduler].Signals
	g.Asleep |= w.Bit
	g.Still = 0
}

// wake wakes the warps that have slept long enough.
func (p *Pipeline) wake(cycle uint64) {
	p.sleepers.next = never
	for i := range p.Schedulers {
		s := &p.Schedulers[i]
		for mask := s.Signals.Asleep; mask != 0; mask &= mask - 1 {
			w := &s.Warps[bits.TrailingZeros64(mask)]
			if until := p.sleepers.until[w.Slot]; until > cycle {
				p.sleepers.next = min(p.sleepers.next, until)
			} else {
				s.Signals.Asleep &^= w.Bit
				s.Signals.Still = 0
			}
		}
	}
}
