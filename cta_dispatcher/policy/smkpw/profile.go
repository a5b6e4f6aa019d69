package smkpw

import "cotenant/cta_dispatcher/policy"

// dedicate gives each tenant with a claim a profiling SM, the first that are
// free in order of arrival.
func (p *smkpw) dedicate() {
	n := len(p.Claims.Order)
	needed := n > 1 && 2*n <= len(p.Dedicated)
	for i, tenant := range p.Dedicated {
		if tenant >= 0 && !(needed && p.Claims.Holds(tenant)) {
			p.Dedicated[i] = -1
		}
	}
	if !needed {
		return
	}
	for _, tenant := range p.Claims.Order {
		if p.profilingSM(tenant) < 0 {
			p.Dedicated[p.profilingSM(-1)] = tenant
		}
	}
}

// profilingSM is the SM that is dedicated to a tenant, -1 if there is none; the
// first that is dedicated to nobody for tenant -1.
func (p *smkpw) profilingSM(tenant int) int {
	for i, t := range p.Dedicated {
		if t == tenant {
			return i
		}
	}
	return -1
}

// forget drops what was measured of a kernel when the tenant's next one has
// other thread blocks.
func (p *smkpw) forget(v *policy.View) {
	for _, tenant := range v.Active {
		if d := v.Tenants[tenant].Demand; d != p.demand[tenant] {
			p.demand[tenant] = d
			p.profiles[tenant].WIPC = 0
			if sm := p.profilingSM(tenant); sm >= 0 {
				p.settled[sm] = -1
			}
		}
	}
}

// measure reads the profiling SMs' instructions of the epoch that has ended.
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
			p.profiles[tenant].WIPC = float64(issued) / float64(cycles) / float64(s.Schedulers)
			p.profiles[tenant].Isolated = p.TBs(i, tenant)
		}
	}
}
