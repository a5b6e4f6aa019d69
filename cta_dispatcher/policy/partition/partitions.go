// Package partition divides SMs between kernels by dominant resource fairness, as
// Simultaneous Multikernel does (SMK 5.3.2, Figures 6 and 7): the engine of the policies
// smk-p, smk-pw and smk-pw2.
//
// A partition is a piece of the SM's register file and a piece of its shared memory, both
// addressed linearly (SMK 6.1). A partition has no fragments, because thread blocks are
// relocated, that is switched out and in; "vacancies occur only between adjacent kernel
// allocations" (5.5). The paper does not say where partitions lie. Here they lie at both
// ends, with the vacancy in between:
//
//	0 | first | third | ... vacant ... | second | limit
//
// A new division of an SM keeps the places of partitions; a partition shrinks and grows in
// place, at either end, by whole thread blocks. So with two tenants, another demand of one
// never moves the other. With more, some may have to move, because sizes fit only in sum;
// then as few thread blocks as possible do, all thread blocks of the partitions laid anew.
// The place of a thread block in its partition is not modelled: thread blocks at the end that
// a partition gives up are assumed to leave.
package partition

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/drf"
)

// Option chooses the mechanism of a policy with partitions.
var Option = policy.Option{Name: "preempt",
	About: "how thread blocks are taken off an SM or moved on it: switch or ideal", Default: "switch"}

// Partitions divides SMs between kernels. An SM keeps its partitions until a kernel without
// one needs it, or until a tenant with one loses its claim and another could use the room.
type Partitions struct {
	// Mechanism is Switch or Ideal.
	Mechanism policy.Mechanism
	// KernelLimit is the largest number of kernels on an SM; zero: no limit.
	KernelLimit int
	// Claims are the tenants that count. Update keeps them.
	Claims claim.Claims
	// Dedicated is, by SM, the only tenant that may have a partition there, -1
	// for any. A policy may change it between Update and Dispatch.
	Dedicated []int

	capacity occupancy.Demand // of all SMs
	sms      []division       // by SM
	// demand is, by tenant, the demand of its last kernel, which partitions serve between two
	// launches too; zero before the first.
	demand  []occupancy.Demand
	passed  []bool // by tenant: nothing more can be done for it at this event
	members []int  // by tenant: number of SMs with a partition
	chosen  []bool // by tenant: gets a partition on the divided SM
	order   []int  // the chosen, by arrival
	scratch division

	surveyor surveyor
}

// division is the division of an SM: a partition for some tenants.
type division struct {
	tbs []int // by tenant: capacity of its partition in TBs
	// demand is, by tenant, the demand of the TBs that its partition was made for; zero
	// without one.
	demand []occupancy.Demand
	// base is, by tenant, the beginning of its partition.
	base []place
	// fresh says that the division was made since the last Renewed.
	fresh bool
}

// Update looks at the View, which a policy does first in every Decide, and
// reports whether claims have changed.
func (p *Partitions) Update(v *policy.View) (changed bool) {
	if p.sms == nil {
		p.allocate(v)
	}
	for _, tenant := range v.Active {
		p.demand[tenant] = v.Tenants[tenant].Demand
	}
	return p.Claims.Update(v)
}

func (p *Partitions) allocate(v *policy.View) {
	n := len(v.Tenants)
	fresh := func() division {
		return division{tbs: make([]int, n), demand: make([]occupancy.Demand, n), base: make([]place, n)}
	}
	for i := range v.SMs {
		p.sms = append(p.sms, fresh())
		p.Dedicated = append(p.Dedicated, -1)
		p.capacity = p.capacity.Add(drf.Limits(v.SMs[i].Capacity))
	}
	p.scratch = fresh()
	p.demand, p.passed, p.chosen = make([]occupancy.Demand, n), make([]bool, n), make([]bool, n)
	p.members, p.order = make([]int, n), make([]int, 0, n)
}

