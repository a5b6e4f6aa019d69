package sm

import (
	"fmt"
	"slices"

	"cotenant/protocol"
	"cotenant/sm/issuequeue"
	"cotenant/sm/operandlog"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// A warp of which an instruction has faulted fetches and issues nothing until all
// regions that it has faulted on have been served. What has not faulted drains
// meanwhile; what has goes back to the issue queue and issues again, without being
// executed again (thesis 6.2, 6.3).

// FaultsSpec holds how an SM handles page faults. They need an MMU.
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
	// HandlerCycles is what a handler takes that gives a region memory on the SM whose
	// warp has faulted on it, in core cycles, for an MMU that leaves that to handlers
	// (mmu.fill.local; thesis 6.5.4: 20 us). 0: there is none.
	HandlerCycles int `yaml:"handler_cycles"`
}

// maxHandler bounds FaultsSpec.HandlerCycles.
const maxHandler = 1 << 30

// operandLog is the scheme that has a log.
const operandLog = "operand-log"

func (f *FaultsSpec) validate(s *Spec) error {
	if _, err := issuequeue.RulesOf(f.Scheme); err != nil {
		return err
	}
	switch {
	case f.Preemptible() && s.Queue.Entries == 0:
		return fmt.Errorf("scheme is %q, which needs an issue queue (issue_queue.entries)", f.Scheme)
	case f.Preemptible() && s.TLB.Entries == 0:
		return fmt.Errorf("scheme is %q, which needs a TLB (tlb.entries)", f.Scheme)
	case f.HandlerCycles != 0 && (f.HandlerCycles <= toldAfter || f.HandlerCycles > maxHandler):
		return fmt.Errorf("handler_cycles is %d, must be 0 or %d to %d", f.HandlerCycles, toldAfter+1, maxHandler)
	case f.HandlerCycles > 0 && !f.Preemptible():
		return fmt.Errorf("handler_cycles is %d, which needs a scheme that stops the warp, not %q", f.HandlerCycles, f.Scheme)
	case f.LogBytes != 0 && f.Scheme != operandLog:
		return fmt.Errorf("log_bytes is %d, must be 0 under the scheme %q", f.LogBytes, f.Scheme)
	case f.Scheme == operandLog:
		return operandlog.Validate(f.LogBytes, s.TBs)
	}
	return nil
}

// Preemptible reports whether a warp that has faulted can be taken off the SM.
func (f *FaultsSpec) Preemptible() bool { return f.Scheme != "none" && f.Scheme != "stall" }

// ExtraBytes bounds what faults add to the context of a thread block.
func (s *Spec) ExtraBytes() int {
	if !s.Faults.Preemptible() {
		return 0
	}
	return s.Faults.LogBytes + queuedBytes*(s.Queue.Entries+s.WarpSlots()*maxQueued)
}

// maxQueued bounds the memory instructions of a warp that can be in flight at once:
// each has a register of its own to write, or holds an entry of the log, or is the only
// one.
const maxQueued = workload.NoReg

// PageFault is the error of an access that no service can make good.
type PageFault struct {
	Account tenant.Account
	Kernel  string // "" until build.Platform.Run has filled it in
	TB      int
	Warp    int // of the thread block
	PC      string
	Addr    uint64 // of the line, without the tenant
	Fault   protocol.Fault
}

// Error says what was accessed by whom.
func (f *PageFault) Error() string {
	return fmt.Sprintf("%v: line %#x, by thread block %d, warp %d, %s", f.Fault, f.Addr, f.TB, f.Warp, f.PC)
}

// Checked makes SM a lsu.Faults, as the methods below: the last access of an
// operation has been translated in a cycle.
func (s *SM) Checked(op uint32, cycle uint64) {
	if s.window != nil {
		id := s.window.ids[op]
		s.window.checks[id] = checkDue
		s.wheel.add(s.cycle, cycle+1, due{kind: dueChecked, id: uint32(id)})
	}
}

// checked delivers it, and the commit of what has been performed already.
func (s *SM) checked(id issuequeue.ID) {
	v := s.window
	performed := v.checks[id] == commitDue
	v.checks[id] = noCheck
	v.queue.Checked(id, s.cycle)
	if v.log != nil {
		v.log.Release(s.warps[v.queue.Slot(id)].tb.slot, operandlog.Entries(v.queue.Inst(id).Class))
	}
	if performed {
		s.commit(id)
	}
}

// storeLatency is the time from the cycle in which the L1 takes the last of a store to
// the first in which an instruction behind its commit can go on: the access is taken
// while operands are read, then come execution and commit, as of arithmetic.
const storeLatency = 3

// Taken makes SM a lsu.Taker: it commits a store. Nobody waits for the
// acknowledgements but fences, and who takes the warp off the SM.
func (s *SM) Taken(op uint32) {
	id := s.window.ids[op]
	slot := s.window.queue.Slot(id)
	s.window.warps[slot].posted++
	s.window.posting |= s.warps[slot].bit
	s.window.ids[op] = posted
	s.wheel.add(s.cycle, s.cycle+storeLatency, due{kind: dueCommit, id: uint32(id)})
}

