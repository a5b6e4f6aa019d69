package dram

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

// entry is a request in the controller, from its acceptance until it has been
// written or its reply has left.
type entry struct {
	request    *protocol.DRAMRequest
	row        uint64 // of the request, as are account and write
	order      uint64 // of acceptance
	accepted   uint64 // cycle
	due        uint64 // cycle of the reply
	prev, next *entry // in a list
	account    tenant.Account
	write      bool
	port       uint8 // index of the port that it came from
	transfer   uint8 // sectors that go over the data bus
	bursts     uint8 // still to be sent
	started    bool  // its first column command has been sent
}

// trace is the number of the journey of the load that a read is for, or 0.
func (e *entry) trace() uint16 {
	if e.write || e.request.Context {
		return 0 // the request may have been another's
	}
	return e.request.Trace
}

func (e *entry) direction() direction {
	if e.write {
		return writing
	}
	return reading
}

// list is a queue of entries, oldest first, linked through them.
type list struct{ oldest, newest *entry }

func (l *list) add(e *entry) {
	e.prev, e.next = l.newest, nil
	if l.newest != nil {
		l.newest.next = e
	} else {
		l.oldest = e
	}
	l.newest = e
}

func (l *list) remove(e *entry) {
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		l.oldest = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		l.newest = e.prev
	}
}
