package policy

// EmptySM preempts a whole SM. Flush is for idempotent kernels; an SM with a
// TB of another is switched.
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

// TBsStaying is the number of an SM's TBs that have not been told to leave.
func (s *SM) TBsStaying() int {
	n := s.Usage.TBs
	for _, leaving := range s.Leaving {
		n -= leaving
	}
	return n
}

// StayingOthers reports whether an SM has a TB that stays and is not the given
// tenant's.
func (s *SM) StayingOthers(tenant int) bool {
	return s.TBsStaying() > s.Staying(tenant)
}
