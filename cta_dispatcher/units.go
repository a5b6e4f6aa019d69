package dispatcher

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cotenant/components"
	"cotenant/protocol"
)

// Units describes the units of one kind beside the SMs. The SM driver asks each for its
// counters and steers it through a port of its own.
type Units struct {
	Kind  string
	Count int
	Takes []reflect.Type // the types of protocol.Control that each of them accepts
}

// unit is a unit's entry in the driver's table.
type unit struct {
	protocol.Unit
	port  *components.Port
	takes []reflect.Type
	asked []sample // without an answer yet, in order
}

// makeUnits makes the table of units, the SMs first, and the ports to the units that are
// not SMs.
func (d *Driver) makeUnits(sms []SM, others []Units) {
	for i, port := range d.SMs {
		d.units = append(d.units, unit{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}, port: port, takes: sms[i].Takes})
	}
	for _, u := range others {
		for i := range u.Count {
			port := d.NewPort(fmt.Sprintf("%s%s[%d]", strings.ToUpper(u.Kind[:1]), u.Kind[1:], i), 4)
			d.units = append(d.units, unit{Unit: protocol.Unit{Kind: u.Kind, Index: i}, port: port, takes: u.Takes})
		}
	}
	for i := range d.units {
		d.ledger.view.Windows = append(d.ledger.view.Windows, protocol.Window{Unit: d.units[i].Unit})
	}
	d.pending = make([][]outgoing, len(d.units))
}

// Port is the driver's port to a unit, nil if the unit does not exist.
func (d *Driver) Port(u protocol.Unit) *components.Port {
	if i := d.unit(u); i >= 0 {
		return d.units[i].port
	}
	return nil
}

// unit is the place of a unit in the table, -1 if the unit does not exist.
func (d *Driver) unit(u protocol.Unit) int {
	return slices.IndexFunc(d.units, func(o unit) bool { return o.Unit == u })
}

// kinds lists the kinds of units.
func (d *Driver) kinds() (list []string) {
	for i := range d.units {
		if k := d.units[i].Kind; !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// checkControls returns an error if no unit of a kind takes a control that the policy
// sends to the kind.
func (d *Driver) checkControls() error {
	for _, c := range d.needs.Sends {
		if !slices.ContainsFunc(d.units, func(u unit) bool { return u.Kind == c.Kind && slices.Contains(u.takes, c.Control) }) {
			err := fmt.Errorf("the policy does not go with this GPU: it sends %v, which no unit of kind %q takes", c.Control, c.Kind)
			if c.Needs != "" {
				err = fmt.Errorf("%w; valid: a GPU with %s", err, c.Needs)
			}
			return err
		}
	}
	return nil
}

// Send sends a unit a control message.
func (d *Driver) Send(u protocol.Unit, c protocol.Control) {
	if d.err != nil {
		return
	}
	i := d.unit(u)
	if i < 0 || !slices.Contains(d.units[i].takes, reflect.TypeOf(c)) {
		d.fail(fmt.Errorf("fault of the policy: %T is sent to %v, which does not take it", c, u))
		return
	}
	d.post(i, d.units[i].port, c)
	if d.listener.Control != nil {
		d.listener.Control(d.cycle, u, c)
	}
}

// receiveSamples takes the answers of units that are not SMs.
func (d *Driver) receiveSamples() (moved bool) {
	for i := len(d.SMs); i < len(d.units); i++ {
		port := d.units[i].port
		if r, ok := port.Front().(*protocol.Sampled); ok && len(d.units[i].asked) > 0 {
			port.Pop()
			d.sampled(i, r)
			moved = true
		} else {
			port.Unknown()
		}
	}
	return moved
}
