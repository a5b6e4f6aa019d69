package components

import "github.com/sarchlab/akita/v3/sim"

// roomEvent tells a port's connection that room was made, at the owner's next edge.
// Links between two Ports do not need it.
type roomEvent struct {
	port      *Port
	at        sim.VTimeInSec
	scheduled bool
}

// Time is the edge after the one at which room was made.
func (r *roomEvent) Time() sim.VTimeInSec { return r.at }

// Handler is the event itself.
func (r *roomEvent) Handler() sim.Handler { return r }

// IsSecondary is false.
func (r *roomEvent) IsSecondary() bool { return false }

// Handle notifies the connection.
func (r *roomEvent) Handle(sim.Event) error {
	r.scheduled = false
	r.port.conn.NotifyAvailable(r.at, r.port)
	return nil
}

func (r *roomEvent) schedule() {
	if r.scheduled {
		return
	}
	d := r.port.owner.domain
	edge := d.catchUp() + 1
	r.at, r.scheduled = d.seconds(edge), true
	d.insert(edge, r, false)
}
