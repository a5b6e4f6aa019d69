package spartqos

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// measure counts tenants' instructions in a window, a number of epochs. It leaves out epochs
// right after a change of shares, and a tenant's epochs with borrowed SMs.
type measure struct {
	length int // of a window, in epochs
	epochs int // ended epochs of the window
	kept   int // the epochs that count
	// skip is the number of epochs to leave out.
	skip   int
	issued [tenant.Max]uint64 // thread instructions
	cycles [tenant.Max]uint64 // of the core clock
}

// begin begins a window. If shares have changed, the present epoch is left out.
func (m *measure) begin(changed bool) {
	*m = measure{length: m.length}
	if changed {
		m.skip = 1
	}
}

// end ends an epoch. borrows has each tenant's borrowed SMs.
func (m *measure) end(v *policy.View, borrows []int) {
	m.epochs++
	if m.skip > 0 {
		// A reserved SM is no use to its new owner yet.
		if m.skip--; m.skip == 0 && v.Emptying() {
			m.skip = 1
		}
		return
	}
	m.kept++
	for t, n := range borrows {
		if n > 0 {
			continue
		}
		cycles := uint64(0)
		for i := range v.Windows {
			w := &v.Windows[i]
			if c, ok := w.Counters.(protocol.SMCounters); ok {
				m.issued[t] += c.Tenants[t].ThreadInstructions
				cycles = w.Cycles()
			}
		}
		m.cycles[t] += cycles
	}
}

// complete reports whether a window is over: it is, and all its epochs count but
// one. It lasts longer if more have been left out.
func (m *measure) complete() bool { return m.epochs >= m.length && m.kept >= max(1, m.length-1) }

// of returns a tenant's instructions per cycle; false if it was not measured.
func (m *measure) of(tenant int) (ipc float64, ok bool) {
	if m.cycles[tenant] == 0 {
		return 0, false
	}
	return float64(m.issued[tenant]) / float64(m.cycles[tenant]), true
}
