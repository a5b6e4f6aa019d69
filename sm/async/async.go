// Package async counts the asynchronous copies of an SM's warps by group. A copy joins the
// open group of its warp, a commit closes that, and a warp can wait until at most some of its
// last groups are under way (PTX ISA, cp.async).
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
}

// warp is the state of a warp slot. Groups have numbers, which go round; first is the oldest
// with copies under way, or the open one.
type warp struct {
	under       [Groups]uint16 // copies under way, by the group's number
	next        *workload.Inst // of the warp, if it closes a group or waits for some
	signals     *warps.Signals
	bit         warps.Mask
	first, open uint8
}

// New makes the unit of an SM with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Unit {
	u := &Unit{warps: make([]warp, slots.Count()), signals: signals}
	for i := range u.warps {
		u.warps[i].signals, u.warps[i].bit = &signals[i/slots.Each], warps.Bit(i%slots.Each)
	}
	return u
}

// Handles reports whether instructions of a class close groups or wait for some. They are the
// last classes.
func Handles(c workload.Class) bool { return c >= workload.Commit }

// Copy adds a copy of a slot's warp to the open group, and returns the group's number.
func (u *Unit) Copy(slot int) (group uint8) {
	w := &u.warps[slot]
	w.under[w.open%Groups]++
	return w.open
}

// Landed notes that a copy of a group has been performed.
func (u *Unit) Landed(slot int, group uint8) {
	w := &u.warps[slot]
	w.under[group%Groups]--
	w.pass()
	if w.next != nil && w.signals.Copies&w.bit != 0 {
		warps.Assign(&w.signals.Copies, w.bit, !w.ready(w.next))
	}
}

// pass goes on to the oldest group with copies under way.
func (w *warp) pass() {
	for w.first != w.open && w.under[w.first%Groups] == 0 {
		w.first++
	}
}

// Next tells which instruction the warp of a slot issues next, if the unit Handles it. It stays
// where it is until Execute.
func (u *Unit) Next(slot int, inst *workload.Inst) {
	w := &u.warps[slot]
	w.next = inst
	warps.Assign(&w.signals.Copies, w.bit, !w.ready(inst))
}

// Ready reports whether an instruction that the unit Handles can issue.
func (u *Unit) Ready(slot int, inst *workload.Inst) bool { return u.warps[slot].ready(inst) }

// ready: a commit needs room for another group, and a wait may leave so many of the last groups
// under way.
func (w *warp) ready(inst *workload.Inst) bool {
	under := w.open - w.first
	if inst.Class == workload.Commit {
		return under < Groups-1
	}
	return under <= inst.Barrier
}

// Execute executes an instruction that has issued and that the unit Handles.
func (u *Unit) Execute(slot int, inst *workload.Inst) {
	if w := &u.warps[slot]; inst.Class == workload.Commit && inst.Active != 0 {
		w.open++
		w.pass()
	}
}

// Under is the number of a slot's copies that are under way.
func (u *Unit) Under(slot int) (n int) {
	for _, copies := range u.warps[slot].under {
		n += int(copies)
	}
	return n
}

// Save returns the groups of a warp that is about to leave its slot; nil if no copy is under
// way: then all groups have ended.
func (u *Unit) Save(slot int) *protocol.CopyGroups {
	w := &u.warps[slot]
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
	w := &u.warps[slot]
	w.under, w.first, w.open = [Groups]uint16{}, 0, 0
	if c == nil {
		return
	}
	w.first, w.open = c.First, c.First+uint8(len(c.Copies)-1)
	for i, copies := range c.Copies {
		w.under[(c.First+uint8(i))%Groups] = copies
	}
}
