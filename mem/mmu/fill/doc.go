// Package fill is the fill unit of the GPU's memory management unit: page-table
// walkers, and the records of regions whose faults are being served (thesis 2.1,
// 6.1).
//
// # Time
//
// A walk takes WalkLatency from the edge at which the unit sees it, or at which a
// walker is free, to the edge at which the SM can read the answer: the unit answers
// two cycles before, which the links to the L2 TLB and to the SM take, and the
// walker is busy to the end. Walks that find no walker wait in the order in which
// they came.
//
// What a walk finds is what the page table says when the walk is answered. A fault
// that can be served makes a record of its region, and the pager is asked; a fault
// of a region that has a record joins it. Both are answered as faults. With Local
// the pager is not asked for a region that a handler on an SM can serve: the record
// waits for the first RegionHandled. A RegionHandled of a region that has no such
// record, because another handler was sooner or because the region is the pager's,
// is counted and changes nothing: a handler cannot bring what the CPU has.
//
// When the pager's answer or RegionHandled is seen, the table changes and the L2
// TLB is told; the SMs are told a cycle later. So a fault is always at the SM before
// the news that it is served. From the edge at which an SM pushes RegionHandled to
// the one at which all can read RegionServed it is three cycles, if nothing is in
// the way.
package fill
