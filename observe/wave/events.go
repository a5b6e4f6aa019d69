package wave

import (
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/observe"
	"cotenant/protocol"
)

// Listener tells the wave about thread blocks and SMs.
func (w *Writer) Listener() dispatcher.Listener {
	l := dispatcher.Listener{
		TBPlaced: w.arrived, TBReturning: w.arrived,
		TBLeaving:  w.leaving,
		TBFinished: w.left, TBPreempted: w.left,
		SMReserved: func(e dispatcher.SMEvent) { w.reserve(e, true) },
		SMFreed:    func(e dispatcher.SMEvent) { w.reserve(e, false) },
		Control:    w.control,
	}
	if w.late != nil {
		l.Registers = func(cycle uint64, list []policy.RegisterValue) { w.late.set(w, cycle, list) }
	}
	return l
}

func (w *Writer) arrived(e dispatcher.TBEvent) { w.move(e, 1) }

func (w *Writer) left(e dispatcher.TBEvent) {
	delete(w.sms[e.SM].leaving, observe.TBOf(e))
	w.move(e, -1)
}

// move counts a thread block that arrives at an SM or leaves it.
func (w *Writer) move(e dispatcher.TBEvent, by int) {
	m := &w.sms[e.SM]
	m.resident += by
	w.set(e.Cycle, m.tbs[e.Tenant], w.signals[m.tbs[e.Tenant]].value+uint64(by))
	w.setState(e.Cycle, m)
}

func (w *Writer) leaving(e dispatcher.TBEvent) {
	m := &w.sms[e.SM]
	m.leaving[observe.TBOf(e)] = true
	w.setState(e.Cycle, m)
}

func (w *Writer) reserve(e dispatcher.SMEvent, on bool) {
	m := &w.sms[e.SM]
	m.reserved = on
	w.setState(e.Cycle, m)
}

func (w *Writer) setState(cycle uint64, m *smSignals) {
	state := idle
	switch {
	case m.reserved:
		state = reserved
	case len(m.leaving) > 0:
		state = leaving
	case m.resident > 0:
		state = running
	}
	w.set(cycle, m.state, state)
}

// control shows the quotas sent to an SM.
func (w *Writer) control(cycle uint64, u protocol.Unit, c protocol.Control) {
	m, ok := c.(*protocol.Quotas)
	if !ok || u.Kind != protocol.KindSM {
		return
	}
	for i, n := range w.sms[u.Index].quotas {
		value := none
		if m.On {
			if !m.Of[i].Given {
				continue
			}
			value = uint64(min(m.Of[i].Amount, 1<<quotaBits-1))
		}
		w.set(cycle, n, value)
	}
}
