package smk

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/drf"
)

// evict switches other kernels' TBs out for one TB of a kernel, if that brings
// shares closer, and promises it their place.
func (p *smk) evict(v *policy.View, a policy.Actions, kernel int) bool {
	sm := p.victimSM(v, kernel)
	if sm < 0 || p.role[kernel] == loses || !p.choose(v, kernel, sm) || !p.closer(v, kernel) {
		return false
	}
	for _, tenant := range v.Active {
		if n := p.evicted[tenant]; n > 0 {
			a.Preempt(tenant, sm, n, p.mechanism)
			p.tbs[tenant] -= n
			p.role[tenant] = loses
		}
	}
	p.role[kernel] = gains
	p.promised[sm] = kernel
	p.tbs[kernel]++
	p.waiting[kernel]--
	return true
}

// stable reports whether one more TB of a kernel on an SM can stay. It cannot if
// the kernel with the lowest share by then, finding no room, would have the
// kernel's TBs switched out.
func (p *smk) stable(v *policy.View, kernel, sm int) bool {
	p.trial.on, p.trial.kernel, p.trial.sm = true, kernel, sm
	p.tbs[kernel]++
	p.waiting[kernel]--
	other := p.lowest(v, nil)
	stays := true
	if other >= 0 && other != kernel && p.room(v, other) < 0 {
		from := p.victimSM(v, other)
		stays = from < 0 || !p.choose(v, other, from) || p.evicted[kernel] == 0 || !p.closer(v, other)
	}
	p.trial.on = false
	p.tbs[kernel]--
	p.waiting[kernel]++
	return stays
}

// victimSM is the SM with the largest share taken by kernels other than this one, the first
// among equals; -1 if no SM has TBs that can leave and then has room.
func (p *smk) victimSM(v *policy.View, kernel int) int {
	best, high := -1, 0.0
	for i := range v.SMs {
		s := &v.SMs[i]
		if p.promised[i] >= 0 || s.Reserved || s.TBsStaying() < s.Usage.TBs || !v.Holds(kernel, i) {
			continue
		}
		u := p.usage(v, i)
		if p.staying(v, i, kernel) == u.TBs {
			continue
		}
		share := drf.Share(u.Sub(s.Tenants[kernel]), drf.Limits(s.Capacity))
		if best < 0 || share > high {
			best, high = i, share
		}
	}
	return best
}

// choose fills evicted with the TBs to leave an SM for a kernel's TB: each from the kernel
// with the highest share by then, the last to become active among equals. It reports whether
// that makes room.
func (p *smk) choose(v *policy.View, kernel, sm int) bool {
	clear(p.evicted)
	s := &v.SMs[sm]
	usage := p.usage(v, sm)
	floor := p.share(v, kernel, p.tbs[kernel])
	for !s.Capacity.Fits(&usage, v.Tenants[kernel].Demand) {
		victim, high := -1, floor
		for _, tenant := range v.Active {
			if tenant == kernel || p.role[tenant] == gains && !p.trial.on || p.staying(v, sm, tenant) == p.evicted[tenant] {
				continue
			}
			share := p.share(v, tenant, p.tbs[tenant]-p.evicted[tenant])
			if share > floor && share >= high {
				victim, high = tenant, share
			}
		}
		if victim < 0 {
			return false
		}
		p.evicted[victim]++
		usage.Release(v.Tenants[victim].Demand)
	}
	return true
}

// closer reports whether the range of shares shrinks when the chosen TBs leave and one TB of
// the kernel comes. A kernel with a lower share and no TB to place does not count: nothing can
// be given to it.
func (p *smk) closer(v *policy.View, kernel int) bool {
	low := p.share(v, kernel, p.tbs[kernel])
	after := p.share(v, kernel, p.tbs[kernel]+1)
	high, newLow, newHigh := low, after, after
	for _, tenant := range v.Active {
		if tenant == kernel {
			continue
		}
		now := p.share(v, tenant, p.tbs[tenant])
		if now < low {
			continue
		}
		then := p.share(v, tenant, p.tbs[tenant]-p.evicted[tenant])
		high, newLow, newHigh = max(high, now), min(newLow, then), max(newHigh, then)
	}
	return high-low-(newHigh-newLow) > rounding
}

// rounding is more than the error of a difference of ranges, some 1e-16. Ranges that
// differ by less are equal.
const rounding = 1e-13
