package smkpw

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// dedicate gives each tenant with a claim a profiling SM of each kind that holds its thread
// blocks, the first free SM in order of arrival.
func (p *smkpw) dedicate(v *policy.View) {
	for kind, sms := range p.kinds {
		n := 0
		for _, tenant := range p.Claims.Order {
			if p.holds(v, kind, tenant) {
				n++
			}
		}
		needed := len(p.Claims.Order) > 1 && 2*n <= sms
		for i, tenant := range p.Dedicated {
			if v.SMs[i].Kind == kind && tenant >= 0 && !(needed && p.Claims.Holds(tenant) && p.holds(v, kind, tenant)) {
				p.Dedicated[i] = -1
			}
		}
		if !needed {
			continue
		}
		for _, tenant := range p.Claims.Order {
			if p.holds(v, kind, tenant) && p.profilingSM(v, kind, tenant) < 0 {
				p.Dedicated[p.profilingSM(v, kind, -1)] = tenant
			}
		}
	}
}

// profilingSM returns the SM of a kind that is dedicated to a tenant, or for tenant -1 the
// first SM without one; -1 if there is none.
func (p *smkpw) profilingSM(v *policy.View, kind, tenant int) int {
	for i, t := range p.Dedicated {
		if t == tenant && v.SMs[i].Kind == kind {
			return i
		}
	}
	return -1
}

// holds reports whether an empty SM of a kind has room for a thread block of a tenant's last
// kernel. Any SM holds a tenant without a kernel so far.
func (p *smkpw) holds(v *policy.View, kind, tenant int) bool {
	for i := range v.SMs {
		if v.SMs[i].Kind == kind {
			return v.SMs[i].Capacity.Fits(&occupancy.Usage{}, p.demand[tenant])
		}
	}
	return false
}

// forget drops the measurement of a kernel when the tenant's next kernel has thread blocks of
// another size. It reports whether these fit SMs of other kinds.
func (p *smkpw) forget(v *policy.View) (fitsOthers bool) {
	for _, tenant := range v.Active {
		d, before := v.Tenants[tenant].Demand, p.demand[tenant]
		if d == before {
			continue
		}
		p.demand[tenant] = d
		for kind := range p.kinds {
			p.profiles[kind][tenant].WIPC = 0
		}
		for i := range v.SMs {
			if p.settled[i] == tenant {
				p.settled[i] = -1
			}
			c, none := v.SMs[i].Capacity, &occupancy.Usage{}
			fitsOthers = fitsOthers || c.Fits(none, d) != c.Fits(none, before)
		}
	}
	return fitsOthers
}

// measure reads the profiling SMs' instructions of the ended epoch.
func (p *smkpw) measure(v *policy.View) {
	for i, tenant := range p.Dedicated {
		s := &v.SMs[i]
		was := p.settled[i]
		p.settled[i] = -1
		if tenant < 0 || s.Staying(tenant) == 0 || !s.Only(tenant) {
			continue
		}
		p.settled[i] = tenant
		window, cycles := v.SMWindow(i)
		if issued := window.Tenants[tenant].WarpInstructions; was == tenant && issued > 0 {
			profile := &p.profiles[s.Kind][tenant]
			profile.WIPC = float64(issued) / float64(cycles) / float64(s.Schedulers)
			profile.Isolated = float64(p.TBs(i, tenant))
		}
	}
}

// inform derives a tenant's profile on an SM from its isolated run on the whole GPU. x is the
// mean over all schedulers. A TB is assumed to issue the same on all SMs, so T is the mean of
// the TBs by a scheduler's part of each SM; on equal SMs T is the TBs that an SM holds.
func (p *smkpw) inform(v *policy.View, sm, tenant int) {
	tbs, schedulers := 0, 0
	for i := range v.SMs {
		n, _ := v.SMs[i].Capacity.Occupancy(p.demand[tenant])
		tbs += n
		schedulers += v.SMs[i].Schedulers
	}
	profile := &p.profiles[v.SMs[sm].Kind][tenant]
	profile.WIPC = v.Tenants[tenant].IsolatedWIPC
	profile.Isolated = float64(tbs*v.SMs[sm].Schedulers) / float64(schedulers)
}
