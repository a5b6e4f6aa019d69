package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/experiment"
	"cotenant/platform/wiring"
)

// What a run's launches say of their kernels.
func init() {
	maps.Copy(measures, map[string]*metric{
		// The largest launch of the application's kernel.
		"performance": {mean: geometric, of: func(p *point) float64 { return mainLaunch(p.result, p.kernel()).IPC }},
		"time":        {mean: geometric, lower: true, of: func(p *point) float64 { return launched(p.result) }},
		"kernel time": {mean: geometric, lower: true, of: func(p *point) float64 {
			if l := mainLaunch(p.result, p.kernel()); l.EndCycle > 0 {
				return float64(l.EndCycle - l.StartCycle)
			}
			return math.NaN()
		}},
		"largest launch": {unit: "us", lower: true, of: onGPU(func(p *point, gpu *wiring.Config) float64 {
			if l := mainLaunch(p.result, p.kernel()); l.EndCycle > 0 {
				return float64(l.EndCycle-l.StartCycle) / float64(gpu.Clocks.Core)
			}
			return math.NaN()
		})},
		// Regions that were served: on how many there are depends what can be gained.
		"faults": {of: func(p *point) float64 { return counter(p.result, "fill", "regions", everybody) }},
		"launch time": {unit: "us", of: onGPU(func(p *point, gpu *wiring.Config) float64 {
			return launchTime(p.result, p.kernel(), gpu.Clocks.Core)
		})},
		"save time": {unit: "us", without: savedIn},
	})
	makers["mean over the paper's"] = func(_ *evaluation, before []Row) []Row {
		var ratios []float64
		for _, r := range before {
			if r.Ours != nil && r.Paper != nil {
				ratios = append(ratios, *r.Ours / *r.Paper)
			}
		}
		return []Row{figureRow("geometric mean of ours over the paper's", "", geometricMean(ratios))}
	}
}

// kernel is the measured kernel of the mix's first application.
func (p *point) kernel() string {
	a, _ := p.figure.application(p.mix.apps[0])
	return a.Kernel
}

// mainLaunch is a kernel's launch with most thread blocks, the first of several. Its IPC is its
// performance, as it always issues the same; NaN if there is none.
func mainLaunch(r *experiment.Result, kernel string) experiment.LaunchResult {
	main := experiment.LaunchResult{IPC: math.NaN()}
	for _, tenant := range r.Kernels {
		for _, l := range tenant.Launches {
			if l.Kernel == kernel && l.TBs > main.TBs {
				main = l
			}
		}
	}
	return main
}

// launched is the time of all launches, in cycles: the first that accesses a page waits for
// it. NaN if one has not ended.
func launched(r *experiment.Result) float64 {
	cycles := math.NaN()
	for _, tenant := range r.Kernels {
		for i, l := range tenant.Launches {
			if i == 0 {
				cycles = 0
			}
			if l.EndCycle == 0 {
				return math.NaN()
			}
			cycles += float64(l.EndCycle - l.StartCycle)
		}
	}
	return cycles
}

// launchTime is the mean time of a kernel's launches, in microseconds of a clock in MHz; NaN
// if none has ended.
func launchTime(r *experiment.Result, kernel string, mhz int) float64 {
	cycles, n := uint64(0), 0
	for _, k := range r.Kernels {
		for _, l := range k.Launches {
			if l.Kernel == kernel && l.EndCycle > 0 {
				cycles += l.EndCycle - l.StartCycle
				n++
			}
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return float64(cycles) / float64(n) / float64(mhz)
}

// savedIn is the time to save the contexts of an SM that is full of a kernel's thread blocks,
// in microseconds.
func savedIn(p *point) float64 {
	spec := p.figure.spec(p.Scale, p.mix.apps[0])
	gpu, kernels := p.gpu(p.Scale.GPU), p.kernels(spec)
	if gpu == nil || kernels == nil {
		return math.NaN()
	}
	sm := gpu.SM.Capacity()
	for _, kernel := range kernels {
		if kernel.Name != p.kernel() {
			continue
		}
		holds, _ := sm.Occupancy(dispatcher.DemandOf(kernel))
		cycles, tbs, err := saveTime(context.Background(), *gpu, kernel)
		if err == nil && tbs != uint64(holds) {
			err = fmt.Errorf("%s: %d thread blocks were saved, an SM holds %d", kernel.Name, tbs, holds)
		}
		if err != nil {
			p.fail(err)
			return math.NaN()
		}
		return float64(cycles) / float64(gpu.Clocks.Core)
	}
	p.fail(fmt.Errorf("%s has no kernel %s", spec, p.kernel()))
	return math.NaN()
}
