package sample

import (
	"cmp"
	"maps"
	"slices"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/observe"
)

// Times summarises durations, in core cycles.
type Times struct {
	Count, Cycles, Longest uint64
}

func (t *Times) add(cycles uint64) {
	t.Count++
	t.Cycles += cycles
	t.Longest = max(t.Longest, cycles)
}

// Mean is the mean time; 0 if there was none.
func (t *Times) Mean() float64 { return float64(t.Cycles) / float64(max(t.Count, 1)) }

// Row summarises one mechanism's effect on a tenant's thread blocks.
type Row struct {
	Tenant    int
	Mechanism policy.Mechanism
	Fault     bool // because the thread blocks waited for page faults
	// Left are thread blocks that left their SM unfinished, timed from the order to leave;
	// Finished are thread blocks that finished instead.
	Left, Finished Times
	SavedBytes     uint64
	// Restored are thread blocks that run again, timed from the order to an SM.
	Restored    Times
	LoadedBytes uint64
}

// Preemptions summarises the preemptions of a run.
type Preemptions struct {
	rows     []*Row
	reserved map[policy.Mechanism]*Times
	leaving  map[observe.TB]dispatcher.TBEvent
	loading  map[observe.TB]dispatcher.TBEvent
	sms      map[int]dispatcher.SMEvent
}

// NewPreemptions starts a summary.
func NewPreemptions() *Preemptions {
	return &Preemptions{reserved: map[policy.Mechanism]*Times{}, leaving: map[observe.TB]dispatcher.TBEvent{},
		loading: map[observe.TB]dispatcher.TBEvent{}, sms: map[int]dispatcher.SMEvent{}}
}

// Listener feeds the summary.
func (p *Preemptions) Listener() dispatcher.Listener {
	return dispatcher.Listener{
		TBLeaving: func(e dispatcher.TBEvent) {
			p.row(e)
			p.leaving[observe.TBOf(e)] = e
		},
		TBPreempted: func(e dispatcher.TBEvent) {
			if start, ok := take(p.leaving, observe.TBOf(e)); ok {
				row := p.row(start)
				row.Left.add(e.Cycle - start.Cycle)
				row.SavedBytes += uint64(e.ContextBytes)
			}
		},
		TBFinished: func(e dispatcher.TBEvent) {
			if start, ok := take(p.leaving, observe.TBOf(e)); ok {
				p.row(start).Finished.add(e.Cycle - start.Cycle)
			}
		},
		TBReturning: func(e dispatcher.TBEvent) { p.loading[observe.TBOf(e)] = e },
		TBRestored: func(e dispatcher.TBEvent) {
			if start, ok := take(p.loading, observe.TBOf(e)); ok {
				row := p.row(start)
				row.Restored.add(e.Cycle - start.Cycle)
				row.LoadedBytes += uint64(start.ContextBytes)
			}
		},
		SMReserved: func(e dispatcher.SMEvent) { p.sms[e.SM] = e },
		SMFreed: func(e dispatcher.SMEvent) {
			start, ok := take(p.sms, e.SM)
			if !ok {
				return
			}
			t := p.reserved[start.Mechanism]
			if t == nil {
				t = &Times{}
				p.reserved[start.Mechanism] = t
			}
			t.add(e.Cycle - start.Cycle)
		},
	}
}

func take[K comparable, V any](m map[K]V, k K) (V, bool) {
	v, ok := m[k]
	delete(m, k)
	return v, ok
}

func (p *Preemptions) row(e dispatcher.TBEvent) *Row {
	for _, r := range p.rows {
		if r.Tenant == e.Tenant && r.Mechanism == e.Mechanism && r.Fault == e.Fault {
			return r
		}
	}
	r := &Row{Tenant: e.Tenant, Mechanism: e.Mechanism, Fault: e.Fault}
	p.rows = append(p.rows, r)
	return r
}

// Rows lists the rows by tenant, mechanism and cause.
func (p *Preemptions) Rows() []Row {
	var list []Row
	for _, r := range p.rows {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Mechanism, b.Mechanism), cmp.Compare(bit(a.Fault), bit(b.Fault)))
	})
	return list
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Reservation summarises the reservations of whole SMs by a mechanism.
type Reservation struct {
	Mechanism policy.Mechanism
	Times
}

// Reservations lists the reservations that have ended, by mechanism.
func (p *Preemptions) Reservations() []Reservation {
	var list []Reservation
	for _, m := range slices.Sorted(maps.Keys(p.reserved)) {
		list = append(list, Reservation{m, *p.reserved[m]})
	}
	return list
}
