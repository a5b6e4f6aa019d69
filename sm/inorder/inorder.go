// Package inorder models the pipeline of an SM on which each warp issues its instructions
// in order: front end, scoreboard, issue by several warp schedulers, and write-back.
//
// An instruction that issues at edge t with a latency of n cycles lets a dependent one
// issue at t+n, exactly.
package inorder

import (
	"cotenant/protocol"
	"cotenant/sm/async"
	"cotenant/sm/barrier"
	"cotenant/sm/ews"
	"cotenant/sm/frontend"
	"cotenant/sm/gate"
	"cotenant/sm/icache"
	"cotenant/sm/lsu"
	"cotenant/sm/pipes"
	"cotenant/sm/residency"
	"cotenant/sm/scoreboard"
	"cotenant/sm/tlb"
	"cotenant/sm/tma"
	"cotenant/sm/warps"
	"cotenant/sm/wheel"
	"cotenant/tenant"
	"cotenant/workload"
)

// maxIssueWidth is the most instructions that a scheduler issues in a cycle.
const maxIssueWidth = 2

// Spec holds the parameters of a Pipeline, which sm.Spec comments.
type Spec struct {
	IssueWidth    int
	IssueSameUnit bool
	GroupSlots    int
	FrontEnd      frontend.Spec
	Hz            uint64 // of the SM's clock
	TMA           tma.Spec
}

// Parts are what a Pipeline works with.
type Parts struct {
	Residents *residency.Unit
	Gates     *gate.Set
	Barriers  *barrier.Unit
	Pipes     *pipes.Pipes
	LSU       *lsu.Unit
	Copies    *async.Unit
	TLB       *tlb.TLB // nil: addresses are not translated
	Code      icache.Memory
}

// Pipeline issues in order.
type Pipeline struct {
	*residency.Unit
	gates    *gate.Set
	order    gate.Order // of gates; nil without
	pipes    *pipes.Pipes
	lsu      *lsu.Unit
	barriers *barrier.Unit
	copies   *async.Unit
	tma      *tma.Unit
	// What every edge asks of the parts lies together.
	sleepers   sleepers
	stalls     *warpStalls // nil: not counted
	grouped    bool        // schedulers' slots are in groups
	limits     bool        // grouped, or products have several steps
	timed      bool        // tma, copies or polls have been given something that a time decides
	polls      polls
	stills     stills
	turns      turns
	scoreboard scoreboard.Board
	frontEnd   frontend.Unit
	wheel      wheel.Wheel

	tlb    *tlb.TLB
	spec   Spec
	groups [warps.MaxSchedulers]ews.Groups
	issued [maxIssueWidth]workload.Inst // in a scheduler's cycle, for gates
}

// Init makes the pipeline of an SM in place.
func (p *Pipeline) Init(spec Spec, slots warps.Slots, parts Parts) {
	*p = Pipeline{Unit: parts.Residents, gates: parts.Gates, order: parts.Gates.Order(), pipes: parts.Pipes, lsu: parts.LSU,
		barriers: parts.Barriers, tlb: parts.TLB, copies: parts.Copies, spec: spec}
	p.frontEnd = *frontend.New(spec.FrontEnd, slots, p.Signals, p, parts.Code)
	p.scoreboard = *scoreboard.New(slots, p.Signals, p.ID())
	p.sleepers, p.stills = newSleepers(slots), newStills()
	p.tma = tma.New(spec.TMA, p.lsu)
	p.turns = newTurns(slots.Schedulers, p.pipes)
	p.makeGroups(slots.Each)
	p.limits = p.grouped || p.pipes.Stepped()
}

// Edge begins an edge. Nothing changes by the time alone.
func (p *Pipeline) Edge(cycle uint64) bool {
	p.scoreboard.Begin(cycle)
	return false
}

// Start fetches for a warp that has taken a slot.
func (p *Pipeline) Start(w *residency.Warp, c *protocol.WarpContext) {
	p.frontEnd.Start(int(w.Scheduler), int(w.Number))
	s := &p.Schedulers[w.Scheduler]
	p.copies.Place(int(w.Slot), w.TB.Serial)
	if c == nil {
		p.advance(s, w)
	} else {
		p.decoded(s, w)
	}
}

// Stop ends fetching for a warp that issues nothing more, and looks out for its last result.
func (p *Pipeline) Stop(w *residency.Warp) {
	p.frontEnd.Stop(int(w.Scheduler), int(w.Number))
	if due, order, ok := p.scoreboard.Retire(int(w.Slot), p.Cycle); ok {
		p.wheel.AddAt(p.Cycle, due, wheel.Due{Kind: wheel.Settled, ID: uint32(w.Slot)}, order)
	}
}

// Look says whether results for a slot are in flight. The pipeline does not know which
// accesses wait in the TLB: any access counts.
func (p *Pipeline) Look(slot int) residency.Flight {
	f := residency.Flight{Quiet: p.scoreboard.Idle(slot, p.Cycle), Held: p.tlb != nil && p.tlb.Waiting() > 0}
	if !f.Quiet {
		f.Flying = 1
	}
	return f
}

// Save does nothing: each warp's next instruction is in the context anyway.
func (p *Pipeline) Save(*residency.Block, *protocol.Context) int { return 0 }

// Clear wakes a warp that leaves its slot, and forgets its groups of copies. They have ended, as
// nothing of the warp is in flight.
func (p *Pipeline) Clear(w *residency.Warp) {
	p.copies.Start(int(w.Slot), nil)
	if p.sleepers.next != never {
		g := p.Schedulers[w.Scheduler].Signals
		g.Asleep &^= w.Bit
		g.Still = 0
		p.wake(p.Cycle)
	}
}

