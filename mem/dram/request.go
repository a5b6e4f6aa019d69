package dram

import (
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
)

// Request is one access of an L2 slice to DRAM, of at most one line. The slice
// takes it from the simulation's pool and pushes it into its port of the
// controller. A read comes back through that port, the same Request, and the
// slice puts it back in the pool. A write is the controller's from then on,
// which puts it in the pool itself.
//
// The controller keeps reads behind writes of the same sectors, but not writes
// behind reads: a slice must not write back a line that it has not got yet.
type Request struct {
	sim.MsgMeta
	Addr    uint64 // line address in bytes, tenant included
	Sectors uint8  // sectors to transfer, at least one, bit 0 the lowest
	Write   bool
	Context bool      // it belongs to the context of a preempted thread block
	Tenant  tenant.ID // tenant, below tenant.Max
	Slice   uint16    // the slice's own; comes back unchanged
	Tag     uint32    // the slice's own; comes back unchanged

	// The rest is the controller's.
	transfer   uint8 // sectors that go over the data bus
	started    bool  // its first column command has been sent
	port       uint8 // index of the port that it came from
	bursts     uint8 // still to be sent
	bank       uint8
	row        uint64
	order      uint64 // of acceptance
	accepted   uint64 // cycle
	due        uint64 // cycle of the reply
	prev, next *Request
}

// Meta makes Request a sim.Msg.
func (r *Request) Meta() *sim.MsgMeta { return &r.MsgMeta }

// list is a queue of Requests, oldest first, linked through them.
type list struct{ oldest, newest *Request }

func (l *list) add(r *Request) {
	r.prev, r.next = l.newest, nil
	if l.newest != nil {
		l.newest.next = r
	} else {
		l.oldest = r
	}
	l.newest = r
}

func (l *list) remove(r *Request) {
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.oldest = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.newest = r.prev
	}
	r.prev, r.next = nil, nil
}
