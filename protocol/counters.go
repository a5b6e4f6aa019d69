package protocol

import "cotenant/tenant"

// SMCounters are the Counters of an SM.
type SMCounters struct {
	// IdleSamples counts the samples of idle warps (SampleIdle).
	IdleSamples uint64
	// RateIntervals counts the ended intervals of the issue-rate controller.
	RateIntervals uint64
	Tenants       [tenant.Max]SMTenant
}

// SMTenant holds an SM's counters of one tenant. A unit fills each from the counter
// of its Stats with the same name, or with the name in the tag from (stats.Fill).
type SMTenant struct {
	WarpInstructions   uint64 // issued
	ThreadInstructions uint64 // lanes of those
	MemoryRequests     uint64 // packets to the L2, without contexts
	// MemoryStalls are scheduler-cycles without issue charged to the tenant because its
	// warps wait for loads that missed the L1, or for the load-store unit.
	MemoryStalls uint64
	IdleWarps    uint64 // summed over the samples

	// Only an SM with an issue-rate controller counts the fields below.

	Reads        uint64 // memory requests that return data: loads and some atomics
	Replies      uint64 // to requests of all kinds
	DRAMAccesses uint64 // by the L2 for the requests of these replies (CCBP 5.2)
	// Demand sums, over intervals, the requests sent and the requests that wait at the
	// interval's end (CCBP 5.4).
	Demand uint64
	// ReadLatency sums, over replies to reads, the core cycles since the request came
	// into the queue.
	ReadLatency uint64
}
