// Package lsu models an SM's load-store unit. It carries out memory instructions in order
// of issue. In a cycle it makes one access of the L1 (or one to each of the L1's banks), one
// pass over the shared-memory banks, or reads a constant (ConstantInterval). For textures it
// is as wide as the texture units.
package lsu

import (
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/tenant"
	"cotenant/workload"
)

// Cache is what the unit asks of the L1.
type Cache interface {
	// Access performs one access, or is Refused; then nothing has changed.
	Access(m *l1.Request, a *l1.Access, cycle uint64) l1.Outcome
	// Refused counts an access of an account that has to wait.
	Refused(a tenant.Account)
}

// Parent is what the unit asks of its SM.
type Parent interface {
	// DoneAt has AccessDone be called for an operation at a cycle.
	DoneAt(cycle uint64, op uint32)
	// Missed: the registers of an operation of a warp wait for memory beyond the
	// L1, or for the MMU.
	Missed(op uint32, warp int, regs *[4]uint8)
	// Performed: the last access of an operation of a warp is done. Its number is
	// free.
	Performed(op uint32, warp int, regs *[4]uint8)
	// Completed goes before the Performed of an operation that was issued since
	// TellCompletions(true), with its number of active lanes.
	Completed(warp, lanes int)
}

// Taker learns when the L1 has taken all accesses of a store or reduction.
type Taker interface {
	// Taken: the L1 has taken all accesses of an operation.
	Taken(op uint32)
}

// Meter is told of instructions of global memory: loads, stores and atomics.
type Meter interface {
	// Sent: an instruction of a tenant has come. It makes the given number of accesses.
	Sent(t tenant.ID, accesses int)
	// Accessed: the L1 has taken a number of accesses in a cycle, after it had refused
	// the first of them for refused cycles.
	Accessed(t tenant.ID, accesses int, refused uint64)
	// Done: all accesses of an instruction have been performed.
	Done(t tenant.ID)
}

// Lines counts by the lines of programs.
type Lines interface {
	// L1: a cache has taken an access to sectors.
	L1(line uint32, sectors uint8)
	// Conflicts: an access of shared memory takes extra cycles.
	Conflicts(line uint32, cycles int)
}

// Unit is the load-store unit.
type Unit struct {
	queued  int          // instructions in queue or turns
	opened  uint32       // see Opened
	depth   int          // instructions that there is room for
	pages   *translation // nil: addresses are not translated
	turns   *turns       // in place of queue, if the unit may skip; else nil
	queue   components.FIFO[*instruction]
	landing landing

	spec       Spec
	tells      bool // see TellCompletions
	hitLatency uint64
	firstWarp  uint64 // number of the SM's first warp slot on the GPU
	banks      l1.Banks
	sectors    bool // an access is a sector
	cache      Cache
	constants  Cache // nil: constants always hit
	textures   Cache // nil: textures go through the L1
	parent     Parent
	meter      Meter  // can be nil
	taker      Taker  // can be nil
	copies     Copies // can be nil

	free components.Pool[instruction]
	ops  []operation
	// freeOps are the numbers of operations that are not in use.
	freeOps []uint32
	meets   *meetings // nil: latencies are not measured
	lines   Lines     // nil: lines are not counted
	follows *follower // nil: no load is followed
	// Line is the line of the next instruction that is issued, where lines are counted.
	Line uint32
	// windows are the windows of the launches that are active, by account; empty if none has one.
	windows []*workload.Window
	stats   tenant.PerAccount[TenantStats]
}

// TenantStats counts the unit's work for one tenant.
type TenantStats struct {
	SharedAccesses  uint64 // warp instructions that accessed shared memory
	SharedConflicts uint64 // extra cycles by bank conflicts, and by atomics that take turns
}

