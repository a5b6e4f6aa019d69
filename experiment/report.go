package experiment

import (
	"cotenant/components/stats"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/interconnect"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/metrics"
	"cotenant/platform/build"
	"cotenant/sm"
	"cotenant/sm/l1"
	"cotenant/tenant"
)

// report makes the result of a co-run from its counters and what each
// application achieves alone.
// The applications have their goals.
func (r *Run) report(gpu *build.Platform, apps []App, alone []Isolated) *Result {
	cycles := gpu.Cycles(r.Cycles)
	result := &Result{
		Schema: Schema, GPU: r.GPU.Name, Policy: r.Policy, Seed: r.Seed, Version: r.Version,
		ConfigHash: r.ConfigHash(), Mode: "done", Replays: r.Replays, Cycles: cycles,
	}
	switch {
	case r.Cycles > 0:
		result.Mode = "cycles"
	case r.Replays > 0:
		result.Mode = "replays"
	}
	if r.IsolatedGPU != nil {
		result.IsolatedGPU = r.IsolatedGPU.Name
	}
	if r.Pages != build.PagesResident {
		result.Pages = string(r.Pages)
	}
	c := gpu.Counters(cycles)
	normalized, marks := make([]float64, len(apps)), tenant.Marks(r.names())
	for i, app := range apps {
		k := r.kernelResult(gpu, c, i)
		k.App, k.Mark = app.Spec, marks[i]
		k.Priority = app.Priority
		k.IsolatedIPC, k.IsolatedWIPC, k.IsolatedTurnaroundCycles = alone[i].IPC, positive(alone[i].WIPC), positive(alone[i].Turnaround)
		normalized[i] = metrics.Normalized(k.IPC, alone[i].IPC)
		if r.Replays > 0 {
			// Of completed runs, not of what the last one had come to (thesis 5.3.1).
			normalized[i] = metrics.Normalized(float64(k.IsolatedTurnaroundCycles), float64(k.MeanTurnaroundCycles))
		}
		k.NormalizedIPC, k.NTT = Figure(normalized[i]), Figure(metrics.NTT(normalized[i]))
		k.promise(app.Goal)
		result.WarpInstructions += k.WarpInstructions
		result.ThreadInstructions += k.ThreadInstructions
		result.Kernels = append(result.Kernels, k)
	}
	result.STP = Figure(metrics.STP(normalized))
	result.WSpeedup = result.STP
	result.ANTT = Figure(metrics.ANTT(normalized))
	result.Fairness = Figure(metrics.Fairness(normalized))
	result.HSpeedup = Figure(metrics.HSpeedup(normalized))

	sms := gpu.Config.SMList()
	several := len(gpu.Config.Kinds()) > 1
	total := c.SM.Total()
	result.Stalls = stalls(&total)
	for i, m := range c.SMs {
		total := m.Total()
		s := SMResult{ID: i, WarpInstructions: total.WarpInstructions, TBsCompleted: total.TBsFinished,
			Stalls: stalls(&total), ThreadOccupancy: ratio(total.ThreadCycles, cycles*uint64(sms[i].Spec.Threads))}
		if several {
			s.Kind = sms[i].Kind
		}
		result.SMs = append(result.SMs, s)
	}
	result.NoC = nocResult(gpu, c)
	lookups := c.L2.Total()
	result.L2 = L2Result{CacheResult: l2Result(&lookups), Writebacks: lookups.Writebacks}
	result.DRAM = dramResult(gpu, c, cycles)
	result.Stats, result.Blocks = gpu.Stats(cycles, len(r.Apps))
	return result
}

// achieved is what a tenant got in a run.
func (r *Run) achieved(gpu *build.Platform, tenant int) Isolated {
	c := gpu.Counters(gpu.Cycles(r.Cycles))
	k, cycles, schedulers := c.SM.Tenant(tenant), r.span(gpu, tenant), 0
	for _, s := range gpu.Config.SMList() {
		schedulers += s.Spec.Schedulers
	}
	p := &gpu.Host.Stats(0).Processes[tenant]
	alone := Isolated{IPC: ratio(k.ThreadInstructions, cycles), WIPC: ratio(k.WarpInstructions, cycles*uint64(schedulers)),
		Turnaround: p.MeanTurnaround()}
	if p.Completions > 0 {
		for _, l := range gpu.Launches(tenant, gpu.Cycles(r.Cycles)) {
			alone.Instructions += l.SM.ThreadInstructions
		}
	}
	return alone
}

// span is the time over which a tenant's IPC is taken: from its arrival to the
// end of the application if it runs once, else to the end of the run.
func (r *Run) span(gpu *build.Platform, tenant int) uint64 {
	p := &gpu.Host.Stats(0).Processes[tenant]
	if r.Cycles == 0 && r.Replays == 0 {
		return p.FirstCompletion - p.Arrived
	}
	return gpu.Cycles(r.Cycles) - p.Arrived
}

