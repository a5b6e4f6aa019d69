// Package queued models the pipeline of an SM that issues out of order from an issue queue
// and replays instructions that have faulted. It keeps the queue, the storage of the
// fault-handling scheme, the regions under service that warps wait for, and page-fault
// handlers on the SM.
//
// Fetch runs ahead of issue. The pipeline executes an arithmetic instruction when it
// fetches it, and a memory or control instruction, which other warps can see, when it
// issues it. Fetch of the warp stops behind a control instruction until that commits, and
// behind a memory instruction until that issues, or later if the scheme says so. So a warp
// executes in order.
package queued

import (
	"math"
	"math/bits"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/sm/async"
	"cotenant/sm/barrier"
	"cotenant/sm/gate"
	"cotenant/sm/issuequeue"
	"cotenant/sm/lsu"
	"cotenant/sm/pipes"
	"cotenant/sm/residency"
	"cotenant/sm/warps"
	"cotenant/sm/wheel"
	"cotenant/workload"
)

// Spec holds the parameters of a Pipeline, which sm.Spec comments.
type Spec struct {
	Queue         issuequeue.Spec
	Faults        FaultsSpec
	BranchLatency int
	Capacity      occupancy.Capacity
}

// Parts are what a Pipeline works with.
type Parts struct {
	Residents *residency.Unit
	Gates     *gate.Set
	Barriers  *barrier.Unit
	Pipes     *pipes.Pipes
	LSU       *lsu.Unit
	Copies    *async.Unit
	Fill      *components.Port          // to the fill unit; nil without MMU
	WakeAt    func(cycle uint64)        // wakes the SM at a cycle
	Kernels   int                       // that share the GPU
	Notify    func(*protocol.TBBlocked) // tells the SM driver of thread blocks that wait as a whole; nil: it is not told
	// Abort ends the simulation over an access that cannot be served.
	Abort func(op uint32, fault protocol.Fault, line uint64)
}

// Pipeline issues out of order. It has one scheduler.
type Pipeline struct {
	*residency.Unit
	parts    Parts
	spec     Spec
	queue    *issuequeue.Queue
	rules    issuequeue.Rules
	wheel    wheel.Wheel
	ids      []issuequeue.ID // of the load-store unit's operations, by their numbers
	ops      []uint32        // the other way round
	checks   []check         // of the last translations, by instructions' numbers
	slots    []slot
	over     warps.Mask // slots with a stream that has ended
	next     int        // slot at which fetch goes on
	storage  Storage    // nil without
	places   []bool     // places of thread blocks in storage that are taken
	handlers []handler
	away     []awayTB
	faulted  warps.Mask // slots with a warp that has faulted
	posting  warps.Mask // slots with stores that wait for acknowledgements
	holding  warps.Mask // slots with accesses that wait in the TLB for faults to be served
	// retires says that instructions commit in order, each at an edge of its own.
	retires bool
	issued  [1]workload.Inst // for gates
}

// posted is in place of an operation's instruction that has committed and waits for
// acknowledgements.
const posted = issuequeue.ID(math.MaxUint32)

// check says whether the queue has yet to be told that an instruction cannot fault any
// more, which is due in the cycle after the last of its accesses was translated.
type check uint8

const (
	noCheck   check = iota // it has been told, or is not to be
	checkDue               // it will be
	commitDue              // and of the commit with it
)

// slot is a warp slot's state beside the queue.
type slot struct {
	posted  int      // stores that wait for acknowledgements
	holding int      // accesses that wait in the TLB for faults to be served
	regions []uint64 // regions of its faults that have not been served
	faulted bool     // it neither fetches nor issues until they have
}

// New makes the pipeline of an SM.
func New(spec Spec, slots warps.Slots, parts Parts) *Pipeline {
	rules, _ := issuequeue.RulesOf(spec.Faults.Scheme) // validated before
	p := &Pipeline{Unit: parts.Residents, parts: parts, spec: spec, rules: rules, queue: issuequeue.New(spec.Queue, rules, slots),
		slots: make([]slot, slots.Count()), retires: spec.Queue.CommitsInOrder()}
	if s, ok := storages[spec.Faults.Scheme]; ok {
		p.storage, p.places = s.New(spec.Faults.LogBytes, spec.Capacity.TBs), make([]bool, spec.Capacity.TBs)
	}
	return p
}

