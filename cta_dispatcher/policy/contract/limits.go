package contract

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// limits is the referee's account of quotas in lanes.
type limits struct {
	sms []limit
	// whole and bounded belong to the present decision, by tenant: the sum over SMs of the
	// quotas in the first message to each, and whether a quota was at its lower or upper
	// limit. told counts the SMs with a message.
	whole   [tenant.Max]int64
	bounded [tenant.Max]bool
	told    int
}

// limit is an SM's state of quotas.
type limit struct {
	on     bool
	told   bool // in this decision
	amount [tenant.Max]int64
}

// limit checks an SM's new quotas.
func (r *referee) limit(sm int, m *protocol.Quotas) {
	l := &r.limits.sms[sm]
	if !m.On {
		*l = limit{told: l.told}
		return
	}
	for tenant, q := range m.Of {
		switch {
		case tenant >= len(r.tenants) && q.Amount != 0:
			r.fail("a quota is set for tenant %d of %d", tenant, len(r.tenants))
		case q.Amount < 0 || q.Amount > protocol.QuotaLimit:
			r.fail("tenant %d has a quota of %d on SM %d", tenant, q.Amount, sm)
		case q.Amount > 0 && !q.Given:
			r.fail("tenant %d has a quota of %d on SM %d that is not given", tenant, q.Amount, sm)
		}
	}
	if m.Lanes {
		r.limitLanes(l, sm, m)
		return
	}
	sum := 0
	for tenant, q := range m.Of[:len(r.tenants)] {
		sum += int(q.Amount)
		// A thread block that comes back after a fault may find its tenant's quota gone
		// until the policy divides anew: a known gap of block switching.
		if q.Amount == 0 && !q.Unlimited && r.view.SMs[sm].Staying(tenant) > 0 && r.driverSpec.BlockSwitching.Extra == 0 {
			r.fail("tenant %d has a quota of %d on SM %d, where it has thread blocks", tenant, q.Amount, sm)
		}
	}
	// A quota is rounded down, but never to nothing.
	if sum > r.epoch+len(r.tenants)-1 {
		r.fail("the quotas of SM %d add up to %d in an epoch of %d", sm, sum, r.epoch)
	}
}

// limitLanes notes quotas in lanes. None is more than an SM can issue.
func (r *referee) limitLanes(l *limit, sm int, m *protocol.Quotas) {
	s := &r.view.SMs[sm]
	peak := int64(s.Schedulers*s.IssueWidth*workload.WarpSize) * int64(r.epoch)
	l.on = true
	for tenant, q := range m.Of[:len(r.tenants)] {
		if !q.Given {
			continue
		}
		if q.Amount > peak {
			r.fail("tenant %d has a quota of %d lanes on SM %d, which issues %d in an epoch", tenant, q.Amount, sm, peak)
		}
		if l.amount[tenant] = q.Amount; q.Unlimited {
			l.amount[tenant] = peak
		}
		if !l.told {
			r.limits.whole[tenant] += q.Amount
			r.limits.bounded[tenant] = r.limits.bounded[tenant] || q.Amount == 1 || q.Amount == peak
		}
	}
	if !l.told {
		r.limits.told++
	}
	l.told = true
}

// checkLimits checks after a decision that each tenant with thread blocks on an SM with quotas
// in lanes has a quota there. Once all SMs have been told at an epoch, the quotas must add up
// to the policy's register "quota".
func (r *referee) checkLimits(v *policy.View) {
	for i := range r.limits.sms {
		l := &r.limits.sms[i]
		l.told = false
		for tenant := range r.tenants {
			if l.on && l.amount[tenant] == 0 && v.SMs[i].Staying(tenant) > 0 {
				r.fail("tenant %d has no quota on SM %d, where it has thread blocks", tenant, i)
			}
		}
	}
	if registers := r.policy.Needs().Registers; registers != nil && v.Event == policy.Epoch && r.limits.told == len(v.SMs) {
		for _, register := range registers() {
			t := register.Tenant
			// A tenant without thread blocks and targets had nothing to divide its quota by.
			none := r.limits.whole[t] == 0
			if register.Name == "quota" && int64(register.Value) != r.limits.whole[t] && !r.limits.bounded[t] && !none {
				r.fail("the quotas of tenant %d add up to %d, and it has %v", t, r.limits.whole[t], register.Value)
			}
		}
	}
	r.limits.whole, r.limits.bounded, r.limits.told = [tenant.Max]int64{}, [tenant.Max]bool{}, 0
}

// rates checks an SM's issue rates: they belong to existing tenants, and none stops a tenant
// for good.
func (r *referee) rates(m *protocol.Rates) {
	for tenant, rate := range m.Of {
		switch {
		case !m.On && rate != protocol.Rate{} || tenant >= len(r.tenants) && rate != protocol.Rate{}:
			r.fail("a rate is set for tenant %d of %d", tenant, len(r.tenants))
		case rate.Limited && (rate.Requests == 0 || rate.Requests > protocol.RateLimit || !rate.Given):
			r.fail("tenant %d has a rate of %+v", tenant, rate)
		}
	}
}
