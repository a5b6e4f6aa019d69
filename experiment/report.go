package experiment

import (
	"cotenant/components/stats"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/metrics"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/tenant"
)

// report makes the result of a co-run from its counters and the applications' figures
// alone. The applications have their goals.
func (r *Run) report(gpu *wiring.Platform, apps []App, alone []Isolated) *Result {
	end := gpu.Cycles(r.window())
	cycles := end - r.Warmup
	result := &Result{
		Schema: Schema, GPU: r.GPU.Name, Policy: r.Policy, Seed: r.Seed, Version: r.Version,
		ConfigHash: r.ConfigHash(), Mode: "done", Replays: r.Replays(), Cycles: cycles,
		Parameters: r.Parameters.normal(),
	}
	switch {
	case r.Cycles > 0:
		result.Mode = "cycles"
	case result.Replays > 0:
		result.Mode = "replays"
	}
	if r.IsolatedGPU != nil {
		result.IsolatedGPU = r.IsolatedGPU.Name
	}
	c := gpu.Counted(end)
	normalized, marks := make([]float64, len(apps)), tenant.Marks(r.names())
	for i, app := range apps {
		k := r.kernelResult(gpu, c, i)
		k.App, k.Mark = app.Spec, marks[i]
		k.Priority = app.Priority
		k.IsolatedIPC, k.IsolatedWIPC, k.IsolatedTurnaroundCycles = alone[i].IPC, positive(alone[i].WIPC), positive(alone[i].Turnaround)
		normalized[i] = metrics.Normalized(k.IPC, alone[i].IPC)
		if result.Replays > 0 {
			// Of completed runs, not of what the last one had come to (thesis 5.3.1).
			normalized[i] = metrics.Normalized(float64(k.IsolatedTurnaroundCycles), float64(k.MeanTurnaroundCycles))
		}
		k.NormalizedIPC, k.NTT = Figure(normalized[i]), Figure(metrics.NTT(normalized[i]))
		k.promise(app.Goal)
		result.Kernels = append(result.Kernels, k)
	}
	result.STP = Figure(metrics.STP(normalized))
	result.WSpeedup = result.STP
	result.ANTT = Figure(metrics.ANTT(normalized))
	result.Fairness = Figure(metrics.Fairness(normalized))
	result.HSpeedup = Figure(metrics.HSpeedup(normalized))

	if times := gpu.Latencies(); times != nil {
		result.addLatencies(times)
	}
	result.whole(gpu, c)
	result.Stats, result.Blocks = gpu.CountedStats(end, len(r.Apps))
	return result
}

// whole sets the figures of the whole GPU.
func (s *Result) whole(gpu *wiring.Platform, c *wiring.Counters) {
	total := c.Total()
	stats.Fill(s, c, &total, &total.SM)
	s.Stalls = total.SM.Stalls.ByName()
	several := len(gpu.Config.Kinds()) > 1
	for i, of := range gpu.Config.SMList() {
		total := c.SMs[i].Total()
		m := SMResult{ID: i, Stalls: total.Stalls.ByName(), ThreadOccupancy: stats.Ratio(total.ThreadCycles, s.Cycles*uint64(of.Spec.Threads))}
		if several {
			m.Kind = of.Kind
		}
		stats.Fill(&m, &total)
		s.SMs = append(s.SMs, m)
	}
	s.NoC.RequestUtilization = stats.Ratio(s.NoC.RequestFlits, c.NoCCycles*uint64(len(gpu.Slices)))
	s.NoC.ReplyUtilization = stats.Ratio(s.NoC.ReplyFlits, c.NoCCycles*uint64(len(gpu.SMs)))
	rates(gpu, &total, s.Cycles, &s.DRAM.DRAMShare, &s.L2.CacheResult)
	hz, seconds := uint64(gpu.Config.Clocks.DRAM)*1_000_000, stats.Ratio(s.Cycles, uint64(gpu.Config.Clocks.Core)*1_000_000)
	s.DRAM.PeakGigabytes = float64(gpu.Config.DRAM.PeakBytesPerSecond(hz)*uint64(len(gpu.Channels))) / 1e9
	if seconds > 0 {
		s.DRAM.GigabytesPerSec = float64(s.DRAM.Bytes) / seconds / 1e9
	}
}

