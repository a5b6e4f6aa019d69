// Package policytest tests policies with literal Views: a View in, the policy's actions out,
// in words. Actions change the View like the SM driver's.
package policytest

import (
	"fmt"
	"slices"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// Slots is an SM with n slots for thread blocks and a thread for each, without other limits.
func Slots(n int) occupancy.Capacity {
	return occupancy.Capacity{TBs: n, Threads: n, Warps: 1 << 20}
}

// View makes a View of equal SMs. have counts the thread blocks by SM and tenant; nil stands
// for an empty SM. A thread block of a tenant without a Demand has one thread. All tenants are
// present and rank by their numbers; tenants with a thread block are active.
func View(sm occupancy.Capacity, tenants []policy.Tenant, have ...[]int) *policy.View {
	v := &policy.View{Tenants: tenants}
	for range have {
		v.SMs = append(v.SMs, policy.SM{Capacity: &sm, Schedulers: 4, IssueWidth: 1,
			TBs: make([]int, len(tenants)), Leaving: make([]int, len(tenants)), Tenants: make([]occupancy.Demand, len(tenants))})
		v.Windows = append(v.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: len(v.Windows)}})
	}
	for i := range tenants {
		t := &tenants[i]
		if t.Demand.TBs == 0 {
			t.Demand = occupancy.Demand{TBs: 1, Threads: 1}
		}
		t.Present, t.Rank = true, i
		for sm, row := range have {
			if row == nil {
				continue
			}
			for range row[i] {
				Put(v, i, sm)
			}
		}
		if t.Waiting+t.Running > 0 {
			Launch(v, i, t.Waiting)
		}
	}
	return v
}

// Launch makes a tenant's kernel active, with waiting thread blocks of the tenant's Demand.
func Launch(v *policy.View, tenant, tbs int) {
	t := &v.Tenants[tenant]
	t.Waiting, t.Kernels = tbs, 1
	v.Active = append(v.Active, tenant)
	v.Kernels = append(v.Kernels, &policy.Kernel{Tenant: tenant, Launch: t.Launch, Demand: t.Demand, Idempotent: t.Idempotent})
	count(v, tenant)
}

// count copies the tenant's numbers to its kernel.
func count(v *policy.View, tenant int) {
	for _, k := range v.Kernels {
		if t := &v.Tenants[tenant]; k.Tenant == tenant {
			k.Waiting, k.Saving, k.Running = t.Waiting, t.Saving, t.Running
		}
	}
}

// Retire ends a tenant's kernel, which has no thread block on an SM.
func Retire(v *policy.View, tenant int) {
	v.Tenants[tenant].Waiting, v.Tenants[tenant].Kernels = 0, 0
	v.Tenants[tenant].Launch++
	v.Active = slices.DeleteFunc(v.Active, func(a int) bool { return a == tenant })
	v.Kernels = slices.DeleteFunc(v.Kernels, func(k *policy.Kernel) bool { return k.Tenant == tenant })
}

