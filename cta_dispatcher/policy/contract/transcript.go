package contract

import (
	"fmt"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// transcript writes down a trial: a line for each event with actions, with these actions and
// the state of each SM afterwards. It leaves out a thread block that takes the place of
// another of its kernel. Tenants are K1, K2 and so on. A nil transcript writes nothing.
type transcript struct {
	unit    int // cycles
	text    strings.Builder
	event   string
	sms     string // the SMs' state at the last line
	actions []action
}

// action is a policy's action, for a number of TBs on each of a row of SMs.
type action struct {
	verb            string
	tenant          int // -1 for none
	first, last, tb int
}

var eventNames = [...]string{"kernel arrived", "kernel finished", "TB finished", "TB preempted", "context saved", "SM freed", "epoch", "window ended", "contexts loaded"}

func (w *transcript) arrived(t *trial, tenant, tbs int) {
	if w != nil {
		fmt.Fprintf(&w.text, "%6d  K%d arrives with %d thread blocks\n", t.now()/w.unit, tenant+1, tbs)
	}
}

func (w *transcript) retired(t *trial, tenant int) {
	if w != nil {
		fmt.Fprintf(&w.text, "%6d  K%d has finished\n", t.now()/w.unit, tenant+1)
	}
}

func (w *transcript) begin(e policy.Event) {
	if w != nil {
		w.event, w.actions = eventNames[e], w.actions[:0]
	}
}

// act notes an action. An action like the one before, on the same or the next SM, joins it.
func (w *transcript) act(verb string, tenant, sm, n int) {
	if w == nil {
		return
	}
	for i := len(w.actions) - 1; i >= 0 && w.actions[i].verb == verb && w.actions[i].tenant == tenant; i-- {
		if a := &w.actions[i]; a.first == sm && a.last == sm {
			a.tb += n
			return
		}
	}
	w.actions = append(w.actions, action{verb, tenant, sm, sm, n})
}

// control notes a control by tenant: quotas, - for a kept one; rates, - without a limit and !
// for a tenant that goes first; and thread blocks that may issue.
func (w *transcript) control(sm int, c protocol.Control, tenants int) {
	if w == nil {
		return
	}
	verb, on := "", false
	var of func(tenant int) string
	switch m := c.(type) {
	case *protocol.Quotas:
		verb, on, of = "quotas", m.On, func(tenant int) string {
			if q := m.Of[tenant]; q.Given {
				return fmt.Sprint(q.Amount)
			}
			return "-"
		}
	case *protocol.Rates:
		verb, on, of = "rates", m.On, func(tenant int) string {
			text, r := "-", m.Of[tenant]
			if r.Limited {
				text = fmt.Sprintf("%.4g", float64(r.Requests)/protocol.RateOne)
			}
			if r.Sensitive {
				text += "!"
			}
			return text
		}
	case *protocol.ActiveTBs:
		verb, on, of = "active", m.On, func(tenant int) string { return fmt.Sprint(m.Most[tenant]) }
	default:
		return
	}
	var list []string
	for tenant := 0; on && tenant < tenants; tenant++ {
		list = append(list, of(tenant))
	}
	w.act(fmt.Sprintf("%s %v", verb, list), -1, sm, 0)
}

func (w *transcript) end(t *trial) {
	if w == nil || len(w.actions) == 0 {
		return
	}
	var sms strings.Builder
	for i := range t.referee.view.SMs {
		fmt.Fprintf(&sms, " |%s", smText(&t.referee.view.SMs[i]))
	}
	if sms.String() == w.sms && w.actions[0].verb == "place" {
		return
	}
	w.sms = sms.String()
	rows := w.actions[:1]
	for _, a := range w.actions[1:] {
		last := &rows[len(rows)-1]
		if a.verb == last.verb && a.tenant == last.tenant && a.tb == last.tb && a.first == last.last+1 {
			last.last = a.last
		} else {
			rows = append(rows, a)
		}
	}
	fmt.Fprintf(&w.text, "%6d  %s:", t.now()/w.unit, w.event)
	for i, a := range rows {
		if i > 0 {
			w.text.WriteByte(',')
		}
		w.write(a)
	}
	fmt.Fprintf(&w.text, "\n       %s |\n", w.sms)
}

func (w *transcript) write(a action) {
	fmt.Fprintf(&w.text, " %s", a.verb)
	if a.tenant >= 0 {
		fmt.Fprintf(&w.text, " K%d", a.tenant+1)
	}
	if a.tb > 1 {
		fmt.Fprintf(&w.text, " x%d", a.tb)
	}
	fmt.Fprintf(&w.text, " SM%d", a.first)
	if a.last > a.first {
		fmt.Fprintf(&w.text, "-%d", a.last)
	}
}

// smText writes the number of each tenant's TBs on an SM; -n of them are leaving, and ! marks
// a reserved SM.
func smText(s *policy.SM) string {
	var parts []string
	for tenant, n := range s.TBs {
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("K%d:%d", tenant+1, n)
		if s.Leaving[tenant] > 0 {
			part += fmt.Sprintf("-%d", s.Leaving[tenant])
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " ")
	if s.Reserved {
		text += "!"
	}
	return text
}
