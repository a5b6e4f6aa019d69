package ws

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// clear sets all targets to nothing.
func (w *ws) clear() {
	w.targets.Clear()
	for i := range w.profiled {
		w.profiled[i] = -1
	}
}

// divide gives each kernel SMs of its own. numbers lists the kernel's thread blocks on each of
// its SMs, from their number and the most that fit; nil for as many as fit.
func (w *ws) divide(v *policy.View, numbers func(sms, most int) []int) {
	w.clear()
	for k, m := range w.set {
		first, end := part(len(v.SMs), len(w.set), k)
		most, _ := v.SMs[0].Capacity.Occupancy(m.demand)
		for i := first; i < end; i++ {
			w.profiled[i] = k
			w.targets.TBs[m.tenant][i] = most
		}
		if numbers != nil {
			copy(w.targets.TBs[m.tenant][first:end], numbers(end-first, most))
		}
	}
}

// read lists the samples of the SMs that have the intended thread blocks at the end, by
// kernel; nil for a kernel without any.
func (w *ws) read(v *policy.View) (points [][]point) {
	points = make([][]point, len(w.set))
	for i, k := range w.profiled {
		if k < 0 {
			continue
		}
		tenant, s := w.set[k].tenant, &v.SMs[i]
		counted, cycles := v.SMWindow(i)
		if n := w.targets.TBs[tenant][i]; cycles > 0 && s.TBs[tenant] == n && s.Only(tenant) {
			t := &counted.Tenants[tenant]
			points[k] = append(points[k], point{tbs: n, ipc: float64(t.ThreadInstructions) / float64(cycles),
				stalls: float64(t.MemoryStalls) / float64(cycles) / float64(s.Schedulers)})
		}
	}
	return points
}

// registers lists the phase (0 a kernel alone, 1 warm-up, 2 sample, 3 shared, 4 divided), and
// of each tenant the most thread blocks that it may have on an SM, and the predicted part of
// its best performance while SMs are shared, else 0.
func (w *ws) registers() []policy.RegisterValue {
	list := []policy.RegisterValue{{Name: "phase", Tenant: -1, Value: float64(w.phase)}}
	for tenant, tbs := range w.targets.TBs {
		list = append(list, policy.RegisterValue{Name: "tbs", Tenant: tenant, Value: float64(slices.Max(tbs))},
			policy.RegisterValue{Name: "predicted", Tenant: tenant})
	}
	if w.phase == shared {
		for k, m := range w.last.set {
			list[2+2*m.tenant].Value = w.last.levels[k]
		}
	}
	return list
}