// Put adds a tenant's thread block to an SM, such as one back from a page fault.
func Put(v *policy.View, tenant, sm int) {
	t, s := &v.Tenants[tenant], &v.SMs[sm]
	t.Running++
	s.Usage.Take(t.Demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(t.Demand)
	count(v, tenant)
}

// Finish ends n of a tenant's thread blocks on an SM. An SM that drains is free once it is
// empty.
func Finish(v *policy.View, tenant, sm, n int) {
	t, s := &v.Tenants[tenant], &v.SMs[sm]
	for range n {
		t.Running--
		s.Usage.Release(t.Demand)
		s.TBs[tenant]--
		s.Tenants[tenant] = s.Tenants[tenant].Sub(t.Demand)
	}
	s.Reserved = s.Reserved && s.Usage.TBs > 0
	count(v, tenant)
}

// Leave removes the thread blocks that were told to leave an SM. Their contexts are on the way
// to memory; Save completes that.
func Leave(v *policy.View, sm int) {
	for tenant, n := range v.SMs[sm].Leaving {
		v.SMs[sm].Leaving[tenant] = 0
		Finish(v, tenant, sm, n)
		v.Tenants[tenant].Saving += n
		count(v, tenant)
	}
}

// Save makes a tenant's thread blocks with contexts on the way to memory wait for placement.
func Save(v *policy.View, tenant int) {
	v.Tenants[tenant].Waiting += v.Tenants[tenant].Saving
	v.Tenants[tenant].Saving = 0
	count(v, tenant)
}

// Parse is a policy by its specification.
func Parse(t *testing.T, spec string) policy.Policy {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	return p
}

// Decide asks the policy at an event and lists its actions.
func Decide(p policy.Policy, v *policy.View, e policy.Event) []string {
	v.Event = e
	r := &recorder{view: v}
	p.Decide(v, r)
	return r.list
}

// recorder is the Actions.
type recorder struct {
	view *policy.View
	list []string
}

func (r *recorder) note(format string, args ...any) {
	r.list = append(r.list, fmt.Sprintf(format, args...))
}

func (r *recorder) Place(tenant, sm int) {
	if !r.view.Fits(tenant, sm) {
		panic(fmt.Sprintf("no thread block of tenant %d fits on SM %d", tenant, sm))
	}
	r.view.Tenants[tenant].Waiting--
	Put(r.view, tenant, sm)
	r.note("place %d on SM %d", tenant, sm)
}

func (r *recorder) Preempt(tenant, sm, n int, m policy.Mechanism) {
	if s := &r.view.SMs[sm]; n < 1 || n > s.Staying(tenant) {
		panic(fmt.Sprintf("%d thread blocks of tenant %d are to leave SM %d, where %d stay", n, tenant, sm, s.Staying(tenant)))
	}
	r.view.SMs[sm].Leaving[tenant] += n
	r.note("%v %d of %d on SM %d", m, n, tenant, sm)
}

func (r *recorder) PreemptSM(sm int, m policy.Mechanism) {
	s := &r.view.SMs[sm]
	if s.Reserved || s.TBsStaying() == 0 {
		panic(fmt.Sprintf("SM %d is preempted, though it is reserved or nothing stays there", sm))
	}
	s.Reserved = true
	if m != policy.Drain {
		copy(s.Leaving, s.TBs)
	}
	r.note("%v SM %d", m, sm)
}

func (r *recorder) Relocate(tenant, sm, n int, m policy.Mechanism) {
	r.note("%v %d of %d on SM %d and back", m, n, tenant, sm)
}

// Send notes quotas and rates by tenant, and the type of other controls.
func (r *recorder) Send(u protocol.Unit, c protocol.Control) {
	switch c := c.(type) {
	case *protocol.Quotas:
		r.each("quotas", c.On, u, func(tenant int) any { return c.Of[tenant].Amount })
	case *protocol.Rates:
		r.each("rates", c.On, u, func(tenant int) any {
			if rate := c.Of[tenant]; rate.Limited {
				return float64(rate.Requests) / protocol.RateOne
			}
			return "-"
		})
	default:
		r.note("%T to %v", c, u)
	}
}

// each notes a control's value for each tenant.
func (r *recorder) each(name string, on bool, u protocol.Unit, value func(tenant int) any) {
	if !on {
		r.note("no %s on SM %d", name, u.Index)
		return
	}
	var list []any
	for tenant := range r.view.Tenants {
		list = append(list, value(tenant))
	}
	r.note("%s %v on SM %d", name, list, u.Index)
}

func (r *recorder) Window(cycles uint64, kinds ...string) { r.note("window of %d %v", cycles, kinds) }

// Counts lists the thread blocks that stay, by SM and tenant.
func Counts(v *policy.View) (list [][]int) {
	for i := range v.SMs {
		var counts []int
		for tenant := range v.Tenants {
			counts = append(counts, v.SMs[i].Staying(tenant))
		}
		list = append(list, counts)
	}
	return list
}
