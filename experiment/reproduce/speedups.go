package reproduce

import (
	"maps"
	"math"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/wiring"
)

// Loads on the idle GPU, from their issue to their data, in core cycles (CCBP Table 1).
const (
	idleL2   = 200
	idleDRAM = 380
)

// onGPU is a metric that takes the parameters of the scale's GPU.
func onGPU(of func(p *point, gpu *wiring.Config) float64) func(*point) float64 {
	return func(p *point) float64 {
		if gpu := p.gpu(p.Scale.GPU); gpu != nil {
			return of(p, gpu)
		}
		return math.NaN()
	}
}

// The metrics of the CCBP paper.
func init() {
	for name, of := range map[string]func([]float64) float64{"HSpeedup": metrics.HSpeedup, "WSpeedup": metrics.STP} {
		measures[name] = &metric{mean: geometric, best: name, also: alone, of: func(p *point) float64 { return of(p.normalized(p.result, p.mix)) }}
		bests[name] = func(d *evaluation, r *experiment.Result, m *mix) float64 { return of(d.normalized(r, m)) }
	}
	maps.Copy(measures, map[string]*metric{
		"slowdown":                {also: alone, of: func(p *point) float64 { return metrics.NTT(p.normalized(p.result, p.mix)[p.tenant()]) }},
		"read latency over alone": {also: func(p *point) { p.latencyOverAlone() }, of: (*point).latencyOverAlone},
		"read latency over idle": {of: func(p *point) float64 {
			missed := 1 - float64(p.result.Kernels[0].L2.HitRate)
			return readLatency(p.result, 0) / (missed*idleDRAM + (1-missed)*idleL2)
		}},
		// Of what the crossbar and the DRAM sustain.
		"NoC use": {unit: "%", of: onGPU(func(p *point, gpu *wiring.Config) float64 {
			return 100 * nocUse(p.result, gpu, p.chosen()) / sustainedNoC
		})},
		"DRAM use":        {unit: "%", of: func(p *point) float64 { return 100 * p.result.DRAM.Utilization / sustainedDRAM }},
		"use of the NoC":  {unit: "%", shown: percent, of: onGPU(func(p *point, gpu *wiring.Config) float64 { return nocUse(p.result, gpu, everybody) / sustainedNoC })},
		"use of the DRAM": {unit: "%", shown: percent, of: func(p *point) float64 { return p.result.DRAM.Utilization / sustainedDRAM }},
		// Of the peak.
		"part of the peak":      {unit: "%", of: onGPU(func(p *point, gpu *wiring.Config) float64 { return 100 * p.result.Kernels[0].IPC / peakIPC(gpu) })},
		"NoC bandwidth":         {unit: "%", of: onGPU(func(p *point, gpu *wiring.Config) float64 { return 100 * nocUse(p.result, gpu, 0) })},
		"DRAM bandwidth":        {unit: "%", of: func(p *point) float64 { return 100 * p.result.DRAM.Utilization }},
		"L2 misses":             {unit: "%", of: func(p *point) float64 { return 100 * (1 - float64(p.result.L2.HitRate)) }},
		"bound by the crossbar": {of: onGPU(func(p *point, gpu *wiring.Config) float64 { return boundByNoC(p.result, gpu) })},
		// In percent of the cycles in which warps of the application stall.
		"RAW_long": stalledBy(func(s *Stalls) uint64 { return s.Memory }),
		"LSU_full": stalledBy(func(s *Stalls) uint64 { return s.LSU }),
	})
}

func percent(x float64) float64 { return 100 * x }

// chosen is the number of the application that the rows are of, everybody if they are of none.
func (p *point) chosen() int {
	if p.of == "" {
		return everybody
	}
	return p.tenant()
}

// alone asks for the runs of each application of a mix alone.
func alone(p *point) { p.normalized(nil, p.mix) }

// normalized are the IPCs of a mix over the isolated IPCs in the paper's way.
func (d *evaluation) normalized(r *experiment.Result, m *mix) (list []float64) {
	w, _ := d.figure.way("alone")
	for i := range m.apps {
		own, _ := d.outcome(w, &mix{apps: m.apps[i : i+1]}, "")
		if own == nil || r == nil {
			list = append(list, math.NaN())
			continue
		}
		list = append(list, metrics.Normalized(r.Kernels[i].IPC, own.Kernels[0].IPC))
	}
	return list
}

// latencyOverAlone is a tenant's mean read latency in a mix over that alone. On a machine
// without controllers it is not counted: the same run is made on one with controllers.
func (p *point) latencyOverAlone() float64 {
	timed, _ := p.figure.way("alone and timed")
	own, _ := p.outcome(timed, &mix{apps: p.mix.apps[p.tenant() : p.tenant()+1]}, "")
	if p.run.Policy == "" {
		return math.NaN()
	}
	counted := p.result
	if p.way.Machine != "rated" {
		gpu := with(p.figure.gpuOf(p.Scale, timed.Machine), p.way.Options)
		counted = p.ask(p.figure.run(p.Scale, gpu, p.run.Policy, p.way, p.mix))
	}
	if counted == nil || own == nil {
		return math.NaN()
	}
	return readLatency(counted, p.tenant()) / readLatency(own, 0)
}

// stalledBy is the part of an application's stalls that a cause has, over the whole run.
func stalledBy(cause func(*Stalls) uint64) *metric {
	return &metric{unit: "%", of: func(p *point) float64 {
		list := p.samples()
		if len(list) == 0 {
			return math.NaN()
		}
		s := &list[len(list)-1].Stalls[p.tenant()]
		return 100 * float64(cause(s)) / float64(s.All)
	}}
}
