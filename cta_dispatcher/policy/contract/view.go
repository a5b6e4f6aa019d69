package contract

import (
	"reflect"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// checkRoom checks that a tenant alone leaves no room for a waiting thread block: on SMs of
// several kinds, its placement may differ from fcfs.
func (r *referee) checkRoom(v *policy.View) {
	for i := range v.SMs {
		if v.Fits(0, i) {
			r.fail("the only tenant has %d thread blocks waiting, and room on SM %d", v.Tenants[0].Waiting, i)
		}
	}
}

// checkSums checks that the View agrees with itself, and with the finished thread blocks.
func (r *referee) checkSums(v *policy.View) {
	for tenant := range v.Tenants {
		t := &v.Tenants[tenant]
		running, kernels, launched := 0, 0, 0
		var taken, due occupancy.Demand
		for i := range v.SMs {
			s := &v.SMs[i]
			running += s.TBs[tenant]
			taken = taken.Add(s.Tenants[tenant])
			if t.Kernels < 2 && s.Tenants[tenant] != t.Demand.Times(s.TBs[tenant]) {
				r.fail("tenant %d has %+v on SM %d, with %d thread blocks of %+v", tenant, s.Tenants[tenant], i, s.TBs[tenant], t.Demand)
			}
			if s.Leaving[tenant] < 0 || s.Leaving[tenant] > s.TBs[tenant] {
				r.fail("%d of %d thread blocks of tenant %d are leaving SM %d", s.Leaving[tenant], s.TBs[tenant], tenant, i)
			}
		}
		if n := r.loadingOf(tenant); n != t.Loading {
			r.fail("tenant %d has %d contexts on their way to an SM, and %d are", tenant, t.Loading, n)
		}
		if running != t.Running {
			r.fail("tenant %d has %d thread blocks on SMs, and %d run", tenant, running, t.Running)
		}
		for _, k := range v.Kernels {
			if k.Tenant != tenant {
				continue
			}
			kernels++
			due = due.Add(k.Demand.Times(k.Running))
			launched += k.Running
			want := r.kernel(launch{tenant, k.Launch}).tbs - r.finished[launch{tenant, k.Launch}]
			if got := k.Waiting + k.Running + k.Saving; got != want {
				r.fail("tenant %d has %d thread blocks of launch %d that wait, run or are saved, of %d that have not finished", tenant, got, k.Launch, want)
			}
		}
		if taken != due || t.Running != launched {
			r.fail("tenant %d takes %+v with %d thread blocks, its kernels %+v with %d", tenant, taken, t.Running, due, launched)
		}
		if t.Kernels != kernels || slices.Contains(v.Active, tenant) != (kernels > 0) {
			r.fail("tenant %d has %d active kernels, of which it knows %d, and %v are active", tenant, kernels, t.Kernels, v.Active)
		}
		if kernels > 0 {
			r.checkNext(v, tenant)
		}
	}
	for i := range v.SMs {
		s := &v.SMs[i]
		var sum occupancy.Demand
		for tenant := range s.Tenants {
			sum = sum.Add(s.Tenants[tenant])
		}
		if sum != s.Usage.Demand {
			r.fail("SM %d has %+v taken, its tenants %+v", i, s.Usage.Demand, sum)
		}
		if c := s.Capacity; sum.TBs > c.TBs || sum.Threads > c.Threads || sum.Warps > c.Warps || sum.Registers > c.Registers {
			r.fail("SM %d is overfilled with %+v", i, sum)
		}
	}
}

// checkNext checks the View's account of a tenant's next kernel: the first with thread blocks
// waiting.
func (r *referee) checkNext(v *policy.View, tenant int) {
	t, saving := &v.Tenants[tenant], 0
	var next *policy.Kernel
	idempotent := true
	for _, k := range v.Kernels {
		if k.Tenant == tenant {
			if next == nil && (k.Waiting > 0 || k.Launch == t.Launch && t.Waiting == 0) {
				next = k
			}
			idempotent = idempotent && k.Idempotent
			saving += k.Saving
		}
	}
	if next == nil || next.Launch != t.Launch || next.Demand != t.Demand || next.Waiting != t.Waiting || idempotent != t.Idempotent || saving != t.Saving {
		r.fail("tenant %d is %+v, its next kernel %+v", tenant, *t, next)
	}
}

// copy copies the View into expect, in the memory of the copy before.
func (r *referee) copy(v *policy.View) {
	e, old := &r.expect, r.expect
	*e = *v
	e.Tenants, e.Active, e.Windows = append(old.Tenants[:0], v.Tenants...), append(old.Active[:0], v.Active...), append(old.Windows[:0], v.Windows...)
	e.Kernels = slices.Clone(v.Kernels)
	for i, k := range v.Kernels {
		same := *k
		e.Kernels[i] = &same
	}
	e.SMs = append(old.SMs, make([]policy.SM, len(v.SMs)-len(old.SMs))...)
	for i := range v.SMs {
		s, was := &v.SMs[i], e.SMs[i]
		e.SMs[i] = *s
		e.SMs[i].TBs, e.SMs[i].Leaving, e.SMs[i].Tenants = append(was.TBs[:0], s.TBs...), append(was.Leaving[:0], s.Leaving...), append(was.Tenants[:0], s.Tenants...)
	}
}

// checkView checks that the View equals expect: the ledger agrees, and the policy has not
// written to it.
func (r *referee) checkView(v *policy.View) {
	same := slices.Equal(v.Tenants, r.expect.Tenants) && slices.Equal(v.Active, r.expect.Active) && slices.Equal(v.Windows, r.expect.Windows) &&
		slices.EqualFunc(v.Kernels, r.expect.Kernels, func(a, b *policy.Kernel) bool { return *a == *b })
	for i := range v.SMs {
		s, e := &v.SMs[i], &r.expect.SMs[i]
		same = same && s.Usage == e.Usage && s.Reserved == e.Reserved && slices.Equal(s.TBs, e.TBs) && slices.Equal(s.Leaving, e.Leaving) &&
			slices.Equal(s.Tenants, e.Tenants)
	}
	// All of it, whatever fields it has, is too slow to be compared each time.
	if r.decisions++; same && r.decisions%64 == 1 {
		same = reflect.DeepEqual(*v, r.expect)
	}
	if !same {
		r.fail("after %v the View is\n%+v\ninstead of\n%+v", v.Event, *v, r.expect)
	}
}
