// Package pager is the CPU's side of page faults: it serves the regions that the
// GPU's fill unit asks for, one after another, over the link between them (thesis
// 6.5.3).
//
// # Time
//
// The pager runs at the core clock. A service begins at the edge at which SMs are
// told of the fault, if link and CPU are free, and the region is there for them
// after MigrateNs or AllocateNs: the pager answers the fill unit so many cycles
// before as the way to the SMs takes. Link and CPU are held for Occupancy from its
// beginning. Faults are served in the order in which they came; with an Occupancy
// below the costs several are under way at a time.
//
// Services load nothing but the link and the CPU that they stand for: neither the
// copy engine nor the DRAM.
package pager
