package conservation

import (
	"cotenant/components/stats"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/sm"
)

// check checks what holds of every run that ends without an error.
func (o *outcome) check() {
	o.checkSums()
	o.checkSchedulers()
	o.checkPeaks()
	checkPerCycle(o, o.gpu)
	o.blocks.check(o, o.gpu)
	o.checkMemory()
}

// checkSums checks that tenants add up to totals, in the result and in every counter of
// every module that has one for each.
func (o *outcome) checkSums() {
	r := o.result
	var warp, thread, lookups, bytes uint64
	charged := map[string]uint64{}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		warp += k.WarpInstructions
		thread += k.ThreadInstructions
		lookups += k.L2.Accesses
		bytes += k.DRAM.Bytes
		for cause, n := range k.Stalls {
			charged[cause] += n
		}
		o.same(k.L1.Accesses, k.L1.Hits+k.L1.Misses, "tenant %d: L1 accesses, and hits and misses", i)
		o.same(k.L2.Accesses, k.L2.Hits+k.L2.Misses, "tenant %d: L2 accesses, and hits and misses", i)
		var launches uint64
		for _, l := range k.Launches {
			launches += l.WarpInstructions
		}
		if k.Completions == 0 || o.ended {
			o.same(k.WarpInstructions, launches, "tenant %d: warp instructions, and of its launches", i)
		}
	}
	o.same(r.WarpInstructions, warp, "warp instructions, and of tenants")
	o.same(r.ThreadInstructions, thread, "thread instructions, and of tenants")
	o.same(r.L2.Accesses, lookups, "L2 accesses, and of tenants")
	o.same(r.DRAM.Bytes, bytes, "DRAM bytes, and of tenants")
	for cause, n := range r.Stalls {
		if cause != sm.Idle.String() {
			o.same(n, charged[cause], "%s, and of tenants", cause)
		}
	}
	for module, group := range r.Stats {
		o.checkGroup(module, group)
	}
}

// checkGroup checks that the tenants of modules add up to their totals. A module's own
// counter of that name, such as an SM's cycles, is no sum.
func (o *outcome) checkGroup(module string, group stats.Group) {
	sums := map[string]uint64{}
	for _, t := range group.Tenants {
		for _, c := range t {
			sums[c.Name] += c.Value
		}
	}
	for name, sum := range sums {
		total, ok := group.Total.Get(name)
		if !ok {
			o.fail("%s has no total of %s", module, name)
		}
		o.same(total, sum, "%s of %s, and of tenants", name, module)
	}
}

// checkSchedulers checks that issue and stalls of each SM add up to its cycles, and
// what SMs did to what the GPU did.
func (o *outcome) checkSchedulers() {
	var warp, tbs, finished uint64
	sms := o.gpu.Config.SMList()
	for _, s := range o.result.SMs {
		sum := uint64(0)
		for _, n := range s.Stalls {
			sum += n
		}
		o.same(o.cycles*uint64(sms[s.ID].Spec.Schedulers), sum, "SM %d: cycles of its schedulers, and issue and stalls", s.ID)
		warp += s.WarpInstructions
		tbs += s.TBsCompleted
	}
	for i := range o.result.Kernels {
		finished += o.result.Kernels[i].TBsCompleted
	}
	o.same(o.result.WarpInstructions, warp, "warp instructions, and of SMs")
	// The SM driver hears of the last ones after the window.
	const reports = 2 // of an SM on their way
	if tbs < finished || tbs > finished+reports*uint64(len(sms)) || o.ended && tbs != finished {
		o.fail("the SM driver knows of %d thread blocks that finished, SMs have finished %d", finished, tbs)
	}
}

// checkPeaks checks that nothing is above what the hardware can do.
func (o *outcome) checkPeaks() {
	lanes := uint64(0) // a cycle
	for _, s := range o.gpu.Config.SMList() {
		width := s.Spec.Schedulers * s.Spec.IssueWidth
		if s.Spec.Queue.Entries > 0 {
			width = s.Spec.Queue.Width
		}
		lanes += 32 * uint64(width)
	}
	if n := o.result.ThreadInstructions; n > lanes*o.cycles {
		o.fail("%d thread instructions in %d cycles, at most %d each", n, o.cycles, lanes)
	}
	for i := range o.result.Kernels {
		k := &o.result.Kernels[i]
		if k.IPC < 0 || k.IPC > float64(lanes) {
			o.fail("tenant %d has an IPC of %v, at most %d", i, k.IPC, lanes)
		}
		if k.ThreadInstructions > 32*k.WarpInstructions {
			o.fail("tenant %d has %d thread instructions in %d warp instructions", i, k.ThreadInstructions, k.WarpInstructions)
		}
	}
	d, n := &o.result.DRAM, &o.result.NoC
	for what, share := range map[string]float64{"DRAM": d.Utilization, "request crossbar": n.RequestUtilization, "reply crossbar": n.ReplyUtilization} {
		if share < 0 || share > 1 {
			o.fail("the utilization of the %s is %v", what, share)
		}
	}
	if d.GigabytesPerSec > d.PeakGigabytes {
		o.fail("the DRAM moves %v GB/s, at most %v", d.GigabytesPerSec, d.PeakGigabytes)
	}
}

// checkMemory checks that the DRAM channels have served the L2 slices' requests, except
// requests on their way, and exactly once an ended run has come to rest.
func (o *outcome) checkMemory() {
	config := &o.gpu.Config
	underWay := uint64(config.Address.Slices*(config.L2.DRAMQueue+config.DRAM.PortDepth) + config.Address.Channels*(config.DRAM.ReadQueue+config.DRAM.WriteQueue))
	if o.ended {
		const rest = 200_000 // cycles, in which everything that is on its way has come
		o.gpu.Engine().RunUntil(o.gpu.SMs[0].Domain().At(o.cycles + rest))
		underWay = 0
	}
	var slices l2.TenantStats
	for _, s := range o.gpu.Slices {
		total := s.Stats().Total()
		stats.Add(&slices, &total)
	}
	var channels dram.TenantStats
	for _, c := range o.gpu.Channels {
		s := c.Stats()
		total := s.Total()
		stats.Add(&channels, &total)
	}
	near := func(asked, done uint64, what string) {
		if asked > done+underWay || done > asked+underWay {
			o.fail("%s: the L2 counts %d, the DRAM %d, and %d can be on their way", what, asked, done, underWay)
		}
	}
	near(slices.Fills+slices.ContextLoads, channels.Reads, "reads")
	near(slices.Writebacks+slices.ContextSaves, channels.Writes, "writes")
	const line = 128
	underWay *= line
	near(slices.WritebackBytes+channels.SavedBytes, channels.WrittenBytes, "bytes written")
	// What the DRAM finds in its write queue it does not read.
	read, filled := channels.ReadBytes, slices.FillBytes+channels.LoadedBytes
	if read > filled+underWay {
		o.fail("bytes read: the L2 counts %d, the DRAM %d, and %d can be on their way", filled, read, underWay)
	}
	if channels.ForwardedReads == 0 && channels.WrittenBytes == 0 {
		near(filled, read, "bytes read")
	}
	if c := o.result.Kernels; len(c) > 0 && o.ended {
		saved, loaded := uint64(0), uint64(0)
		for i := range c {
			saved += c[i].ContextBytes
			loaded += c[i].RestoredBytes
		}
		o.same(saved, channels.SavedBytes, "bytes of contexts saved, and those that came to the DRAM")
		o.same(loaded, channels.LoadedBytes, "bytes of contexts loaded, and those that the DRAM was asked for")
	}
}
