package irc

import (
	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/tenant"
)

// TenantStats counts an issue-rate controller's work for one tenant.
type TenantStats struct {
	Requests     uint64 // sent; each took a credit
	Reads        uint64 // sent requests for data: all but writes
	Replies      uint64 // of all kinds of requests
	ReadReplies  uint64 // of reads
	DRAMAccesses uint64 // that the L2 has made for the requests of the replies, at most 2 each
	Demand       uint64 // summed over intervals: requests sent, and requests waiting at the end
	ReadLatency  uint64 // core cycles, summed over the replies to reads, since the request came into the queue
	// Exhausted counts intervals that ended with waiting requests and without credit.
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

// Report adds the counts so far to an SM's counters.
func (c *Controller) Report(to *protocol.SMCounters) {
	to.RateIntervals = c.stats.Intervals
	for i := range c.stats.Tenants {
		stats.Fill(&to.Tenants[i], &c.stats.Tenants[i])
	}
}
