// Package fill models the fill unit of the GPU's memory management unit: page-table
// walkers, and records of the regions with faults under service (thesis 2.1, 6.1).
//
// # Time
//
// A walk takes WalkLatency from the edge at which the unit sees it, or at which a walker
// is free, to the edge at which the SM can read the answer. The unit answers two cycles
// before, for the links to the L2 TLB and to the SM; the walker is busy to the end. Walks
// wait for a walker in order of arrival.
//
// A walk reads the page table at its end. A fault that can be served makes a record of its
// region, and the unit asks the pager; a fault of a region with a record joins it. Both
// are answered as faults. With Local the unit does not ask the pager for a region that a
// handler on an SM can serve: the record waits for the first RegionHandled. A
// RegionHandled without such a record, because another handler was sooner or the region
// is the pager's, is counted and changes nothing: a handler cannot bring the CPU's pages.
//
// When the unit sees the pager's answer or RegionHandled, it changes the table and tells
// the L2 TLB, and the SMs a cycle later. So a fault is always at the SM before the news of
// its service. All SMs can read RegionServed three cycles after an SM pushes
// RegionHandled, if nothing is in the way.
package fill
