package contract

import (
	"reflect"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// referee stands between the SM driver and a policy. It is the policy that the
// driver asks, and the Actions that the policy calls.
type referee struct {
	*trial
	policy policy.Policy
	epoch  int // cycles, 0 if the policy is not periodic

	actions policy.Actions // the driver's
	view    *policy.View   // the driver's
	// expect is the View as it was before Decide, with the effects of the
	// actions since.
	expect policy.View
	// evictions counts preemptions since the last event that is not the end of
	// one.
	evictions int
	decisions int
	// relocated counts, by SM and tenant, thread blocks that were told to move on
	// their SM.
	relocated [][]int
	limits    limits
}

func newReferee(t *trial, p policy.Policy) *referee {
	r := &referee{trial: t, policy: p}
	r.epoch = int(p.Needs().Epoch)
	for range t.sms {
		r.relocated = append(r.relocated, make([]int, len(t.tenants)))
	}
	r.limits.sms = make([]limit, len(t.sms))
	return r
}

// Needs are those of the policy.
func (r *referee) Needs() policy.Needs { return r.policy.Needs() }

// Decide makes referee a policy.Policy.
func (r *referee) Decide(v *policy.View, a policy.Actions) {
	if r.fault != nil {
		return
	}
	if v.Event != policy.TBPreempted && v.Event != policy.ContextSaved && v.Event != policy.SMFreed {
		r.evictions = 0
	}
	r.view, r.actions = v, r.owner(a)
	r.checkSums(v)
	r.copy(v)
	r.watch.begin(v.Event)
	r.policy.Decide(v, r)
	r.watch.end(r.trial)
	r.checkView(v)
	r.checkLimits(v)
	if _, ok := r.policy.(capped); !ok && len(r.tenants) == 1 {
		r.checkRoom(v)
	}
}

// checkRoom checks that a tenant that is alone has a thread block wherever one
// fits: on SMs of several kinds, it may be another one than under fcfs.
func (r *referee) checkRoom(v *policy.View) {
	for i := range v.SMs {
		if v.Fits(0, i) {
			r.fail("the only tenant has %d thread blocks waiting, and room on SM %d", v.Tenants[0].Waiting, i)
		}
	}
}

// checkSums checks that the View agrees with itself, and with what has
// finished.
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
			want := r.kernel(id(tenant), k.Launch).tbs - r.finished[launch{tenant, k.Launch}]
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

// checkNext checks that what the View says of a tenant's kernel is true of the
// first that has thread blocks waiting.
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

// id is a tenant's number as messages have it.
func id(n int) tenant.ID { return tenant.ID(n) }

// copy makes expect a copy of the View, in memory of its own.
func (r *referee) copy(v *policy.View) {
	e := &r.expect
	tenants, sms, active, windows, kinds, kernels := e.Tenants, e.SMs, e.Active, e.Windows, v.SMs, e.Kernels
	*e = *v
	e.Tenants = append(tenants[:0], v.Tenants...)
	e.Active = append(active[:0], v.Active...)
	e.Windows = append(windows[:0], v.Windows...)
	for len(kernels) < len(v.Kernels) {
		kernels = append(kernels, &policy.Kernel{})
	}
	if e.Kernels = kernels[:len(v.Kernels)]; v.Kernels == nil {
		e.Kernels = nil
	}
	for i, k := range v.Kernels {
		*kernels[i] = *k
	}
	if sms == nil {
		sms = make([]policy.SM, len(kinds))
	}
	e.SMs = sms
	for i := range kinds {
		old := sms[i]
		sms[i] = kinds[i]
		sms[i].TBs = append(old.TBs[:0], kinds[i].TBs...)
		sms[i].Leaving = append(old.Leaving[:0], kinds[i].Leaving...)
		sms[i].Tenants = append(old.Tenants[:0], kinds[i].Tenants...)
	}
}

// checkView checks that the View is as it was, but for the effects of the
// actions: the ledger has the same, and the policy has not written to it.
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

// Place makes referee a policy.Actions, as the methods below.
func (r *referee) Place(tenant, sm int) {
	t, s := &r.expect.Tenants[tenant], &r.expect.SMs[sm]
	switch {
	case r.fault != nil:
		return
	case t.Waiting == 0:
		r.stop("a thread block of tenant %d is placed that does not exist", tenant)
		return
	case s.Reserved:
		r.stop("tenant %d is placed on SM %d, which is reserved", tenant, sm)
		return
	case !s.Capacity.Fits(&s.Usage, t.Demand):
		r.stop("SM %d is overfilled with tenant %d", sm, tenant)
		return
	}
	k := r.next(tenant)
	k.Waiting--
	k.Running++
	t.Waiting--
	t.Running++
	s.Usage.Take(t.Demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(t.Demand)
	r.actions.Place(tenant, sm)
	t.Loading = r.loadingOf(tenant) // whether one that was preempted is placed is the driver's choice
	r.watch.act("place", tenant, sm, 1)
}

// next is the kernel of a tenant whose thread blocks are placed, as expected.
func (r *referee) next(tenant int) *policy.Kernel {
	i := slices.IndexFunc(r.expect.Kernels, func(k *policy.Kernel) bool {
		return k.Tenant == tenant && k.Launch == r.expect.Tenants[tenant].Launch
	})
	return r.expect.Kernels[i]
}

// stop notes a breach of the contract in the middle of a decision, which has to
// come to its end.
func (r *referee) stop(format string, args ...any) {
	r.fail(format, args...)
	for i := range r.view.Tenants {
		r.view.Tenants[i].Waiting = 0
	}
	for _, k := range r.view.Kernels {
		k.Waiting = 0
	}
}

// Preempt has thread blocks leave.
func (r *referee) Preempt(tenant, sm, n int, m policy.Mechanism) {
	switch staying := r.expect.SMs[sm].Staying(tenant); {
	case r.fault != nil:
		return
	case m == policy.Drain:
		r.stop("single thread blocks of tenant %d are to be drained", tenant)
		return
	case n < 1 || n > staying:
		r.stop("%d thread blocks of tenant %d are to leave SM %d, where %d stay", n, tenant, sm, staying)
		return
	}
	r.watch.act("preempt", tenant, sm, n)
	r.actions.Preempt(tenant, sm, n, m)
	r.evict(tenant, sm, n, m)
}

// PreemptSM has all leave.
func (r *referee) PreemptSM(sm int, m policy.Mechanism) {
	s := &r.expect.SMs[sm]
	switch {
	case r.fault != nil:
		return
	case s.Reserved:
		r.stop("SM %d is preempted, but is reserved already", sm)
		return
	case s.TBsStaying() == 0 && (s.Usage.TBs == 0 || r.driverSpec.BlockSwitching.Extra == 0): // all may leave because of faults
		r.stop("SM %d is preempted, but has no thread block that stays", sm)
		return
	}
	r.watch.act("preempt", -1, sm, 1)
	r.actions.PreemptSM(sm, m)
	s.Reserved = true
	for tenant := range s.TBs {
		if n := s.Staying(tenant); n > 0 {
			r.evict(tenant, sm, n, m)
		}
	}
}

// evict notes that thread blocks have been told to leave.
func (r *referee) evict(tenant, sm, n int, m policy.Mechanism) {
	r.total.preemptions += n
	// Twice as many as there can be: a kernel whose contexts are on their way to
	// memory has no TB that waits, and a policy may fill its place meanwhile.
	slots := 0
	for i := range r.sms {
		slots += r.sms[i].Capacity.TBs
	}
	if r.evictions += n; r.evictions > 2*slots {
		r.stop("%d preemptions, though no thread block finished and no kernel came since the first", r.evictions)
	}
	t, s := &r.expect.Tenants[tenant], &r.expect.SMs[sm]
	switch {
	case m == policy.Drain:
		return // they finish, and are not counted as leaving
	case m == policy.Flush && !t.Idempotent:
		r.stop("tenant %d is flushed, though its kernel is not idempotent", tenant)
	}
	// One that was told to move on the SM, and is not there now, gives up its
	// place at once.
	gone := s.TBs[tenant] - r.view.SMs[sm].TBs[tenant]
	if gone < 0 || gone > min(n, r.relocated[sm][tenant]) {
		r.fail("%d thread blocks of tenant %d, of which %d were told to move on SM %d, have left it at once", gone, tenant, r.relocated[sm][tenant], sm)
	}
	for range gone {
		s.Usage.Release(t.Demand)
	}
	s.TBs[tenant] -= gone
	s.Tenants[tenant] = s.Tenants[tenant].Sub(t.Demand.Times(gone))
	s.Leaving[tenant] += n - gone
	if gone > 0 { // such policies know one kernel of each tenant
		k := r.next(tenant)
		k.Running -= gone
		k.Saving += gone
	}
	t.Running -= gone
	t.Saving += gone
	r.relocated[sm][tenant] -= gone
}

// Relocate has thread blocks move on their SM.
func (r *referee) Relocate(tenant, sm, n int, m policy.Mechanism) {
	if staying := r.expect.SMs[sm].Staying(tenant); r.fault == nil && (n < 1 || n > staying) {
		r.stop("%d thread blocks of tenant %d are to move on SM %d, where %d stay", n, tenant, sm, staying)
	}
	if r.fault != nil {
		return
	}
	r.watch.act("relocate", tenant, sm, n)
	r.total.relocations += n
	r.relocated[sm][tenant] += n
	r.actions.Relocate(tenant, sm, n, m)
}

// Window opens a window.
func (r *referee) Window(cycles uint64, kinds ...string) { r.actions.Window(cycles, kinds...) }

// Send sends a control.
func (r *referee) Send(u protocol.Unit, c protocol.Control) {
	r.actions.Send(u, c)
	switch m := c.(type) {
	case *protocol.Quotas:
		r.total.quotas++
		r.watch.limit(u.Index, m, len(r.tenants))
		r.limit(u.Index, m)
	case *protocol.Rates:
		if _, ok := r.policy.(capped); !ok {
			r.total.rates++
		}
		r.watch.rates(u.Index, m, len(r.tenants))
		r.rates(m)
	case *protocol.ActiveTBs:
		r.total.rates++
		r.watch.active(u.Index, m, len(r.tenants))
	}
}
