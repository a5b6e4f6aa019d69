package contract

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// referee stands between the SM driver and a policy. It is the policy that the
// driver asks, and the Actions that the policy calls.
type referee struct {
	*trial
	policy policy.Policy
	epoch  int // cycles, 0 if the policy is not periodic

	actions policy.Actions // the driver's
	view    *policy.View   // the driver's
	// expect is the View before Decide, with the effects of later actions.
	expect policy.View
	// evictions counts preemptions since the last event other than the end of one. A thread
	// block that leaves its SM because of a fault is such an event.
	evictions int
	switched  uint64 // thread blocks that have left because of faults
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

// Needs returns the policy's needs.
func (r *referee) Needs() policy.Needs { return r.policy.Needs() }

// Decide makes referee a policy.Policy.
func (r *referee) Decide(v *policy.View, a policy.Actions) {
	if r.fault != nil {
		return
	}
	switched := r.blockSwitches()
	if v.Event != policy.TBPreempted && v.Event != policy.ContextSaved && v.Event != policy.SMFreed || switched > r.switched {
		r.evictions = 0
	}
	r.switched = switched
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
	t.Loading = r.loadingOf(tenant) // the driver chooses whether to place a preempted one
	r.watch.act("place", tenant, sm, 1)
}

// next returns the expected kernel of a tenant's next placement.
func (r *referee) next(tenant int) *policy.Kernel {
	i := slices.IndexFunc(r.expect.Kernels, func(k *policy.Kernel) bool {
		return k.Tenant == tenant && k.Launch == r.expect.Tenants[tenant].Launch
	})
	return r.expect.Kernels[i]
}

// blockSwitches is the number of thread blocks that have left their SM because of faults.
func (r *referee) blockSwitches() (n uint64) {
	for i := range r.tenants {
		n += r.driver.Stats().Tenants[i].BlockSwitches
	}
	return n
}

// stop notes a breach of the contract in the middle of a decision, and makes the decision end.
func (r *referee) stop(format string, args ...any) {
	r.fail(format, args...)
	for i := range r.view.Tenants {
		r.view.Tenants[i].Waiting = 0
	}
	for _, k := range r.view.Kernels {
		k.Waiting = 0
	}
}

// Preempt checks a preemption of thread blocks.
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

// PreemptSM checks a preemption of an SM.
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

// evict notes the order to leave for thread blocks.
func (r *referee) evict(tenant, sm, n int, m policy.Mechanism) {
	r.total.preemptions += n
	// The bound is twice the slots: a kernel with contexts on their way to memory has no TB
	// that waits, and a policy may fill its place meanwhile.
	slots := 0
	for i := range r.sms {
		slots += r.sms[i].Capacity.TBs
	}
	if r.evictions += n; r.evictions > 2*slots {
		r.stop("%d preemptions, though no thread block finished or faulted and no kernel came since the first", r.evictions)
	}
	t, s := &r.expect.Tenants[tenant], &r.expect.SMs[sm]
	switch {
	case m == policy.Drain:
		return // they finish, and are not counted as leaving
	case m == policy.Flush && !t.Idempotent:
		r.stop("tenant %d is flushed, though its kernel is not idempotent", tenant)
	}
	// A thread block that was told to move on the SM, and has left it, gives up its place at
	// once.
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

// Relocate checks a move of thread blocks on their SM.
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
	r.watch.control(u.Index, c, len(r.tenants))
	switch m := c.(type) {
	case *protocol.Quotas:
		r.total.quotas++
		r.limit(u.Index, m)
	case *protocol.Rates:
		if _, ok := r.policy.(capped); !ok {
			r.total.rates++
		}
		r.rates(m)
	case *protocol.ActiveTBs:
		r.total.rates++
	}
}
