// Package l2tlb is the second level of address translation: one TLB for all SMs.
// What misses in an SM's own TLB is looked up here, and what misses here is walked
// by the fill unit, once for all that wait for the page.
//
// # Time
//
// Cycles count from the edge at which an SM pushes a protocol.Translation to the
// edge at which it can read the answer; the links are part of them. A hit takes
// Latency. A miss is seen by the fill unit after Latency, and its walk's answer by
// the SM two cycles after the fill unit has given it. Look-ups are pipelined,
// LookupsPerCycle of them, of one request of each SM in turn.
//
// A miss that finds no MSHR, and a hit whose SM takes no answer, hold up those
// behind them.
//
// # Faults
//
// A page is kept only if it can be read; with it is kept whether it can be written.
// A fault is answered to all that wait for the walk, and forgotten. So nothing need
// be invalidated when a region is served. Answers that an SM has not taken by then
// are made NoFault, so that no SM waits for a region whose service it has been told
// of before the fault.
package l2tlb
