// Package dram is the memory controller of one DRAM channel: queues for reads
// and writes, a scheduler, and the timing of banks, buses and refresh of GDDR5
// and its like.
//
// # One command a clock
//
// Row commands (activate, precharge) and column commands (read, write) share
// one command bus. The bursts of a request are decided together and sent as
// close to one another as their bank group allows; row commands of other banks
// go between them. With InterleaveBursts each burst is decided for itself, so
// that another bank group can use the data bus between two of them.
//
// # Reads and writes
//
// Reads are answered. Writes are posted: the controller owns them from the
// moment that it accepts them. They wait apart from reads until a drain (see
// drainControl). A read gets the sectors that a waiting write of its line holds from
// the write queue, and the rest from DRAM.
//
// With UnifiedQueue both wait in one queue and compete, request by request. The request
// that can be sent first goes first, so only the distances between reads and writes on
// the data bus keep requests of a kind together. A line's requests are then served in
// order, and a read gets nothing from a write.
//
// # Time
//
// At the end of every edge at which something changed, the controller plans
// its next command: which and when. It sleeps until then. The refreshes of an
// idle channel cost nothing: they are made up for when the next request
// arrives, each at its own cycle.
package dram
