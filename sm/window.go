package sm

import (
	"math"
	"math/bits"

	"cotenant/sm/ews"
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
	queue *issuequeue.Queue
	ids   []issuequeue.ID // of the load-store unit's operations, by their numbers
	ops   []uint32        // the other way round
	warps []windowWarp    // by slot
	over  warps.Mask      // slots whose stream has ended
	next  int             // slot at which fetch goes on
	tbs   []bool          // slots of thread blocks in log that are taken
	log   *operandlog.Log // nil without
	// partition is the number of its entries that a thread block gets when several
	// tenants share the GPU, else 0.
	partition int
	faulted   warps.Mask // slots whose warp has faulted
	handlers  []handler
	holding   warps.Mask // those of which an access waits in the TLB for a fault to be served
}

// posted is in place of an operation's instruction that has committed and waits for
// acknowledgements.
const posted = issuequeue.ID(math.MaxUint32)

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
	s.window = &window{queue: issuequeue.New(s.spec.Queue, rules, slots), warps: make([]windowWarp, slots.Count())}
	if s.spec.Faults.Scheme == operandLog {
		entries := s.spec.Faults.LogBytes / operandlog.EntryBytes
		s.window.log, s.window.tbs = operandlog.New(entries, s.spec.TBs), make([]bool, s.spec.TBs)
		if b.tenants > 1 {
			s.window.partition = operandlog.Partition(entries, s.spec.TBs)
		}
	}
}

// stages is the part of an edge that fetches, issues and completes, where the SM
// issues out of order.
func (s *SM) stages(cycle uint64) bool {
	moved := s.window.queue.Edge(cycle)
	if s.window.log != nil {
		s.window.log.Edge()
	}
	moved = s.complete(cycle) || moved
	moved = s.sendRequests(cycle) || moved
	moved = s.lsu.Step(cycle) || moved
	moved = s.issueQueued(cycle) || moved
	moved = s.sendReports() || moved
	return s.fetchQueued() || moved
}

// issueQueued lets instructions of the issue queue issue, and charges the cycle.
func (s *SM) issueQueued(cycle uint64) (moved bool) {
	p := &s.schedulers[0]
	if s.idle.next == cycle {
		s.show(p)
		s.sampleIdle(cycle + 1)
	}
	if s.halted {
		s.chargeHalted()
		if s.told || s.memory != nil {
			s.endGates()
		}
		return false
	}
	issued := 0
	for issued < s.spec.Queue.Width {
		can := s.issuable(p, cycle)
		candidates := warps.Mask(0)
		for _, m := range can {
			candidates |= m
		}
		if candidates == 0 {
			break
		}
		s.show(p)
		slot := p.policy.Pick(candidates, p.signals.Long)
		if slot == ews.None {
			if issued == 0 {
				s.charge(Bubble, s.payer(p, Bubble, candidates), 1)
			}
			moved = true
			break
		}
		units := uint8(0)
		for u, m := range can {
			units |= uint8(m>>slot&1) << u
		}
		id, _ := s.window.queue.Pick(slot, units)
		if issued == 0 {
			s.charge(Issued, s.warps[slot].account, 1)
		}
		s.issueEntry(p, id, cycle)
		issued++
	}
	if issued == 0 && !moved {
		moved = s.stalledQueued(p)
	}
	s.barriers.Open()
	if s.told || s.memory != nil {
		s.endGates()
	}
	return moved || issued > 0
}

// issuable are the slots with an instruction that can issue now, by its unit.
func (s *SM) issuable(p *scheduler, cycle uint64) (can [warps.NumUnits]warps.Mask) {
	q := s.window.queue
	// Of a warp that leaves the SM, what is ahead of a fault drains.
	may := p.signals.Live &^ (p.signals.Held&^s.window.faulted | p.signals.Gated)
	for u := range can {
		if p.freeAt[u] <= cycle {
			can[u] = q.Ready(warps.Unit(u)) & may
		}
	}
	if can[warps.LSU] != 0 {
		p.signals.Needs[warps.LSU] = can[warps.LSU]
		can[warps.LSU] &^= s.lsuFull(p) | p.signals.GatedMemory
		if s.window.log != nil {
			can[warps.LSU] &^= s.logFull(can[warps.LSU])
		}
	}
	for m := can[warps.Control]; m != 0; m &= m - 1 { // a fence waits for stores, too
		slot := bits.TrailingZeros64(m)
		if id, _ := q.Pick(slot, 1<<warps.Control); q.Kind(id) == issuequeue.Fence && s.window.warps[slot].posted > 0 {
			can[warps.Control] &^= 1 << slot
		}
	}
	return can
}

// logFull are those of a set of slots whose next memory instruction finds no room in
// the operand log.
func (s *SM) logFull(mask warps.Mask) (full warps.Mask) {
	q := s.window.queue
	for ; mask != 0; mask &= mask - 1 {
		slot := bits.TrailingZeros64(mask)
		id, _ := q.Pick(slot, 1<<warps.LSU)
		if q.Kind(id) == issuequeue.Memory && !q.Replayed(id) &&
			!s.window.log.Room(s.warps[slot].tb.slot, operandlog.Entries(q.Inst(id).Class)) {
			full |= 1 << slot
		}
	}
	return full
}

