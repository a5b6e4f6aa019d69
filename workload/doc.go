// Package workload defines kernels and their instruction streams, alike for every source.
//
// Every source of instructions (a trace, a statistical profile, an emulated
// program) offers the same four things:
//
//	App     what one tenant runs: copies and kernel launches, in order
//	Kernel  one launch's shape: grid, block, registers, shared memory
//	Launch  hands out the thread blocks of one run of a kernel, in order
//	Stream  one warp's instructions, one packed Inst at a time
//
// A source sees no clock, but for programs that read one (TB.Resident). The SM pulls:
// Fetch gives the warp's next instruction (class and registers, enough for the scoreboard),
// and Execute, called when the instruction issues, completes it with the active
// mask and the addresses. A trace knows both at Fetch; an emulator computes
// the second half at Execute, in the order in which the timing model issues.
package workload
