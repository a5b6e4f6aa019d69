package lsu

import (
	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/sm/tlb"
	"cotenant/tenant"
	"cotenant/workload"
)

// Translator says whether lines may be accessed, before the caches are looked up,
// which are virtual.
type Translator interface {
	// LookUp looks for the page of a line. An access that Waits is named to Translated
	// or Faulted of the unit later.
	LookUp(line uint64, a tenant.Account, write bool, access uint32) tlb.Outcome
}

// Faults is told how the operations of instructions of global memory and textures,
// which may fault, come through their translations.
type Faults interface {
	// Checked: the last of the operation's accesses has been translated in a cycle:
	// it cannot fault any more.
	Checked(op uint32, cycle uint64)
	// Faulted: an access of a line cannot be performed before the region has been
	// served, or never. The operation makes no further accesses.
	Faulted(op uint32, fault protocol.Fault, region, line uint64)
	// Squashed goes after Faulted, once nothing of the operation is in flight. It may
	// be begun again.
	Squashed(op uint32)
	// Held: an access waits in the TLB for a fault to be served, or does so no more.
	Held(op uint32, on bool)
}

// translation is the part of a unit that translates addresses. An access to a page that
// the TLB does not hold steps aside; the next access goes on, and translated accesses go
// before untranslated ones. Atomics and reductions leave for the caches when all their
// accesses have been translated, so that none is done twice.
type translation struct {
	translator Translator
	faults     Faults
	ops        []progress // by operation
	parked     []span     // of one access each, by the number the TLB knows it by
	freeParked []uint32
	retry      []span // translated, oldest first
}

// progress is how far an operation has come.
type progress struct {
	m         *instruction
	unchecked int32  // accesses that have not been translated
	untaken   int32  // that the caches have not taken
	inCache   int32  // that they have taken and not performed; all passes together are one
	parked    int32  // that wait in the TLB
	queued    int32  // places in the queue and among retry
	pc        uint32 // of the instruction
	passes    int32  // that it takes beside its accesses, each time that it is begun
	faulted   bool
	mayFault  bool
}

// span are accesses of an instruction.
type span struct {
	m         *instruction
	next, end int
}

// start readies an operation, of a number below ops, of the instruction at a PC.
func (t *translation) start(m *instruction, ops int, pc uint32) {
	for len(t.ops) < ops {
		t.ops = append(t.ops, progress{})
	}
	switch m.Space {
	case workload.Global, workload.Local, workload.Texture:
		m.virtual = m.n > 0
	default:
		m.virtual = false
	}
	t.ops[m.Op].pc, t.ops[m.Op].passes = pc, int32(m.passes)
	t.begin(m)
}

// begin counts from the beginning.
func (t *translation) begin(m *instruction) {
	o := &t.ops[m.Op]
	*o = progress{m: m, pc: o.pc, passes: o.passes, unchecked: int32(m.n), untaken: int32(m.n), queued: 1,
		mayFault: m.virtual && m.Space != workload.Local}
	m.passes = int(o.passes)
}

// whole reports whether an instruction's accesses leave together.
func whole(m *instruction) bool {
	return m.Class == workload.Atomic || m.Class == workload.Reduction
}

// step does one cycle's work for the accesses of the instruction at the head of the
// queue.
func (t *translation) step(u *Unit, m *instruction, cycle uint64) bool {
	o := &t.ops[m.Op]
	if o.faulted {
		m.next, m.passes = m.n, 0
		return true
	}
	if whole(m) && o.unchecked > 0 {
		return t.check(u, m, cycle)
	}
	if m.looked || whole(m) {
		return t.access(u, m, m.next, cycle) && m.advance()
	}
	switch a := t.park(m, m.next); t.translator.LookUp(m.list[m.next].Line, m.Account, m.writes(), a) {
	case tlb.Refused:
		t.unpark(a)
		return false
	case tlb.Waits:
		o.parked++
		u.missed(m.Op)
		return m.advance()
	default:
		t.unpark(a)
		t.checked(m, cycle+1)
		m.looked = true
		return t.access(u, m, m.next, cycle) && m.advance()
	}
}

// advance goes on to the next access.
func (m *instruction) advance() bool {
	m.next++
	m.looked = false
	return true
}

func (m *instruction) writes() bool { return m.Class != workload.Load && m.Class != workload.Copy }

