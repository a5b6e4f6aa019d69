// Package packed keeps the instructions of warps in a few bytes each: thread
// blocks of a trace that are in flight, and thread blocks that are recorded
// while they execute.
//
//	Table    a kernel's distinct instructions, without what changes from warp to warp
//	Block    the packed warps of one thread block; its Streams read them back
//	Packer   writes a Block of known instructions, one warp after another
//	Capture  records a launch: warps add instructions in any order, as they issue
package packed
