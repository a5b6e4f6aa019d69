package residency

import (
	"math/bits"

	"cotenant/components/occupancy"
	"cotenant/sm/barrier"
	"cotenant/sm/ews"
	"cotenant/sm/gate"
	"cotenant/sm/hot"
	"cotenant/sm/lsu"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Warp is one warp slot: two lines of the processor's cache. Issuing it takes the first and
// a part of the second.
type Warp struct {
	Stream workload.Stream
	Inst   workload.Inst // the next instruction to issue

	Bit       warps.Mask // the slot's in its scheduler's masks
	Slot      uint16     // number on the SM
	Scheduler uint8
	Number    uint8      // of the slot on its scheduler
	Unit      warps.Unit // that the next instruction needs
	Account   tenant.Account
	InUse     bool
	Ended     bool // the stream has ended
	Left      bool // and the warp the barriers
	Held      bool // its thread block is leaving

	TB    *Block
	Lines *hot.Kernel // of the kernel; nil if lines are not counted
	Line  uint32      // of the last instruction that has issued; 0 if lines are not counted
	_     [20]byte
}

// Block is one thread block on the SM.
type Block struct {
	TB       *workload.TB
	Demand   occupancy.Demand
	Account  tenant.Account
	Serial   uint64
	Code     uint64      // first address of the kernel's instructions
	Lines    *hot.Kernel // as Warp.Lines
	Warps    []int32
	Leaving  bool // it issues nothing and waits for what is in flight
	Barriers barrier.Block
	left     int    // warps not done
	number   uint64 // order of placement over the SM's life

	// A Keeper keeps the following: where the thread block's storage lies, plus one; how
	// many of its warps have faulted; and that the SM driver knows that it waits as a
	// whole.
	Storage int
	Faulted int
	Blocked bool
}

// Scheduler is one warp scheduler and its warp slots.
type Scheduler struct {
	Policy  ews.Scheduler
	Signals *warps.Signals
	Warps   []Warp // its slots
	Number  int
	First   int    // number of its first warp slot
	Stall   Stall  // of its last cycles without issue
	owed    uint64 // the number of these that have not been counted

	payers warps.Mask                 // for which eldest was asked last; 0: since then a warp has come
	payer  *Warp                      // and the answer
	ages   [warps.PerScheduler]uint64 // of the slots' warps, in order of placement over the SM's life

	slotsFree int                    // warp slots that no warp holds
	slots     [tenant.Max]warps.Mask // by the tenant of the warp
}

// oldest is the slot with the oldest warp of a mask that is not empty.
func (p *Scheduler) oldest(mask warps.Mask) (best int) {
	best = bits.TrailingZeros64(mask)
	for mask &= mask - 1; mask != 0; mask &= mask - 1 {
		if slot := bits.TrailingZeros64(mask); p.ages[slot] < p.ages[best] {
			best = slot
		}
	}
	return best
}

// eldest is the oldest warp of a mask that is not empty.
func (p *Scheduler) eldest(mask warps.Mask) *Warp {
	if mask != p.payers {
		p.payers, p.payer = mask, &p.Warps[p.oldest(mask)]
	}
	return p.payer
}

// LSUFull are a scheduler's slots with an instruction that the load-store unit does not
// take now: its queue is full, or full for their tenants.
func (u *Unit) LSUFull(p *Scheduler, unit *lsu.Unit) warps.Mask {
	if unit.Full() {
		return p.Signals.Needs[warps.LSU]
	}
	if full := unit.FullFor(); full != 0 {
		return u.slotsOf(p, full) & p.Signals.Needs[warps.LSU]
	}
	return 0
}

// FindGlobals finds which warps' next instructions are of global memory, for gates that
// have become active.
func (u *Unit) FindGlobals() {
	for i := range u.Warps {
		if w := &u.Warps[i]; w.InUse && !w.Ended {
			g := &u.Signals[w.Scheduler]
			warps.Assign(&g.Global, w.Bit, gate.IsGlobal(&w.Inst))
			g.Still = 0
		}
	}
}

// slotsOf are the slots with warps of a set of tenants that are on the SM.
func (u *Unit) slotsOf(p *Scheduler, tenants uint16) (mask warps.Mask) {
	for _, a := range u.present {
		if id := a.Tenant(); tenants>>id&1 != 0 {
			mask |= p.slots[id]
		}
	}
	return mask
}

// resident is an account's threads on the SM, and since when they are as many.
type resident struct {
	threads int
	since   uint64
	seen    bool // it is in Unit.seen
}
