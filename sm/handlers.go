package sm

import (
	"slices"

	"cotenant/protocol"
)

// handler is a page-fault handler that a warp of the SM runs in system mode, for a
// region that nobody but a GPU's handler serves (thesis 6.4.2). A warp's handlers run
// one after another, those of several warps at the same time. They take no issue slots:
// Spec.Faults.HandlerCycles is all that they take.
type handler struct {
	region uint64
	slot   int    // of the warp, the first that faulted on the region
	begun  bool   // the warp is quiet
	until  uint64 // cycle at which the region has memory, once begun
}

// toldAfter is the time from the SM's word that a region is handled until SMs hear that
// it is served, which is part of what a handler takes.
const toldAfter = 3

// handle notes that a region is left to handlers. The first warp that faults on it
// runs one.
func (s *SM) handle(region uint64) {
	if !slices.ContainsFunc(s.window.handlers, func(h handler) bool { return h.region == region }) {
		s.window.handlers = append(s.window.handlers, handler{region: region, slot: -1})
	}
}

// takeOn has a warp run the handler of a region that it has faulted on, if there is one
// that no other runs.
func (w *window) takeOn(slot int, region uint64) {
	for i := range w.handlers {
		if h := &w.handlers[i]; h.region == region && h.slot < 0 {
			h.slot = slot
		}
	}
}

// beginHandlers has a warp that is quiet begin its handlers.
func (s *SM) beginHandlers(slot int) {
	until := s.cycle - toldAfter
	for i := range s.window.handlers {
		if h := &s.window.handlers[i]; h.slot == slot && !h.begun {
			until += uint64(s.spec.Faults.HandlerCycles)
			h.begun, h.until = true, until
			s.WakeAt(until)
			s.stats.Accounts[s.warps[slot].account].HandledFaults++
		}
	}
}

// endHandlers tells the fill unit of the regions whose handlers have ended.
func (s *SM) endHandlers(cycle uint64) (moved bool) {
	for i := 0; i < len(s.window.handlers); {
		h := &s.window.handlers[i]
		if !h.begun || h.until > cycle || !s.Faults.CanPush() {
			i++
			continue
		}
		s.Faults.Push(&protocol.RegionHandled{Region: h.region})
		s.window.handlers = slices.Delete(s.window.handlers, i, i+1)
		moved = true
	}
	return moved
}

// Handling reports whether a page-fault handler runs on the SM, for which its warps may
// wait for long.
func (s *SM) Handling() bool {
	return s.window != nil && slices.ContainsFunc(s.window.handlers, func(h handler) bool { return h.begun })
}

// forget drops the handlers of a region that has been served and that no warp has
// begun.
func (w *window) forget(region uint64) {
	w.handlers = slices.DeleteFunc(w.handlers, func(h handler) bool { return h.region == region && !h.begun })
}
