package issuequeue

import (
	"math/bits"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// set is a set of registers.
type set [4]uint64

func (s *set) add(r uint8) { s[r>>6] |= 1 << (r & 63) }

func (s *set) wide() bool { return s[1]|s[2]|s[3] != 0 }

// Ready are the slots with an instruction for the unit that can issue now.
func (q *Queue) Ready(unit warps.Unit) warps.Mask {
	q.refresh()
	return q.ready[unit]
}

// Pick gives the oldest instruction of a warp that can issue now to a unit of a set; a
// unit's bit is its number. The same instruction stays the oldest until it issues: if it
// cannot, ask for the other units. Pick may leave older instructions behind, but no
// memory instruction passes an older one.
func (q *Queue) Pick(slot int, units uint16) (ID, bool) {
	q.refresh()
	best, w := none, &q.warps[slot]
	for m := units; m != 0; m &= m - 1 {
		id := w.first[bits.TrailingZeros16(m)]
		if id != none && (best == none || q.at(id).seq < q.at(best).seq) {
			best = id
		}
	}
	return best, best != none
}

// Issue takes an instruction that Pick gave out of the queue.
func (q *Queue) Issue(id ID, cycle uint64) {
	e := q.at(id)
	w, slot := &q.warps[e.slot], int(e.slot)
	e.state, e.free = flying, cycle+2 // read in the cycle between
	if e.kind == Memory && q.rules.SourcesFree > AtRead {
		e.free = never
	}
	w.flying++
	w.waiting--
	if e.queued {
		e.queued = false
		q.count--
	}
	if e.drains {
		e.drains = false
		w.drains--
	}
	q.dirty |= bitOf(slot)
	if e.kind == OtherMemory || e.kind == Memory && q.rules.FetchOpens <= AtRead {
		q.reopen(id)
	}
}

// reopen lets fetch go on if it stopped behind the instruction.
func (q *Queue) reopen(id ID) {
	slot := q.at(id).slot
	w := &q.warps[slot]
	if w.closed != id {
		return
	}
	w.closed = none
	if !w.faulted {
		q.open |= bitOf(int(slot))
	}
}

// Missed notes that the result of a memory instruction in flight comes from beyond
// the L1.
func (q *Queue) Missed(id ID) {
	e := q.at(id)
	e.missed = true
	q.dirty |= bitOf(int(e.slot))
}

// refresh looks again at the warps that have changed.
func (q *Queue) refresh() {
	for m := q.dirty; m != 0; m &= m - 1 {
		q.look(bits.TrailingZeros64(m))
	}
	q.dirty = 0
}

// ahead is what the instructions ahead of one have yet to do.
type ahead struct {
	writes, reads, long set
	memory              bool // a memory instruction has not committed
	unissued            bool // a memory instruction, or a barrier, has not issued
	missed              bool // the results of a memory instruction come from beyond the L1
	timed               bool // something changes by the time alone
}

// look finds what a warp can issue.
func (q *Queue) look(slot int) {
	w, bit := &q.warps[slot], bitOf(slot)
	for u := range q.ready {
		q.ready[u] &^= bit
	}
	q.hazard &^= bit
	q.long &^= bit
	w.first = noFirst
	if w.waiting == 0 || w.faulted && w.drains == 0 {
		return
	}
	words := 1
	if w.wide { // without writes there are no hazards
		words = len(set{})
	}
	var a ahead
	left, found := w.waiting, false
	for id := w.head; left > 0; {
		e := q.at(id)
		if e.state == waiting {
			left--
			if clear, long := q.clear(e, &a, words); !clear {
				if long {
					q.long |= bit
				}
			} else if q.now >= e.from && (!w.faulted || e.drains) {
				found = true
				q.ready[e.unit] |= bit
				if w.first[e.unit] == none {
					w.first[e.unit] = id
				}
			} else {
				a.timed = a.timed || q.now < e.from
			}
			if q.inOrder {
				break
			}
		}
		a.pass(e, q.now, words)
		id = e.next
	}
	if a.timed {
		q.soon |= bit
	}
	if found {
		q.long &^= bit
	} else {
		q.hazard |= bit
	}
}

// clear reports whether nothing ahead of a waiting instruction keeps it, and
// otherwise whether a result from beyond the L1 does.
func (q *Queue) clear(e *entry, a *ahead, words int) (clear, long bool) {
	var hit, far uint64
	for k := range words {
		need := e.src[k] | e.dst[k]
		hit |= need&a.writes[k] | e.dst[k]&a.reads[k]
		far |= need & a.long[k]
	}
	if e.kind == Fence && a.memory {
		return false, a.missed
	}
	return hit == 0 && !(e.ordered && a.unissued), far != 0
}

// pass adds an instruction to those ahead of the next one.
func (a *ahead) pass(e *entry, now uint64, words int) {
	reads := e.state == waiting || now < e.free
	a.timed = a.timed || e.state != waiting && reads && e.free != never
	for k := range words {
		a.writes[k] |= e.dst[k]
		if reads {
			a.reads[k] |= e.src[k]
		}
		if e.missed {
			a.long[k] |= e.dst[k]
		}
	}
	a.memory = a.memory || e.kind.isMemory() && e.inst.Class != workload.Copy
	a.missed = a.missed || e.missed
	a.unissued = a.unissued || e.state == waiting && e.ordered
}

// Hazards are the slots with waiting instructions where none can issue; long are the
// slots among them that also wait for a result from beyond the L1.
func (q *Queue) Hazards() (hazard, long warps.Mask) {
	q.refresh()
	return q.hazard, q.long
}
