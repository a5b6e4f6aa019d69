package issuequeue

import "math/bits"

// Edge begins a tick: sources are released, and where commit is in order, the
// oldest finished instruction of each warp commits, in the cycle before this one,
// and is gone. It reports whether something is due in the next tick, so that the
// caller must not sleep.
func (q *Queue) Edge(cycle uint64) (awake bool) {
	q.dirty |= q.soon
	q.soon, q.now = 0, cycle
	q.retired = q.turn
	for m := q.turn; m != 0; m &= m - 1 {
		q.retire(q.warps[bits.TrailingZeros64(m)].head)
	}
	for m := q.dirty; m != 0; m &= m - 1 {
		if q.warps[bits.TrailingZeros64(m)].waiting > 0 {
			return true
		}
	}
	return q.turn != 0
}

// Checked delivers that the last TLB check of a memory instruction has passed in the
// cycle before.
func (q *Queue) Checked(id ID, cycle uint64) {
	e := q.at(id)
	if e.free == never && q.rules.SourcesFree == AtLastCheck {
		e.free = cycle + 1
		q.dirty |= bitOf(int(e.slot))
	}
	if q.rules.FetchOpens == AtLastCheck {
		q.reopen(id)
	}
}

// Commit delivers that an instruction has left its unit, and that its commit was in
// the cycle before, or is when its turn comes. The caller forgets its number.
func (q *Queue) Commit(id ID, cycle uint64) {
	e := q.at(id)
	if !q.retires {
		q.retire(id)
		return
	}
	e.state = finished
	w, bit := &q.warps[e.slot], bitOf(int(e.slot))
	switch {
	case w.head != id:
	case q.retired&bit == 0:
		q.retired |= bit
		q.retire(id)
	default:
		q.turn |= bit
	}
}

// retire commits an instruction.
func (q *Queue) retire(id ID) {
	e := q.at(id)
	w, bit := &q.warps[e.slot], bitOf(int(e.slot))
	q.reopen(id)
	if e.prev == none {
		w.head = e.next
	} else {
		q.at(e.prev).next = e.next
	}
	if e.next == none {
		w.tail = e.prev
	} else {
		q.at(e.next).prev = e.prev
	}
	w.flying--
	q.dirty |= bit
	if q.retires {
		q.turn &^= bit
		if w.head != none && q.at(w.head).state == finished {
			q.turn |= bit
		}
	}
	q.drop(id)
}
