// Package contract is the test suite that every sharing policy passes. It runs
// a policy on a machine of its own, which knows thread blocks, capacities and
// durations and nothing else, and watches what the policy places.
package contract

import (
	"fmt"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// kernel is one launch of a tenant: its thread blocks' demand and durations.
type kernel struct {
	demand    occupancy.Demand
	durations []int
}

// scenario is what a machine runs.
type scenario struct {
	capacity occupancy.Capacity
	sms      int
	tenants  [][]kernel // launches in order, by tenant number
	arrival  []int      // tenant numbers in order of arrival
}

// block is a running thread block.
type block struct {
	tenant, kernel, id, sm, end int
}

// machine runs a scenario under a policy.
type machine struct {
	scenario
	view    policy.View
	policy  policy.Policy
	now     int
	kernel  []int // active kernel, by tenant
	next    []int // thread block to place next, by tenant
	running []block
	// log has a line for each placement, in order.
	log []placement
	// fault is the first breach of the contract.
	fault error
}

// placement says that a thread block went to an SM at a time.
type placement struct{ tenant, kernel, id, sm, at int }

// run runs a scenario to its end, and returns the placements or the first
// breach of the contract.
func run(s scenario, p policy.Policy) ([]placement, error) {
	m := &machine{scenario: s, policy: p, kernel: make([]int, len(s.tenants)), next: make([]int, len(s.tenants))}
	m.view.Tenants = make([]policy.Tenant, len(s.tenants))
	for range s.sms {
		m.view.SMs = append(m.view.SMs, policy.SM{Capacity: &m.capacity,
			TBs: make([]int, len(s.tenants)), Tenants: make([]occupancy.Demand, len(s.tenants))})
	}
	for rank, tenant := range s.arrival {
		m.view.Tenants[tenant].Present = true
		m.view.Tenants[tenant].Arrival = rank
	}
	for _, tenant := range s.arrival {
		m.arrive(tenant)
	}
	for len(m.running) > 0 && m.fault == nil {
		m.finishNext()
	}
	if m.fault == nil && m.view.Present() > 0 {
		m.fault = fmt.Errorf("at %d the machine is empty and the policy places nothing, though %d tenants have work", m.now, m.view.Present())
	}
	return m.log, m.fault
}

func (m *machine) arrive(tenant int) {
	k := &m.tenants[tenant][m.kernel[tenant]]
	m.next[tenant] = 0
	t := &m.view.Tenants[tenant]
	t.Demand, t.Waiting = k.demand, len(k.durations)
	m.view.Active = append(m.view.Active, tenant)
	m.ask(policy.KernelArrived)
}

func (m *machine) ask(e policy.Event) {
	m.view.Event = e
	m.policy.Decide(&m.view, m)
}

// Place makes machine a policy.Placer; it checks what the policy asks for.
func (m *machine) Place(tenant, sm int) {
	t, s := &m.view.Tenants[tenant], &m.view.SMs[sm]
	switch {
	case t.Waiting == 0:
		m.fault = fmt.Errorf("at %d a thread block of tenant %d is placed that does not exist", m.now, tenant)
		return
	case !s.Capacity.Fits(&s.Usage, t.Demand):
		m.fault = fmt.Errorf("at %d SM %d is overfilled with tenant %d", m.now, sm, tenant)
		return
	}
	k := &m.tenants[tenant][m.kernel[tenant]]
	id := m.next[tenant]
	m.next[tenant]++
	t.Waiting--
	t.Running++
	s.Usage.Take(t.Demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(t.Demand)
	m.running = append(m.running, block{tenant, m.kernel[tenant], id, sm, m.now + k.durations[id]})
	m.log = append(m.log, placement{tenant, m.kernel[tenant], id, sm, m.now})
}

// finishNext ends the thread block that is due first, the first placed among
// equals.
func (m *machine) finishNext() {
	first := 0
	for i, b := range m.running {
		if b.end < m.running[first].end {
			first = i
		}
	}
	b := m.running[first]
	m.running = slices.Delete(m.running, first, first+1)
	m.now = b.end
	t, s := &m.view.Tenants[b.tenant], &m.view.SMs[b.sm]
	s.Usage.Release(t.Demand)
	s.TBs[b.tenant]--
	s.Tenants[b.tenant] = s.Tenants[b.tenant].Sub(t.Demand)
	if t.Running--; t.Running > 0 || t.Waiting > 0 {
		m.ask(policy.TBFinished)
		return
	}
	m.view.Active = slices.DeleteFunc(m.view.Active, func(a int) bool { return a == b.tenant })
	m.kernel[b.tenant]++
	t.Present = m.kernel[b.tenant] < len(m.tenants[b.tenant])
	t.Demand = occupancy.Demand{}
	m.ask(policy.KernelFinished)
	if t.Present {
		m.arrive(b.tenant)
	}
}
