package validation

import (
	"cotenant/workload"
	"cotenant/workload/script"
)

// operations are the kinds of arithmetic that pipes tell apart. Another kind, as
// the integer multiply, is a line here.
var operations = []struct {
	name, text string
	class      workload.Class
}{
	{"int", "32-bit integer", workload.Int},
	{"fp32", "single-precision", workload.FP32},
	{"fp64", "double-precision", workload.FP64},
	{"sfu", "special-function", workload.SFU},
}

// arithmetic are the microkernels of the pipes, of issue and of barriers.
func arithmetic() (list []*Microkernel) {
	for _, o := range operations {
		list = append(list, chain(o.name+"-chain", "One warp, "+o.text+" instructions, each reads the result of the one before: cycles of each.",
			256, func(int) workload.Inst { return script.Op(o.class, 1, 1) }))
	}
	for _, o := range operations {
		list = append(list, blockRate(o.name+"-rate", "results/SM/cycle",
			"One thread block that is as large as an SM takes, independent "+o.text+" instructions.",
			workload.WarpSize, 960, func(_, i int) workload.Inst { return script.Op(o.class, uint8(i%96)) }))
	}
	list = append(list, blockRate("int-fp32-rate", "results/SM/cycle",
		"One thread block that is as large as an SM takes, 32-bit integer and single-precision instructions in turn, all independent.",
		workload.WarpSize, 960, func(_, i int) workload.Inst {
			return script.Op([]workload.Class{workload.Int, workload.FP32}[i%2], uint8(i%96))
		}))
	meet := func(_, _ int) workload.Inst { return script.Op(workload.Barrier, workload.NoReg) }
	return append(list, blockRate("issue-rate", "warp instructions/SM/cycle",
		"One thread block that is as large as an SM takes, single-precision instructions and instructions that only take an issue slot in turn, all independent: the schedulers' rate if no unit is short.",
		1, 960, func(_, i int) workload.Inst {
			if i%2 == 1 {
				return script.Op(workload.Nop, workload.NoReg)
			}
			return script.Op(workload.FP32, uint8(i%96))
		}), blockRate("mixed-issue", "warp instructions/SM/cycle",
		"One thread block that is as large as an SM takes, independent instructions: of each six four single-precision ones, a special function and a load from shared memory, so that neighbours go to different units.",
		1, 960, func(_, i int) workload.Inst {
			reg := uint8(i % 96)
			switch i % 6 {
			case 1:
				return script.Op(workload.SFU, reg)
			case 3:
				return script.Access(workload.Load, workload.Shared, 0, 4, 4, reg)
			}
			return script.Op(workload.FP32, reg)
		}), single(Figure{"barrier-chain", "cycles", Latency},
		"One thread block of eight warps that do nothing but meet at a barrier: cycles from one barrier to the next.",
		func(b *bench) (float64, error) { return b.perStep(128, warps(1, 8, meet)) }),
		blockRate("barrier-rate", "threads/SM/cycle",
			"The same with one thread block that is as large as an SM takes: threads that pass in a cycle.",
			workload.WarpSize, 1280, meet))
}