// Close does nothing: thread blocks have no storage.
func (p *Pipeline) Close(*residency.Block) {}

// Oldest is a warp's next instruction.
func (p *Pipeline) Oldest(w *residency.Warp) *workload.Inst { return &w.Inst }

// Fetch fetches instructions.
func (p *Pipeline) Fetch(cycle uint64) bool { return p.frontEnd.Fetch(cycle) }

// Fetched makes Pipeline a frontend.Program: a warp's buffer is empty when it is asked
// for, so that the next instruction to issue is the next one to fetch.
func (p *Pipeline) Fetched(slot int) (addr uint64, account tenant.Account) {
	w := &p.Warps[slot]
	return w.TB.Code + uint64(w.Inst.PC), w.Account
}

// CodeArrived: a line that icache.Memory was asked for has come back, with its MSHR.
func (p *Pipeline) CodeArrived(mshr int) { p.frontEnd.Deliver(mshr, p.Cycle) }

// CodeOutstanding is the number of lines of code that are on their way.
func (p *Pipeline) CodeOutstanding() int { return p.frontEnd.Outstanding() }

// Next is the first cycle behind the present one at which a result is due or fetch
// goes on.
func (p *Pipeline) Next(cycle uint64) (at uint64, ok bool) {
	at, ok = p.wheel.Next(cycle)
	if next, brings := p.scoreboard.Due(cycle); brings && (!ok || next < at) {
		at, ok = next, true
	}
	if next, brings := p.frontEnd.Next(); brings && (!ok || next < at) {
		at, ok = next, true
	}
	if next := min(p.sleepers.next, p.stills.next); next != never && (!ok || next < at) {
		at, ok = next, true
	}
	if next := min(p.tma.Next(), p.copies.Due()); next != tma.Never && (!ok || next < at) {
		at, ok = next, true
	}
	if p.frontEnd.Coming() || p.polls.any {
		at, ok = cycle+1, true
	}
	return at, ok
}

// Count brings an account's counters of the instruction cache up to date.
func (p *Pipeline) Count(a tenant.Account) { p.Stats.Accounts.Of(a).Icache = p.frontEnd.ICache(a) }

// Complete handles what is due at a cycle.
func (p *Pipeline) Complete(cycle uint64) (moved bool) {
	moved = p.scoreboard.Arrive(cycle)
	if cycle >= p.sleepers.next {
		p.wake(cycle)
		moved = true
	}
	if p.timed {
		moved = p.inTime(cycle) || moved
	}
	if p.wheel.Has(cycle) {
		moved = p.deliverAll(cycle) || moved
	}
	return p.frontEnd.Arrive(cycle) || moved
}

// inTime ends the waits that last until a cycle, and goes on with bulk copies.
func (p *Pipeline) inTime(cycle uint64) (moved bool) {
	if p.polls.any {
		moved = p.poll()
	}
	if cycle >= p.copies.Due() {
		p.copies.Expire(cycle)
		moved = true
	}
	if cycle >= p.tma.Next() {
		moved = p.tma.Step(cycle) || moved
	}
	return moved
}

// deliverAll delivers what the wheel has for a cycle.
func (p *Pipeline) deliverAll(cycle uint64) (moved bool) {
	early, late := p.wheel.Take(cycle)
	for i := range early {
		p.deliver(&early[i])
	}
	for i := range late {
		p.deliver(&late[i])
	}
	p.wheel.Recycle(late)
	return len(early)+len(late) > 0
}

func (p *Pipeline) deliver(d *wheel.Due) {
	switch d.Kind {
	case wheel.Completed:
		p.completed(&p.Warps[d.ID], d.Counted)
	case wheel.Settled:
		if p.scoreboard.Settled(int(d.ID)) {
			p.Settled(int(d.ID))
		}
	case wheel.Refetch:
		w := &p.Warps[d.ID]
		p.frontEnd.Resolve(int(w.Scheduler), int(w.Number))
	case wheel.Access:
		p.lsu.AccessDone(d.ID)
	case wheel.Product:
		p.copies.Landed(int(d.ID), workload.ProductGroups, d.Counted)
	}
}

// DoneAt makes Pipeline a lsu.Parent, as the methods below.
func (p *Pipeline) DoneAt(cycle uint64, op uint32) {
	p.wheel.Add(p.Cycle, cycle, wheel.Due{Kind: wheel.Access, ID: op})
}

// Missed notes that registers of a warp wait for memory beyond the L1.
func (p *Pipeline) Missed(_ uint32, slot int, regs *[4]uint8) {
	p.scoreboard.Missed(slot, regs, p.Cycle)
}

// Completed tells the gates that a warp's memory instruction has been performed.
func (p *Pipeline) Completed(slot, lanes int) {
	p.completed(&p.Warps[slot], uint8(lanes)+1)
}

// completed tells the gates of an instruction of a warp that has completed; counted is
// one more than its active lanes.
func (p *Pipeline) completed(w *residency.Warp, counted uint8) {
	p.gates.Completed(int(w.Scheduler), w.Account.Tenant(), counted)
}

// Landed makes Pipeline a lsu.Copies.
func (p *Pipeline) Landed(slot int, group uint8) {
	p.scoreboard.Landed(slot)
	p.copies.Landed(slot, workload.CopyGroups, group)
}

// Performed ends a memory operation of a warp.
func (p *Pipeline) Performed(_ uint32, slot int, regs *[4]uint8) {
	if p.scoreboard.ReleaseMemory(slot, regs, p.Cycle) && p.Departing > 0 {
		p.Settled(slot)
	}
}