// achieved are a tenant's figures in a run.
func (r *Run) achieved(gpu *wiring.Platform, tenant int) Isolated {
	end := gpu.Cycles(r.window())
	c := gpu.Counted(end)
	k, cycles, schedulers := c.SM.Tenant(tenant), r.span(gpu, tenant), 0
	for _, s := range gpu.Config.SMList() {
		schedulers += s.Spec.Schedulers
	}
	p := gpu.Process(tenant, 0)
	alone := Isolated{IPC: stats.Ratio(k.ThreadInstructions, cycles), WIPC: stats.Ratio(k.WarpInstructions, cycles*uint64(schedulers)),
		Turnaround: p.MeanTurnaround()}
	if p.Completions > 0 {
		for _, l := range gpu.Launches(tenant, end) {
			alone.Instructions += l.SM.ThreadInstructions
		}
	}
	return alone
}

// window is the number of core cycles after which the run ends, with its warm-up; 0 if it
// ends with the applications.
func (r *Run) window() uint64 {
	if r.Cycles == 0 {
		return 0
	}
	return r.Cycles + r.Warmup
}

// span is the time over which a tenant's IPC is taken: from its arrival, or the end of the
// warm-up, to the end of the application if it runs once, else to the end of the run.
func (r *Run) span(gpu *wiring.Platform, tenant int) uint64 {
	p := &gpu.Host.Stats(0).Processes[tenant]
	end := gpu.Cycles(r.window())
	if r.Cycles == 0 && r.Replays() == 0 && p.FirstCompletion > 0 {
		end = p.FirstCompletion
	}
	return end - min(end, max(p.Arrived, r.Warmup))
}

func (r *Run) kernelResult(gpu *wiring.Platform, c *wiring.Counters, tenant int) KernelResult {
	w, end := c.Tenant(tenant), gpu.Cycles(r.window())
	d, p := gpu.Tenant(tenant), gpu.Process(tenant, end)
	result := KernelResult{Name: r.Apps[tenant].Workload.Title(), Cycles: r.span(gpu, tenant), Stalls: w.SM.Stalls.ByName(),
		TurnaroundCycles: append([]uint64{}, p.Turnarounds...), MeanTurnaroundCycles: positive(p.MeanTurnaround())}
	stats.Fill(&result, &w, &w.SM, d, p, &c.PreEng.Tenants[tenant])
	stats.Fill(&result.Host, p)
	rates(gpu, &w, end-r.Warmup, &result.DRAM, &result.L1, &result.L2)
	result.MeanTurnaroundUS = result.MeanTurnaroundCycles / Figure(gpu.Config.Clocks.Core)
	result.IPC = stats.Ratio(result.ThreadInstructions, result.Cycles)
	for i, c := range gpu.Launches(tenant, end) {
		result.Launches = append(result.Launches, launchResult(gpu, &d.Launches[i], &c, end))
	}
	return result
}

// launchResult covers a launch up to its end, or the end of the run.
func launchResult(gpu *wiring.Platform, l *dispatcher.LaunchRecord, w *wiring.Work, end uint64) LaunchResult {
	if l.End > 0 {
		end = l.End
	}
	result := LaunchResult{Kernel: l.Kernel, Stream: l.Stream, TBs: l.TBs, Stalls: w.SM.Stalls.ByName()}
	stats.Fill(&result, l, w, &w.SM)
	rates(gpu, w, end-l.Start, &result.DRAM, &result.L1, &result.L2)
	result.IPC = stats.Ratio(result.ThreadInstructions, end-l.Start)
	stats.Fill(&result.Sectors, w)
	result.Sectors.L2Fetched = w.L2.FillBytes / protocol.SectorBytes
	result.Sectors.DRAMRead = w.DRAM.ReadBytes / protocol.SectorBytes
	result.Sectors.DRAMWritten = w.Meanwhile.WrittenBytes / protocol.SectorBytes
	return result
}

// rates sets the rates that follow from counters over a number of core cycles.
func rates(gpu *wiring.Platform, w *wiring.Work, cycles uint64, d *DRAMShare, caches ...*CacheResult) {
	d.Utilization = stats.Ratio(w.DRAM.DataBusCycles, gpu.DRAMCycles(cycles)*uint64(len(gpu.Channels)))
	for _, c := range caches {
		c.HitRate = share(c.Hits, c.Accesses)
	}
}

// share is a part of a whole, undefined if that is 0.
func share(part, whole uint64) Figure {
	if whole == 0 {
		return undefined
	}
	return Figure(stats.Ratio(part, whole))
}
