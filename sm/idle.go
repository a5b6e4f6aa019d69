package sm

import (
	"math"
	"math/bits"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
)

// idle samples the idle warps (protocol.SampleIdle): those that could issue if the
// unit that they need were free, as an edge finds them. Neither a warp whose
// scheduler issues another's instruction is idle, nor one that another scheduler is
// quicker than, at a unit that they share.
type idle struct {
	next    uint64 // cycle of the next sample
	every   uint64 // cycles between two
	samples uint64
	warps   [tenant.Max]uint64 // summed over the samples
}

// never is a cycle that does not come.
const never = math.MaxUint64

// start has samples taken from behind a cycle on.
func (i *idle) start(cycle, every uint64) {
	if i.every = every; every == 0 {
		i.next = never
		return
	}
	first := every / 2
	i.next = first
	if cycle >= first {
		i.next += ((cycle-first)/every + 1) * every
	}
}

// sampleIdle takes the samples of the cycles before the given one that have not
// been taken, in which the SM has been as it is.
func (s *SM) sampleIdle(before uint64) {
	i := &s.idle
	n := (before-1-i.next)/i.every + 1
	if !s.halted {
		for p := range s.schedulers {
			p := &s.schedulers[p]
			for mask := s.waiting(p, i.next); mask != 0; mask &= mask - 1 {
				i.warps[s.warps[p.first+bits.TrailingZeros64(mask)].account.Tenant()] += n
			}
		}
	}
	i.samples += n
	i.next += n * i.every
}

// waiting are the slots of a scheduler that are ready, at a cycle at whose edge
// their unit takes nothing.
func (s *SM) waiting(p *scheduler, cycle uint64) (mask warps.Mask) {
	for busy := p.busy; busy != 0; busy &= busy - 1 {
		if u := bits.TrailingZeros8(busy); p.freeAt[u] > cycle {
			mask |= p.signals.Needs[u]
		}
	}
	mask |= s.lsuFull(p)
	if s.window != nil {
		return mask & p.signals.Live &^ (p.signals.Held | p.signals.Gated | p.signals.GatedMemory&p.signals.Global)
	}
	return mask & p.signals.Ready()
}

// report puts the sums into counters.
func (i *idle) report(c *protocol.SMCounters) {
	c.IdleSamples = i.samples
	for t, n := range i.warps {
		c.Tenants[t].IdleWarps = n
	}
}
