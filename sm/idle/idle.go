// Package idle samples the idle warps of an SM (protocol.SampleIdle).
package idle

import (
	"math"
	"math/bits"

	"cotenant/protocol"
	"cotenant/sm/residency"
	"cotenant/sm/warps"
	"cotenant/tenant"
)

// Source is a pipeline that knows which warps wait for a unit.
type Source interface {
	// Waiting are the slots of a scheduler that are ready at a cycle at which their unit
	// takes nothing.
	Waiting(scheduler int, cycle uint64) warps.Mask
}

// Sampler counts warps that could issue if the unit that they need were free, as an edge
// finds them. Neither a warp is idle that has lost its scheduler's issue slot to another
// warp, nor a warp that has lost a shared unit to another scheduler.
type Sampler struct {
	next      uint64 // cycle of the next sample
	residents *residency.Unit
	source    Source
	every     uint64             // cycles between two
	samples   uint64             // taken
	warps     [tenant.Max]uint64 // summed over the samples
}

// never is a cycle that does not come.
const never = math.MaxUint64

// New makes a sampler that takes no samples yet.
func New(residents *residency.Unit, source Source) Sampler {
	return Sampler{residents: residents, source: source, next: never}
}

// Start has samples taken from behind a cycle on.
func (s *Sampler) Start(cycle, every uint64) {
	if s.every = every; every == 0 {
		s.next = never
		return
	}
	first := every / 2
	s.next = first
	if cycle >= first {
		s.next += ((cycle-first)/every + 1) * every
	}
}

// Before takes the samples still missing before a cycle. The SM has not changed since
// the last sample.
func (s *Sampler) Before(cycle uint64) {
	if s.next < cycle {
		s.before(cycle)
	}
}

func (s *Sampler) before(cycle uint64) {
	n := (cycle-1-s.next)/s.every + 1
	if r := s.residents; !r.Halted {
		for i := range r.Schedulers {
			for mask := s.source.Waiting(i, s.next); mask != 0; mask &= mask - 1 {
				s.warps[r.Warps[r.Schedulers[i].First+bits.TrailingZeros64(mask)].Account.Tenant()] += n
			}
		}
	}
	s.samples += n
	s.next += n * s.every
}

// Report puts the sums into counters.
func (s *Sampler) Report(c *protocol.SMCounters) {
	c.IdleSamples = s.samples
	for t, n := range s.warps {
		c.Tenants[t].IdleWarps = n
	}
}