// Faulted stops the operation's warp, or the simulation. Without an issue queue faults
// that are served wait in the TLB, so that it is the latter.
func (s *SM) Faulted(op uint32, fault protocol.Fault, region, line uint64) {
	if fault.Aborts() {
		s.abort(op, fault, line)
	}
	if s.window == nil {
		return
	}
	slot := s.window.queue.Slot(s.window.ids[op])
	w, v := &s.warps[slot], &s.window.warps[slot]
	s.stats.Accounts[w.account].Faults++
	if w.ended {
		s.revive(w)
	}
	if !slices.Contains(v.regions, region) {
		v.regions = append(v.regions, region)
		s.window.takeOn(slot, region)
	}
	if !v.faulted {
		v.faulted = true
		s.window.faulted |= w.bit
		s.window.queue.Fault(slot)
		w.tb.faulted++
	}
}

// Squashed has the operation's instruction wait to issue again.
func (s *SM) Squashed(op uint32) {
	if s.window == nil {
		return // the simulation has ended
	}
	id := s.window.ids[op]
	s.window.queue.Squash(id)
	s.calm(s.window.queue.Slot(id))
}

// Held notes an access that waits in the TLB until a fault has been served, or does
// so no more.
func (s *SM) Held(op uint32, on bool) {
	if s.window == nil {
		return
	}
	slot := s.window.queue.Slot(s.window.ids[op])
	v, bit := &s.window.warps[slot], s.warps[slot].bit
	if on {
		v.holding++
		s.window.holding |= bit
	} else if v.holding--; v.holding == 0 {
		s.window.holding &^= bit
	}
}

// served lets the warps go on that have waited for a region.
func (s *SM) served(r *protocol.RegionServed) {
	s.tlb.Served(r)
	if s.window == nil {
		return
	}
	s.servedAway(r.Region)
	s.window.forget(r.Region)
	for slot := range s.window.warps {
		v := &s.window.warps[slot]
		if i := slices.Index(v.regions, r.Region); i >= 0 {
			v.regions = slices.Delete(v.regions, i, i+1)
			s.resumeIfServed(slot)
		}
	}
}

// resumeIfServed lets a warp go on if nothing of it is in flight and no region is to
// be waited for. If one is, it is handled if that is up to the warp.
func (s *SM) resumeIfServed(slot int) {
	v := &s.window.warps[slot]
	if len(v.regions) > 0 && len(s.window.handlers) > 0 && s.window.queue.Idle(slot) {
		s.beginHandlers(slot)
	}
	if v.faulted && len(v.regions) == 0 && s.window.queue.Idle(slot) && !s.warps[slot].held {
		v.faulted = false
		s.window.faulted &^= s.warps[slot].bit
		s.window.queue.Resume(slot, s.cycle)
		s.unblocked(s.warps[slot].tb)
	}
}

// queuedBytes is what an instruction of a replay queue takes of a context: its encoding,
// and PC and lane mask. (Not published: 8 each.)
const queuedBytes = 16

// saveQueue puts what a quiet warp has of the issue queue into its context, and returns
// how many bytes of it have to be saved: what has not faulted is fetched again, and so
// is what has where that disables the warp.
func (s *SM) saveQueue(w *warp, c *protocol.WarpContext) (bytes int) {
	v := s.window
	c.Over = v.over&w.bit != 0
	if v.warps[w.slot].faulted && !v.rules.Refetches() {
		waiting, _ := v.queue.Len(int(w.slot))
		bytes = queuedBytes * waiting
	}
	for _, id := range v.queue.Waiting(int(w.slot)) {
		n := protocol.QueuedInst{Inst: *v.queue.Inst(id), Unit: uint8(v.queue.Unit(id)), Kind: uint8(v.queue.Kind(id))}
		if v.queue.Replayed(id) {
			n.Inst.Lanes = nil // they are the stream's, and it may have gone on
			n.Memory = s.lsu.Save(v.ops[id])
		}
		c.Queue = append(c.Queue, n)
	}
	return bytes
}

// saveLog takes a thread block's partition of the operand log back, and returns how
// many bytes of it are in use.
func (s *SM) saveLog(tb *residentTB) (bytes int) {
	if s.window.log != nil {
		bytes = operandlog.EntryBytes * s.window.log.Saved(tb.slot)
	}
	s.closeLog(tb)
	return bytes
}

// restoreQueue puts a warp's instructions back.
func (s *SM) restoreQueue(w *warp, c *protocol.WarpContext) {
	v, slot := s.window, int(w.slot)
	if c.Over {
		v.over |= w.bit
	}
	for i := range c.Queue {
		n := &c.Queue[i]
		id := v.queue.Restore(slot, &n.Inst, warps.Unit(n.Unit), issuequeue.Kind(n.Kind), n.Memory != nil)
		if n.Memory == nil {
			continue
		}
		v.name(s.lsu.Restore(slot, n.Memory), id)
		if v.log != nil {
			v.log.Restore(w.tb.slot, operandlog.Entries(n.Inst.Class))
		}
	}
	v.queue.Resume(slot, s.cycle)
}

// abort ends the simulation over an access that cannot be served.
func (s *SM) abort(op uint32, fault protocol.Fault, line uint64) {
	slot, pc := s.lsu.Issuer(op)
	w := &s.warps[slot]
	at := slices.Index(w.tb.warps, int32(slot))
	s.Fail(&PageFault{Account: w.account, TB: w.tb.tb.ID, Warp: at, PC: workload.Where(w.stream, pc),
		Addr: line &^ w.account.Base(), Fault: fault})
}
