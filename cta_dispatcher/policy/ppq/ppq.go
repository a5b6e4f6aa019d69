// Package ppq implements preemptive priority queues (thesis 5.3.2 and 5.3.3): a kernel takes SMs from
// kernels of lower priority, as many as it has thread blocks for. Kernels of one priority
// share the GPU as under fcfs; an SM never has thread blocks of two priorities. In mode
// exclusive no kernel places thread blocks while a kernel of higher priority is active. In
// mode shared it takes the room that higher priorities leave, except room for their thread
// blocks on the way to memory.
package ppq

import (
	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "ppq",
		About: "preemptive priority queues; a kernel takes SMs from kernels of lower priority",
		Options: []policy.Option{
			{Name: "mode", About: "exclusive: lower priorities wait while a higher one is active; shared: they take the room left over", Default: "exclusive"},
			{Name: "preempt", About: "how an SM is taken away: switch, drain or ideal", Default: "switch"},
		},
		New: func(o *policy.Options) policy.Policy {
			return &ppq{exclusive: o.Choice("mode", "exclusive", "shared") == "exclusive",
				mechanism: o.Mechanism("preempt", policy.Switch, policy.Drain, policy.Ideal)}
		},
	})
}

type ppq struct {
	exclusive bool
	mechanism policy.Mechanism
	// coming counts SMs being emptied that no kernel before has spoken for.
	coming int
	// kept marks, by SM, that a kernel of higher priority will need it for thread blocks on
	// the way to memory.
	kept []bool
}

// Needs makes ppq a policy.Policy.
func (*ppq) Needs() policy.Needs { return policy.Needs{} }

// Decide has each priority's kernels place their thread blocks, the highest
// first.
func (p *ppq) Decide(v *policy.View, a policy.Actions) {
	p.coming = 0
	p.kept = append(p.kept[:0], make([]bool, len(v.SMs))...)
	for i := range v.SMs {
		if v.SMs[i].Reserved {
			p.coming++
		}
	}
	for level, ok := highest(v); ok; level, ok = below(v, level) {
		p.place(v, a, level)
		if p.exclusive {
			return
		}
		p.keep(v, level)
	}
}

// place is fcfs among the kernels of one priority.
func (p *ppq) place(v *policy.View, a policy.Actions, level int) {
	for _, tenant := range v.Active {
		if v.Tenants[tenant].Priority != level {
			continue
		}
		policy.Breadth(v, a, tenant, func(sm int) bool { return !p.kept[sm] && ofLevel(v, sm, level) })
		for v.Tenants[tenant].Waiting > p.coming {
			sm := victim(v, tenant, level)
			if sm < 0 {
				break
			}
			a.PreemptSM(sm, p.mechanism)
			p.coming++
		}
		p.coming -= min(p.coming, v.Tenants[tenant].Waiting)
		if v.Tenants[tenant].Waiting > 0 {
			return
		}
	}
}

// keep sets SMs aside for the thread blocks of a priority that will come back: empty SMs, or
// SMs being emptied, as many as place would take away again.
func (p *ppq) keep(v *policy.View, level int) {
	for _, tenant := range v.Active {
		if v.Tenants[tenant].Priority != level {
			continue
		}
		n := v.Returning(tenant)
		for i := 0; i < len(v.SMs) && n > 0; i++ {
			s := &v.SMs[i]
			if s.Reserved || p.kept[i] || !ofLevel(v, i, level) || !v.Holds(tenant, i) {
				continue
			}
			if s.Usage.TBs == 0 {
				p.kept[i] = true
				n--
				continue
			}
			// An SM with room beside its own thread blocks takes nothing from other kernels.
			for usage := s.Usage; n > 0 && s.Capacity.Fits(&usage, v.Tenants[tenant].Demand); n-- {
				usage.Take(v.Tenants[tenant].Demand)
			}
		}
		p.coming -= min(p.coming, n)
	}
}

// ofLevel reports whether an SM has no TB of another priority.
func ofLevel(v *policy.View, sm, level int) bool {
	for tenant, n := range v.SMs[sm].TBs {
		if n > 0 && v.Tenants[tenant].Priority != level {
			return false
		}
	}
	return true
}

// victim is the SM to take away for a tenant of a priority, among SMs where its TBs fit: the
// SM of the lowest priority, then with the fewest TBs, then the last; -1 if none has a lower
// priority.
func victim(v *policy.View, other, level int) int {
	best, bestLevel := -1, level
	for i := range v.SMs {
		s := &v.SMs[i]
		if s.Reserved || !v.Holds(other, i) {
			continue
		}
		for tenant := range s.TBs {
			if s.Staying(tenant) == 0 {
				continue
			}
			l := v.Tenants[tenant].Priority
			if l < bestLevel || best >= 0 && l == bestLevel && s.Usage.TBs <= v.SMs[best].Usage.TBs {
				best, bestLevel = i, l
			}
		}
	}
	return best
}

// highest is the highest priority of an active kernel, below the highest priority lower than
// another.
func highest(v *policy.View) (level int, ok bool) {
	for i, tenant := range v.Active {
		if l := v.Tenants[tenant].Priority; i == 0 || l > level {
			level, ok = l, true
		}
	}
	return level, ok
}

func below(v *policy.View, than int) (level int, ok bool) {
	for _, tenant := range v.Active {
		if l := v.Tenants[tenant].Priority; l < than && (!ok || l > level) {
			level, ok = l, true
		}
	}
	return level, ok
}
