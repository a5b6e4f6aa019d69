package reproduce

import (
	"fmt"
	"math"

	"cotenant/experiment"
	"cotenant/metrics"
)

// measure is a number of some cases, NaN if it is not defined.
type measure func([]qosCase) float64

// series is a measure that a figure shows beside others.
type series struct {
	name  string
	value measure
}

// result is that of a case under a policy.
func (d *Data) result(p named, c qosCase) *experiment.Result {
	return d.of(p.spec, c.specs(d.Scale))
}

// promise is what the tenants of a case with goals got under a policy; with two
// goals that of the one farther behind, since both are to be reached.
func (d *Data) promise(p named, c qosCase) metrics.Case {
	var cases []metrics.Case
	for _, k := range d.result(p, c).Kernels[:c.with] {
		cases = append(cases, metrics.Case{IPC: k.IPC, Goal: float64(k.GoalIPC)})
	}
	return metrics.Tightest(cases...)
}

// promises are those of some cases.
func (d *Data) promises(p named, cases []qosCase) (list []metrics.Case) {
	for _, c := range cases {
		list = append(list, d.promise(p, c))
	}
	return list
}

// reach is the share of the cases, in percent, that reach their goals under each of
// the policies.
func (d *Data) reach(policies ...named) measure {
	return func(cases []qosCase) float64 {
		var list []metrics.Case
		for _, c := range cases {
			var under []metrics.Case
			for _, p := range policies {
				under = append(under, d.promise(p, c))
			}
			list = append(list, metrics.Tightest(under...))
		}
		return 100 * metrics.QoSReach(list)
	}
}

// meanOf is the mean of a figure over the cases that reach their goals under each of
// the policies; without one over all.
func (d *Data) meanOf(figure func(qosCase) float64, reached ...named) measure {
	return func(cases []qosCase) float64 {
		var figures []float64
		for _, c := range cases {
			figures = append(figures, figure(c))
		}
		var schemes [][]metrics.Case
		for _, p := range reached {
			schemes = append(schemes, d.promises(p, cases))
		}
		return metrics.MeanReached(figures, schemes...)
	}
}

// others is the normalised IPC of the tenants without goals, of a case their mean,
// over the cases that reach the goals under p and the other policies.
func (d *Data) others(p named, also ...named) measure {
	return d.meanOf(func(c qosCase) float64 {
		sum := 0.0
		kernels := d.result(p, c).Kernels[c.with:]
		for _, k := range kernels {
			sum += float64(k.NormalizedIPC)
		}
		return sum / float64(len(kernels))
	}, append(also, p)...)
}

// over is by how much the tenants with goals exceed them, in percent, over the cases
// that reach them under p and the other policies.
func (d *Data) over(p named, also ...named) measure {
	mean := d.meanOf(func(c qosCase) float64 { return d.promise(p, c).OverGoal() }, append(also, p)...)
	return func(cases []qosCase) float64 { return 100 * (mean(cases) - 1) }
}

// relative is how much larger one measure is than another, in percent; not defined
// if the other is 0.
func relative(ours, base measure) measure {
	return func(cases []qosCase) float64 {
		x := 100 * (ours(cases)/base(cases) - 1)
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return x
	}
}

// minus is one measure less another.
func minus(ours, base measure) measure {
	return func(cases []qosCase) float64 { return ours(cases) - base(cases) }
}

// table makes the rows of some series for each goal of a set, and for all goals.
func (q qosSet) table(what, unit string, list ...series) (rows []Row) {
	for _, percent := range q.percents {
		rows = append(rows, q.row(what, fmt.Sprintf("%d %%", percent), unit, q.at(percent), list)...)
	}
	return append(rows, q.total(what, unit, list...)...)
}

// total makes the rows of some series for all goals of a set.
func (q qosSet) total(what, unit string, list ...series) []Row {
	return q.row(what, "all goals", unit, q.cases(), list)
}

func (q qosSet) row(what, goals, unit string, cases []qosCase, list []series) (rows []Row) {
	for _, s := range list {
		rows = append(rows, Row{Label: what + ", " + q.name + ", " + goals + ", " + s.name, Unit: unit, Ours: defined(s.value(cases))})
	}
	return rows
}

// against names a comparison: Rollover over Spart.
func against(p, base named) string { return p.name + " over " + base.name }

// defined is nil for NaN.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
