package reproduce

import (
	"context"
	"maps"
	"math"

	"cotenant/components"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/sm/tally"
	"cotenant/tenant"
	"cotenant/workload"
)

// sampleCycles is the time between two samples, in core cycles (CCBP 4.1).
const sampleCycles = 400

// Sample is what a GPU used in an interval, as parts of what is sustained (CCBP 3.2): 1 is
// all of it.
type Sample struct {
	NoC  float64 // of the reply crossbar, by reads
	DRAM float64 // of the channels' data buses
	// Demand is NoC with the requests that wait behind the L1s at the end of the interval,
	// with the same part of reads as the L2's requests.
	Demand float64
	// Faults counts the regions being served at the end of the interval, Warps the warps on
	// the SMs, Faulted the warps that wait for a fault.
	Faults, Warps, Faulted int
	// Stalls are each tenant's from the beginning to the end of the interval.
	Stalls []Stalls
}

// Stalls are cycles in which warps have an instruction and do not issue it, a cycle of each
// warp (CCBP 7.2). Memory and LSU are parts of All, by causes that the CCBP paper names: a
// register waits for memory, and the load-store unit is full.
type Stalls struct{ All, Memory, LSU uint64 }

// Sampler repeats runs and samples them, until ctx is done. The applications' isolated
// figures come from the result.
func Sampler(ctx context.Context, gpu func(string) (*wiring.Config, error)) func(experiment.Spec, *experiment.Result) ([]Sample, error) {
	return func(r experiment.Spec, known *experiment.Result) (list []Sample, err error) {
		config, err := gpu(r.GPU)
		if err != nil {
			return nil, err
		}
		again := experiment.Run{Spec: r, GPU: config}
		for i, spec := range r.Apps {
			app, err := experiment.Open(spec, r.Source(config))
			if err != nil {
				return nil, err
			}
			again.Apps = append(again.Apps, app)
			k := &known.Kernels[i]
			again.Isolated = append(again.Isolated, experiment.Isolated{IPC: k.IsolatedIPC, WIPC: float64(k.IsolatedWIPC)})
		}
		again.Started = func(p *wiring.Platform) error {
			for _, m := range p.SMs {
				m.CountWarpStalls()
			}
			s := sampling{gpu: p, tenants: len(r.Apps), queues: gauges(p, "L1.MissQueue"), threads: gauges(p, "Threads"), faulted: gauges(p, "Warps.Faulted")}
			p.Every(sampleCycles, func(cycle uint64) { list = append(list, s.next(cycle)) })
			return nil
		}
		_, err = again.Do(ctx)
		return list, err
	}
}

// gauges are the gauges of a name on each SM.
func gauges(p *wiring.Platform, name string) (list []components.Gauge) {
	for _, m := range p.SMs {
		for _, g := range m.Gauges() {
			if g.Name == name {
				list = append(list, g)
			}
		}
	}
	return list
}

// sampling remembers the counters of the last sample.
type sampling struct {
	gpu                         *wiring.Platform
	tenants                     int
	queues                      []components.Gauge // what waits behind the L1s
	threads, faulted            []components.Gauge
	reads, requests, sent, busy uint64
	nocCycles, dramCycles       uint64
}

// next is the sample of the interval that ends at a cycle.
func (s *sampling) next(cycle uint64) Sample {
	c := s.gpu.Counters(cycle)
	before := *s
	l2, dram, sm := c.L2.Total(), c.DRAM.Total(), c.SM.Total()
	s.reads, s.requests, s.sent, s.busy = l2.Reads, l2.Accesses(), sm.MemoryRequests, dram.DataBusCycles
	s.nocCycles, s.dramCycles = c.NoCCycles, c.DRAMCycles
	config := &s.gpu.Config
	ports := float64(min(config.SMs.Count(), config.Address.Slices))
	noc := func(reads float64) float64 {
		return reads * readFlits(config) / (sustainedNoC * ports * float64(s.nocCycles-before.nocCycles))
	}
	sample := Sample{NoC: noc(float64(s.reads - before.reads)),
		DRAM: float64(s.busy-before.busy) / (sustainedDRAM * float64(config.Address.Channels) * float64(s.dramCycles-before.dramCycles))}
	if s.gpu.FillUnit != nil {
		sample.Faults = s.gpu.FillUnit.Pending()
	}
	sample.Warps, sample.Faulted = levels(s.threads)/workload.WarpSize, levels(s.faulted)
	if got := s.requests - before.requests; got > 0 {
		sample.Demand = noc(float64(s.sent-before.sent+uint64(levels(s.queues))) * float64(s.reads-before.reads) / float64(got))
	}
	for id := range s.tenants {
		sample.Stalls = append(sample.Stalls, s.stalls(cycle, id, c.SM.Tenant(id).Stalls[tally.Issued]))
	}
	return sample
}

