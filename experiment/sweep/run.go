package sweep

import "cotenant/experiment"

// Runs lists the runs of a matrix, in its order.
func (m *Matrix) Runs() (runs []experiment.Spec) {
	runs = []experiment.Spec{{IsolatedGPU: m.IsolatedGPU, UnknownOpcodeALU: m.UnknownOpcode == "alu", MaxCycles: uint64(m.MaxCycles),
		Check: m.Check, Strict: m.Strict || m.Check != "", Outside: m.Outside}}
	var mixes [][]string
	for i := range m.Mixes {
		mixes = append(mixes, m.Mixes[i].list()...)
	}
	runs = along(runs, m.GPUs, func(r *experiment.Spec, gpu string) { r.GPU = gpu })
	runs = along(runs, m.Policies, func(r *experiment.Spec, policy string) { r.Policy = policy })
	runs = along(runs, mixes, func(r *experiment.Spec, apps []string) { r.Apps = apps })
	runs = along(runs, m.Cycles, func(r *experiment.Spec, w Window) { r.Cycles, r.Until = w.Cycles, w.Until })
	for _, x := range experiment.AllParameters() {
		runs = along(runs, m.axes[x.Name], func(r *experiment.Spec, value string) {
			_ = x.Of(&r.Parameters).Set(value) // validate has refused other values
		})
	}
	return along(runs, m.Seeds, func(r *experiment.Spec, seed Seed) { r.Seed = uint64(seed) })
}

// along makes a run for each of some values; without values the runs stay.
func along[T any](runs []experiment.Spec, values []T, set func(*experiment.Spec, T)) (list []experiment.Spec) {
	if len(values) == 0 {
		return runs
	}
	for _, r := range runs {
		for _, value := range values {
			one := r
			set(&one, value)
			list = append(list, one)
		}
	}
	return list
}