// Dispatch places thread blocks inside partitions: always a TB of the kernel with the lowest
// share, on the SM with the lowest share taken. It makes partitions for kernels with TBs for
// more (SMK Figure 7). A kernel that can get neither is passed over.
func (p *Partitions) Dispatch(v *policy.View, a policy.Actions) {
	clear(p.passed)
	for kernel := p.candidate(v); kernel >= 0; kernel = p.candidate(v) {
		if sm := p.room(v, kernel); sm >= 0 {
			if !p.valid(sm, kernel) {
				p.divide(v, a, sm, kernel, -1)
			}
			if p.sms[sm].tbs[kernel] > 0 {
				a.Place(kernel, sm)
			}
			continue
		}
		if !p.grow(v, a, kernel) {
			p.passed[kernel] = true
		}
	}
}

// candidate is the kernel with TBs to place and the lowest share of the GPU, the first to
// become active among equals; -1 for none.
func (p *Partitions) candidate(v *policy.View) int {
	best, low := -1, 0.0
	for _, tenant := range v.Active {
		t := &v.Tenants[tenant]
		if t.Waiting == 0 || p.passed[tenant] {
			continue
		}
		if share := drf.Share(t.Demand.Times(t.Running), p.capacity); best < 0 || share < low {
			best, low = tenant, share
		}
	}
	return best
}

// room returns the SM with the lowest share taken where a kernel's TB can be placed now: in
// its partition, or on an empty SM, where a new division disturbs no other kernel. -1 if there
// is none.
func (p *Partitions) room(v *policy.View, kernel int) int {
	best, low := -1, 0.0
	for i := range v.SMs {
		s := &v.SMs[i]
		if p.valid(i, kernel) {
			if s.Staying(kernel) >= p.sms[i].tbs[kernel] {
				continue
			}
		} else if s.Usage.TBs > 0 || !p.mayJoin(i, kernel) {
			continue
		}
		if !v.Fits(kernel, i) {
			continue
		}
		if share := drf.Share(s.Usage.Demand, drf.Limits(s.Capacity)); best < 0 || share < low {
			best, low = i, share
		}
	}
	return best
}

// valid reports whether a kernel has a lasting partition on an SM, made for thread blocks like
// its own.
func (p *Partitions) valid(sm, tenant int) bool {
	return p.has(sm, tenant) && p.counts(sm, tenant) && p.sms[sm].demand[tenant] == p.demand[tenant]
}

// has reports whether a tenant has a partition on an SM, for this kernel or the
// one before.
func (p *Partitions) has(sm, tenant int) bool { return p.sms[sm].demand[tenant].TBs > 0 }

// outdated reports whether an SM has a partition of a tenant without a claim.
func (p *Partitions) outdated(sm int) bool {
	for tenant := range p.demand {
		if p.has(sm, tenant) && !p.counts(sm, tenant) {
			return true
		}
	}
	return false
}

// counts reports whether a tenant may keep its partition on an SM.
func (p *Partitions) counts(sm, tenant int) bool {
	return p.Claims.Holds(tenant) && (p.Dedicated[sm] < 0 || p.Dedicated[sm] == tenant)
}

// kernels counts the tenants that keep a partition on an SM.
func (p *Partitions) kernels(sm int) (n int) {
	for tenant := range p.demand {
		if p.has(sm, tenant) && p.counts(sm, tenant) {
			n++
		}
	}
	return n
}

// mayJoin reports whether a new division of an SM may have a partition for a kernel and for
// each tenant with one.
func (p *Partitions) mayJoin(sm, kernel int) bool {
	return p.counts(sm, kernel) && (p.has(sm, kernel) || p.KernelLimit == 0 || p.kernels(sm) < p.KernelLimit)
}

// TBs is the capacity of a tenant's lasting partition on an SM in TBs, 0 without one.
func (p *Partitions) TBs(sm, tenant int) int {
	if !p.counts(sm, tenant) {
		return 0
	}
	return p.sms[sm].tbs[tenant]
}

// Renewed reports whether an SM was divided anew since the last call.
func (p *Partitions) Renewed(sm int) bool {
	fresh := p.sms[sm].fresh
	p.sms[sm].fresh = false
	return fresh
}
