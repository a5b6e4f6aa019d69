package validation

import (
	"fmt"

	"cotenant/workload"
	"cotenant/workload/script"
)

// sharedMemory are the microkernels of shared memory.
func sharedMemory() []*Microkernel {
	return []*Microkernel{sharedChain(), sharedConflicts(), sharedRate(), sharedAtomics()}
}

func sharedChain() *Microkernel {
	return single(Figure{"shared-chain", "cycles", Latency},
		"One warp, loads of neighbouring words of shared memory, the address of each from the load before it: load to use.",
		func(b *bench) (float64, error) {
			return b.chain(128, func(int) workload.Inst {
				return script.Access(workload.Load, workload.Shared, 0, 4, 4, 1, 1)
			})
		})
}

func sharedConflicts() *Microkernel {
	m := &Microkernel{About: "The same with lanes 2, 4, 8, 16 and 32 words apart, so that as many meet in a bank of 4 bytes."}
	ways := []int{2, 4, 8, 16, 32}
	for _, w := range ways {
		m.Figures = append(m.Figures, Figure{fmt.Sprintf("shared-conflict-%d", w), "cycles", Latency})
	}
	m.measure = func(b *bench) (list []float64, err error) {
		for _, w := range ways {
			cycles, err := b.chain(64, func(int) workload.Inst {
				return script.Access(workload.Load, workload.Shared, 0, int32(4*w), 4, 1, 1)
			})
			if err != nil {
				return nil, err
			}
			list = append(list, cycles)
		}
		return list, nil
	}
	return m
}

func sharedRate() *Microkernel {
	return single(Figure{"shared-rate", "B/SM/cycle", Bandwidth},
		"One thread block that is as large as an SM takes, independent loads of neighbouring 4-byte words of shared memory.",
		func(b *bench) (float64, error) {
			each := b.full()
			return b.rate(float64(each*workload.WarpSize*4), 640, warps(1, each, func(_, i int) workload.Inst {
				return script.Access(workload.Load, workload.Shared, 0, 4, 4, uint8(i%64))
			}))
		})
}

func sharedAtomics() *Microkernel {
	m := &Microkernel{About: "One warp, atomic operations of 1, 2, 4, 8, 16 and 32 lanes on one word of shared memory, each of which waits for the result of the one before it."}
	lanes := []int{1, 2, 4, 8, 16, 32}
	for _, l := range lanes {
		m.Figures = append(m.Figures, Figure{fmt.Sprintf("shared-atomic-%d", l), "cycles", Latency})
	}
	m.measure = func(b *bench) (list []float64, err error) {
		for _, l := range lanes {
			cycles, err := b.chain(64, func(int) workload.Inst {
				inst := script.Access(workload.Atomic, workload.Shared, 0, 0, 4, 1, 1)
				inst.Active = ^uint32(0) >> (workload.WarpSize - l)
				return inst
			})
			if err != nil {
				return nil, err
			}
			list = append(list, cycles)
		}
		return list, nil
	}
	return m
}
