package queued

import (
	"fmt"
	"slices"

	"cotenant/protocol"
	"cotenant/sm/issuequeue"
	"cotenant/sm/residency"
	"cotenant/sm/warps"
	"cotenant/sm/wheel"
	"cotenant/workload"
)

// A warp with an instruction that has faulted fetches and issues nothing until all regions
// that it has faulted on have been served. Instructions that have not faulted drain
// meanwhile. An instruction that has faulted goes back to the issue queue and issues
// again, without being executed again (thesis 6.2, 6.3).

// FaultsSpec says how an SM handles page faults. They need an MMU.
type FaultsSpec struct {
	// Scheme is none or stall: the access waits, and the SM does not know of the
	// fault (thesis 2.1); or, with an issue queue, wd-commit or wd-lastcheck, which
	// disable the warp behind a memory instruction, replay-queue, or operand-log
	// (thesis 6.3.1 to 6.3.3).
	Scheme string `yaml:"scheme"`
	// LogBytes is the size of the operand log, of 256 bytes for each entry, at least
	// two of them for each slot of thread blocks (thesis 6.5.2: 8 to 32 KB); 0
	// without one.
	LogBytes int `yaml:"log_bytes"`
	// HandlerCycles is the time of a handler that gives a region memory on the SM with
	// the warp that has faulted, in core cycles, for an MMU that leaves faults to handlers
	// (mmu.fill.local; thesis 6.5.4: 20 us). 0: there is none.
	HandlerCycles int `yaml:"handler_cycles"`
}

// maxHandler bounds FaultsSpec.HandlerCycles.
const maxHandler = 1 << 30

// Validate reports the first field that is out of range on an SM with tbs slots of thread
// blocks, with or without an issue queue and a TLB.
func (f *FaultsSpec) Validate(tbs int, queue, tlb bool) error {
	if _, err := issuequeue.RulesOf(f.Scheme); err != nil {
		return err
	}
	storage, stores := storages[f.Scheme]
	switch {
	case f.Preemptible() && !queue:
		return fmt.Errorf("scheme is %q, which needs an issue queue (issue_queue.entries)", f.Scheme)
	case f.Preemptible() && !tlb:
		return fmt.Errorf("scheme is %q, which needs a TLB (tlb.entries)", f.Scheme)
	case f.HandlerCycles != 0 && (f.HandlerCycles <= toldAfter || f.HandlerCycles > maxHandler):
		return fmt.Errorf("handler_cycles is %d, must be 0 or %d to %d", f.HandlerCycles, toldAfter+1, maxHandler)
	case f.HandlerCycles > 0 && !f.Preemptible():
		return fmt.Errorf("handler_cycles is %d, which needs a scheme that stops the warp, not %q", f.HandlerCycles, f.Scheme)
	case f.LogBytes != 0 && !stores:
		return fmt.Errorf("log_bytes is %d, must be 0 under the scheme %q", f.LogBytes, f.Scheme)
	case stores:
		return storage.Validate(f.LogBytes, tbs)
	}
	return nil
}

// Preemptible reports whether a warp that has faulted can be taken off the SM.
func (f *FaultsSpec) Preemptible() bool { return f.Scheme != "none" && f.Scheme != "stall" }

// ExtraBytes bounds what faults add to the context of a thread block, with a queue of
// entries and warp slots.
func (f *FaultsSpec) ExtraBytes(entries, slots int) int {
	if !f.Preemptible() {
		return 0
	}
	return f.LogBytes + queuedBytes*(entries+slots*maxQueued)
}

// maxQueued bounds the memory instructions of a warp that can be in flight at once:
// each has a register of its own to write, or holds an entry of the log, or is the only
// one.
const maxQueued = workload.NoReg

// queuedBytes is the size of an instruction of a replay queue in a context: its encoding,
// and PC and lane mask. (Not published: 8 each.)
const queuedBytes = 16

// storeLatency is the time from the cycle in which the L1 takes the last access of a store
// to the first cycle in which an instruction behind its commit can go on: the L1 takes the
// access while operands are read, then come execution and commit, as of arithmetic.
const storeLatency = 3

// Checked makes Pipeline a lsu.Faults, as the methods below: the last access of an
// operation has been translated in a cycle.
func (p *Pipeline) Checked(op uint32, cycle uint64) {
	id := p.ids[op]
	p.checks[id] = checkDue
	p.wheel.Add(p.Cycle, cycle+1, wheel.Due{Kind: wheel.Checked, ID: uint32(id)})
}

// checked delivers it, and the commit of what has been performed already.
func (p *Pipeline) checked(id issuequeue.ID) {
	performed := p.checks[id] == commitDue
	p.checks[id] = noCheck
	p.queue.Checked(id, p.Cycle)
	if p.storage != nil {
		p.storage.Release(p.Warps[p.queue.Slot(id)].TB.Storage-1, p.queue.Inst(id).Class)
	}
	if performed {
		p.commit(id)
	}
}

