package validation

import (
	"cotenant/workload"
	"cotenant/workload/script"
)

// sharedMemory are the microkernels of shared memory.
func sharedMemory() []*Microkernel {
	return []*Microkernel{
		chain("shared-chain", "One warp, loads of neighbouring words of shared memory, the address of each from the load before it: load to use.",
			128, func(int) workload.Inst { return script.Access(workload.Load, workload.Shared, 0, 4, 4, 1, 1) }),
		chains("shared-conflict-{}", "The same with lanes 2, 4, 8, 16 and 32 words apart, so that as many meet in a bank of 4 bytes.",
			[]int{2, 4, 8, 16, 32}, 64, func(words, _ int) workload.Inst {
				return script.Access(workload.Load, workload.Shared, 0, int32(4*words), 4, 1, 1)
			}),
		blockRate("shared-rate", "B/SM/cycle",
			"One thread block that is as large as an SM takes, independent loads of neighbouring 4-byte words of shared memory.",
			4*workload.WarpSize, 640, func(_, i int) workload.Inst {
				return script.Access(workload.Load, workload.Shared, 0, 4, 4, uint8(i%64))
			}),
		chains("shared-atomic-{}",
			"One warp, atomic operations of 1, 2, 4, 8, 16 and 32 lanes on one word of shared memory, each waits for the result of the one before.",
			[]int{1, 2, 4, 8, 16, 32}, 64, func(lanes, _ int) workload.Inst {
				inst := script.Access(workload.Atomic, workload.Shared, 0, 0, 4, 1, 1)
				inst.Active = ^uint32(0) >> (workload.WarpSize - lanes)
				return inst
			}),
	}
}