// stalls sums a tenant's over SMs, without the cycles in which its warps issued.
func (s *sampling) stalls(cycle uint64, id int, issued uint64) (sum Stalls) {
	for _, m := range s.gpu.SMs {
		n := m.WarpStallsOf(tenant.ID(id), cycle)
		sum.All, sum.Memory, sum.LSU = sum.All+n.Warps, sum.Memory+n.Memory, sum.LSU+n.LSU
	}
	sum.All -= min(issued, sum.All)
	return sum
}

// levels is what gauges show together.
func levels(list []components.Gauge) (sum int) {
	for i := range list {
		sum += list[i].Level()
	}
	return sum
}

// spread is the mean of a figure of samples and its standard deviation; NaN without any.
func spread(list []Sample, of func(Sample) float64) (mean, deviation float64) {
	for _, s := range list {
		mean += of(s) / float64(len(list))
	}
	for _, s := range list {
		deviation += (of(s) - mean) * (of(s) - mean) / float64(len(list))
	}
	if len(list) == 0 {
		return math.NaN(), math.NaN()
	}
	return mean, math.Sqrt(deviation)
}

// samples are the samples of a point's run; none without Sampled.
func (p *point) samples() []Sample {
	if p.Sampled == nil {
		return nil
	}
	k := keyOf(p.run)
	list, ok := p.sampled[k]
	if !ok {
		var err error
		if list, err = p.Sampled(p.run, p.result); err != nil {
			p.fail(err)
		}
		p.sampled[k] = list
	}
	return list
}

// settled is a metric, in percent, of the samples of a run's second half, when policies have
// settled.
func settled(unit string, value func([]Sample) float64) *metric {
	return &metric{unit: unit, of: func(p *point) float64 {
		list := p.samples()
		return 100 * value(list[len(list)/2:])
	}}
}

// throughout is a metric of all samples of a run.
func throughout(value func([]Sample) float64) *metric {
	return &metric{of: func(p *point) float64 { return value(p.samples()) }}
}

func meanOf(of func(Sample) float64) func([]Sample) float64 {
	return func(list []Sample) float64 { mean, _ := spread(list, of); return mean }
}

func deviationOf(of func(Sample) float64) func([]Sample) float64 {
	return func(list []Sample) float64 { _, deviation := spread(list, of); return deviation }
}

func init() {
	demand := func(s Sample) float64 { return s.Demand }
	dram := func(s Sample) float64 { return s.DRAM }
	faults := func(s Sample) float64 { return float64(s.Faults) }
	maps.Copy(measures, map[string]*metric{
		"mean NoC demand":                       settled("%", meanOf(demand)),
		"deviation of NoC demand":               settled("points", deviationOf(demand)),
		"intervals with NoC demand above 100 %": settled("%", meanOf(func(s Sample) float64 { return yes(s.Demand > 1) })),
		"mean DRAM use":                         settled("%", meanOf(dram)),
		"deviation of DRAM use":                 settled("points", deviationOf(dram)),
		"deviation of NoC use":                  settled("points", deviationOf(func(s Sample) float64 { return s.NoC })),
		"faults in flight, peak":                throughout(func(list []Sample) float64 { peak, _ := faultSpikes(list); return peak }),
		"faults in flight, mean":                throughout(meanOf(faults)),
		"faults in flight, standard deviation":  throughout(deviationOf(faults)),
		"spikes":                                throughout(func(list []Sample) float64 { _, spikes := faultSpikes(list); return spikes }),
		"warps, mean":                           throughout(meanOf(func(s Sample) float64 { return float64(s.Warps) })),
		"active warps, mean":                    throughout(meanOf(func(s Sample) float64 { return float64(s.Warps - s.Faulted) })),
	})
}

// faultSpikes are the most faults in flight, and how often they rise from at most a
// quarter of that to at least half of it.
func faultSpikes(list []Sample) (peak, spikes float64) {
	for _, s := range list {
		peak = max(peak, float64(s.Faults))
	}
	low := true
	for _, s := range list {
		switch n := float64(s.Faults); {
		case n <= peak/4:
			low = true
		case low && n >= peak/2:
			low = false
			spikes++
		}
	}
	return peak, spikes
}
