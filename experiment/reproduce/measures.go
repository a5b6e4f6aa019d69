package reproduce

import (
	"fmt"
	"maps"
	"math"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/experiment"
)

// ofResult is a metric that results have.
func ofResult(value func(*experiment.Result) experiment.Figure) func(*point) float64 {
	return func(p *point) float64 { return float64(value(p.result)) }
}

func init() {
	stp := ofResult(func(r *experiment.Result) experiment.Figure { return r.STP })
	antt := ofResult(func(r *experiment.Result) experiment.Figure { return r.ANTT })
	maps.Copy(measures, map[string]*metric{
		"STP":      {of: stp},
		"ANTT":     {of: antt, lower: true},
		"fairness": {of: ofResult(func(r *experiment.Result) experiment.Figure { return r.Fairness })},
		// Of the workloads for which they are defined.
		"fairness improvement": {mean: known, of: ofResult(func(r *experiment.Result) experiment.Figure { return r.Fairness })},
		"STP degradation":      {mean: known, lower: true, of: stp},
		"turnaround of the preferred process": {mean: known, lower: true, each: func(p *point) []float64 {
			return p.turnarounds(p.of, p.mix.preferred, p.mix.preferred+1)
		}},
		"turnaround of every process": {mean: known, lower: true, each: func(p *point) []float64 {
			return p.turnarounds(p.of+" application", 0, len(p.mix.apps))
		}},
		"IPC": {of: func(p *point) float64 { return p.result.Kernels[p.tenant()].IPC }},
		// What moving thread blocks costs the memory.
		"contexts in DRAM traffic": {unit: "%", of: func(p *point) float64 {
			moved := uint64(0)
			for i := range p.result.Kernels {
				moved += p.result.Kernels[i].ContextBytes + p.result.Kernels[i].RestoredBytes
			}
			return 100 * float64(moved) / float64(max(1, p.result.DRAM.Bytes))
		}},
		// The stalls of the SMK paper (6.4) in our causes. Cycles in which a scheduler has no
		// warp at all are none of them.
		"pipeline stalls":  stalls("lsu_full", "pipe_other"),
		"control stalls":   stalls("control"),
		"data stalls":      stalls("raw_long", "raw_other"),
		"all three stalls": stalls("lsu_full", "pipe_other", "control", "raw_long", "raw_other"),
		"stall cycles": {unit: "%", of: func(p *point) float64 {
			total := 0.0
			for _, n := range p.result.Stalls {
				total += float64(n)
			}
			return 100 - 100*float64(p.result.Stalls["issued"])/total
		}},
		// What the thread blocks of an application's first kernel take of an SM.
		"registers": {unit: "%", without: taken(func(d *occupancy.Demand, sm *occupancy.Capacity) (part, whole int) { return d.Registers, sm.Registers })},
		"shared memory": {unit: "%", without: taken(func(d *occupancy.Demand, sm *occupancy.Capacity) (part, whole int) {
			return d.SharedBytes, sm.SharedOptions[0]
		})},
		"threads": {unit: "%", without: taken(func(d *occupancy.Demand, sm *occupancy.Capacity) (part, whole int) { return d.Threads, sm.Threads })},
	})
	bests["STP"] = func(_ *evaluation, r *experiment.Result, _ *mix) float64 { return float64(r.STP) }
	bests["ANTT"] = func(_ *evaluation, r *experiment.Result, _ *mix) float64 { return -float64(r.ANTT) }
}

// turnarounds are the normalised turnaround times of the processes in a range: of a class, or
// of all for AVERAGE.
func (p *point) turnarounds(class string, from, before int) (list []float64) {
	for i := from; i < before; i++ {
		if p.of == "AVERAGE" || p.figure.hasClass(p.mix.apps[i], class) {
			list = append(list, float64(p.result.Kernels[i].NTT))
		}
	}
	return list
}

// stalls sums scheduler-cycles of some causes.
func stalls(causes ...string) *metric {
	return &metric{mean: summed, of: func(p *point) (sum float64) {
		for _, cause := range causes {
			sum += float64(p.result.Stalls[cause])
		}
		return sum
	}}
}

// taken is what as many thread blocks of a mix's application as an SM holds take of it, in
// percent.
func taken(of func(*occupancy.Demand, *occupancy.Capacity) (part, whole int)) func(*point) float64 {
	return func(p *point) float64 {
		name := p.mix.apps[0]
		spec := p.figure.spec(p.Scale, name)
		gpu, kernels := p.gpu(p.Scale.GPU), p.kernels(spec)
		if gpu == nil || kernels == nil {
			return math.NaN()
		}
		kernel := kernels[0]
		if a, _ := p.figure.application(name); kernel.Name != a.Kernel {
			p.fail(fmt.Errorf("%s starts with kernel %s, not with %s", spec, kernel.Name, a.Kernel))
			return math.NaN()
		}
		sm, demand := gpu.SM.Capacity(), dispatcher.DemandOf(kernel)
		tbs, _ := sm.Occupancy(demand)
		all := demand.Times(tbs)
		part, whole := of(&all, &sm)
		return 100 * float64(part) / float64(whole)
	}
}
