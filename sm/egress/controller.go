package egress

import (
	"fmt"
	"reflect"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Controller is a Queue that decides which packet leaves next, and at which rate. Its
// package registers it.
type Controller interface {
	Queue
	// Advance makes an edge of the core clock the present one.
	Advance(cycle uint64)
	// Arrive: a tenant has come to the SM. Leave: its last thread block has gone.
	Arrive(t tenant.ID)
	Leave(t tenant.ID)
	// Control takes a control message and reports whether it is the controller's.
	Control(c protocol.Control) bool
	// Replied: a packet has come back.
	Replied(p *protocol.Packet)
	// Report adds what was counted so far to an SM's counters.
	Report(to *protocol.SMCounters)
}

// Parts are what a Controller is made of.
type Parts struct {
	Spec   Spec
	Domain *components.Domain // the core clock
	// CoreMHz and NoCMHz are the frequencies of the core and of the crossbars, by which
	// intervals are counted; 0 for both: they are alike.
	CoreMHz, NoCMHz int
	StoreBuffer     int // writes and atomics in the queue, at most
}

// Kind is a way to pace what leaves an SM.
type Kind struct {
	Name string
	// Takes lists the types of control message that the controller takes.
	Takes func() []reflect.Type
	Make  func(name string, p Parts) (Controller, error)
}

var kinds = map[string]Kind{}

// Register adds a kind of controller. The controller's package does so.
func Register(k Kind) { kinds[k.Name] = k }

// paced is the kind that a Spec with sub-queues asks for.
const paced = "irc"

// kind is the kind of controller that a Spec asks for; false for the plain queue.
func (s *Spec) kind() (k Kind, ok bool, err error) {
	if s.SubQueues == 0 {
		return k, false, nil
	}
	if k, ok = kinds[paced]; !ok {
		return k, false, fmt.Errorf("sub_queues is %d, and this program has no controller %q", s.SubQueues, paced)
	}
	return k, true, nil
}

// Takes lists the types of control message that what paces packets takes.
func (s *Spec) Takes() []reflect.Type {
	if k, ok, _ := s.kind(); ok {
		return k.Takes()
	}
	return nil
}
