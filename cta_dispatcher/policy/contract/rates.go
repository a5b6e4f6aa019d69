package contract

import (
	"fmt"

	"cotenant/protocol"
)

// rates checks an SM's issue rates: they belong to existing tenants, and none stops a tenant
// for good.
func (r *referee) rates(m *protocol.Rates) {
	for tenant, rate := range m.Of {
		switch {
		case !m.On && rate != protocol.Rate{} || tenant >= len(r.tenants) && rate != protocol.Rate{}:
			r.fail("a rate is set for tenant %d of %d", tenant, len(r.tenants))
		case rate.Limited && (rate.Requests == 0 || rate.Requests > protocol.RateLimit || !rate.Given):
			r.fail("tenant %d has a rate of %+v", tenant, rate)
		}
	}
}

// rates writes rates down: requests of an interval, - without a limit, and ! for a tenant that
// goes first.
func (w *transcript) rates(sm int, m *protocol.Rates, tenants int) {
	if w == nil {
		return
	}
	var list []string
	for _, r := range m.Of[:tenants] {
		text := "-"
		if r.Limited {
			text = fmt.Sprintf("%.4g", float64(r.Requests)/protocol.RateOne)
		}
		if r.Sensitive {
			text += "!"
		}
		list = append(list, text)
	}
	if !m.On {
		list = nil
	}
	w.act(fmt.Sprintf("rates %v", list), -1, sm, 0)
}

// active writes down the numbers of thread blocks that may issue.
func (w *transcript) active(sm int, m *protocol.ActiveTBs, tenants int) {
	if w == nil {
		return
	}
	list := fmt.Sprint(m.Most[:tenants])
	if !m.On {
		list = "[]"
	}
	w.act("active "+list, -1, sm, 0)
}
