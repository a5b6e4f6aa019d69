// Package pager models the CPU's side of page faults: it serves the regions that the GPU's
// fill unit requests, in the order of arrival, over the link between CPU and GPU (thesis
// 6.5.3).
//
// # Time
//
// The pager runs at the core clock. If link and CPU are free, a service begins at the
// edge at which SMs learn of the fault. The SMs can access the region MigrateNs or
// AllocateNs later; the pager answers the fill unit three cycles before that, the time
// of the news on its way to the SMs. A service holds link and CPU for Occupancy from
// its beginning. If Occupancy is shorter than the service, services overlap; with
// Occupancy Full they follow one another.
//
// Services load only their link and CPU: neither the copy engine nor the DRAM.
package pager
