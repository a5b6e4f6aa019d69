package reproduce

import (
	"cotenant/platform/wiring"
	"maps"
	"math"

	"cotenant/metrics"
)

// promise is what the tenants of a mix with goals got by a way; with two goals that of the
// one farther behind, since both are to be reached.
func (d *evaluation) promise(w *way, m *mix) metrics.Case {
	if d.asked != nil || m.key == noMix {
		return d.got(w, m)
	}
	key := promiseKey{w, m.key}
	p, ok := d.promised[key]
	if !ok {
		p = d.got(w, m)
		d.promised[key] = p
	}
	return p
}

func (d *evaluation) got(w *way, m *mix) metrics.Case {
	result, _ := d.outcome(w, m, "")
	if result == nil {
		return metrics.Tightest()
	}
	var cases []metrics.Case
	for _, k := range result.Kernels[:m.goals] {
		cases = append(cases, metrics.Case{IPC: k.IPC, Goal: float64(k.GoalIPC)})
	}
	return metrics.Tightest(cases...)
}

// promises are the goals' cases of some mixes.
func (d *evaluation) promises(w *way, mixes []mix) []metrics.Case {
	list := make([]metrics.Case, 0, len(mixes))
	for i := range mixes {
		list = append(list, d.promise(w, &mixes[i]))
	}
	return list
}

// reach is the share of a row's mixes, in percent, that reach their goals by a way, and by
// what else the row says.
func (d *evaluation) reach(c *cell, w *way) float64 {
	ways := append(d.figure.reached(c), w)
	if c.and != nil {
		ways = append(ways, c.and)
	}
	var list []metrics.Case
	for i := range c.mixes {
		var under []metrics.Case
		for _, w := range ways {
			under = append(under, d.promise(w, &c.mixes[i]))
		}
		list = append(list, metrics.Tightest(under...))
	}
	return 100 * metrics.QoSReach(list)
}

// missed is the share of a row's mixes, in percent, that miss their goals by as much as one
// of the bins of metrics.Shortfalls says.
func missed(bin int) *metric {
	return &metric{unit: "%", whole: func(d *evaluation, c *cell, w *way) float64 {
		return 100 * float64(metrics.Shortfalls(d.promises(w, c.mixes))[bin]) / float64(len(c.mixes))
	}}
}

func init() {
	maps.Copy(measures, map[string]*metric{
		"QoSreach":                 {unit: "%", whole: (*evaluation).reach},
		"missed":                   {unit: "%", whole: func(d *evaluation, c *cell, w *way) float64 { return 100 - d.reach(c, w) }},
		"missed by at most 5 %":    missed(0),
		"missed by 5 to 10 %":      missed(1),
		"missed by 10 to 15 %":     missed(2),
		"missed by 15 to 20 %":     missed(3),
		"missed by more than 20 %": missed(4),
		// Of none it is 0 over 0, not defined.
		"missed by at most 5 %, of all missed": {unit: "%", whole: func(d *evaluation, c *cell, w *way) float64 {
			bins, all := metrics.Shortfalls(d.promises(w, c.mixes)), 0
			for _, n := range bins {
				all += n
			}
			return 100 * float64(bins[0]) / float64(all)
		}},
		"applications that reach all goals": {whole: (*evaluation).reachingAll},
		// By how much the tenants with goals exceed them.
		"over the goal": {unit: "%", reached: true, shown: above1, of: func(p *point) float64 { return p.promise(p.way, p.mix).OverGoal() }},
		// The normalised IPC of the tenants without goals, of a mix their mean.
		"throughput": {reached: true, of: func(p *point) float64 {
			sum := 0.0
			kernels := p.result.Kernels[p.mix.goals:]
			for _, k := range kernels {
				sum += float64(k.NormalizedIPC)
			}
			return sum / float64(len(kernels))
		}},
		"instructions per watt": {of: func(p *point) float64 {
			gpu := p.gpu(p.run.GPU)
			if gpu == nil {
				return math.NaN()
			}
			c, err := p.result.Energies(gpu)
			if err != nil {
				p.fail(err)
				return math.NaN()
			}
			return c.InstructionsPerWatt(gpu.Events(p.result.Stats, wiring.All, p.result.Cycles))
		}},
	})
}

// reachingAll counts the applications that reach their goals in all of a row's mixes that
// they begin.
func (d *evaluation) reachingAll(c *cell, w *way) float64 {
	all, known := map[string]bool{}, true
	for i := range c.mixes {
		promise, first := d.promise(w, &c.mixes[i]), c.mixes[i].apps[0]
		before, seen := all[first]
		all[first] = (before || !seen) && promise.Reached()
		known = known && !math.IsNaN(promise.OverGoal())
	}
	count := 0.0
	for _, reached := range all {
		count += yes(reached)
	}
	if !known {
		return math.NaN()
	}
	return count
}
