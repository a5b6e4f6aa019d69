// Package sample keeps a run's history for charts: the GPU's counters at regular moments,
// as many as a chart can show, and a summary of its preemptions.
package sample

import (
	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/platform/wiring"
	"cotenant/tenant"
)

// most is the number of samples at which every other one is dropped.
const most = 512

// Tenant holds a tenant's counters since the beginning of the run.
type Tenant struct {
	ThreadInstructions uint64
	ThreadCycles       uint64 // sum over cycles of its resident threads, on all SMs
	DRAMBytes          uint64 `from:"DRAM.ReadBytes+DRAM.WrittenBytes"`
	RequestFlits       uint64 // that have left the request crossbar
	ReplyFlits         uint64 // that have left the reply crossbar
	// RegionCycles sums over cycles the tenant's regions in flight after a page fault; 0
	// without an MMU.
	RegionCycles uint64
}

// SM holds a tenant's counters on an SM since the beginning of the run.
type SM struct {
	ThreadCycles uint64 // sum over cycles of its resident threads
	// SavedBytes and LoadedBytes count its thread blocks' contexts: sent to memory, and
	// requested.
	SavedBytes, LoadedBytes uint64
}

// Sample is the state of the counters when Cycle core cycles have passed.
type Sample struct {
	Cycle   uint64
	Tenants []Tenant
	SMs     [][]SM // by SM and then by tenant
	// Warps is the number on the SMs at this moment, WaitingWarps the number among them that
	// wait for page faults (sm.SM.Warps).
	Warps, WaitingWarps int
	// Events are each tenant's events that take energy, and those of the GPU last, behind the
	// warm-up; nil unless they are counted (CountEvents).
	Events []metrics.Events
}

// Recorder samples a GPU while it runs, at most 512 times. A run of known length is
// sampled 100 to 250 times. Any other run is sampled every 250 cycles at first, and half as
// often whenever there are too many samples.
type Recorder struct {
	gpu      *wiring.Platform
	tenants  int
	interval uint64
	samples  []Sample
	events   bool
	from     uint64 // the end of the warm-up, for events
}

// CountEvents has samples count events that take energy, behind a warm-up of so many core
// cycles. It comes before the run.
func (r *Recorder) CountEvents(warmup uint64) {
	r.events, r.from = true, warmup
	r.samples[0].Events = make([]metrics.Events, r.tenants+1)
}

// Attach samples a GPU that is about to run some tenants for a number of core cycles; 0 if
// it is not known. The samples are the same on every machine, and do not change a run's
// results.
func Attach(gpu *wiring.Platform, tenants int, cycles uint64) *Recorder {
	r := &Recorder{gpu: gpu, tenants: tenants, interval: 250}
	if cycles > 0 {
		r.interval = Round((cycles + 249) / 250)
	}
	r.add(0)
	gpu.Every(r.interval, r.look)
	return r
}

// Round is the smallest number from n, which is at least 1, that is 1, 2, 4, 5 or 8 times
// a power of ten.
func Round(n uint64) uint64 {
	for unit := uint64(1); ; unit *= 10 {
		for _, digit := range []uint64{1, 2, 4, 5, 8} {
			if digit*unit >= n {
				return digit * unit
			}
		}
	}
}

func (r *Recorder) look(cycle uint64) {
	if cycle%r.interval != 0 {
		return
	}
	r.add(cycle)
	if len(r.samples) < most {
		return
	}
	kept := r.samples[:0]
	for i, s := range r.samples {
		if i%2 == 0 {
			kept = append(kept, s)
		}
	}
	clear(r.samples[len(kept):])
	r.samples = kept
	r.interval *= 2
}

func (r *Recorder) add(cycle uint64) {
	c := r.gpu.Counters(cycle)
	request, reply := r.gpu.RequestNoC.Stats(), r.gpu.ReplyNoC.Stats()
	s := Sample{Cycle: cycle}
	for k := range r.tenants {
		w, t := c.Tenant(k), Tenant{RequestFlits: request.Tenants[k].Flits, ReplyFlits: reply.Tenants[k].Flits}
		stats.Fill(&t, &w, &w.SM)
		s.Tenants = append(s.Tenants, t)
		if r.gpu.FillUnit != nil {
			s.Tenants[k].RegionCycles = r.gpu.FillUnit.PendingCycles(tenant.ID(k), cycle)
		}
	}
	for i, m := range c.SMs {
		contexts, tenants := r.gpu.PreEngs[i].Stats(), make([]SM, r.tenants)
		for k := range tenants {
			own := m.Tenant(k)
			stats.Fill(&tenants[k], &own, &contexts.Tenants[k])
		}
		s.SMs = append(s.SMs, tenants)
		live, waiting := r.gpu.SMs[i].Warps()
		s.Warps += live
		s.WaitingWarps += waiting
	}
	if r.events {
		s.Events = r.eventsAt(cycle)
	}
	r.samples = append(r.samples, s)
}

// eventsAt are the events until a cycle.
func (r *Recorder) eventsAt(cycle uint64) []metrics.Events {
	list := make([]metrics.Events, r.tenants+1)
	if cycle > r.from {
		modules, _ := r.gpu.CountedStats(cycle, r.tenants)
		for k := range r.tenants {
			list[k] = r.gpu.Config.Events(modules, k, 0)
		}
		list[r.tenants] = r.gpu.Config.Events(modules, wiring.All, cycle-r.from)
	}
	return list
}

// OverTime is the tenants' progress in samples.
func OverTime(samples []Sample) *experiment.OverTime {
	h := &experiment.OverTime{}
	for _, s := range samples {
		h.Cycles = append(h.Cycles, s.Cycle)
		if h.ThreadInstructions == nil {
			h.ThreadInstructions = make([][]uint64, len(s.Tenants))
		}
		for k := range s.Tenants {
			h.ThreadInstructions[k] = append(h.ThreadInstructions[k], s.Tenants[k].ThreadInstructions)
		}
	}
	return h
}

// Samples returns the samples of a run that has ended after a number of core cycles, the
// first at its beginning and the last at its end.
func (r *Recorder) Samples(cycles uint64) []Sample {
	if last := r.samples[len(r.samples)-1].Cycle; last < cycles {
		r.add(cycles)
	}
	return r.samples
}
