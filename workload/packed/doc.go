// Package packed keeps the instructions of warps in a few bytes each: thread
// blocks of a trace that are in flight, and thread blocks that are recorded
// while they execute.
//
//	Table    a kernel's distinct instructions, without what changes from warp to warp
//	Packer   appends instructions to a warp of a Block
//	Block    the warps of one thread block; its Streams read them back
//	Capture  packs warps with interleaved instructions, as they issue
package packed
