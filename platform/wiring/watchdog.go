package wiring

import (
	"fmt"
	"strings"

	"cotenant/tenant"
	"cotenant/workload"
)

// SpinCycles is the time in core cycles after which a tenant that issues instructions, and
// neither ends a thread block nor begins a launch, may be in an endless loop. It is 8 ms
// of a GTX 980.
const SpinCycles = 10_000_000

const (
	// The watchdog then samples the loop. sampleCycles is a prime number of core cycles,
	// so that samples do not always meet one place.
	spinSamples  = 64
	sampleCycles = 1021
)

// Warn makes Run call a function once for each tenant that seems to be in an endless loop,
// after a number of core cycles such as SpinCycles, with a line that says which kernel and
// where. It must be called before Run. A run with a limit ends without
// it.
func (p *Platform) Warn(after uint64, warn func(text string)) {
	p.watchdog = &watchdog{Platform: p, after: after, warn: warn}
}

// watchdog looks for tenants with thread blocks that do not end.
type watchdog struct {
	*Platform
	after   uint64
	warn    func(string)
	tenants [tenant.Max]stretch
}

// stretch is how long a tenant has been without an end or a beginning.
type stretch struct {
	events  uint64 // thread blocks that have ended, and launches begun
	since   uint64 // core cycle
	issued  uint64 // warp instructions until then
	samples int
	// The instructions with the lowest and the highest address that were seen.
	low, high spot
	told      bool
}

// spot is an instruction that a warp was met at.
type spot struct {
	pc     uint32
	stream workload.Stream
}

// String is its place.
func (s spot) String() string { return workload.Where(s.stream, s.pc) }

// look looks at the GPU, at a core cycle, and returns after how many cycles it
// wants to do so again.
func (d *watchdog) look(cycle uint64) (next uint64) {
	next = stepCycles
	if d == nil {
		return next
	}
	for i := range d.Host.Processes() {
		s, stats := &d.tenants[i], &d.Driver.Stats().Tenants[i]
		if s.told {
			continue
		}
		if events := stats.TBsCompleted + stats.LaunchesStarted; events != s.events {
			*s = stretch{events: events, since: cycle, issued: d.issuedBy(i)}
		}
		active := d.Driver.Active(i)
		if len(active) == 0 || cycle-s.since < d.after {
			continue
		}
		issued := d.issuedBy(i) - s.issued
		if issued == 0 {
			continue
		}
		if s.samples < spinSamples {
			d.sample(i, s)
			next = sampleCycles
			continue
		}
		s.told = true
		var names []string
		for _, k := range active {
			names = append(names, k.Shape.Name)
		}
		d.warn(fmt.Sprintf("tenant %d (%s), kernel %s: no thread block has ended for %d cycles, in which %d instructions of warps issued, %s; it may never end",
			i, d.Host.Processes()[i].App.Name, strings.Join(names, " or "), cycle-s.since, issued, s.where()))
	}
	return next
}

// issuedBy is the number of warp instructions that a tenant has issued.
func (d *watchdog) issuedBy(number int) (n uint64) {
	for _, m := range d.SMs {
		n += m.IssuedBy(tenant.ID(number))
	}
	return n
}

// sample notes where the tenant's warps are.
func (d *watchdog) sample(number int, s *stretch) {
	for _, m := range d.SMs {
		m.Next(tenant.ID(number), func(stream workload.Stream, inst *workload.Inst, _ bool) {
			at := spot{inst.PC, stream}
			if s.samples == 0 || at.pc < s.low.pc {
				s.low = at
			}
			if s.samples == 0 || at.pc > s.high.pc {
				s.high = at
			}
		})
	}
	s.samples++
}

// where is the range of instructions that have been seen.
func (s *stretch) where() string {
	if s.low.pc == s.high.pc {
		return "at " + s.low.String()
	}
	return fmt.Sprintf("from %v to %v", s.low, s.high)
}
