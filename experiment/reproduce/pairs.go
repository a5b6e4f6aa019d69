package reproduce

import (
	"maps"

	"cotenant/experiment"
	"cotenant/platform/wiring"
)

// Measures of mixes that run once, beside the same applications one after the other.
func init() {
	maps.Copy(measures, map[string]*metric{
		"time over sequential": {lower: true, of: func(p *point) float64 { return overSequential(p.result) }},
		"time over alone":      {lower: true, of: func(p *point) float64 { return float64(p.result.Kernels[p.tenant()].NTT) }},
		"instructions of an SM in a cycle, alone": {of: onGPU(func(p *point, gpu *wiring.Config) float64 {
			return float64(p.result.Kernels[p.tenant()].IsolatedWIPC) * float64(gpu.SM.Schedulers)
		})},
	})
}

// overSequential is the time of a mix over the sum of its applications' times alone: 1 is the
// time of running one after the other, 1/n that of n equal applications that do not disturb
// each other.
func overSequential(r *experiment.Result) float64 {
	sum := 0.0
	for i := range r.Kernels {
		sum += float64(r.Kernels[i].IsolatedTurnaroundCycles)
	}
	return float64(r.Cycles) / sum
}
