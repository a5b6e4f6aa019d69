package page

import (
	"slices"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/observe/sample"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// promised reports whether a tenant had a goal.
func (r *Report) promised() bool {
	return slices.ContainsFunc(r.Result.Kernels, func(k experiment.KernelResult) bool { return k.HasGoal() })
}

// promises draws the IPC so far of each tenant with a goal, over its goal.
func (r *Report) promises() chart {
	c := chart{ID: "goals", Unit: "of its goal", Title: "IPC over goal", Wide: true, Height: 300, mayBeAbsent: true,
		has:   func(k int) bool { return r.Result.Kernels[k].HasGoal() },
		About: "Thread instructions per core cycle from the tenant's arrival up to each moment, over the IPC that it was promised. The last value is what counts: at 1 or above, the dashed line, the goal was reached."}
	soFar := func(k int, _, to *sample.Sample) float64 {
		begin, end := r.span(k)
		promised := float64(r.Result.Kernels[k].GoalIPC) * float64(min(to.Cycle, end)-begin)
		return metrics.Case{IPC: float64(to.Tenants[k].ThreadInstructions), Goal: promised}.OverGoal()
	}
	y := opts.YAxis{Name: "IPC over goal", Min: 0}
	if r.below(1, c.has, soFar) {
		y.Max = 1 // else the line would lie outside
	}
	return r.overTime(c, y, false, soFar, lineAtOne()...)
}

// below reports whether all values of some tenants are below a bound.
func (r *Report) below(bound float64, has func(tenant int) bool, value series) bool {
	for k := range r.Tenants {
		if !has(k) {
			continue
		}
		if slices.ContainsFunc(r.points(k, value, true), func(d opts.LineData) bool {
			v, there := d.Value.(float64)
			return there && v >= bound
		}) {
			return false
		}
	}
	return true
}
