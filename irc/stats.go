package irc

import (
	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/tenant"
)

// TenantStats counts what an issue-rate controller does for one tenant.
type TenantStats struct {
	Requests     uint64 // sent, each of which took a credit
	Reads        uint64 // of them, those that ask for data: all but writes
	Replies      uint64 // of all kinds of requests
	ReadReplies  uint64 // of reads
	DRAMAccesses uint64 // that the L2 has made for the requests of the replies, at most 2 each
	Demand       uint64 // summed over intervals: requests sent, and those that waited at the end
	ReadLatency  uint64 // core cycles, summed over the replies to reads, since the request came into the queue
	// Exhausted is the number of intervals at whose end requests waited and no
	// credit was left.
	Exhausted uint64
}

// Stats counts an issue-rate controller's work.
type Stats struct {
	Intervals uint64 // that have ended
	Tenants   [tenant.Max]TenantStats
}

// Stats brings the counters up to the edges before a cycle and returns them.
func (c *Controller) Stats(cycle uint64) *Stats {
	c.Advance(cycle)
	return &c.stats
}

// Report adds what was counted so far to an SM's counters.
func (c *Controller) Report(to *protocol.SMCounters) {
	to.RateIntervals = c.stats.Intervals
	for i := range c.stats.Tenants {
		stats.Fill(&to.Tenants[i], &c.stats.Tenants[i])
	}
}
