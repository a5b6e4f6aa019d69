package lsu

import (
	"cotenant/sm/l1"
	"cotenant/workload"
)

// lookUp makes as many accesses as fit into a cycle, and reports whether one has
// got what it needs.
func (u *Unit) lookUp(m *instruction, cycle uint64) bool {
	first, end := m.next, min(m.next+m.lines, m.n)
	if m.banked {
		end = u.together(m, end)
	}
	for m.next < end && u.access(m, &m.list[m.next], cycle) {
		m.next++
	}
	if m.next > first {
		u.made(m, m.next-first, cycle)
		if u.taker != nil && m.next == m.n && m.posts() {
			u.taker.Taken(m.Op)
		}
		return true
	}
	u.refuse(m, cycle)
	return false
}

// posts reports whether nothing comes back for an instruction but acknowledgements.
func (m *instruction) posts() bool {
	return m.Class == workload.Store || m.Class == workload.Reduction
}

// made notes accesses that the cache has taken.
func (u *Unit) made(m *instruction, accesses int, cycle uint64) {
	if u.meter != nil && u.ops[m.Op].metered {
		waited := uint64(0)
		if m.refused {
			waited = cycle - m.since
		}
		u.meter.Accessed(m.Account.Tenant(), accesses, waited)
	}
	m.refused = false
}

// refuse notes that the cache has not taken an access.
func (u *Unit) refuse(m *instruction, cycle uint64) {
	if !m.refused {
		m.refused, m.since = true, cycle
		m.cache.Refused(m.Account)
	}
}

// together is the end of the accesses, from the next one on, that need different
// banks.
func (u *Unit) together(m *instruction, end int) int {
	used := uint32(0)
	for i := m.next; i < end; i++ {
		banks := u.banks.Of(&m.list[i])
		if used&banks != 0 {
			return i
		}
		used |= banks
	}
	return end
}

// access performs one access, or reports that it cannot be performed now.
func (u *Unit) access(m *instruction, a *l1.Access, cycle uint64) bool {
	outcome := m.cache.Access(&m.Request, a, cycle)
	if m.Trace != 0 && outcome != l1.Refused {
		u.follows.accessed(m, a, outcome)
	}
	switch outcome {
	case l1.Refused:
		return false
	case l1.Hit:
		// The access itself is one cycle after the issue.
		u.parent.DoneAt(cycle+u.hitLatency-1, m.Op)
	case l1.Missed:
		u.missed(m.Op)
	}
	if u.lines != nil {
		u.lines.L1(m.Line, a.Sectors)
	}
	return true
}

// missed tells the SM once that an operation waits for what is beyond the L1.
func (u *Unit) missed(op uint32) {
	if o := &u.ops[op]; !o.long {
		o.long = true
		u.parent.Missed(op, int(o.warp), &o.regs)
	}
}