// Parts are what a Unit works with.
type Parts struct {
	Cache Cache
	// Constants and Textures are caches of their own. Without the first, constants
	// always hit, and without the second textures go through the L1.
	Constants, Textures Cache
	Parent              Parent
	// Translator says which lines may be accessed, and Faults is told of the lines that
	// may not. Both are nil if addresses are not translated.
	Translator Translator
	Faults     Faults
	// Taker hears of what the L1 has taken; it can be nil.
	Taker Taker
	Meter Meter // can be nil
	// Copies hears of copies; it can be nil if none are issued.
	Copies Copies
	// HitLatency is that of the L1 in cycles, Banks are its banks.
	HitLatency int
	Banks      l1.Banks
	// AccessBytes is the most that one access spans, 128 or 32.
	AccessBytes int
	// FirstWarp is the GPU-wide number of the SM's first warp slot: each slot has local
	// memory of its own.
	FirstWarp int
}

// instruction is a memory instruction in the unit's queue.
type instruction struct {
	l1.Request
	list    [maxAccesses]l1.Access
	n, next int   // lines of a cache, and the line that is accessed next
	cache   Cache // where they are looked up
	lines   int   // that can be looked up in one cycle
	banked  bool  // and need different banks for it
	// passes are the cycles still to come that no line takes: of the banks, the
	// constant cache or the texture units. The result of the last one takes
	// latency cycles more.
	passes  int
	latency uint64
	refused bool   // it has had its turn and failed to get what it needs
	since   uint64 // the cycle at which it first has
	number  uint64 // by which the oldest of several tenants' is known
	virtual bool   // its accesses are translated
	looked  bool   // the page of the next one may be accessed
}

// operation is a memory instruction from issue until its last access is done.
type operation struct {
	regs     [4]uint8 // loads and atomics: registers that it writes
	warp     uint32
	accesses int32 // still to be done; all passes together are one
	long     bool  // an access has missed the L1
	lanes    uint8 // active, if the SM is to be told that it has been performed; else 0
	metered  bool  // it is of global memory, and a Meter is told
	tenant   tenant.ID
	copies   bool // it is a Copy, of the group, or a part of a bulk copy
	bulk     bool // of the number group
	group    uint8
	coming   uint8  // accesses of a Copy that wait for their data
	sectors  uint16 // of them
	trace    uint16 // of a load that is followed, see l1.Request
}

// New makes a load-store unit. The Spec must be valid.
func New(spec Spec, p Parts) *Unit {
	u := &Unit{spec: spec, hitLatency: uint64(p.HitLatency), firstWarp: uint64(p.FirstWarp),
		banks: p.Banks, sectors: p.AccessBytes < protocol.LineBytes,
		cache: p.Cache, constants: p.Constants, textures: p.Textures, parent: p.Parent, meter: p.Meter, taker: p.Taker, copies: p.Copies,
		depth: spec.QueueDepth, queue: components.NewFIFO[*instruction](spec.QueueDepth)}
	if spec.Skip {
		u.turns = newTurns(spec.QueueDepth)
	}
	if p.Translator != nil {
		u.pages = &translation{translator: p.Translator, faults: p.Faults}
	}
	return u
}

// CountLines has the accesses counted by line.
func (u *Unit) CountLines(l Lines) { u.lines = l }

// TellCompletions says whether the SM is to be told of the operations that are
// issued from now on when they have been performed.
func (u *Unit) TellCompletions(on bool) { u.tells = on }

// Open says which window of the L2 the accesses of an account are in from now on; nil: none.
func (u *Unit) Open(a tenant.Account, w *workload.Window) {
	if w != nil && len(u.windows) == 0 {
		u.windows = make([]*workload.Window, tenant.Accounts)
	}
	if len(u.windows) > 0 {
		u.windows[a] = w
	}
}

// Full reports whether the unit takes no instruction now, whosever it is.
func (u *Unit) Full() bool { return u.queued == u.depth }

// Opened changes whenever the unit may have room again where it was Full, or FullFor a tenant.
func (u *Unit) Opened() uint32 { return u.opened }

// Room is how many instructions the unit takes now, whosever they are.
func (u *Unit) Room() int {
	if u.turns != nil {
		return u.turns.room()
	}
	return u.depth - u.queued
}

