package issuequeue

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Fault stops a warp: no fetch and no issue until Resume. What waits gives its
// entries of the queue back and is the beginning of the replay queue. Where the
// warp is disabled behind memory instructions, what waits ahead of the one in flight
// issues all the same and Idle waits for it. Fault also stops a warp that is to
// leave the SM without a fault. A second call changes nothing.
func (q *Queue) Fault(slot int) {
	w := &q.warps[slot]
	if w.faulted {
		return
	}
	w.faulted = true
	q.open &^= bitOf(slot)
	q.dirty |= bitOf(slot)
	drains := q.rules.Refetches() && w.closed != none && q.at(w.closed).kind == Memory && q.at(w.closed).state == flying
	for id := w.head; id != none; id = q.at(id).next {
		e := q.at(id)
		if e.state != waiting {
			continue
		}
		if drains { // nothing has been fetched behind the one in flight
			e.drains = true
			w.drains++
		} else {
			q.leave(e)
		}
	}
}

// leave moves a waiting instruction from the queue to the replay queue.
func (q *Queue) leave(e *entry) {
	if e.queued {
		e.queued = false
		q.count--
	}
}

// Squash makes a faulted memory instruction in flight wait again, in its place in the
// order of fetch. Its warp has faulted. The scheme with the log keeps its sources there,
// so younger instructions may have overwritten them.
func (q *Queue) Squash(id ID) {
	e := q.at(id)
	w := &q.warps[e.slot]
	e.state, e.missed, e.from = waiting, false, 0
	q.replay(e)
	w.flying--
	w.waiting++
	q.dirty |= bitOf(int(e.slot))
}

func (q *Queue) replay(e *entry) {
	e.replayed = true
	if q.rules.SourcesFree == AtRead {
		e.src = set{}
	}
}

// Resume lets a warp go on after Fault: it fetches and issues from this tick on. Where
// fetch goes back to the instruction that has faulted, that is fetched in this cycle
// and can issue from the next one on.
func (q *Queue) Resume(slot int, cycle uint64) {
	w, bit := &q.warps[slot], bitOf(slot)
	w.faulted, w.drains = false, 0
	if w.closed == none {
		q.open |= bit
	}
	q.dirty |= bit
	for id := w.head; id != none; id = q.at(id).next {
		e := q.at(id)
		e.drains = false
		if e.state == waiting && e.replayed && q.rules.Refetches() {
			e.from = cycle + 1
		}
	}
}

// Waiting lists a warp's waiting instructions, in the order of fetch. For a warp that
// has faulted and is Idle, this is its replay queue. The list is valid until the next
// call.
func (q *Queue) Waiting(slot int) []ID {
	q.listed = q.listed[:0]
	for id := q.warps[slot].head; id != none; id = q.at(id).next {
		if q.at(id).state == waiting {
			q.listed = append(q.listed, id)
		}
	}
	return q.listed
}

// Oldest is a warp's first waiting instruction in the order of fetch, nil if none waits.
func (q *Queue) Oldest(slot int) *workload.Inst {
	for id := q.warps[slot].head; id != none; id = q.at(id).next {
		if e := q.at(id); e.state == waiting {
			return &e.inst
		}
	}
	return nil
}

// Restore puts an instruction of a warp's replay queue back, from the context of its
// thread block: after Start, in the order of fetch, before Resume. Replayed says that
// it has issued before. The rest of the warp then is as if it had faulted here.
func (q *Queue) Restore(slot int, inst *workload.Inst, unit warps.Unit, kind Kind, replayed bool) ID {
	id, w := q.add(slot, inst, unit, kind), &q.warps[slot]
	w.faulted = true
	q.open &^= bitOf(slot)
	if replayed {
		q.replay(q.at(id))
	}
	if kind != Arithmetic && (!replayed || q.rules.Refetches()) {
		w.closed = id
	}
	return id
}
