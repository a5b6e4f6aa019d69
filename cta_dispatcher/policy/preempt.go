package policy

// EmptySM preempts a whole SM. Flush needs idempotent kernels; an SM with a TB of another
// kernel is switched.
func EmptySM(v *View, a Actions, sm int, m Mechanism) {
	if m == Flush {
		for tenant, n := range v.SMs[sm].TBs {
			if n > 0 && !v.Tenants[tenant].Idempotent {
				m = Switch
			}
		}
	}
	a.PreemptSM(sm, m)
}

// TBsStaying counts the SM's TBs that have not been told to leave.
func (s *SM) TBsStaying() int {
	n := s.Usage.TBs
	for _, leaving := range s.Leaving {
		n -= leaving
	}
	return n
}

// StayingOthers reports whether another tenant has a TB on the SM that stays.
func (s *SM) StayingOthers(tenant int) bool {
	return s.TBsStaying() > s.Staying(tenant)
}
