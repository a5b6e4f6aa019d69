package lsu

import (
	"cotenant/components"
	"cotenant/metrics/journey"
	"cotenant/sm/l1"
	"cotenant/workload"
)

// follower chooses loads and follows them.
type follower struct {
	recorder *journey.Recorder
	sm       int
	clock    *components.Domain
	cycle    *uint64 // the SM's
}

// Follow has loads of cached memory chosen and followed. sm is the SM's number, cycle its
// present one.
func (u *Unit) Follow(r *journey.Recorder, sm int, clock *components.Domain, cycle *uint64) {
	u.follows = &follower{r, sm, clock, cycle}
}

// issued chooses a load, or does not.
func (f *follower) issued(m *instruction, o *operation) {
	m.Trace, o.trace = 0, 0
	if m.n > 0 && m.Class == workload.Load {
		m.Trace = f.recorder.Begin(m.Account.Tenant(), f.sm, m.PC, *f.cycle, f.clock.At(*f.cycle))
		o.trace = m.Trace
	}
}

// accessed notes the first access of a load. The others are not followed.
func (f *follower) accessed(m *instruction, a *l1.Access, outcome l1.Outcome) {
	f.recorder.Access(m.Trace, a.Line, outcome == l1.Missed, f.clock.At(*f.cycle))
	m.Trace = 0
}

// perform ends the journey of an operation.
func (f *follower) perform(o *operation) {
	f.recorder.Perform(o.trace, f.clock.At(*f.cycle))
	o.trace = 0
}
