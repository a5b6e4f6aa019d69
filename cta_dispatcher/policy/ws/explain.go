package ws

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// explain says what was found out of the sets that have been profiled.
func (w *ws) explain() *policy.Decision {
	if len(w.known) == 0 {
		return nil
	}
	d := &policy.Decision{}
	for i := range w.known {
		f := &w.known[i]
		set := policy.DecidedSet{Present: slices.Equal(f.set, w.last), Phase: "shared"}
		if f.tbs == nil {
			set.Phase = "divided"
		}
		for k, m := range f.set {
			most := len(f.curves[k]) - 1
			kernel := policy.Decided(m.tenant, m.demand, most)
			scaling := &policy.Scaling{}
			for n := range f.curves[k] {
				scaling.Performance = append(scaling.Performance, policy.Decisive(level(f.curves[k], n)))
			}
			if f.tbs != nil {
				kernel.CTAs, scaling.Predicted = f.tbs[k], policy.Decisive(f.levels[k])
			}
			kernel.Scaling = scaling
			set.Kernels = append(set.Kernels, kernel)
		}
		d.Sets = append(d.Sets, set)
	}
	return d
}
