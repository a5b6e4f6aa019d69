// Package async counts what an SM's warps have begun and do not wait for, by group:
// asynchronous copies, and products of four warps. A copy joins the open group of its warp, a
// commit closes that, and a warp can wait until at most some of its last groups are under way
// (PTX ISA, cp.async). Each kind has groups of its own.
//
// The unit drives the signal Copies if it is told the next instructions.
package async

import (
	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Groups is the number of groups of a warp that can be under way, the open one among them. A
// commit beyond waits until the oldest has ended.
const Groups = 32

// Unit counts the copies of an SM.
type Unit struct {
	warps   []warp // by slot
	signals []warps.Signals
	phases  []phase // mbarriers that bulk copies are under way to
	due     uint64  // see Due
}

// warp is the state of a warp slot. Groups have numbers, which go round; first is the oldest
// with something under way, or the open one.
type warp struct {
	rings   [workload.GroupKinds]ring
	next    *workload.Inst // of the warp, if it closes a group or waits for some
	signals *warps.Signals
	bit     warps.Mask
	block   uint64 // its thread block's, unlike all others on the SM
	follows []follow
	limit   uint64 // see Limit
}

// ring has the groups of one kind.
type ring struct {
	under       [Groups]uint16 // copies under way, by the group's number
	first, open uint8
}

// New makes the unit of an SM with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Unit {
	u := &Unit{warps: make([]warp, slots.Count()), signals: signals, due: Never}
	for i := range u.warps {
		u.warps[i].signals, u.warps[i].bit = &signals[i/slots.Each], warps.Bit(i%slots.Each)
	}
	return u
}

// Handles reports whether instructions of a class close groups or wait for some. They are the
// last classes.
func Handles(c workload.Class) bool { return c >= workload.Commit }

// Join adds a copy or product of a slot's warp to the open group of its kind, and returns the
// group's number.
func (u *Unit) Join(slot, kind int) (group uint8) {
	r := &u.warps[slot].rings[kind]
	r.under[r.open%Groups]++
	return r.open
}

// Landed notes that one of a group has been performed.
func (u *Unit) Landed(slot, kind int, group uint8) {
	w := &u.warps[slot]
	r := &w.rings[kind]
	r.under[group%Groups]--
	r.pass()
	if kind == workload.CopyGroups && len(w.follows) > 0 {
		u.landed(w)
	}
	u.look(w)
}

// look looks again at a warp that waits.
func (u *Unit) look(w *warp) {
	if w.next != nil && w.signals.Copies&w.bit != 0 {
		warps.Assign(&w.signals.Copies, w.bit, !u.ready(w, w.next))
		w.signals.Still = 0
	}
}

// pass goes on to the oldest group with something under way.
func (r *ring) pass() {
	for r.first != r.open && r.under[r.first%Groups] == 0 {
		r.first++
	}
}

// ring has the groups that an instruction is about.
func (w *warp) ring(inst *workload.Inst) *ring { return &w.rings[inst.Warps%workload.GroupKinds] }

// Next tells which instruction the warp of a slot issues next, if the unit Handles it. It stays
// where it is until Execute.
func (u *Unit) Next(slot int, inst *workload.Inst) {
	w := &u.warps[slot]
	w.next = inst
	warps.Assign(&w.signals.Copies, w.bit, !u.ready(w, inst))
	warps.Assign(&w.signals.Phases, w.bit, inst.Warps >= workload.PhaseWaits)
	w.signals.Still = 0
}

// Ready reports whether an instruction that the unit Handles can issue.
func (u *Unit) Ready(slot int, inst *workload.Inst) bool { return u.ready(&u.warps[slot], inst) }

// ready: a commit needs room for another group, and a wait may leave so many of the last groups
// under way.
func (u *Unit) ready(w *warp, inst *workload.Inst) bool {
	switch inst.Warps {
	case workload.PhaseWaits:
		return u.ended(w.block, inst)
	case workload.ClusterWaits:
		return inst.Flags&workload.Unmet == 0
	}
	r := w.ring(inst)
	under := r.open - r.first
	if inst.Class == workload.Commit {
		return under < Groups-1
	}
	return under <= inst.Barrier
}

// Execute executes an instruction that has issued and that the unit Handles.
func (u *Unit) Execute(slot int, inst *workload.Inst) {
	w := &u.warps[slot]
	if w.next = nil; inst.Class == workload.Commit && inst.Active != 0 {
		r := w.ring(inst)
		r.open++
		r.pass()
	}
}

// Under is the number of a slot's copies that are under way.
func (u *Unit) Under(slot int) (n int) {
	for _, copies := range u.warps[slot].rings[workload.CopyGroups].under {
		n += int(copies)
	}
	return n
}

// Save returns the groups of copies of a warp that is about to leave its slot; nil if no copy is
// under way: then all groups have ended. All products have.
func (u *Unit) Save(slot int) *protocol.CopyGroups {
	for _, f := range u.warps[slot].follows { // what is left of them ends elsewhere
		u.Came(u.warps[slot].block, f.number)
	}
	u.warps[slot].follows = nil
	w := &u.warps[slot].rings[workload.CopyGroups]
	if u.Under(slot) == 0 {
		return nil
	}
	c := &protocol.CopyGroups{First: w.first}
	for g := w.first; g != w.open+1; g++ {
		c.Copies = append(c.Copies, w.under[g%Groups])
	}
	return c
}

// Start begins a warp in a slot with the groups that Save returned where it left another; nil:
// with none, as a slot that it has left.
func (u *Unit) Start(slot int, c *protocol.CopyGroups) {
	u.warps[slot].rings, u.warps[slot].next = [workload.GroupKinds]ring{}, nil
	if c == nil {
		return
	}
	w := &u.warps[slot].rings[workload.CopyGroups]
	w.first, w.open = c.First, c.First+uint8(len(c.Copies)-1)
	for i, copies := range c.Copies {
		w.under[(c.First+uint8(i))%Groups] = copies
	}
}
