package pcie

import "cotenant/protocol"

// npq is non-preemptive priority queues: the copies of the process with the highest
// priority go first, copies of one priority in the order of arrival.
type npq struct{}

func (npq) before(a, b *protocol.Copy) bool { return a.Priority >= b.Priority }