// check looks for the page of one access of an instruction that sends its accesses
// together. When the TLB holds the pages of all accesses, the instruction can go; else
// it steps aside.
func (t *translation) check(u *Unit, m *instruction, cycle uint64) bool {
	o := &t.ops[m.Op]
	a := t.park(m, m.next)
	switch t.translator.LookUp(m.list[m.next].Line, m.Account, true, a) {
	case tlb.Refused:
		t.unpark(a)
		return false
	case tlb.Waits:
		o.parked++
		u.missed(m.Op)
	default:
		t.unpark(a)
		t.checked(m, cycle+1)
	}
	if m.next++; m.next == m.n && o.unchecked == 0 {
		if m.next = 0; t.access(u, m, 0, cycle) {
			m.next++
		}
	}
	return true
}

// checked counts an access to a page that may be accessed.
func (t *translation) checked(m *instruction, cycle uint64) {
	o := &t.ops[m.Op]
	if o.unchecked--; o.unchecked == 0 && o.mayFault && !o.faulted {
		t.faults.Checked(m.Op, cycle)
	}
}

// park gives an access a number.
func (t *translation) park(m *instruction, access int) uint32 {
	s := span{m, access, access + 1}
	if last := len(t.freeParked) - 1; last >= 0 {
		n := t.freeParked[last]
		t.freeParked = t.freeParked[:last]
		t.parked[n] = s
		return n
	}
	t.parked = append(t.parked, s)
	return uint32(len(t.parked) - 1)
}

func (t *translation) unpark(access uint32) span {
	t.freeParked = append(t.freeParked, access)
	return t.parked[access]
}

// access performs a translated access, or reports that the cache refuses it.
func (t *translation) access(u *Unit, m *instruction, n int, cycle uint64) bool {
	o := &t.ops[m.Op]
	if !u.access(m, &m.list[n], cycle) {
		u.refuse(m, cycle)
		return false
	}
	u.made(m, 1, cycle)
	o.inCache++
	if o.untaken--; o.untaken == 0 && u.taker != nil && m.posts() {
		u.taker.Taken(m.Op)
	}
	return true
}

// again performs an access that has been translated after it stepped aside: the oldest,
// or, if the unit may skip, the oldest of a tenant without a refused access. Without
// such an access it returns the tenants with refused accesses.
func (t *translation) again(u *Unit, cycle uint64) (moved bool, refused uint16) {
	for i := range t.retry {
		bit := uint16(1) << t.retry[i].m.Account.Tenant()
		if refused&bit != 0 {
			continue
		}
		if t.retryAt(u, i, cycle) {
			return true, 0
		}
		if refused |= bit; u.turns == nil {
			break
		}
	}
	return false, refused
}

// retryAt performs an access of retry, or reports that the cache refuses it.
func (t *translation) retryAt(u *Unit, i int, cycle uint64) bool {
	s := &t.retry[i]
	o := &t.ops[s.m.Op]
	if !o.faulted {
		if !t.access(u, s.m, s.next, cycle) {
			return false
		}
		if s.next++; s.next < s.end {
			return true
		}
	}
	m := s.m
	t.retry = t.retry[:i+copy(t.retry[i:], t.retry[i+1:])]
	o.queued--
	t.settle(u, m)
	return true
}

// Translated goes on with an access that has waited for its page, at a cycle.
func (u *Unit) Translated(access uint32, cycle uint64) {
	t := u.pages
	s := t.unpark(access)
	o := &t.ops[s.m.Op]
	o.parked--
	if o.faulted {
		t.settle(u, s.m)
		return
	}
	t.checked(s.m, cycle)
	if whole(s.m) {
		if o.unchecked > 0 {
			return
		}
		s.next, s.end = 0, s.m.n
	}
	o.queued++
	t.retry = append(t.retry, s)
}

// Faulted ends an access that has waited for its page, and its operation with it.
func (u *Unit) Faulted(access uint32, fault protocol.Fault, region uint64) {
	t := u.pages
	s := t.unpark(access)
	o := &t.ops[s.m.Op]
	o.parked--
	o.faulted = true
	t.faults.Faulted(s.m.Op, fault, region, s.m.list[s.next].Line)
	t.settle(u, s.m)
}

