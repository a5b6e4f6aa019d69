package sm

import (
	"math/bits"

	"cotenant/components"
	"cotenant/tenant"
	"cotenant/workload"
)

// lsu is the load-store unit: memory instructions in order of issue, one line,
// one pass over the shared-memory banks or one constant a cycle. For textures it
// is as wide as the texture units.
type lsu struct {
	queue components.FIFO[*memoryInst]
	free  components.Pool[memoryInst]
	ops   []operation
	// freeOps are the numbers of operations that are not in use.
	freeOps []uint32
}

// memoryInst is an instruction in the load-store unit's queue.
type memoryInst struct {
	list    [maxAccesses]access
	n, next int // lines of the L1, and the one whose turn it is
	lines   int // that can be looked up in one cycle
	// passes are the cycles still to come that no line takes: of the banks, the
	// constant cache or the texture units. The result of the last one takes
	// latency cycles more.
	passes  int
	latency uint64
	op      uint32
	tenant  tenant.ID
	class   workload.Class
	bypass  bool
	refused bool // the head has failed to get what it needs
}

// operation is a memory instruction from issue until its last access is done.
type operation struct {
	regs     [4]uint8 // loads and atomics: registers that it writes
	warp     uint32
	accesses int  // still to be done; all passes together are one
	long     bool // an access has missed the L1
}

func (l *lsu) full() bool { return l.queue.Full() }

// issueMemory hands an instruction with at least one active lane to the
// load-store unit.
func (s *SM) issueMemory(w *warp, inst *workload.Inst, cycle uint64) {
	m := s.lsu.free.Get()
	m.next, m.tenant, m.class, m.refused = 0, w.tenant, inst.Class, false
	m.bypass = inst.Flags&workload.BypassL1 != 0
	spec := &s.spec.LSU
	switch {
	case inst.Class == workload.Constant:
		m.n, m.passes, m.latency = 0, constants(inst), uint64(spec.ConstantLatency)
	case inst.Space == workload.Shared:
		m.n, m.passes, m.latency = 0, s.bankPasses(inst), uint64(spec.SharedLatency)
		k := &s.stats.Tenants[w.tenant]
		k.SharedAccesses++
		k.SharedConflicts += uint64(m.passes - 1)
	default:
		local := localMap{localRegion + uint64(s.id*len(s.warps)+int(w.number()))*localBytes*workload.WarpSize}
		m.n, m.passes, m.lines = coalesce(inst, &m.list, uint64(w.tenant)<<tenant.AddressShift, &local), 0, 1
		if inst.Space == workload.Texture {
			m.lines = spec.TextureLinesPerCycle
			texels := (bits.OnesCount32(inst.Active) + spec.TexelsPerCycle - 1) / spec.TexelsPerCycle
			m.passes, m.latency = max(0, texels-(m.n+m.lines-1)/m.lines), uint64(s.spec.L1.HitLatency)
		}
	}
	m.op = s.lsu.newOp()
	s.lsu.ops[m.op] = operation{regs: inst.Dst, warp: w.number(), accesses: m.n + min(m.passes, 1)}
	w.pending.add(&inst.Dst)
	w.inFlight++
	w.memory++
	s.lsu.queue.Push(m)
}

func (l *lsu) newOp() uint32 {
	if last := len(l.freeOps) - 1; last >= 0 {
		op := l.freeOps[last]
		l.freeOps = l.freeOps[:last]
		return op
	}
	l.ops = append(l.ops, operation{})
	return uint32(len(l.ops) - 1)
}

// stepLSU does one cycle's work for the instruction at the head.
func (s *SM) stepLSU(cycle uint64) bool {
	l := &s.lsu
	if l.queue.Len() == 0 {
		return false
	}
	m := *l.queue.Front()
	if m.next == m.n {
		if m.passes--; m.passes == 0 {
			// The queue took one cycle of the latency.
			s.wheel.add(cycle+m.latency-1, due{kind: dueAccess, id: m.op})
		}
	} else if !s.lookUp(m, cycle) {
		return false
	}
	if m.next == m.n && m.passes == 0 {
		l.queue.Pop()
		l.free.Put(m)
	}
	return true
}

// lookUp accesses as many lines as fit into a cycle, and reports whether one has
// got what it needs.
func (s *SM) lookUp(m *memoryInst, cycle uint64) bool {
	first, end := m.next, min(m.next+m.lines, m.n)
	for m.next < end && s.accessL1(m, &m.list[m.next], cycle) {
		m.next++
	}
	if m.next > first {
		m.refused = false
		return true
	}
	if !m.refused {
		m.refused = true
		s.stats.Tenants[m.tenant].L1.ReservationFailures++
	}
	return false
}

// missed marks an operation's registers as waiting for memory beyond the L1.
func (s *SM) missed(op uint32) {
	o := &s.lsu.ops[op]
	if o.long {
		return
	}
	o.long = true
	w := &s.warps[o.warp]
	w.long.add(&o.regs)
	if !w.ended {
		s.refreshHazards(w)
	}
}

// accessDone counts an access of an operation as performed, and writes the
// operation's registers with the last one.
func (s *SM) accessDone(op uint32) {
	o := &s.lsu.ops[op]
	if o.accesses--; o.accesses > 0 {
		return
	}
	w := &s.warps[o.warp]
	w.pending.remove(&o.regs)
	w.long.remove(&o.regs)
	w.inFlight--
	w.memory--
	s.lsu.freeOps = append(s.lsu.freeOps, op)
	s.settled(w)
}
