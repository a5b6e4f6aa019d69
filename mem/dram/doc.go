// Package dram models the memory controller of one DRAM channel: queues for reads
// and writes, a scheduler that picks among them by a named rule, and the timing of banks,
// buses and refresh of GDDR5 and its like.
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
// Reads are answered. Writes are posted: they are complete for the sender once the
// controller accepts them. They wait apart from reads until a drain (see drainControl). If
// a waiting write holds sectors that a read wants, the write queue answers for these
// sectors, and DRAM for the rest.
//
// With UnifiedQueue both wait in one queue and compete, request by request. The request
// that can be sent first goes first, so only the distances between reads and writes on
// the data bus keep requests of a kind together. A line's requests are then served in
// order, and a read gets nothing from a write.
//
// # Time
//
// After every edge that changed its state, the controller plans its next command and that
// command's cycle, and sleeps until then. It does not wake for the refreshes of an idle
// channel: when the next request arrives, it accounts for each at its own cycle.
package dram
