package dispatcher

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// window is a span of cycles. The driver asks units for their counters at both ends.
type window struct {
	units    []int  // their places in the table
	periodic bool   // another window follows at once
	cycles   uint64 // length
	number   uint64 // among those that the policy opened, from 1; 0: periodic
	ends     uint64 // earliest cycle at which the units are asked for the second time
	from, to uint64 // cycles at which the units were asked
	ending   bool   // the units have been asked for the second time
	missing  int    // units that have not answered yet
	// before and after are the units' answers, by place in units; nil stands for no counts
	// at all.
	before, after []protocol.Counters
}

// sample is a question that a unit has not answered: for a window, by the unit's place
// in it.
type sample struct {
	window *window
	place  int
}

// newWindow makes a window of all units of some kinds, by default of the SMs. The error
// names a kind without units.
func (d *Driver) newWindow(cycles uint64, kinds []string) (*window, error) {
	if len(kinds) == 0 {
		kinds = []string{protocol.KindSM}
	}
	w := &window{cycles: cycles, from: d.cycle, ends: d.cycle + cycles}
	for _, kind := range kinds {
		some := false
		for i := range d.units {
			if d.units[i].Kind == kind {
				w.units = append(w.units, i)
				some = true
			}
		}
		if !some {
			return nil, fmt.Errorf("a window of units of kind %q; valid: %s", kind, strings.Join(d.kinds(), ", "))
		}
	}
	w.before, w.after = make([]protocol.Counters, len(w.units)), make([]protocol.Counters, len(w.units))
	return w, nil
}

// openPeriodic opens the window of the policy's first epoch.
func (d *Driver) openPeriodic() error {
	if d.needs.Epoch == 0 {
		return nil
	}
	w, err := d.newWindow(d.needs.Epoch, d.needs.Units)
	if err != nil {
		return fmt.Errorf("the policy does not go with this GPU: %w", err)
	}
	w.periodic = true
	d.windows = append(d.windows, w)
	return nil
}

// Window opens a window.
func (d *Driver) Window(cycles uint64, kinds ...string) {
	if d.err != nil {
		return
	}
	w, err := d.newWindow(cycles, kinds)
	if err == nil && cycles == 0 {
		err = fmt.Errorf("a window of no cycles")
	}
	if err != nil {
		d.fail(fmt.Errorf("fault of the policy: %w", err))
		return
	}
	d.opened++
	w.number = d.opened
	d.windows = append(d.windows, w)
	d.sample(w)
}

// sample asks a window's units for their counters.
func (d *Driver) sample(w *window) {
	for place, i := range w.units {
		u := &d.units[i]
		u.asked = append(u.asked, sample{w, place})
		d.post(i, u.port, &protocol.Sample{})
	}
	w.missing = len(w.units)
}

// endWindows asks the units of windows that are over.
func (d *Driver) endWindows() (moved bool) {
	for _, w := range d.windows {
		switch {
		case w.missing > 0: // the units have not answered yet
		case d.cycle < w.ends:
			d.WakeAt(w.ends)
		default:
			d.sample(w)
			w.ending, w.to = true, d.cycle
			moved = true
		}
	}
	return moved
}

// sampled takes a unit's counters. The policy is asked when all units of the window have
// answered for the second time.
func (d *Driver) sampled(i int, r *protocol.Sampled) {
	u := &d.units[i]
	s := u.asked[0]
	u.asked = slices.Delete(u.asked, 0, 1)
	w := s.window
	w.after[s.place] = r.Counters
	if w.missing--; w.missing > 0 {
		return
	}
	if !w.ending {
		w.before, w.after = w.after, w.before
		return
	}
	for place, i := range w.units {
		c := w.after[place]
		if w.before[place] != nil {
			c = stats.Since(c, w.before[place])
		}
		d.ledger.view.Windows[i] = protocol.Window{Unit: d.units[i].Unit, From: w.from, To: w.to, Counters: c}
	}
	if w.periodic {
		w.before, w.after = w.after, w.before
		w.from, w.ends, w.ending = w.to, w.to+w.cycles, false
		d.stats.Epochs++
		d.ask(policy.Epoch)
		return
	}
	d.windows = slices.DeleteFunc(d.windows, func(o *window) bool { return o == w })
	d.ledger.view.Ended = w.number
	d.ask(policy.WindowEnded)
}
