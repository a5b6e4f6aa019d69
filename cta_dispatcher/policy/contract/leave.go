package contract

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// offNext takes the first thread block off its SM that is due, if there is one.
func (m *machine) offNext() bool {
	i := slices.IndexFunc(m.blocks, func(b block) bool { return b.end == m.now })
	if i < 0 {
		return false
	}
	b := m.blocks[i]
	m.blocks = slices.Delete(m.blocks, i, i+1)
	m.off(b)
	return true
}

// saveNext has the first context that is due be in memory, if there is one.
func (m *machine) saveNext() bool {
	i := slices.IndexFunc(m.saves, func(s save) bool { return s.at == m.now })
	if i < 0 {
		return false
	}
	s := m.saves[i]
	m.saves = slices.Delete(m.saves, i, i+1)
	m.view.Tenants[s.tenant].Saving--
	m.view.Tenants[s.tenant].Waiting++
	m.preempted[s.tenant] = append(m.preempted[s.tenant], s.context)
	m.ask(policy.ContextSaved)
	return true
}

// off takes a thread block off its SM, at the time at which it has finished or
// its context is saved, and tells the policy.
func (m *machine) off(b block) {
	s := &m.view.SMs[b.sm]
	m.release(b)
	if b.leaving {
		s.Leaving[b.tenant]--
	}
	event := policy.TBPreempted
	if b.left > 0 {
		m.save(b)
	} else {
		event = policy.TBFinished
		m.finished++
		m.finishedOf[b.tenant]++
		b.at = m.now
		m.finishes = append(m.finishes, b.placement)
	}
	if m.finishedOf[b.tenant] == m.tenants[b.tenant].kernels[b.kernel].tbs {
		m.retire(b.tenant)
		event = policy.KernelFinished
	}
	freed := s.Reserved && s.Usage.TBs == 0
	if freed && !m.separate {
		s.Reserved = false
	}
	if !freed || m.separate || event == policy.KernelFinished {
		m.ask(event)
	}
	if freed {
		s.Reserved = false
		m.ask(policy.SMFreed)
	}
	if event == policy.KernelFinished {
		m.arrive()
	}
}

// release frees what a thread block took of its SM.
func (m *machine) release(b block) {
	t, s := &m.view.Tenants[b.tenant], &m.view.SMs[b.sm]
	s.Usage.Release(t.Demand)
	s.TBs[b.tenant]--
	s.Tenants[b.tenant] = s.Tenants[b.tenant].Sub(t.Demand)
	t.Running--
}

// save has a thread block wait until its context is in memory.
func (m *machine) save(b block) {
	at := m.now
	if b.saved {
		at += m.delay() / 2
	}
	m.view.Tenants[b.tenant].Saving++
	m.saves = append(m.saves, save{b.tenant, at, context{b.id, b.left, b.saved}})
}

// retire ends a tenant's active kernel and moves its application on.
func (m *machine) retire(tenant int) {
	m.watch.retired(m, tenant)
	t := &m.view.Tenants[tenant]
	m.view.Active = slices.DeleteFunc(m.view.Active, func(a int) bool { return a == tenant })
	m.kernel[tenant]++
	m.finishedOf[tenant] = 0
	if k := m.kernel[tenant]; k < len(m.tenants[tenant].kernels) {
		m.launch[tenant] = m.now + m.tenants[tenant].kernels[k].pause
	} else {
		t.Present = false
	}
	t.Demand = occupancy.Demand{}
}
