package heterocore

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/spatial"
	"cotenant/tenant"
)

// windows are the policy's open windows. A forgotten window is still open, and its end has no
// effect.
type windows struct{ list []open }

type open struct {
	cycles uint64
	live   bool
}

// open opens a window.
func (w *windows) open(a policy.Actions, cycles uint64) {
	a.Window(cycles)
	w.list = append(w.list, open{cycles, true})
}

// forget forgets all open windows.
func (w *windows) forget() {
	for i := range w.list {
		w.list[i].live = false
	}
}

// ended removes the ended window from the list, and reports whether it counts. The View tells
// its length: the requested one or, if SMs answered late, a few cycles more. So the ended
// window is the longest that is no longer than that, the first opened among equals.
func (w *windows) ended(v *policy.View) bool {
	_, cycles := v.SMWindow(0)
	at := -1
	for i, o := range w.list {
		if o.cycles <= cycles && (at < 0 || o.cycles > w.list[at].cycles) {
			at = i
		}
	}
	if at < 0 {
		return false
	}
	live := w.list[at].live
	w.list = slices.Delete(w.list, at, at+1)
	return live
}

// meter counts kernels' instructions on SMs of their own.
type meter struct {
	own    []bool // by SM: it is its owner's alone from the beginning on
	before [][tenant.Max]uint64
	lead   uint64 // cycles of the window that went before, which began with this one
	cycles uint64 // of the measurement
}

// begin begins a measurement. led: a window has just ended that began together with the
// measurement's window; its counts do not belong to the measurement.
func (m *meter) begin(v *policy.View, o *spatial.Owners, led bool) {
	m.own, m.before, m.lead = make([]bool, len(v.SMs)), make([][tenant.Max]uint64, len(v.SMs)), 0
	for i := range v.SMs {
		s, owner := &v.SMs[i], o.Of(i)
		m.own[i] = owner >= 0 && !s.Reserved && s.Only(owner)
		if !led {
			continue
		}
		c, cycles := v.SMWindow(i)
		m.lead = cycles
		for t := range c.Tenants {
			m.before[i][t] = c.Tenants[t].ThreadInstructions
		}
	}
}

// end ends the measurement with the ended window.
func (m *meter) end(v *policy.View) {
	_, cycles := v.SMWindow(0)
	m.cycles = cycles - m.lead
}

// ipc is a tenant's instructions per cycle on the usable SMs of a kind that it owns.
func (m *meter) ipc(v *policy.View, o *spatial.Owners, tenant, kind int) (ipc float64, usable, owned int) {
	issued := uint64(0)
	for i := range v.SMs {
		if o.Of(i) != tenant || v.SMs[i].Kind != kind {
			continue
		}
		owned++
		if m.own[i] {
			c, _ := v.SMWindow(i)
			issued += c.Tenants[tenant].ThreadInstructions - m.before[i][tenant]
			usable++
		}
	}
	return float64(issued) / float64(m.cycles), usable, owned
}
