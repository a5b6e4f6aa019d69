// Package l2tlb models the second level of address translation: one TLB for all SMs. It
// looks up pages that miss in an SM's own TLB. The fill unit walks for the pages that miss
// here, once for all requests that wait for a page.
//
// # Time
//
// Cycles count from the edge at which an SM pushes a protocol.Translation to the
// edge at which it can read the answer; the links are part of them. A hit takes
// Latency. A miss is seen by the fill unit after Latency, and its walk's answer by
// the SM two cycles after the fill unit has given it. Look-ups are pipelined,
// LookupsPerCycle of them, of one request of each SM in turn.
//
// A miss without an MSHR, or a hit that its SM has no room for, holds up the requests
// behind it.
//
// # Faults
//
// The TLB keeps a page only if it can be read, and notes whether it can be written. It
// answers a fault to all requests that wait for the walk, and forgets the fault. So
// serving a region invalidates nothing. Answers that an SM has not taken by then become
// NoFault, so that no SM hears of a region's service before the fault and waits for it.
package l2tlb