// Issuer is the warp of an operation in flight, and the PC of its instruction. The unit
// must translate addresses.
func (u *Unit) Issuer(op uint32) (warp int, pc uint32) {
	return int(u.ops[op].warp), u.pages.ops[op].pc
}

// Held tells the SM of an access that waits for a fault to be served.
func (u *Unit) Held(access uint32, on bool) {
	t := u.pages
	t.faults.Held(t.parked[access].m.Op, on)
}

// done counts an access as performed by a cache, and reports whether that is all
// there is to it, since the operation has faulted.
func (t *translation) done(u *Unit, op uint32) bool {
	o := &t.ops[op]
	if !o.m.virtual {
		return false
	}
	if o.inCache--; o.faulted {
		t.settle(u, o.m)
	}
	return o.faulted
}

// settle tells the SM of a faulted operation with nothing in flight.
func (t *translation) settle(u *Unit, m *instruction) {
	if o := &t.ops[m.Op]; o.faulted && o.inCache == 0 && o.parked == 0 && o.queued == 0 {
		if u.ops[m.Op].metered { // it comes again as another
			u.meter.Done(u.ops[m.Op].tenant)
		}
		t.faults.Squashed(m.Op)
	}
}

// left notes that an instruction has left the queue. It is needed until it has been
// performed.
func (t *translation) left(u *Unit, m *instruction) {
	t.ops[m.Op].queued--
	t.settle(u, m)
}

// Again begins a squashed operation once more. The unit is not Full.
func (u *Unit) Again(op uint32) {
	m := u.pages.ops[op].m
	m.next, m.looked, m.refused = 0, false, false
	u.pages.begin(m)
	u.ops[op].accesses = int32(m.n + min(m.passes, 1))
	u.ops[op].long = false
	if u.ops[op].copies {
		u.ops[op].coming, u.ops[op].sectors = uint8(m.n), sectorCount(m)
	}
	if u.ops[op].metered {
		u.meter.Sent(u.ops[op].tenant, m.n)
	}
	u.enqueue(m)
}

// Save takes a squashed operation off the unit. Its number is free.
func (u *Unit) Save(op uint32) *protocol.MemoryOp {
	o, m := u.ops[op], u.pages.ops[op].m
	s := &protocol.MemoryOp{Account: m.Account, Class: m.Class, Space: m.Space, Bypass: m.Bypass, ReadOnly: m.ReadOnly,
		Textures: u.textures != nil && m.cache == u.textures, PC: m.PC, Line: m.Line, Passes: int(u.pages.ops[op].passes),
		Regs: o.regs, Lanes: o.lanes, Metered: o.metered, Group: o.group}
	for i := range m.list[:m.n] {
		s.Accesses = append(s.Accesses, protocol.LineAccess(m.list[i]))
	}
	if u.meets != nil && int(op) < len(u.meets.since) {
		u.meets.since[op].begun = false
	}
	if o.trace != 0 {
		u.follows.recorder.Abandon(o.trace)
	}
	u.release(op)
	return s
}

// Restore brings a saved operation to a warp of this unit, squashed as it was, and
// returns its number.
func (u *Unit) Restore(warp int, s *protocol.MemoryOp) (op uint32) {
	m := u.free.Get()
	m.Request = l1.Request{Op: u.newOp(), Account: s.Account, Class: s.Class, Bypass: s.Bypass, Space: s.Space, ReadOnly: s.ReadOnly, PC: s.PC, Line: s.Line}
	for i := range s.Accesses {
		m.list[i] = l1.Access(s.Accesses[i])
	}
	m.n, m.passes, m.latency = len(s.Accesses), s.Passes, u.hitLatency
	m.cache, m.lines, m.banked = u.cache, 1, false
	if s.Textures && u.textures != nil {
		m.cache, m.latency = u.textures, uint64(u.spec.TextureCache.HitLatency)
	}
	m.next, m.looked, m.refused = 0, false, false
	u.ops[m.Op] = operation{regs: s.Regs, warp: uint32(warp), lanes: s.Lanes, metered: s.Metered, tenant: s.Account.Tenant(),
		copies: s.Class == workload.Copy, group: s.Group}
	u.pages.start(m, len(u.ops), s.PC)
	o := &u.pages.ops[m.Op]
	o.queued, o.faulted = 0, true
	return m.Op
}
