package wiring

import (
	"fmt"
	"strings"

	"cotenant/tenant"
	"cotenant/workload"
)

// spinCycles is the time in core cycles without a thread block that begins or ends after which a tenant's
// warps are looked at, and twice that the time after which the run ends if all of them spin.
const spinCycles = 40_000

// EndSpins makes Run end with a SpinError when all warps of a tenant wait for a change of memory that
// nothing is left to make. Where warps only compute for long, nothing ends. It must be called
// before Run.
func (p *Platform) EndSpins() { p.spins = &spins{Platform: p} }

// SpinError is of a tenant's warps that wait for each other in vain.
type SpinError struct{ text string }

// Error names the tenant, its kernels and what the warps wait for.
func (e *SpinError) Error() string { return e.text }

// spins looks for tenants whose warps all spin.
type spins struct {
	*Platform
	tenants [tenant.Max]spinning
}

// spinning is how far the suspicion against a tenant goes.
type spinning struct {
	events uint64 // thread blocks placed and ended, and launches begun
	since  uint64 // core cycle of the last
	next   uint64 // core cycle of the next look
	seen   bool   // all warps spun at the last look
}

// look looks at the GPU at a core cycle.
func (d *spins) look(cycle uint64) error {
	if d == nil {
		return nil
	}
	for i := range d.Host.Processes() {
		s, stats := &d.tenants[i], &d.Driver.Stats().Tenants[i]
		if events := stats.TBsPlaced + stats.TBsCompleted + stats.LaunchesStarted; events != s.events {
			*s = spinning{events: events, since: cycle, next: cycle + spinCycles}
		}
		if len(d.Driver.Active(i)) == 0 || cycle < s.next {
			continue
		}
		what, all := d.spin(i)
		if all && s.seen {
			return d.name(i, cycle-s.since, what)
		}
		if s.seen = all; all {
			s.next = cycle + spinCycles/2 // what was under way between warps has arrived by then
		} else {
			s.next = cycle + max(spinCycles, (cycle-s.since)/2)
		}
	}
	return nil
}

// spin reports whether a tenant cannot go on: its warps spin or wait at barriers, no other thread block of
// its kernels can come, and time does not move the host. what are the places where they wait.
func (d *spins) spin(number int) (what []string, all bool) {
	if d.Host.Waiting() {
		return nil, false
	}
	for _, k := range d.Driver.Active(number) {
		if k.Saving > 0 || k.Waiting > 0 && len(d.Host.Processes()) > 1 {
			return nil, false
		}
	}
	all = true
	known, some := map[string]bool{}, false
	for _, m := range d.SMs {
		m.Next(tenant.ID(number), func(stream workload.Stream, _ *workload.Inst, atBarrier bool) {
			if !all || atBarrier {
				return
			}
			text, ok := "", false
			if s, is := stream.(workload.Spinner); is {
				text, ok = s.Spins()
			}
			if all = ok; ok {
				some = true
			}
			if ok && !known[text] {
				known[text] = true
				what = append(what, text)
			}
		})
	}
	return what, all && some
}

// mostPlaces bounds the places that a message names.
const mostPlaces = 4

// name makes the error of a tenant.
func (d *spins) name(number int, cycles uint64, what []string) error {
	var names []string
	for _, k := range d.Driver.Active(number) {
		names = append(names, k.Shape.Name)
	}
	for i, text := range what {
		if text == "" {
			what[i] = "a loop reads no memory"
		}
	}
	if more := len(what) - mostPlaces; more > 0 {
		what = append(what[:mostPlaces], fmt.Sprintf("and %d more", more))
	}
	return &SpinError{fmt.Sprintf("tenant %d (%s), kernel %s: no thread block has begun or ended for %d cycles, and all warps wait in loops or at barriers for what nothing is left to do: %s",
		number, d.Host.Processes()[number].App.Name, strings.Join(names, " or "), cycles, strings.Join(what, "; "))}
}
