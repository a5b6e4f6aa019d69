package sm

import (
	"math"

	"cotenant/sm/issuequeue"
	"cotenant/sm/operandlog"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// window is what an SM has that issues out of order (Spec.Queue), in place of front
// end and scoreboard: the issue queue, whose instructions the warps' streams have
// given already. Arithmetic is executed when it is fetched, what others can see when
// it issues: fetch stops behind it until then, so that a warp executes in order.
type window struct {
	queue  *issuequeue.Queue
	rules  issuequeue.Rules
	ids    []issuequeue.ID // of the load-store unit's operations, by their numbers
	ops    []uint32        // the other way round
	checks []check         // of the last translations, by instructions' numbers
	warps  []windowWarp    // by slot
	over   warps.Mask      // slots whose stream has ended
	next   int             // slot at which fetch goes on
	tbs    []bool          // slots of thread blocks in log that are taken
	log    *operandlog.Log // nil without
	// retires says that instructions commit in order, each at an edge of its own.
	retires bool
	// partition is the number of its entries that a thread block gets when several
	// kernels can share the SM, else 0.
	partition int
	faulted   warps.Mask // slots whose warp has faulted
	handlers  []handler
	posting   warps.Mask // slots with stores whose acknowledgements have not come
	holding   warps.Mask // those of which an access waits in the TLB for a fault to be served
}

// posted is in place of an operation's instruction that has committed and waits for
// acknowledgements.
const posted = issuequeue.ID(math.MaxUint32)

// check is whether the queue has yet to be told that an instruction cannot fault any
// more, which is due in the cycle after the last of its accesses was translated.
type check uint8

const (
	noCheck   check = iota // it has been told, or is not to be
	checkDue               // it will be
	commitDue              // and of the commit with it
)

// windowWarp is the part of a warp slot's state that an issue queue makes necessary.
type windowWarp struct {
	posted  int      // stores whose acknowledgements have not come
	holding int      // accesses that wait in the TLB for faults to be served
	regions []uint64 // that it has faulted on and that have not been served
	faulted bool     // it neither fetches nor issues until they have
}

// kindOf is what the issue queue is to know of an instruction.
func kindOf(inst *workload.Inst) issuequeue.Kind {
	switch {
	case inst.Class == workload.Fence:
		return issuequeue.Fence
	case classUnits[inst.Class] == warps.Control:
		return issuequeue.ControlKind
	case classUnits[inst.Class] != warps.LSU:
		return issuequeue.Arithmetic
	case inst.Class != workload.Constant && (inst.Space == workload.Global || inst.Space == workload.Texture):
		return issuequeue.Memory
	default:
		return issuequeue.OtherMemory
	}
}

// makeWindow makes the issue queue and the operand log.
func (s *SM) makeWindow(b *Builder, slots warps.Slots) {
	if s.spec.Queue.Entries == 0 {
		return
	}
	rules, _ := issuequeue.RulesOf(s.spec.Faults.Scheme) // validated before
	s.window = &window{queue: issuequeue.New(s.spec.Queue, rules, slots), warps: make([]windowWarp, slots.Count()),
		rules: rules, retires: s.spec.Queue.CommitsInOrder()}
	if s.spec.Faults.Scheme == operandLog {
		entries := s.spec.Faults.LogBytes / operandlog.EntryBytes
		s.window.log, s.window.tbs = operandlog.New(entries, s.spec.TBs), make([]bool, s.spec.TBs)
		if b.kernels > 1 {
			s.window.partition = operandlog.Partition(entries, s.spec.TBs)
		}
	}
}

// edge begins an edge, before anything is delivered, and reports whether something
// changes at the next one by the time alone.
func (s *SM) edge(cycle uint64) (awake bool) {
	v := s.window
	if v.log != nil {
		v.log.Edge()
	}
	awake = v.queue.Edge(cycle)
	if v.retires && s.departing > 0 { // something may have committed in its turn
		awake = s.settleAll() || awake
	}
	return awake
}

// settleAll follows up for all warps of which nothing is in flight any more.
func (s *SM) settleAll() (any bool) {
	for slot := range s.warps {
		if w := &s.warps[slot]; w.inUse && (w.ended || w.held) && s.quiet(slot) {
			s.settled(slot)
			any = true
		}
	}
	return any
}

// stages is the part of an edge that fetches, issues and completes, where the SM
// issues out of order.
func (s *SM) stages(cycle uint64) bool {
	moved := s.complete(cycle)
	moved = s.sendRequests(cycle) || moved
	moved = s.lsu.Step(cycle) || moved
	moved = s.issueQueued(cycle) || moved
	moved = s.sendReports() || moved
	moved = s.fetchQueued() || moved
	s.barriers.Open() // which a warp has left as it ended
	return moved
}

// name notes which instruction an operation of the load-store unit is.
func (w *window) name(op uint32, id issuequeue.ID) {
	for len(w.ids) <= int(op) {
		w.ids = append(w.ids, 0)
	}
	for len(w.ops) <= int(id) {
		w.ops, w.checks = append(w.ops, 0), append(w.checks, noCheck)
	}
	w.ids[op], w.ops[id], w.checks[id] = id, op, noCheck
}

// commitAt has an instruction commit so many cycles after its issue, which is the
// first cycle in which one that depends on it can issue.
func (s *SM) commitAt(cycle, latency uint64, id issuequeue.ID, inst *workload.Inst) {
	s.wheel.add(cycle, cycle+latency, due{kind: dueCommit, counted: s.counted(inst), id: uint32(id)})
}

// commit ends an instruction.
func (s *SM) commit(id issuequeue.ID) {
	slot := s.window.queue.Slot(id)
	s.window.queue.Commit(id, s.cycle)
	s.calm(slot)
}

// performed ends an operation of the load-store unit: a store has committed when the
// L1 had taken it. A load whose data come in the cycle of its check, for the sake of
// another that has missed before it, commits with the check: that may be due later in
// this very cycle.
func (s *SM) performed(op uint32, slot int) {
	if s.window.ids[op] == posted {
		v := &s.window.warps[slot]
		if v.posted--; v.posted == 0 {
			s.window.posting &^= s.warps[slot].bit
		}
		s.calm(slot)
		return
	}
	id := s.window.ids[op]
	if s.window.checks[id] == checkDue {
		s.window.checks[id] = commitDue
		return
	}
	s.commit(id)
}

// calm follows up when something that was in flight for a warp no longer is.
func (s *SM) calm(slot int) {
	if s.window.warps[slot].faulted {
		s.resumeIfServed(slot)
	}
	if s.tells && s.warps[slot].tb.faulted > 0 {
		s.blocked(s.warps[slot].tb)
	}
	if s.departing > 0 && s.quiet(slot) {
		if w := &s.warps[slot]; w.ended || w.held {
			s.settled(slot)
		}
	}
}

// quiet reports whether nothing of a warp is in flight.
func (s *SM) quiet(slot int) bool {
	if s.window == nil {
		return s.scoreboard.Idle(slot)
	}
	return s.window.queue.Idle(slot) && s.window.warps[slot].posted == 0
}

// endIfOver ends a warp whose stream has ended and whose instructions have issued.
func (s *SM) endIfOver(w *warp) {
	if s.window.over>>w.slot&1 == 0 || w.ended || s.window.faulted&w.bit != 0 {
		return
	}
	if waiting, _ := s.window.queue.Len(int(w.slot)); waiting > 0 {
		return
	}
	s.endWarp(w)
	if s.quiet(int(w.slot)) {
		s.warpDone(w)
	}
}

// fetchQueued fetches a line of instructions for one warp, in turn.
func (s *SM) fetchQueued() bool {
	v, signals := s.window, &s.signals[0]
	mask := v.queue.Wanted() & signals.Live &^ (signals.Held | signals.Waits | v.over)
	if mask == 0 {
		return false
	}
	slot := warps.First(mask, v.next)
	v.next = (slot + 1) % warps.PerScheduler
	w := &s.warps[slot]
	for range s.spec.Queue.FetchWidth {
		if v.queue.Full() {
			break
		}
		if !w.stream.Fetch(&w.inst) {
			v.over |= w.bit
			s.endIfOver(w)
			break
		}
		kind := kindOf(&w.inst)
		if kind == issuequeue.Arithmetic {
			w.stream.Execute(&w.inst)
		}
		unit := classUnits[w.inst.Class]
		if s.pipes.detours {
			unit = s.pipes.unit[w.inst.Kind()]
		}
		v.queue.Enter(slot, &w.inst, unit, kind)
		if kind != issuequeue.Arithmetic {
			break
		}
	}
	return true
}

// clear forgets a warp that has left its slot.
func (w *window) clear(slot int) {
	w.queue.Clear(slot)
	w.over &^= 1 << slot
	w.faulted &^= 1 << slot
	w.holding &^= 1 << slot
	v := &w.warps[slot]
	*v = windowWarp{regions: v.regions[:0]}
}

// openLog gives a thread block its partition of the operand log.
func (s *SM) openLog(tb *residentTB) {
	v := s.window
	if v.log == nil {
		return
	}
	tb.slot = 0
	for v.tbs[tb.slot] {
		tb.slot++
	}
	v.tbs[tb.slot] = true
	partition := v.partition
	if partition == 0 {
		capacity := s.spec.Capacity()
		n, _ := capacity.Occupancy(tb.demand)
		partition = operandlog.Partition(s.spec.Faults.LogBytes/operandlog.EntryBytes, max(n, 1))
	}
	v.log.Open(tb.slot, partition)
}

// closeLog takes it back.
func (s *SM) closeLog(tb *residentTB) {
	if s.window.log != nil {
		s.window.tbs[tb.slot] = false
		s.window.log.Close(tb.slot)
	}
}