// Issue takes an instruction with at least one active lane, of a warp of a
// kernel; the unit is not Full, nor FullFor its tenant. It returns the number of the
// operation, which is its own until it has been performed.
func (u *Unit) Issue(warp int, a tenant.Account, inst *workload.Inst) (op uint32) {
	m := u.free.Get()
	m.Account, m.Class, m.Bypass = a, inst.Class, inst.Flags&workload.BypassL1 != 0
	m.PC, m.Line = inst.PC, u.Line
	m.Space, m.ReadOnly = inst.Space, inst.Class == workload.Load && inst.Flags&workload.ReadOnly != 0
	m.Eviction = inst.Eviction()
	if len(u.windows) > 0 {
		m.Window = u.windows[a]
	}
	m.next, m.refused = 0, false
	switch {
	case inst.Class == workload.Constant:
		m.n, m.passes, m.latency = 0, 1+(constants(inst)-1)*max(1, u.spec.ConstantInterval), uint64(u.spec.ConstantLatency)
		if u.constants != nil && inst.Space == workload.Constants {
			m.cache, m.lines, m.banked = u.constants, 1, false
			m.n = coalesce(inst, &m.list, a.Base(), &localMap{})
			m.passes, m.latency = max(0, m.passes-m.n), uint64(u.spec.ConstantCache.HitLatency)
		}
	case inst.Space == workload.Shared:
		m.n, m.passes, m.latency = 0, u.bankPasses(inst), uint64(u.spec.SharedLatency)
		if inst.Flags&workload.Remote != 0 {
			m.latency = uint64(u.spec.RemoteLatency)
		}
		s := u.stats.Of(a)
		s.SharedAccesses++
		s.SharedConflicts += uint64(m.passes - 1)
		if u.lines != nil {
			u.lines.Conflicts(m.Line, m.passes-1)
		}
	default:
		m.cache = u.cache
		local := localMap{localRegion + (u.firstWarp+uint64(warp))*localBytes*workload.WarpSize}
		m.n, m.passes = coalesce(inst, &m.list, a.Base(), &local), 0
		m.lines, m.banked = u.banks.Count, u.banks.Count > 1
		if inst.Space == workload.Texture {
			m.lines, m.banked = u.spec.TextureLinesPerCycle, false
			m.passes, m.latency = max(0, u.texelPasses(inst)-(m.n+m.lines-1)/m.lines), u.hitLatency
			if u.textures != nil && inst.Class == workload.Load {
				m.cache, m.latency = u.textures, uint64(u.spec.TextureCache.HitLatency)
			}
		} else if m.ReadOnly && u.textures != nil && u.spec.ReadOnlyLoads && inst.Space == workload.Global && !m.Bypass {
			m.cache, m.lines, m.banked = u.textures, 1, false
		} else if u.sectors && (inst.Class == workload.Load || inst.Class == workload.Store || inst.Class == workload.Copy) {
			m.n = split(&m.list, m.n)
		}
	}
	m.Op = u.newOp()
	if u.meets != nil && m.n > 0 && inst.Class == workload.Load {
		u.meets.begin(m.Op, a.Tenant())
	}
	u.ops[m.Op] = operation{regs: inst.Dst, warp: uint32(warp), accesses: int32(m.n + min(m.passes, 1))}
	if u.follows != nil {
		u.follows.issued(m, &u.ops[m.Op])
	}
	bulk := inst.Bulk()
	if inst.Class == workload.Copy || bulk {
		o := &u.ops[m.Op]
		o.copies, o.bulk, o.group, o.coming, o.sectors = true, bulk, inst.Barrier, uint8(m.n), sectorCount(m)
	}
	if u.tells && !bulk {
		u.ops[m.Op].lanes = uint8(bits.OnesCount32(inst.Active))
	}
	if u.meter != nil && inst.Class.IsMemory() && inst.Space == workload.Global {
		o := &u.ops[m.Op]
		o.metered, o.tenant = true, a.Tenant()
		u.meter.Sent(o.tenant, m.n)
	}
	if u.pages != nil {
		u.pages.start(m, len(u.ops), inst.PC)
	}
	u.enqueue(m)
	return m.Op
}

// enqueue appends an instruction to the queue.
func (u *Unit) enqueue(m *instruction) {
	u.queued++
	if u.turns != nil {
		u.turns.push(m)
		return
	}
	u.queue.Push(m)
}

