package sm

import (
	"math/bits"

	"cotenant/sm/ews"
	"cotenant/tenant"
)

// unit is the kind of pipe that an instruction needs.
type unit uint8

const (
	unitControl unit = iota // branches, barriers, exits: no pipe
	unitALU
	unitFP64
	unitSFU
	unitTensor
	unitLSU
	numUnits
)

// maxFetchLatency bounds FrontEndSpec.FetchLatency.
const maxFetchLatency = 16

// port is one scheduler's issue port: its warp slots as bit masks, one bit a
// slot, and its fetch unit.
type port struct {
	policy ews.Scheduler
	first  int // number of the port's first warp slot
	// slotsFree is the number of warp slots that no warp holds.
	slotsFree int

	live uint64 // slots whose warp has instructions left
	// Slots whose warp has nothing in its buffer or waits at a barrier; whose
	// next instruction waits for a register; and of those, for a long one.
	control, data, long uint64
	// held are the slots whose thread block is leaving; they are in control too.
	held uint64
	// exhausted are the slots of tenants that have used their quota up.
	exhausted uint64
	needs     [numUnits]uint64 // slots by the unit of the next instruction
	busyUntil [numUnits]uint64 // first cycle at which the pipe takes an instruction

	fetchable uint64 // slots with room in the buffer
	nextFetch int    // where the round robin over fetchable goes on
	arriving  [maxFetchLatency]fetchGroup
	inFetch   int // groups in arriving

	// charged is what the port's cycles go to while the SM sleeps.
	charged Cause
	payer   tenant.ID

	quotas quotas
}

// fetchGroup is what fetch brings to one warp's buffer.
type fetchGroup struct {
	count int
	slot  uint8
	epoch uint8
}

// ready is the mask of slots that could issue if their pipe were free.
func (p *port) ready() uint64 { return p.live &^ (p.control | p.data | p.exhausted) }

// forget takes a slot out of every mask but those of its unit and its kernel.
func (p *port) forget(bit uint64) {
	p.live &^= bit
	p.control &^= bit
	p.data &^= bit
	p.long &^= bit
	p.held &^= bit
	p.fetchable &^= bit
}

// stall is the cause of a cycle without issue and the mask of the warps that
// it applies to.
func (p *port) stall() (Cause, uint64) {
	if p.live == 0 {
		return Idle, 0
	}
	if ready := p.ready(); ready != 0 {
		if waiting := ready & p.needs[unitLSU]; waiting != 0 {
			return LSUFull, waiting
		}
		return PipeFull, ready
	}
	if waiting := p.live & p.exhausted &^ (p.control | p.data); waiting != 0 {
		return Quota, waiting
	}
	if waiting := p.live & p.data &^ p.control; waiting != 0 {
		// A warp that waits for a short result ends the stall first.
		if short := waiting &^ p.long; short != 0 {
			return RAWOther, short
		}
		return RAWLong, waiting
	}
	if waiting := p.live &^ p.held; waiting != 0 {
		return Control, waiting
	}
	return Preempted, p.live
}

// oldest is the kernel of the oldest warp of a mask that is not empty.
func (s *SM) oldest(p *port, mask uint64) tenant.ID {
	best := &s.warps[p.first+bits.TrailingZeros64(mask)]
	for mask &= mask - 1; mask != 0; mask &= mask - 1 {
		if w := &s.warps[p.first+bits.TrailingZeros64(mask)]; w.age < best.age {
			best = w
		}
	}
	return best.tenant
}

// diagnose returns the cause of the port's stall and the kernel that pays.
func (s *SM) diagnose(p *port) (Cause, tenant.ID) {
	cause, mask := p.stall()
	if s.halted && cause != Idle {
		cause, mask = Preempted, p.live
	}
	if cause == Idle {
		return Idle, 0
	}
	if s.tenants&(s.tenants-1) == 0 { // only one tenant on the SM
		return cause, tenant.ID(bits.TrailingZeros16(s.tenants))
	}
	return cause, s.oldest(p, mask)
}

// charge books n cycles of a port.
func (s *SM) charge(cause Cause, id tenant.ID, n uint64) {
	if cause == Idle {
		s.stats.IdleCycles += n
		return
	}
	s.stats.Tenants[id].Stalls[cause] += n
}
