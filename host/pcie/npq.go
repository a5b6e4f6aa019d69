package pcie

import "cotenant/protocol"

// npq is non-preemptive priority queues: the copies of the process with the
// highest priority first, those of one priority in the order in which they came.
type npq struct{}

func (npq) before(a, b *protocol.Copy) bool { return a.Priority >= b.Priority }