func (r *Run) kernelResult(gpu *build.Platform, c *build.Counters, tenant int) KernelResult {
	sms, slices, channels := c.SM.Tenant(tenant), c.L2.Tenant(tenant), c.DRAM.Tenant(tenant)
	end := gpu.Cycles(r.Cycles)
	k, d, p := &sms, &gpu.Driver.Stats().Tenants[tenant], &gpu.Host.Stats(end).Processes[tenant]
	result := KernelResult{Name: r.Apps[tenant].Workload.Title(), ArrivalCycle: p.Arrived, Cycles: r.span(gpu, tenant),
		TurnaroundCycles: append([]uint64{}, p.Turnarounds...), MeanTurnaroundCycles: positive(p.MeanTurnaround()),
		Stalls: stalls(k), L1: l1Result(&k.L1), L2: l2Result(&slices), DRAM: dramShare(gpu, &channels, c.DRAMCycles)}
	stats.Fill(&result, k, d, p, &c.PreEng.Tenants[tenant])
	stats.Fill(&result.Host, p)
	result.MeanTurnaroundUS = result.MeanTurnaroundCycles / Figure(gpu.Config.Clocks.Core)
	result.IPC = ratio(k.ThreadInstructions, result.Cycles)
	for i, c := range gpu.Launches(tenant, end) {
		result.Launches = append(result.Launches, launchResult(gpu, &d.Launches[i], &c, end))
	}
	return result
}

// launchResult is what a launch did up to the end of the run, or its own.
func launchResult(gpu *build.Platform, l *dispatcher.LaunchRecord, c *build.LaunchCounters, end uint64) LaunchResult {
	if l.End > 0 {
		end = l.End
	}
	cycles := end - l.Start
	result := LaunchResult{Kernel: l.Kernel, Stream: l.Stream, TBs: l.TBs, StartCycle: l.Start, EndCycle: l.End, IPC: ratio(c.SM.ThreadInstructions, cycles),
		Stalls: stalls(&c.SM), L1: l1Result(&c.SM.L1), L2: l2Result(&c.L2), DRAM: dramShare(gpu, &c.DRAM, gpu.DRAMCycles(cycles))}
	stats.Fill(&result, &c.SM)
	return result
}

func stalls(k *sm.TenantStats) map[string]uint64 {
	m := map[string]uint64{}
	for c, n := range k.Stalls {
		m[sm.Cause(c).String()] = n
	}
	return m
}

func ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// share is a part of a whole, undefined if that is 0.
func share(part, whole uint64) Figure {
	if whole == 0 {
		return undefined
	}
	return Figure(ratio(part, whole))
}

func l1Result(s *l1.TenantStats) (result CacheResult) {
	stats.Fill(&result, s)
	result.HitRate = share(s.Hits, s.Accesses)
	return result
}

func l2Result(s *l2.TenantStats) (result CacheResult) {
	stats.Fill(&result, s)
	// A merged request finds its sectors on their way: for the DRAM it is a
	// hit, for its own latency a miss.
	result.Misses = s.Misses + s.SectorMisses + s.Merges
	result.Accesses, result.ReservationFailures = s.Accesses(), s.ReservationStalls
	result.HitRate = share(s.Hits, s.Accesses())
	return result
}

func dramShare(gpu *build.Platform, s *dram.TenantStats, dramCycles uint64) (result DRAMShare) {
	stats.Fill(&result, s)
	result.Bytes = s.ReadBytes + s.WrittenBytes
	result.Utilization = ratio(s.DataBusCycles, dramCycles*uint64(len(gpu.Channels)))
	return result
}

func dramResult(gpu *build.Platform, c *build.Counters, cycles uint64) DRAMResult {
	total := c.DRAM.Total()
	hz := uint64(gpu.Config.Clocks.DRAM) * 1_000_000
	seconds := ratio(cycles, uint64(gpu.Config.Clocks.Core)*1_000_000)
	result := DRAMResult{DRAMShare: dramShare(gpu, &total, c.DRAMCycles), Activates: total.Activates, Refreshes: c.DRAM.Refreshes,
		PeakGigabytes: float64(gpu.Config.DRAM.PeakBytesPerSecond(hz)*uint64(len(gpu.Channels))) / 1e9}
	if seconds > 0 {
		result.GigabytesPerSec = float64(result.Bytes) / seconds / 1e9
	}
	return result
}

func nocResult(gpu *build.Platform, c *build.Counters) NoCResult {
	requestPackets, requestFlits := traffic(gpu.RequestNoC)
	replyPackets, replyFlits := traffic(gpu.ReplyNoC)
	return NoCResult{
		RequestPackets: requestPackets, RequestFlits: requestFlits,
		RequestUtilization: ratio(requestFlits, c.NoCCycles*uint64(len(gpu.Slices))),
		ReplyPackets:       replyPackets, ReplyFlits: replyFlits,
		ReplyUtilization: ratio(replyFlits, c.NoCCycles*uint64(len(gpu.SMs))),
	}
}

func traffic(x *interconnect.Crossbar) (packets, flits uint64) {
	for _, o := range x.Stats().Outputs {
		packets += o.Packets
		flits += o.Flits
	}
	return packets, flits
}