// issueEntry issues an instruction of the queue.
func (s *SM) issueEntry(p *scheduler, id issuequeue.ID, cycle uint64) {
	q := s.window.queue
	slot, inst, unit := q.Slot(id), q.Inst(id), q.Unit(id)
	w := &s.warps[slot]
	replayed := q.Replayed(id)
	if q.Kind(id) != issuequeue.Arithmetic && !replayed {
		w.stream.Execute(inst)
	}
	k := &s.stats.Accounts[w.account]
	if replayed {
		k.Replays++
	} else {
		k.WarpInstructions++
		k.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
	}
	q.Issue(id, cycle)
	switch {
	case replayed:
		p.take(warps.LSU, cycle+1)
		s.lsu.Again(s.window.ops[id])
	case unit == warps.LSU && inst.Active != 0:
		p.take(warps.LSU, cycle+1)
		if s.window.log != nil && q.Kind(id) == issuequeue.Memory {
			s.window.log.Alloc(w.tb.slot, operandlog.Entries(inst.Class))
		}
		s.window.name(s.lsu.Issue(slot, w.account, inst), id)
	case unit == warps.Control:
		p.take(warps.Control, cycle+1)
		if inst.Class == workload.Barrier {
			s.barriers.Arrive(&w.tb.barriers, slot, inst)
		}
		s.commitAt(cycle, uint64(s.spec.FrontEnd.BranchLatency), id, inst)
	default:
		t := &s.pipes.timing[inst.Kind()]
		s.pipes.take(s.schedulers, 0, unit, cycle+t.interval)
		s.commitAt(cycle, t.latency, id, inst)
	}
	p.policy.Issued(slot, p.signals.Long)
	if len(s.active) > 0 && !replayed {
		s.issued[0] = *inst
		for _, g := range s.active {
			g.Issued(0, slot, s.issued[:1])
		}
		s.told = true
		if s.memory != nil && s.memory.Closed() {
			s.refreshGates()
		}
	}
	s.endIfOver(w)
}

// name notes which instruction an operation of the load-store unit is.
func (w *window) name(op uint32, id issuequeue.ID) {
	for len(w.ids) <= int(op) {
		w.ids = append(w.ids, 0)
	}
	for len(w.ops) <= int(id) {
		w.ops = append(w.ops, 0)
	}
	w.ids[op], w.ops[id] = id, op
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
// L1 had taken it.
func (s *SM) performed(op uint32, slot int) {
	if s.window.ids[op] == posted {
		s.window.warps[slot].posted--
		s.calm(slot)
		return
	}
	s.commit(s.window.ids[op])
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
	if s.window.over>>w.slot&1 == 0 || w.ended {
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
		if s.pipes.multiplies {
			unit = s.pipes.unit[w.inst.Kind()]
		}
		v.queue.Enter(slot, &w.inst, unit, kind)
		if kind != issuequeue.Arithmetic {
			break
		}
	}
	return true
}

// show brings the signals up to date with the queue.
func (s *SM) show(p *scheduler) {
	q, signals := s.window.queue, p.signals
	signals.Hazard, signals.Long = q.Hazards()
	for u := range signals.Needs {
		signals.Needs[u] = q.Ready(warps.Unit(u))
	}
}

// stalledQueued charges a cycle in which nothing could issue, and reports whether it
// must be looked again at the next edge, for a pipe's sake.
func (s *SM) stalledQueued(p *scheduler) bool {
	cause, id := s.diagnose(p)
	s.charge(cause, id, 1)
	return cause == PipeFull
}

// stallQueued is the cause of a cycle without issue from a queue, and the mask of the
// warps that it applies to.
func (s *SM) stallQueued(p *scheduler) (Cause, warps.Mask) {
	s.show(p)
	signals := p.signals
	if signals.Live == 0 {
		return Idle, 0
	}
	may := signals.Live &^ signals.Held
	ready := warps.Mask(0)
	for _, m := range signals.Needs {
		ready |= m & may
	}
	if waiting := ready & signals.Needs[warps.LSU] &^ (signals.Gated | signals.GatedMemory); waiting != 0 {
		return LSUFull, waiting
	}
	switch {
	case ready&^(signals.Gated|signals.GatedMemory) != 0:
		return PipeFull, ready
	case ready != 0:
		return Quota, ready
	}
	faulted := (s.window.faulted | s.window.holding) & may
	if waiting := may & signals.Hazard &^ faulted; waiting != 0 {
		if short := waiting &^ signals.Long; short != 0 {
			return RAWOther, short
		}
		return RAWLong, waiting
	}
	switch {
	case faulted != 0:
		return Faulted, faulted
	case may != 0:
		return Control, may
	}
	return Preempted, signals.Live
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
