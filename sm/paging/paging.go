// Package paging models an SM's side of the MMU: the L1 TLB with its ports to the L2 TLB and
// to the fill unit, and the news of page faults for the pipeline.
package paging

import (
	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/lsu"
	"cotenant/sm/residency"
	"cotenant/sm/tlb"
	"cotenant/tenant"
)

// Handler handles page faults: a pipeline that replays instructions, or Holds.
type Handler interface {
	lsu.Faults
	// Handle: a region is left to handlers on the SM.
	Handle(region uint64)
	// Served: a region has memory.
	Served(region uint64)
	// EndHandlers tells the fill unit of handlers that have ended.
	EndHandlers(cycle uint64) (moved bool)
	// Handling reports whether a handler runs.
	Handling() bool
	// Away is the number of thread blocks off the SM that wait for faults to be served.
	Away() int
}

// Holds is the Handler of an SM that does not know of faults: the TLB holds accesses
// until their faults have been served. It ends the simulation over other faults.
type Holds func(op uint32, fault protocol.Fault, line uint64)

// Faulted makes Holds a Handler, as the methods below.
func (h Holds) Faulted(op uint32, fault protocol.Fault, _, line uint64) {
	if fault.Aborts() {
		h(op, fault, line)
	}
}

// Checked does nothing.
func (Holds) Checked(uint32, uint64) {}

// Squashed does nothing: the simulation has ended.
func (Holds) Squashed(uint32) {}

// Held does nothing.
func (Holds) Held(uint32, bool) {}

// Handle does nothing.
func (Holds) Handle(uint64) {}

// Served does nothing.
func (Holds) Served(uint64) {}

// EndHandlers ends none.
func (Holds) EndHandlers(uint64) bool { return false }

// Handling is false.
func (Holds) Handling() bool { return false }

// Away is 0.
func (Holds) Away() int { return 0 }

// Parts are what a Unit works with.
type Parts struct {
	TLB, Faults *components.Port // to the L2 TLB and to the fill unit
	PageBytes   int
	Asks        *components.Pool[protocol.Translation]
	LSU         *lsu.Unit
	Residents   *residency.Unit
}

// Unit is an SM's side of the MMU.
type Unit struct {
	*tlb.TLB
	Handler Handler
	parts   Parts
}

// New makes the unit with a TLB that holds faults until they have been served, or hands
// them on.
func New(spec tlb.Spec, hold bool, parts Parts) *Unit {
	u := &Unit{parts: parts}
	u.TLB = tlb.New(spec, tlb.Parts{PageBytes: parts.PageBytes, HoldFaults: hold, Waiter: waiter{u}, Network: u})
	return u
}

// waiter is the unit as the TLB sees it.
type waiter struct{ *Unit }

// Translated makes waiter a tlb.Waiter, as the methods below.
func (w waiter) Translated(access uint32) {
	w.parts.LSU.Translated(access, w.parts.Residents.Cycle)
}

// Faulted hands a fault on.
func (w waiter) Faulted(access uint32, fault protocol.Fault, region uint64) {
	w.parts.LSU.Faulted(access, fault, region)
}

// Held hands on that an access waits for a fault to be served.
func (w waiter) Held(access uint32, on bool) { w.parts.LSU.Held(access, on) }

// Ask makes Unit a tlb.Network.
func (u *Unit) Ask(page uint64, a tenant.Account, write bool) bool {
	if !u.parts.TLB.CanPush() {
		return false
	}
	m := u.parts.Asks.Get()
	*m = protocol.Translation{Page: page, Account: a, SM: uint16(u.parts.Residents.ID()), Write: write}
	u.parts.TLB.Push(m)
	return true
}

// Step takes messages from the MMU, if any have arrived at the SM, and asks for pages that
// could not be asked for before.
func (u *Unit) Step(arrived bool) (moved bool) {
	if arrived {
		moved = u.takeTranslations()
		moved = u.takeServed() || moved
	}
	moved = u.Handler.EndHandlers(u.parts.Residents.Cycle) || moved
	return u.TLB.Step() || moved
}

// takeTranslations takes the answers of the L2 TLB.
func (u *Unit) takeTranslations() (moved bool) {
	for {
		m, ok := u.parts.TLB.Front().(*protocol.Translation)
		if !ok {
			u.parts.TLB.Unknown()
			return moved
		}
		u.parts.TLB.Pop()
		if m.Local {
			u.Handler.Handle(m.Region)
		}
		u.Answer(m)
		u.parts.Asks.Put(m)
		moved = true
	}
}

// takeServed takes the fill unit's news.
func (u *Unit) takeServed() (moved bool) {
	for {
		m, ok := u.parts.Faults.Front().(*protocol.RegionServed)
		if !ok {
			u.parts.Faults.Unknown()
			return moved
		}
		u.parts.Faults.Pop()
		u.TLB.Served(m)
		u.Handler.Served(m.Region)
		moved = true
	}
}