// kindOf is what the issue queue is to know of an instruction.
func kindOf(inst *workload.Inst) issuequeue.Kind {
	switch unit := pipes.UnitOf(inst.Class); {
	case inst.Class == workload.Fence:
		return issuequeue.Fence
	case unit == warps.Control:
		return issuequeue.ControlKind
	case unit != warps.LSU:
		return issuequeue.Arithmetic
	case inst.Class != workload.Constant && (inst.Space == workload.Global || inst.Space == workload.Texture):
		return issuequeue.Memory
	default:
		return issuequeue.OtherMemory
	}
}

// Edge begins an edge, before anything is delivered, and reports whether something
// changes at the next one by the time alone.
func (p *Pipeline) Edge(cycle uint64) (awake bool) {
	if p.storage != nil {
		p.storage.Edge()
	}
	awake = p.queue.Edge(cycle)
	if p.retires && p.Departing > 0 { // something may have committed in its turn
		awake = p.settleAll() || awake
	}
	return awake
}

// settleAll follows up for all warps with nothing in flight any more.
func (p *Pipeline) settleAll() (any bool) {
	for slot := range p.Warps {
		if w := &p.Warps[slot]; w.InUse && (w.Ended || w.Held) && p.quiet(slot) {
			p.Settled(slot)
			any = true
		}
	}
	return any
}

// Complete handles what is due at a cycle.
func (p *Pipeline) Complete(cycle uint64) bool {
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
	id := issuequeue.ID(d.ID)
	switch d.Kind {
	case wheel.Access:
		p.parts.LSU.AccessDone(d.ID)
	case wheel.Commit:
		if d.Counted > 0 {
			p.parts.Gates.Completed(0, p.Warps[p.queue.Slot(id)].Account.Tenant(), d.Counted)
		}
		p.commit(id)
	case wheel.Checked:
		p.checked(id)
	}
}

// Next is the first cycle behind the present one at which a result is due.
func (p *Pipeline) Next(cycle uint64) (at uint64, ok bool) { return p.wheel.Next(cycle) }

// Fetch fetches a line of instructions for one warp, round robin.
func (p *Pipeline) Fetch(uint64) bool {
	moved := p.fetch()
	p.parts.Barriers.Open() // which a warp has left as it ended
	return moved
}

func (p *Pipeline) fetch() bool {
	signals := &p.Signals[0]
	mask := p.queue.Wanted() & signals.Live &^ (signals.Held | signals.Waits | p.over)
	if mask == 0 {
		return false
	}
	slot := warps.First(mask, p.next)
	p.next = (slot + 1) % warps.PerScheduler
	w := &p.Warps[slot]
	for range p.spec.Queue.FetchWidth {
		if p.queue.Full() {
			break
		}
		if !w.Stream.Fetch(&w.Inst) {
			p.over |= w.Bit
			p.endIfOver(w)
			break
		}
		kind := kindOf(&w.Inst)
		if kind == issuequeue.Arithmetic {
			w.Stream.Execute(&w.Inst)
		}
		p.queue.Enter(slot, &w.Inst, p.parts.Pipes.Unit(&w.Inst), kind)
		if kind != issuequeue.Arithmetic {
			break
		}
	}
	return true
}

// Start lets a warp that has taken a slot fetch, behind the instructions of its context.
// The first warp of a thread block opens its part of the storage.
func (p *Pipeline) Start(w *residency.Warp, c *protocol.WarpContext) {
	if p.storage != nil && w.TB.Storage == 0 {
		p.open(w.TB)
	}
	p.queue.Start(int(w.Slot))
	if c != nil {
		p.parts.Copies.Start(int(w.Slot), c.Groups)
		p.restore(w, c)
	}
}

// Stop does nothing: fetch leaves out a warp that is held.
func (p *Pipeline) Stop(*residency.Warp) {}

// quiet reports whether nothing of a warp is in flight.
func (p *Pipeline) quiet(slot int) bool { return p.queue.Idle(slot) && p.slots[slot].posted == 0 }

// Look describes a slot's warp.
func (p *Pipeline) Look(slot int) residency.Flight {
	waiting, flying := p.queue.Len(slot)
	bit := warps.Mask(1) << slot
	return residency.Flight{Quiet: p.quiet(slot), Waiting: waiting, Flying: flying + p.slots[slot].posted,
		Faulted: (p.faulted|p.holding)&bit != 0, Held: p.holding&bit != 0}
}

// Gauges are the warps that wait for page faults to be served.
func (p *Pipeline) Gauges() []components.Gauge {
	return []components.Gauge{{Name: "Warps.Faulted", Max: len(p.Warps), Level: func() int { return bits.OnesCount64(p.faulted | p.holding) }}}
}