// Taken makes Pipeline a lsu.Taker: it commits a store. Fences wait for the
// acknowledgements, and a thread block that leaves the SM.
func (p *Pipeline) Taken(op uint32) {
	id := p.ids[op]
	slot := p.queue.Slot(id)
	p.slots[slot].posted++
	p.posting |= p.Warps[slot].Bit
	p.ids[op] = posted
	p.wheel.Add(p.Cycle, p.Cycle+storeLatency, wheel.Due{Kind: wheel.Commit, ID: uint32(id)})
}

// Faulted stops the operation's warp, or the simulation.
func (p *Pipeline) Faulted(op uint32, fault protocol.Fault, region, line uint64) {
	if fault.Aborts() {
		p.parts.Abort(op, fault, line)
	}
	slot := p.queue.Slot(p.ids[op])
	w, s := &p.Warps[slot], &p.slots[slot]
	p.Stats.Accounts.Of(w.Account).Faults++
	if w.Ended {
		p.Revive(w)
	}
	if !slices.Contains(s.regions, region) {
		s.regions = append(s.regions, region)
		p.takeOn(slot, region)
	}
	if !s.faulted {
		s.faulted = true
		p.faulted |= w.Bit
		p.queue.Fault(slot)
		w.TB.Faulted++
	}
}

// Squashed returns the operation's instruction to the queue, where it waits to issue
// again.
func (p *Pipeline) Squashed(op uint32) {
	id := p.ids[op]
	p.queue.Squash(id)
	p.calm(p.queue.Slot(id))
}

// Held notes an access that waits in the TLB until a fault has been served, or has ended
// to wait.
func (p *Pipeline) Held(op uint32, on bool) {
	slot := p.queue.Slot(p.ids[op])
	s, bit := &p.slots[slot], p.Warps[slot].Bit
	if on {
		s.holding++
		p.holding |= bit
	} else if s.holding--; s.holding == 0 {
		p.holding &^= bit
	}
}

// Served lets the warps go on that have waited for a region.
func (p *Pipeline) Served(region uint64) {
	p.servedAway(region)
	p.forget(region)
	for slot := range p.slots {
		s := &p.slots[slot]
		if i := slices.Index(s.regions, region); i >= 0 {
			s.regions = slices.Delete(s.regions, i, i+1)
			p.resumeIfServed(slot)
		}
	}
}

// resumeIfServed lets a warp go on if nothing of it is in flight and it waits for no
// region. Otherwise it begins the handlers that it is to run.
func (p *Pipeline) resumeIfServed(slot int) {
	s := &p.slots[slot]
	if len(s.regions) > 0 && len(p.handlers) > 0 && p.queue.Idle(slot) {
		p.beginHandlers(slot)
	}
	if s.faulted && len(s.regions) == 0 && p.queue.Idle(slot) && !p.Warps[slot].Held {
		s.faulted = false
		p.faulted &^= p.Warps[slot].Bit
		p.queue.Resume(slot, p.Cycle)
		p.unblocked(p.Warps[slot].TB)
	}
}

// Save puts the queue's instructions of a quiet thread block into its context, and
// returns their bytes and the bytes of its storage. A warp fetches again the
// instructions that have not faulted, and, if the scheme disables the warp, the faulted
// ones too.
func (p *Pipeline) Save(b *residency.Block, context *protocol.Context) (bytes int) {
	if b.Blocked {
		p.goAway(b)
	}
	next := 0
	for _, n := range b.Warps {
		if w := &p.Warps[n]; w.InUse && w.TB == b {
			bytes += p.save(w, &context.Warps[next])
			next++
		}
	}
	if b.Storage > 0 {
		bytes += p.storage.Saved(b.Storage - 1)
	}
	p.Close(b)
	return bytes
}

// save is Save of a warp.
func (p *Pipeline) save(w *residency.Warp, c *protocol.WarpContext) (bytes int) {
	q, slot := p.queue, int(w.Slot)
	c.Over, c.Groups = p.over&w.Bit != 0, p.parts.Copies.Save(slot)
	if p.slots[slot].faulted && !p.rules.Refetches() {
		waiting, _ := q.Len(slot)
		bytes = queuedBytes * waiting
	}
	for _, id := range q.Waiting(slot) {
		n := protocol.QueuedInst{Inst: *q.Inst(id), Unit: uint8(q.Unit(id)), Kind: uint8(q.Kind(id))}
		if q.Replayed(id) {
			n.Inst.Lanes = nil // they are the stream's, and it may have gone on
			n.Memory = p.parts.LSU.Save(p.ops[id])
		}
		c.Queue = append(c.Queue, n)
	}
	return bytes
}

// restore puts a warp's instructions back.
func (p *Pipeline) restore(w *residency.Warp, c *protocol.WarpContext) {
	slot := int(w.Slot)
	if c.Over {
		p.over |= w.Bit
	}
	for i := range c.Queue {
		n := &c.Queue[i]
		id := p.queue.Restore(slot, &n.Inst, warps.Unit(n.Unit), issuequeue.Kind(n.Kind), n.Memory != nil)
		if n.Memory == nil {
			continue
		}
		p.name(p.parts.LSU.Restore(slot, n.Memory), id)
		if p.storage != nil {
			p.storage.Restore(w.TB.Storage-1, n.Inst.Class)
		}
	}
	p.queue.Resume(slot, p.Cycle)
}
