package page

import (
	"fmt"

	"cotenant/components/stats"
	"cotenant/observe/look"
	"cotenant/observe/sample"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// faultTable is the table of page faults; it has no rows without faults.
type faultTable struct {
	About string
	Rows  []*row
}

// paged reports whether some pages were outside the GPU's memory when the applications
// started.
func (r *Report) paged() bool { return r.Config.MMU.On() && r.Result.Pages != "" }

// faulted reports whether a region was in flight at any time.
func (r *Report) faulted() bool {
	if !r.paged() || len(r.Samples) == 0 {
		return false
	}
	for _, k := range r.Samples[len(r.Samples)-1].Tenants {
		if k.RegionCycles > 0 {
			return true
		}
	}
	return false
}

// counter is a counter of a list; 0 if the list lacks it.
func counter(list stats.Counts, name string) uint64 {
	n, _ := list.Get(name)
	return n
}

func (r *Report) faultTable() (t faultTable) {
	if !r.paged() {
		return t
	}
	s := r.Result.Stats
	t.About = fmt.Sprintf("With --pages %s. At most %s regions of %s KiB were in flight at a time.",
		r.Result.Pages, grouped(counter(s["fill"].Total, "pending_maximum")), number(float64(r.Config.MMU.Fill.RegionBytes)/1024))
	if r.Config.Driver.BlockSwitching.Extra > 0 {
		t.About += fmt.Sprintf(" An SM had at most %s thread blocks off the chip.", grouped(counter(s["driver"].Total, "off_chip_max")))
	}
	for i := range r.Tenants {
		of := func(key, name string) uint64 {
			if i >= len(s[key].Tenants) {
				return 0
			}
			return counter(s[key].Tenants[i], name)
		}
		t.Rows = append(t.Rows, r.rowOf(i).numbers(
			"page walks", grouped(of("fill", "walks")), "that found data with the CPU", grouped(of("fill", "migrates")),
			"no memory", grouped(of("fill", "allocates")), "a region in flight (merged)", grouped(of("fill", "merged")),
			"regions served", grouped(of("fill", "regions")),
			"after, cycles (mean)", number(over(float64(of("fill", "service_cycles")), float64(of("fill", "regions")))),
			"handlers run on SMs", grouped(of("sm", "handled_faults")), "moved, KiB", kibibytes(of("pager", "bytes")),
			"link busy, % of the run", tenth(over(100*float64(of("pager", "busy_cycles")), float64(r.Result.Cycles))),
			"instructions that faulted", grouped(of("sm", "faults")), "replayed", grouped(of("sm", "replays")),
			"TBs switched", grouped(of("driver", "block_switches"))))
	}
	return t
}

// faultsInFlight draws the regions in flight over time, and the active warps (thesis
// Figure 6.2).
func (r *Report) faultsInFlight() chart {
	c := chart{ID: "faults", Title: "Page faults in flight and active warps", Wide: true, Height: 300,
		About: fmt.Sprintf("Regions of %s KiB between the walk that missed them and the news of their service, the mean of each interval, one tenant above the other; and, at each moment, the warps on all SMs that do not wait for a page fault.",
			number(float64(r.Config.MMU.Fill.RegionBytes)/1024))}
	warps := charts.NewLine()
	var active []opts.LineData
	for i := range r.Samples {
		active = append(active, opts.LineData{Value: r.Samples[i].Warps - r.Samples[i].WaitingWarps})
	}
	warps.AddSeries("active warps", active, charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false), YAxisIndex: 1}),
		charts.WithLineStyleOpts(opts.LineStyle{Color: look.Ink, Width: 1.4}), charts.WithItemStyleOpts(opts.ItemStyle{Color: look.Ink}))
	c = r.overTimeWith(c, opts.YAxis{Name: "regions in flight", Min: 0}, true, func(k int, from, to *sample.Sample) float64 {
		return over(float64(to.Tenants[k].RegionCycles-from.Tenants[k].RegionCycles), float64(to.Cycle-from.Cycle))
	}, func(line *charts.Line) {
		line.ExtendYAxis(opts.YAxis{Name: "active warps", Min: 0, NameLocation: "middle", NameGap: 44, SplitLine: &opts.SplitLine{Show: opts.Bool(false)}})
		line.Overlap(warps)
	})
	c.Option["grid"].([]opts.Grid)[0].Right = "64" // the second axis has a name
	return c
}