// Oldest is a warp's oldest instruction in the queue that has not issued, or else the last
// that was fetched.
func (p *Pipeline) Oldest(w *residency.Warp) *workload.Inst {
	if inst := p.queue.Oldest(int(w.Slot)); inst != nil {
		return inst
	}
	return &w.Inst
}

// Clear forgets a warp that has left its slot. What it leaves behind may wait as a
// whole.
func (p *Pipeline) Clear(w *residency.Warp) {
	p.queue.Clear(int(w.Slot))
	p.parts.Copies.Start(int(w.Slot), nil)
	p.over &^= w.Bit
	p.faulted &^= w.Bit
	p.holding &^= w.Bit
	s := &p.slots[w.Slot]
	*s = slot{regions: s.regions[:0]}
	p.tellIfBlocked(w.TB)
}

// endIfOver ends a warp when its stream has ended and its instructions have issued.
func (p *Pipeline) endIfOver(w *residency.Warp) {
	if p.over>>w.Slot&1 == 0 || w.Ended || p.faulted&w.Bit != 0 {
		return
	}
	if waiting, _ := p.queue.Len(int(w.Slot)); waiting > 0 {
		return
	}
	p.End(w)
	if p.quiet(int(w.Slot)) {
		p.Done(w)
	}
}

// name notes which instruction an operation of the load-store unit is.
func (p *Pipeline) name(op uint32, id issuequeue.ID) {
	for len(p.ids) <= int(op) {
		p.ids = append(p.ids, 0)
	}
	for len(p.ops) <= int(id) {
		p.ops, p.checks = append(p.ops, 0), append(p.checks, noCheck)
	}
	p.ids[op], p.ops[id], p.checks[id] = id, op, noCheck
}

// commitAt has an instruction commit latency cycles after its issue, the first cycle in
// which an instruction that depends on it can issue.
func (p *Pipeline) commitAt(cycle, latency uint64, id issuequeue.ID, inst *workload.Inst) {
	p.wheel.Add(cycle, cycle+latency, wheel.Due{Kind: wheel.Commit, Counted: p.parts.Gates.Counted(inst), ID: uint32(id)})
}

// commit ends an instruction.
func (p *Pipeline) commit(id issuequeue.ID) {
	slot := p.queue.Slot(id)
	p.queue.Commit(id, p.Cycle)
	p.calm(slot)
}

// calm follows up when something that was in flight for a warp has arrived.
func (p *Pipeline) calm(slot int) {
	w := &p.Warps[slot]
	if p.slots[slot].faulted {
		p.resumeIfServed(slot)
	}
	p.tellIfBlocked(w.TB)
	if p.Departing > 0 && (w.Ended || w.Held) && p.quiet(slot) {
		p.Settled(slot)
	}
}

// DoneAt makes Pipeline a lsu.Parent, as the methods below.
func (p *Pipeline) DoneAt(cycle uint64, op uint32) {
	p.wheel.Add(p.Cycle, cycle, wheel.Due{Kind: wheel.Access, ID: op})
}

// Missed notes that registers of a warp wait for memory beyond the L1.
func (p *Pipeline) Missed(op uint32, _ int, _ *[4]uint8) { p.queue.Missed(p.ids[op]) }

// Completed tells the gates that a warp's memory instruction has been performed.
func (p *Pipeline) Completed(slot, lanes int) {
	p.parts.Gates.Completed(0, p.Warps[slot].Account.Tenant(), uint8(lanes)+1)
}

// BulkLanded never comes: bulk copies are copies here.
func (p *Pipeline) BulkLanded(int, uint8) {}

// Landed makes Pipeline a lsu.Copies.
func (p *Pipeline) Landed(slot int, group uint8) {
	p.parts.Copies.Landed(slot, workload.CopyGroups, group)
}

// Performed ends an operation of the load-store unit: a store has committed when the L1
// had taken it. A load can get its data in the cycle of its check, when it joins a miss.
// It commits with the check, which may be due later in this very cycle.
func (p *Pipeline) Performed(op uint32, slot int, _ *[4]uint8) {
	id := p.ids[op]
	switch {
	case id == posted:
		s := &p.slots[slot]
		if s.posted--; s.posted == 0 {
			p.posting &^= p.Warps[slot].Bit
		}
		p.calm(slot)
	case p.checks[id] == checkDue:
		p.checks[id] = commitDue
	default:
		p.commit(id)
	}
}
