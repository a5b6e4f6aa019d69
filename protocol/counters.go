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

// SMTenant is what an SM counts of one tenant.
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

// Since makes SMCounters Counters.
func (c SMCounters) Since(earlier Counters) Counters {
	e := earlier.(SMCounters)
	c.IdleSamples -= e.IdleSamples
	c.RateIntervals -= e.RateIntervals
	for i := range c.Tenants {
		t, o := &c.Tenants[i], &e.Tenants[i]
		t.WarpInstructions -= o.WarpInstructions
		t.ThreadInstructions -= o.ThreadInstructions
		t.MemoryRequests -= o.MemoryRequests
		t.MemoryStalls -= o.MemoryStalls
		t.IdleWarps -= o.IdleWarps
		t.Reads -= o.Reads
		t.Replies -= o.Replies
		t.DRAMAccesses -= o.DRAMAccesses
		t.Demand -= o.Demand
		t.ReadLatency -= o.ReadLatency
	}
	return c
}

// L2Counters are the Counters of an L2 slice.
type L2Counters struct{ Tenants [tenant.Max]L2Tenant }

// L2Tenant is what a slice counts of one tenant.
type L2Tenant struct {
	Accesses     uint64 // requests looked up
	Hits         uint64 // performed at once
	Misses       uint64 // found no line, or had to fetch sectors of it
	ReplyBytes   uint64 // data in replies, without headers
	DRAMAccesses uint64 // fetches and write-backs that its requests caused
}

// Since makes L2Counters Counters.
func (c L2Counters) Since(earlier Counters) Counters {
	e := earlier.(L2Counters)
	for i := range c.Tenants {
		t, o := &c.Tenants[i], &e.Tenants[i]
		t.Accesses -= o.Accesses
		t.Hits -= o.Hits
		t.Misses -= o.Misses
		t.ReplyBytes -= o.ReplyBytes
		t.DRAMAccesses -= o.DRAMAccesses
	}
	return c
}

// DRAMCounters are the Counters of a DRAM channel.
type DRAMCounters struct{ Tenants [tenant.Max]DRAMTenant }

// DRAMTenant is what a channel counts of one tenant.
type DRAMTenant struct {
	ReadBytes     uint64
	WrittenBytes  uint64
	RowHits       uint64 // requests that found their row open
	DataBusCycles uint64 // command clocks in which the data bus carried its data
}

// Since makes DRAMCounters Counters.
func (c DRAMCounters) Since(earlier Counters) Counters {
	e := earlier.(DRAMCounters)
	for i := range c.Tenants {
		t, o := &c.Tenants[i], &e.Tenants[i]
		t.ReadBytes -= o.ReadBytes
		t.WrittenBytes -= o.WrittenBytes
		t.RowHits -= o.RowHits
		t.DataBusCycles -= o.DataBusCycles
	}
	return c
}
