package page

import (
	"fmt"
	"strings"

	"cotenant/interconnect"
	"cotenant/metrics"
	"cotenant/observe/sample"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// progress draws each tenant's IPC over its isolated IPC.
func (r *Report) progress() chart {
	c := chart{ID: "progress", Unit: "of its speed alone", Title: "Normalised progress", Wide: true, Height: 300, mayBeAbsent: true,
		About: "Thread instructions per core cycle in each interval, over the tenant's mean when it runs alone: 1 means that sharing costs it nothing. There is no line before the tenant's process has arrived and after its end."}
	return r.overTime(c, opts.YAxis{Name: "normalised IPC", Min: 0}, false, r.normalised, lineAtOne()...)
}

// normalised is a tenant's IPC in an interval over its isolated IPC.
func (r *Report) normalised(k int, from, to *sample.Sample) float64 {
	begin, end := r.span(k)
	isolated := r.Result.Kernels[k].IsolatedIPC * float64(min(to.Cycle, end)-max(from.Cycle, begin))
	return metrics.Normalized(float64(to.Tenants[k].ThreadInstructions-from.Tenants[k].ThreadInstructions), isolated)
}

// occupancy draws each tenant's share of the threads that fit on the GPU.
func (r *Report) occupancy() chart {
	room := float64(r.Config.Threads())
	var threads []string // of each group of SMs
	for _, g := range r.Config.SMs {
		threads = append(threads, fmt.Sprintf("%d x %d", g.Count, r.Config.SpecOf(g.Kind).Threads))
	}
	c := chart{ID: "occupancy", Unit: "%", Title: "Occupancy", Height: 280,
		About: fmt.Sprintf("Resident threads, in per cent of the %s that the SMs hold.", strings.Join(threads, " + "))}
	return r.overTime(c, opts.YAxis{Name: "threads", Min: 0, Max: 100, AxisLabel: &opts.AxisLabel{Formatter: percent}}, true,
		func(k int, from, to *sample.Sample) float64 {
			return over(100*float64(to.Tenants[k].ThreadCycles-from.Tenants[k].ThreadCycles), room*float64(to.Cycle-from.Cycle))
		})
}

// bandwidths draw the traffic of the DRAM's channels and of the two crossbars: the growth of a
// count of bytes.
func (r *Report) bandwidths() (list []chart) {
	request, reply := r.Config.RequestNoC, r.Config.ReplyNoC
	hz := float64(r.Config.Clocks.Core) * 1e6
	for _, b := range []struct {
		id, title, about string
		bytes            func(*sample.Tenant) float64
	}{
		{"dram", "DRAM bandwidth", fmt.Sprintf("Bytes read and written by all channels. The data buses' peak is %.0f GB/s.", r.Result.DRAM.PeakGigabytes),
			func(t *sample.Tenant) float64 { return float64(t.DRAMBytes) }},
		{"requests", "Crossbar to the L2", r.crossbar("Requests and written data", request, r.Config.Address.Slices),
			func(t *sample.Tenant) float64 { return float64(t.RequestFlits) * float64(request.FlitBytes) }},
		{"replies", "Crossbar to the SMs", r.crossbar("Read data and acknowledgements", reply, r.Config.SMs.Count()),
			func(t *sample.Tenant) float64 { return float64(t.ReplyFlits) * float64(reply.FlitBytes) }},
	} {
		c := chart{ID: b.id, Unit: "GB/s", Title: b.title, About: b.about, Height: 280}
		list = append(list, r.overTime(c, opts.YAxis{Name: "GB/s", Min: 0}, true, func(k int, from, to *sample.Sample) float64 {
			return over((b.bytes(&to.Tenants[k])-b.bytes(&from.Tenants[k]))*hz/1e9, float64(to.Cycle-from.Cycle))
		}))
	}
	return list
}

// crossbar describes a crossbar with a number of outputs, each of one flit a cycle.
func (r *Report) crossbar(what string, spec interconnect.Spec, outputs int) string {
	peak := float64(spec.FlitBytes) * float64(outputs) * float64(r.Config.Clocks.NoC) * 1e6 / 1e9
	return fmt.Sprintf("%s, whole flits of %d bytes, headers included. The %d outputs' peak is %.0f GB/s.", what, spec.FlitBytes, outputs, peak)
}

// over is a ratio, 0 if b is 0.
func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// lineAtOne is a line across a chart.
func lineAtOne() []charts.SeriesOpts {
	return []charts.SeriesOpts{charts.WithMarkLineNameYAxisItemOpts(opts.MarkLineNameYAxisItem{YAxis: 1}),
		charts.WithMarkLineStyleOpts(opts.MarkLineStyle{Symbol: []string{"none"}, Label: &opts.Label{Show: opts.Bool(false)},
			LineStyle: &opts.LineStyle{Color: "#8a93a3", Type: "dashed", Width: 1}})}
}
