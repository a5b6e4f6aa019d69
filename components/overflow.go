package components

import "github.com/sarchlab/akita/v3/sim"

// overflowEvent is an event outside every domain's ring.
type overflowEvent struct {
	at        Time
	seconds   sim.VTimeInSec
	sequence  uint64
	event     sim.Event
	secondary bool
}

// before orders events by instant, then by exact time, then first come first
// served.
func (a *overflowEvent) before(b *overflowEvent) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.seconds != b.seconds {
		return a.seconds < b.seconds
	}
	return a.sequence < b.sequence
}

// overflowHeap is a binary heap with the earliest event at its root. Unlike
// container/heap it allocates nothing for an event.
type overflowHeap []overflowEvent

func (h overflowHeap) due(now Time) bool { return len(h) > 0 && h[0].at <= now }

func (h *overflowHeap) push(o overflowEvent) {
	*h = append(*h, o)
	s := *h
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if !s[i].before(&s[parent]) {
			return
		}
		s[i], s[parent] = s[parent], s[i]
		i = parent
	}
}

func (h *overflowHeap) pop() overflowEvent {
	s := *h
	last := len(s) - 1
	root := s[0]
	s[0], s[last] = s[last], overflowEvent{}
	s = s[:last]
	*h = s
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return root
		}
		if child+1 < last && s[child+1].before(&s[child]) {
			child++
		}
		if !s[child].before(&s[i]) {
			return root
		}
		s[i], s[child] = s[child], s[i]
		i = child
	}
}
