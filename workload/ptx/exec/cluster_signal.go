package exec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// signal is an arrival at an mbarrier by a thread block to another, or bytes that have come there.
type signal struct {
	at          uint64 // of the mbarrier, in shared memory
	count, drop uint64 // arrivals, see mbarrier.arrive
	bytes       int64
	visible     uint64 // first cycle at which the other thread block sees it
	rank, warp  int    // of the sender
}

// signal sends a signal to a thread block. With a clock it arrives later, and the order in which
// thread blocks act in a cycle does not matter.
func (w *Warp) signal(there *TB, s signal) (problem string) {
	now, timed := w.tb.now()
	if !timed {
		return there.take(&s)
	}
	s.visible, s.rank, s.warp = now+w.launch.lag, w.tb.rank, w.index
	at := len(there.late)
	for at > 0 && there.late[at-1].after(&s) {
		at--
	}
	there.late = slices.Insert(there.late, at, s)
	return ""
}

// after orders signals by cycle, and within a cycle by sender.
func (s *signal) after(o *signal) bool {
	if s.visible != o.visible {
		return s.visible > o.visible
	}
	if s.rank != o.rank {
		return s.rank > o.rank
	}
	return s.warp > o.warp
}

// take lets a signal take effect.
func (tb *TB) take(s *signal) (problem string) {
	at := tb.shared[s.at:]
	next, problem := mbarrier(binary.LittleEndian.Uint64(at)).arrive(s.count, s.drop, s.bytes)
	if problem == "" {
		binary.LittleEndian.PutUint64(at, uint64(next))
	}
	return problem
}

// hear takes the signals that can be seen by now.
func (w *Warp) hear(o *op) {
	tb := w.tb
	now, _ := tb.now()
	n := 0
	for ; n < len(tb.late) && tb.late[n].visible <= now; n++ {
		if problem := tb.take(&tb.late[n]); problem != "" {
			w.fail(o, LaunchFailure, bits.TrailingZeros32(w.active), fmt.Sprintf("thread block %d of the cluster has told the mbarrier at %#x: %s", tb.late[n].rank, tb.late[n].at, problem))
		}
	}
	tb.late = slices.Delete(tb.late, 0, n)
}

// outgoing is a signal to a thread block that waits for a bulk copy to come.
type outgoing struct {
	to *TB
	signal
}

// sendLater keeps a signal until the bulk copy that it tells of has come: see Tell.
func (w *Warp) sendLater(o *op, lane int, there *TB, s signal) {
	if !o.inst.Has("global") {
		w.fail(o, LaunchFailure, lane, "it copies from shared memory to another thread block of the cluster, and the time of that is not modelled; valid are st.async, and copies from global memory")
		return
	}
	w.outgoing = append(w.outgoing, outgoing{there, s})
}

// Tell returns what tells the other thread blocks of the cluster that the last instruction, a bulk copy, has come, nil if
// it goes to no other. own says that it goes to the warp's own thread block.
func (w *Warp) Tell() (tell func(), own bool) {
	own, w.tellsOwn = w.tellsOwn, false
	if len(w.outgoing) == 0 {
		return nil, own
	}
	list := slices.Clone(w.outgoing)
	w.outgoing = w.outgoing[:0]
	return func() {
		for i := range list {
			_ = w.signal(list[i].to, list[i].signal) // with a clock it says later what is wrong
		}
	}, own
}
