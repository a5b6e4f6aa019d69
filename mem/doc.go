// Package mem is the layout of memory: the map from addresses to slices,
// channels, banks and rows. The L2 slices are in mem/l2, the DRAM controllers in
// mem/dram, what both caches are made of in mem/cache.
package mem
