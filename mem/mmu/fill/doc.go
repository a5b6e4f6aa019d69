// Package fill models the fill unit of the GPU's memory management unit: page-table
// walkers, and records of the regions with faults under service (thesis 2.1, 6.1).
//
// # Walks
//
// A walk takes WalkLatency. The time begins at the edge at which the unit sees the walk, or
// at which a walker is free, and ends at the edge at which the SM can read the answer. The
// unit answers two cycles before, for the links to the L2 TLB and to the SM; the walker is
// busy to the end. Walks wait for a walker in order of arrival.
//
// # Faults
//
// A walk reads the page table at its end, and a page that the GPU's memory lacks makes its
// answer a fault. The first Migrate or Allocate fault of a region makes a record, and the
// unit asks the pager; further such faults join the record. With Local, handlers on the SMs
// serve regions without data in the CPU's memory: the unit does not ask the pager, and the
// record waits for the first RegionHandled. A RegionHandled without such a record is
// counted and changes nothing: another handler was sooner, or the region is the pager's,
// because a handler cannot bring the CPU's pages.
//
// When the unit sees the pager's answer or RegionHandled, it changes the table and sends
// RegionServed, first to the L2 TLB, and a cycle later to the SMs. So an SM always hears of a
// fault before it hears of the service. Without other traffic, all SMs can read RegionServed
// three cycles after an SM pushes RegionHandled.
package fill
