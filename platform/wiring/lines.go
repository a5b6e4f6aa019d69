package wiring

import (
	"cotenant/metrics/journey"
	"cotenant/metrics/latency"
	"cotenant/sm/hot"
)

// CountLines counts what each line of the applications' programs costs behind the warm-up,
// launches of a kernel apart or together. It must be called before Run. Counters of a later moment than the last
// Counters or Stats may be missing.
func (p *Platform) CountLines(byLaunch bool) *hot.Lines {
	l := hot.New(byLaunch)
	for _, m := range p.SMs {
		m.CountLines(l)
	}
	for _, s := range p.Slices {
		s.CountLines(l)
	}
	p.lines = l
	return l
}

// Follow follows the first load that each tenant issues in each span of core cycles, above 0,
// from the start of the run. ended is told of each when it has been performed; it must not keep
// the journey. Follow must be called before Run.
func (p *Platform) Follow(every uint64, ended func(*journey.Journey)) {
	r := journey.New(every, p.core.Period(), ended)
	for _, m := range p.SMs {
		m.Follow(r)
	}
	for _, s := range p.Slices {
		s.Follow(r)
	}
	for _, c := range p.Channels {
		c.Follow(r)
	}
}

// Latencies are the times of memory requests so far; nil if they are not measured.
func (p *Platform) Latencies() *latency.Recorder { return p.latencies }

// MeasureLatencies measures how long memory requests take behind the warm-up. It must be called
// before Run.
func (p *Platform) MeasureLatencies() *latency.Recorder {
	r := &latency.Recorder{Core: p.core.Period(), L2: p.Slices[0].Domain().Period()}
	for _, m := range p.SMs {
		m.MeasureLatencies(r)
	}
	for _, s := range p.Slices {
		s.MeasureLatencies(r)
	}
	for _, c := range p.Channels {
		c.MeasureLatencies(r)
	}
	p.latencies = r
	return r
}
