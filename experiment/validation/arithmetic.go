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
		list = append(list, single(Figure{o.name + "-chain", "cycles", Latency},
			"One warp, "+o.text+" instructions, each of which reads what the one before it wrote: cycles of each.",
			func(b *bench) (float64, error) {
				return b.chain(256, func(int) workload.Inst { return script.Op(o.class, 1, 1) })
			}))
	}
	for _, o := range operations {
		list = append(list, single(Figure{o.name + "-rate", "results/SM/cycle", Bandwidth},
			"One thread block that is as large as an SM takes, independent "+o.text+" instructions.",
			func(b *bench) (float64, error) {
				each := b.full()
				return b.rate(float64(each*workload.WarpSize), 960, warps(1, each, func(_, i int) workload.Inst {
					return script.Op(o.class, uint8(i%96))
				}))
			}))
	}
	return append(list, pairs(), mixed(), barrierChain(), barrierRate())
}

func pairs() *Microkernel {
	return single(Figure{"issue-rate", "warp instructions/SM/cycle", Bandwidth},
		"One thread block that is as large as an SM takes, single-precision instructions and ones that only take an issue slot in turn, all independent: what the schedulers issue if no unit is short.",
		func(b *bench) (float64, error) {
			each := b.full()
			return b.rate(float64(each), 960, warps(1, each, func(_, i int) workload.Inst {
				if i%2 == 1 {
					return script.Op(workload.Nop, workload.NoReg)
				}
				return script.Op(workload.FP32, uint8(i%96))
			}))
		})
}

func mixed() *Microkernel {
	return single(Figure{"mixed-issue", "warp instructions/SM/cycle", Bandwidth},
		"One thread block that is as large as an SM takes, independent instructions: of each six four single-precision ones, a special function and a load from shared memory, so that neighbours go to different units.",
		func(b *bench) (float64, error) {
			each := b.full()
			return b.rate(float64(each), 960, warps(1, each, func(_, i int) workload.Inst {
				reg := uint8(i % 96)
				switch i % 6 {
				case 1:
					return script.Op(workload.SFU, reg)
				case 3:
					return script.Access(workload.Load, workload.Shared, 0, 4, 4, reg)
				}
				return script.Op(workload.FP32, reg)
			}))
		})
}

func meet(_, _ int) workload.Inst { return script.Op(workload.Barrier, workload.NoReg) }

func barrierChain() *Microkernel {
	return single(Figure{"barrier-chain", "cycles", Latency},
		"One thread block of eight warps that do nothing but meet at a barrier: cycles from one barrier to the next.",
		func(b *bench) (float64, error) { return b.perStep(128, warps(1, 8, meet)) })
}

func barrierRate() *Microkernel {
	return single(Figure{"barrier-rate", "threads/SM/cycle", Bandwidth},
		"The same with one thread block that is as large as an SM takes: threads that pass in a cycle.",
		func(b *bench) (float64, error) {
			each := b.full()
			return b.rate(float64(each*workload.WarpSize), 1280, warps(1, each, meet))
		})
}
