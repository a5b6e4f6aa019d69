package protocol

import "cotenant/tenant"

// SMCounters are the Counters of an SM.
type SMCounters struct {
	// IdleSamples is how often the idle warps were counted (SampleIdle).
	IdleSamples uint64
	// RateIntervals is how many intervals of the issue-rate controller have ended.
	RateIntervals uint64
	Tenants       [tenant.Max]SMTenant
}

// SMTenant is what an SM counts of one tenant. A unit fills its counters from those
// of its Stats with the same name, or that the tag from names (stats.Fill).
type SMTenant struct {
	WarpInstructions   uint64 // issued
	ThreadInstructions uint64 // lanes of those
	MemoryRequests     uint64 // packets to the L2, without contexts
	// MemoryStalls are scheduler-cycles without issue that were charged to the tenant
	// because its warps wait for loads that missed the L1, or for the load-store unit.
	MemoryStalls uint64
	IdleWarps    uint64 // summed over the samples

	// What follows is counted where the SM has an issue-rate controller only.

	Reads        uint64 // of the memory requests, those that ask for data: loads, and atomics that return some
	Replies      uint64 // of all kinds of requests
	DRAMAccesses uint64 // that the L2 has made for the requests of those replies (CCBP 5.2)
	// Demand is the sum over intervals of the requests that the tenant wanted to
	// send: those sent and those that waited at the interval's end (CCBP 5.4).
	Demand uint64
	// ReadLatency is the sum over replies to reads of the core cycles since the
	// request came into the queue.
	ReadLatency uint64
}