func (u *Unit) newOp() uint32 {
	if last := len(u.freeOps) - 1; last >= 0 {
		op := u.freeOps[last]
		u.freeOps = u.freeOps[:last]
		return op
	}
	u.ops = append(u.ops, operation{})
	return uint32(len(u.ops) - 1)
}

// Step does one cycle's work for the instruction at the head, or for another if the
// unit may skip, and reports whether there was any that could be done.
func (u *Unit) Step(cycle uint64) bool {
	if u.landing.busy() {
		return u.stepLanding(cycle)
	}
	return u.step(cycle)
}

// step is Step without data of copies.
func (u *Unit) step(cycle uint64) bool {
	held := uint16(0)
	if u.pages != nil && len(u.pages.retry) > 0 {
		moved := false
		if moved, held = u.pages.again(u, cycle); moved || u.turns == nil {
			return moved
		}
	}
	if u.queued == 0 {
		return false
	}
	if u.turns != nil {
		return u.skip(cycle, held)
	}
	m := *u.queue.Front()
	if !u.work(m, cycle) {
		return false
	}
	if m.done() {
		u.queue.Pop()
		u.retire(m)
	}
	return true
}

// work does one cycle's work for an instruction, or reports that none can be done.
func (u *Unit) work(m *instruction, cycle uint64) bool {
	if m.next < m.n {
		if m.virtual {
			return u.pages.step(u, m, cycle)
		}
		return u.lookUp(m, cycle)
	}
	if m.Space == workload.Shared {
		if u.landing.writes {
			return false
		}
		u.landing.reads = true
	}
	if m.passes--; m.passes == 0 {
		if m.virtual {
			u.pages.ops[m.Op].inCache++
		}
		// The queue took one cycle of the latency.
		u.parent.DoneAt(cycle+m.latency-1, m.Op)
	}
	return true
}

// done reports whether the unit has no work left for an instruction.
func (m *instruction) done() bool { return m.next == m.n && m.passes == 0 }

// retire ends an instruction that has left the queue.
func (u *Unit) retire(m *instruction) {
	u.queued--
	u.opened++
	if u.pages != nil {
		u.pages.left(u, m)
		return
	}
	u.free.Put(m)
}

// AccessDone counts an access of an operation as performed, and tells the SM of
// the last one.
func (u *Unit) AccessDone(op uint32) {
	o := &u.ops[op]
	if o.copies {
		u.land(op, o)
		return
	}
	u.performed(op, o)
}

// performed counts an access of an operation whose data are where they belong.
func (u *Unit) performed(op uint32, o *operation) {
	if u.pages != nil && u.pages.done(u, op) {
		return
	}
	if o.accesses--; o.accesses > 0 {
		return
	}
	if u.meets != nil {
		u.meets.end(op)
	}
	if o.trace != 0 {
		u.follows.perform(o)
	}
	u.release(op)
	if o.lanes > 0 {
		u.parent.Completed(int(o.warp), int(o.lanes))
	}
	if o.metered {
		u.meter.Done(o.tenant)
	}
	if o.bulk {
		u.copies.BulkLanded(int(o.warp), o.group)
	} else if o.copies {
		u.copies.Landed(int(o.warp), o.group)
	}
	u.parent.Performed(op, int(o.warp), &o.regs)
}

// release gives an operation's number back.
func (u *Unit) release(op uint32) {
	u.freeOps = append(u.freeOps, op)
	if u.pages != nil {
		u.free.Put(u.pages.ops[op].m)
	}
}

// AccessDoneAt has AccessDone be called at a later cycle.
func (u *Unit) AccessDoneAt(op uint32, cycle uint64) { u.parent.DoneAt(cycle, op) }

// Queued is the number of instructions in the queue.
func (u *Unit) Queued() int { return u.queued }

// InFlight is the number of operations that have been issued and not performed.
func (u *Unit) InFlight() int { return len(u.ops) - len(u.freeOps) }

// Stats are an account's counters.
func (u *Unit) Stats(a tenant.Account) *TenantStats { return u.stats.Of(a) }
