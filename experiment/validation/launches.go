package validation

import (
	"context"

	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"
)

// launches are the microkernels of the host.
func launches() []*Microkernel {
	m := &Microkernel{About: "A kernel that scales 4,096 numbers of 8 bytes, of one stream, again and again, as the smallest of the program gpu-small-kernels of RRZE-HPC's gpu-benches does: " +
		"cycles from one launch to the next, the kernel's own time included; `launch-graph`: launches of a CUDA graph.",
		Figures: []Figure{{"launch", "cycles", Latency}, {"launch-graph", "cycles", Latency}}}
	m.measure = func(b *bench) (list []float64, err error) {
		for _, graph := range []bool{false, true} {
			cycles, err := b.again(4096, graph)
			if err != nil {
				return nil, err
			}
			list = append(list, cycles)
		}
		return list, nil
	}
	return []*Microkernel{m}
}

// RepeatedLaunches is the time in microseconds from one launch to the next of a kernel that scales n
// numbers of 8 bytes, launched by itself or in a CUDA graph.
func RepeatedLaunches(ctx context.Context, gpu *wiring.Config, n int, graph bool) (float64, error) {
	cycles, err := (&bench{ctx: ctx, gpu: gpu}).again(n, graph)
	return cycles / float64(gpu.Clocks.Core), err
}

// again is the time from launch to launch in core cycles. A thread reads a number, multiplies it and writes it. Each
// launch reads what the one before wrote.
func (b *bench) again(n int, graph bool) (float64, error) {
	const threads, warm, counted = 256, 2, 4
	scale := func(from, to uint64) *workload.Kernel {
		return script.Kernel("scale", n/threads+1, threads, func(tb, warp int) []workload.Inst {
			const thread, inside, source, target, number, product = 0, 1, 2, 3, 4, 5 // registers
			first := tb*threads + warp*workload.WarpSize
			list := []workload.Inst{script.Op(workload.Int, thread, workload.NoReg), script.Op(workload.Int, inside, thread)}
			if first < n {
				at := uint64(first) * 8
				list = append(list,
					script.Op(workload.Int, source, thread),
					script.Op(workload.Int, target, thread),
					script.Access(workload.Load, workload.Global, from+at, 8, 8, number, source),
					script.Op(workload.FP64, product, number),
					script.Access(workload.Store, workload.Global, to+at, 8, 8, workload.NoReg, target, product))
			}
			return append(list, script.Op(workload.Exit, workload.NoReg))
		})
	}
	var list []*workload.Kernel // the first bring both arrays to the L2
	for i := range uint64(warm + counted) {
		list = append(list, scale(array+i%2*array, array+(i+1)%2*array))
	}
	each, err := b.launched(graph, list...)
	if err != nil {
		return 0, err
	}
	cycles := uint64(0)
	for i := range each[warm:] {
		cycles += each[warm+i].Cycles
	}
	return float64(cycles) / counted, nil
}
