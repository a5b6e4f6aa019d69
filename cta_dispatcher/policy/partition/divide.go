package partition

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/drf"
)

// grow divides one more SM for a kernel, if it has more TBs than its partitions
// will have room for.
func (p *Partitions) grow(v *policy.View, a policy.Actions, kernel int) bool {
	if p.left(v, kernel) <= 0 {
		return false
	}
	if sm := p.joinable(v, kernel); sm >= 0 {
		p.divide(v, a, sm, kernel, -1)
		return true
	}
	if sm, out := p.swap(v, kernel); sm >= 0 {
		p.divide(v, a, sm, kernel, out)
		return true
	}
	return false
}

// left counts a kernel's TBs without room in its partitions, leaving TBs excluded.
func (p *Partitions) left(v *policy.View, kernel int) int {
	left := v.Tenants[kernel].Waiting
	for i := range p.sms {
		if left > 0 && p.valid(i, kernel) {
			left -= max(0, p.sms[i].tbs[kernel]-v.SMs[i].Staying(kernel))
		}
	}
	return left
}

// joinable is the SM to divide for a kernel: one dedicated to it, else the SM with the lowest
// share taken; -1 if no new division would help the kernel.
func (p *Partitions) joinable(v *policy.View, kernel int) int {
	best, low := -1, 0.0
	for i := range v.SMs {
		s := &v.SMs[i]
		if p.valid(i, kernel) && !p.outdated(i) || s.Reserved || !p.mayJoin(i, kernel) {
			continue
		}
		if p.Dedicated[i] == kernel {
			return i
		}
		if share := drf.Share(s.Usage.Demand, drf.Limits(s.Capacity)); best < 0 || share < low {
			best, low = i, share
		}
	}
	return best
}

// swap finds a tenant that gives up its partition on an SM with the largest allowed number of
// kernels: the tenant with partitions on most SMs, if these are at least two more than the
// kernel's (SMK 5.5: the number of SMs joins the share), the last to arrive among equals; sm
// is -1 for none.
func (p *Partitions) swap(v *policy.View, kernel int) (sm, out int) {
	if p.KernelLimit == 0 {
		return -1, -1
	}
	p.count()
	sm, out = -1, -1
	for _, tenant := range p.Claims.Order {
		if p.members[tenant] < p.members[kernel]+2 || out >= 0 && p.members[tenant] < p.members[out] {
			continue
		}
		for i := range p.sms {
			if p.has(i, tenant) && !p.has(i, kernel) && p.Dedicated[i] < 0 {
				sm, out = i, tenant
				break
			}
		}
	}
	return sm, out
}

// count counts each tenant's SMs with a partition.
func (p *Partitions) count() {
	clear(p.members)
	for i := range p.sms {
		for tenant := range p.members {
			if p.has(i, tenant) && p.Dedicated[i] < 0 {
				p.members[tenant]++
			}
		}
	}
}

// choose fills order with the tenants that get partitions on an SM, by arrival: the kernel,
// each tenant that keeps its partition, except out, and further tenants that could use one,
// the tenants with fewest partitions first.
func (p *Partitions) choose(v *policy.View, sm, kernel, out int) {
	n := 0
	for tenant := range p.chosen {
		p.chosen[tenant] = tenant == kernel || tenant != out && p.has(sm, tenant) && p.counts(sm, tenant)
		if p.chosen[tenant] {
			n++
		}
	}
	p.count()
	for p.KernelLimit == 0 || n < p.KernelLimit {
		best := -1
		for _, tenant := range p.Claims.Order {
			if !p.chosen[tenant] && tenant != out && p.counts(sm, tenant) && p.left(v, tenant) > 0 &&
				(best < 0 || p.members[tenant] < p.members[best]) {
				best = tenant
			}
		}
		if best < 0 {
			break
		}
		p.chosen[best] = true
		n++
	}
	p.order = p.order[:0]
	for _, tenant := range p.Claims.Order {
		if p.chosen[tenant] {
			p.order = append(p.order, tenant)
		}
	}
}

// divide makes new partitions on an SM: for a kernel and each tenant that keeps its own,
// except out. Surplus TBs leave, and the TBs of a partition that cannot keep its place move.
func (p *Partitions) divide(v *policy.View, a policy.Actions, sm, kernel, out int) {
	d, next := &p.sms[sm], &p.scratch
	p.choose(v, sm, kernel, out)
	clear(next.demand)
	for _, tenant := range p.order {
		next.demand[tenant] = p.demand[tenant]
	}
	p.partition(v.SMs[sm].Capacity, sm, next)
	s := &v.SMs[sm]
	p.surveyor.lay(drf.Limits(s.Capacity), d, next, p.Claims.Order, s.Staying)
	for _, tenant := range v.Active {
		if n := s.Staying(tenant) - next.tbs[tenant]; n > 0 {
			a.Preempt(tenant, sm, n, p.Mechanism)
		}
	}
	for _, tenant := range v.Active {
		if n := s.Staying(tenant); n > 0 && p.surveyor.moves[tenant] {
			a.Relocate(tenant, sm, n, p.Mechanism)
		}
	}
	*d, *next = *next, *d
	d.fresh = true
}

// partition fills next.tbs. The first TB goes to the first tenant. If a tenant gets none,
// thread blocks being large, each SM begins with another tenant, so that every tenant gets one
// somewhere.
func (p *Partitions) partition(c *occupancy.Capacity, sm int, next *division) {
	drf.Partition(c, next.demand, p.order, next.tbs, nil)
	for _, tenant := range p.order {
		if next.tbs[tenant] == 0 {
			for range sm % len(p.order) {
				first := p.order[0]
				p.order[copy(p.order, p.order[1:])] = first
			}
			drf.Partition(c, next.demand, p.order, next.tbs, nil)
			return
		}
	}
}
