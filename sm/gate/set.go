package gate

import (
	"math/bits"
	"reflect"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Set is the gates of an SM. It drives the signals Gated and GatedMemory, and Global
// while a gate is active.
type Set struct {
	active     []Gate // the gates of all that may hold warps back
	told       bool   // gates have been told something since Edge
	completes  bool   // a gate wants to know when instructions complete
	memory     Memory // the gate of memory instructions; nil without
	order      Order  // memory, if it is one
	signals    []warps.Signals
	all        []Gate
	completing []Completing
	meeting    []Meeting
	freeing    []Freeing
}

// NewSet makes the gates of an SM with these signals of its schedulers. memoryIssue
// names the gate of memory instructions.
func NewSet(memoryIssue string, signals []warps.Signals) (*Set, error) {
	memory, err := NewMemory(memoryIssue, len(signals))
	gates := All(len(signals))
	if memory != nil {
		gates = append(gates, memory)
	}
	s := SetOf(signals, gates...)
	s.memory = memory
	s.order, _ = memory.(Order)
	return s, err
}

// SetOf makes a set of gates.
func SetOf(signals []warps.Signals, gates ...Gate) *Set {
	s := &Set{signals: signals, all: gates}
	s.look()
	return s
}

// Add appends a gate.
func (s *Set) Add(g Gate) {
	s.all = append(s.all, g)
	s.look()
}

// Takes lists the types of control message that gates take.
func Takes(schedulers int) (takes []reflect.Type) {
	for _, g := range All(schedulers) {
		takes = append(takes, g.Takes()...)
	}
	return takes
}

// Control hands a control message to the gates, and reports whether one takes it.
func (s *Set) Control(m protocol.Control) (taken bool) {
	for _, g := range s.all {
		taken = g.Control(m) || taken
	}
	s.look()
	s.refresh()
	return taken
}

// look finds the gates that are active, and what they want to know.
func (s *Set) look() {
	s.active, s.completing, s.meeting, s.freeing = s.active[:0], s.completing[:0], s.meeting[:0], s.freeing[:0]
	for _, g := range s.all {
		if g, ok := g.(Freeing); ok {
			s.freeing = append(s.freeing, g)
		}
		if g.Active() {
			s.active = append(s.active, g)
		}
		if g, ok := g.(Completing); ok && g.Completes() {
			s.completing = append(s.completing, g)
		}
		if g, ok := g.(Meeting); ok && g.Meets() {
			s.meeting = append(s.meeting, g)
		}
	}
	s.completes = len(s.completing) > 0
}

// Active reports whether a gate may hold warps back.
func (s *Set) Active() bool { return len(s.active) > 0 }

// Completes reports whether a gate wants to know when instructions complete.
func (s *Set) Completes() bool { return s.completes }

// Memory is the gate of memory instructions, nil without.
func (s *Set) Memory() Memory { return s.memory }

// Order says which memory instruction goes first, nil if any may.
func (s *Set) Order() Order { return s.order }

// Left is what a tenant has of its quota (Metered); false without quotas.
func (s *Set) Left(id tenant.ID) (left int64, ok bool) {
	for _, g := range s.active {
		if m, ok := g.(Metered); ok {
			return m.Left(id), true
		}
	}
	return 0, false
}

// Placed tells the gates that a warp has taken a slot of a scheduler.
func (s *Set) Placed(scheduler, slot int, t tenant.ID, tb uint64) {
	for _, g := range s.all {
		g.Placed(scheduler, slot, t, tb)
	}
	s.told = true
}

// Ended tells the gates that the warp of a slot issues nothing any more.
func (s *Set) Ended(scheduler, slot int) {
	for _, g := range s.all {
		g.Ended(scheduler, slot)
	}
	s.told = true
}

// Freed tells the gates that want to know that a scheduler's slot has no warp.
func (s *Set) Freed(scheduler, slot int) {
	for _, g := range s.freeing {
		g.Freed(scheduler, slot)
	}
	s.told = true
}

// Moved asks the gates to look at the edge, because warps have come or been held.
func (s *Set) Moved() { s.told = true }

// Issued tells the active gates what a scheduler has issued from a slot.
func (s *Set) Issued(scheduler, slot int, insts []workload.Inst) {
	for _, g := range s.active {
		g.Issued(scheduler, slot, insts)
	}
	s.told = true
	if s.memory != nil && s.memory.Closed() {
		s.refresh()
	}
}

// Counted is one more than an instruction's active lanes if gates want to know when
// it completes, else 0.
func (s *Set) Counted(inst *workload.Inst) uint8 {
	if !s.completes {
		return 0
	}
	return uint8(bits.OnesCount32(inst.Active)) + 1
}

// Completed tells the gates that want to know of a completed instruction; counted is
// one more than its active lanes.
func (s *Set) Completed(scheduler int, t tenant.ID, counted uint8) {
	for _, g := range s.completing {
		g.Completed(scheduler, t, int(counted)-1)
	}
	s.told = true
}

// Edge ends an edge for the gates. It is called once at each.
func (s *Set) Edge() {
	if s.told || s.memory != nil { // a Memory is told behind the SM's back
		s.edge()
	}
}

func (s *Set) edge() {
	s.told = false
	for _, g := range s.meeting {
		for i := range s.signals {
			g.Waiting(i, s.signals[i].Waits)
		}
	}
	changed := false
	for _, g := range s.active {
		changed = g.Edge() || changed
	}
	if changed {
		s.refresh()
	}
}

// refresh brings the signals up to date.
func (s *Set) refresh() {
	for i := range s.signals {
		var all, memory warps.Mask
		for _, g := range s.active {
			a, m := g.Masks(i)
			all |= a
			memory |= m
		}
		g := &s.signals[i]
		g.Gated, g.GatedMemory, g.Still = all, memory, 0
	}
}
