package queued

import (
	"slices"

	"cotenant/protocol"
)

// handler is a page-fault handler that a warp of the SM runs in system mode, for a region
// that only a handler on the GPU serves (thesis 6.4.2). A warp runs its handlers one after
// another; several warps run theirs at the same time. A handler takes
// FaultsSpec.HandlerCycles and no issue slots.
type handler struct {
	region uint64
	slot   int    // of the warp that runs it, the first that faulted on the region; -1: none yet
	begun  bool   // the warp is quiet
	until  uint64 // cycle at which the region has memory, once begun
}

// toldAfter is the time from the SM's word that a region is handled until SMs hear that
// it is served, which is part of a handler's time.
const toldAfter = 3

// Handle notes that a region is left to handlers. The first warp that faults on it
// runs one.
func (p *Pipeline) Handle(region uint64) {
	if !slices.ContainsFunc(p.handlers, func(h handler) bool { return h.region == region }) {
		p.handlers = append(p.handlers, handler{region: region, slot: -1})
	}
}

// takeOn has a warp run the handler of a region that it has faulted on, unless another
// warp runs it.
func (p *Pipeline) takeOn(slot int, region uint64) {
	for i := range p.handlers {
		if h := &p.handlers[i]; h.region == region && h.slot < 0 {
			h.slot = slot
		}
	}
}

// beginHandlers has a warp that is quiet begin its handlers.
func (p *Pipeline) beginHandlers(slot int) {
	until := p.Cycle - toldAfter
	for i := range p.handlers {
		if h := &p.handlers[i]; h.slot == slot && !h.begun {
			until += uint64(p.spec.Faults.HandlerCycles)
			h.begun, h.until = true, until
			p.parts.WakeAt(until)
			p.Stats.Accounts.Of(p.Warps[slot].Account).HandledFaults++
		}
	}
}

// EndHandlers tells the fill unit of the regions with handlers that have ended.
func (p *Pipeline) EndHandlers(cycle uint64) (moved bool) {
	for i := 0; i < len(p.handlers); {
		h := &p.handlers[i]
		if !h.begun || h.until > cycle || !p.parts.Fill.CanPush() {
			i++
			continue
		}
		p.parts.Fill.Push(&protocol.RegionHandled{Region: h.region})
		p.handlers = slices.Delete(p.handlers, i, i+1)
		moved = true
	}
	return moved
}

// Handling reports whether a page-fault handler runs on the SM. Its warps may wait for
// it for long.
func (p *Pipeline) Handling() bool {
	return slices.ContainsFunc(p.handlers, func(h handler) bool { return h.begun })
}

// forget drops the handlers of a region that has been served and that no warp has
// begun.
func (p *Pipeline) forget(region uint64) {
	p.handlers = slices.DeleteFunc(p.handlers, func(h handler) bool { return h.region == region && !h.begun })
}
