// Package mem describes the layout of memory. AddressMap maps an address to its L2 slice,
// channel, bank and row; a Topology says which slice each SM asks. The L2 slices are in
// mem/l2, the DRAM controllers in mem/dram, the common parts of caches in mem/cache.
package mem
