package lsu

import (
	"cotenant/components"
	"cotenant/metrics/latency"
	"cotenant/tenant"
)

// meetings measure loads of cached memory from issue to use.
type meetings struct {
	recorder *latency.Recorder
	cycle    *uint64   // the SM's
	since    []meeting // by operation
}

// meeting is a load that has been issued.
type meeting struct {
	cycle  uint64
	tenant tenant.ID
	begun  bool
}

// MeasureLatencies has loads measured. cycle is the SM's present one.
func (u *Unit) MeasureLatencies(r *latency.Recorder, cycle *uint64) {
	u.meets = &meetings{recorder: r, cycle: cycle}
}

// begin notes the issue of a load.
func (m *meetings) begin(op uint32, t tenant.ID) {
	for len(m.since) <= int(op) {
		m.since = append(m.since, meeting{})
	}
	m.since[op] = meeting{*m.cycle, t, true}
}

// end measures an operation that has been performed, if it is a load that began here.
func (m *meetings) end(op uint32) {
	if int(op) >= len(m.since) || !m.since[op].begun {
		return
	}
	b := &m.since[op]
	b.begun = false
	m.recorder.Add(latency.LoadToUse, b.tenant, components.Time(*m.cycle-b.cycle)*m.recorder.Core)
}
