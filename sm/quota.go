package sm

import "cotenant/tenant"

// quotas are the enhanced warp scheduler's account on one port: how many more
// warp instructions each tenant may issue (SMK 5.4).
type quotas struct {
	left  [tenant.Max]int32
	slots [tenant.Max]uint64 // of the tenant's warps
}

// setQuotas starts new quotas on every port; on is false for none.
func (s *SM) setQuotas(on bool, by *[tenant.Max]int32) {
	s.quotasOn, s.quota = on, *by
	for i := range s.ports {
		p := &s.ports[i]
		p.quotas.left = s.quota
		s.requota(p)
	}
}

// spend takes an instruction off a tenant's quota.
func (s *SM) spend(p *port, id tenant.ID) {
	if p.quotas.left[id]--; p.quotas.left[id] <= 0 {
		s.requota(p)
	}
}

// requota finds which slots may not issue. When the quotas of all tenants with
// warps are used up, all start anew; if even that gives none of them an
// instruction, quotas hold nobody back.
func (s *SM) requota(p *port) {
	q := &p.quotas
	p.exhausted = 0
	if !s.quotasOn {
		return
	}
	for again := true; ; again = false {
		waiting := false
		p.exhausted = 0
		for k, slots := range q.slots {
			if slots&p.live == 0 {
				continue
			}
			if q.left[k] <= 0 {
				p.exhausted |= slots
			} else {
				waiting = true
			}
		}
		if waiting || p.exhausted == 0 {
			return
		}
		if !again {
			p.exhausted = 0
			return
		}
		q.left = s.quota
	}
}
