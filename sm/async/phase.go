package async

import (
	"math"

	"cotenant/workload"
)

// Waits for a phase of an mbarrier. A program asks whether the phase has ended and gets its answer at
// once, as if the data of copies had come when the copies were issued; what the unit adds is
// the time: a wait goes on until they have.

// phase is an mbarrier of a thread block that waits for copies under way.
type phase struct {
	block  uint64
	number uint8
	copies uint16
}

// Never is later than every cycle.
const Never = math.MaxUint64

// Limit ends the wait of a slot's warp that has found that a phase has not ended at a cycle at
// the latest: it looks again.
func (u *Unit) Limit(slot int, cycle uint64) {
	u.warps[slot].limit = cycle
	u.due = min(u.due, cycle)
}

// Due is the first cycle at which Expire is to be called, or an earlier one; Never without any.
func (u *Unit) Due() uint64 { return u.due }

// Expire ends the waits with a limit up to a cycle.
func (u *Unit) Expire(cycle uint64) {
	u.due = Never
	for i := range u.warps {
		w := &u.warps[i]
		if !unmet(w.next) {
			continue
		}
		if w.limit > cycle {
			u.due = min(u.due, w.limit)
			continue
		}
		w.next.Flags &^= workload.Unmet
		u.look(w)
	}
}

// Over ends the wait of a slot's warp for other thread blocks of its cluster: it looks again.
func (u *Unit) Over(slot int) {
	if w := &u.warps[slot]; w.next != nil {
		w.next.Flags &^= workload.Unmet
		u.look(w)
	}
}

// unmet tells waits for a phase that has been found not to have ended.
func unmet(inst *workload.Inst) bool {
	return inst != nil && inst.Class == workload.Await && inst.Warps == workload.PhaseWaits && inst.Flags&workload.Unmet != 0
}

// Place says which thread block the warp of a slot is of.
func (u *Unit) Place(slot int, block uint64) { u.warps[slot].block = block }

// follow is an arrival at an mbarrier whose phase lasts until so many copies of the warp have come.
type follow struct {
	number uint8
	left   int
}

// Follow has the present phase of an mbarrier last until as many copies of a slot's warp have come
// as are under way: the ones issued before, unless later ones overtake them.
func (u *Unit) Follow(slot int, number uint8) {
	w := &u.warps[slot]
	if under := u.Under(slot); under > 0 {
		u.Expect(w.block, number)
		w.follows = append(w.follows, follow{number, under})
	}
}

// landed counts a copy of a warp that has come.
func (u *Unit) landed(w *warp) {
	left := w.follows[:0]
	for _, f := range w.follows {
		if f.left--; f.left > 0 {
			left = append(left, f)
		} else {
			u.Came(w.block, f.number)
		}
	}
	w.follows = left
}

// Expect notes that a bulk copy to an mbarrier of a thread block is under way.
func (u *Unit) Expect(block uint64, number uint8) {
	for i := range u.phases {
		if p := &u.phases[i]; p.block == block && p.number == number {
			p.copies++
			return
		}
	}
	u.phases = append(u.phases, phase{block, number, 1})
}

// Came notes that one of the bulk copies to an mbarrier has come.
func (u *Unit) Came(block uint64, number uint8) {
	for i := range u.phases {
		if p := &u.phases[i]; p.block == block && p.number == number {
			if p.copies--; p.copies == 0 {
				last := len(u.phases) - 1
				u.phases[i] = u.phases[last]
				u.phases = u.phases[:last]
				u.arrived(block, number, false)
			}
			return
		}
	}
}

// Arrived notes that something has arrived at an mbarrier of a thread block: warps that have
// found that a phase has not ended look again.
func (u *Unit) Arrived(block uint64, number uint8) { u.arrived(block, number, true) }

func (u *Unit) arrived(block uint64, number uint8, again bool) {
	for i := range u.warps {
		w := &u.warps[i]
		if w.next == nil || w.block != block || w.next.Class != workload.Await || w.next.Warps != workload.PhaseWaits || w.next.Barrier != number {
			continue
		}
		if again {
			w.next.Flags &^= workload.Unmet
		}
		u.look(w)
	}
}

// ended reports whether a wait for a phase of a thread block's mbarrier is over.
func (u *Unit) ended(block uint64, inst *workload.Inst) bool {
	if inst.Flags&workload.Unmet != 0 {
		return false
	}
	for i := range u.phases {
		if p := &u.phases[i]; p.block == block && p.number == inst.Barrier {
			return false
		}
	}
	return true
}
