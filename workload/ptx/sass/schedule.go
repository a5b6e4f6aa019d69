package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// Latencies are the cycles from the issue of an instruction to the issue of a user
// of its result, as the scheduler takes them for granted. They decide the
// order of instructions alone: what the simulated machine takes is another
// matter.
type Latencies struct {
	ALU, FP64, SFU int
	// Shared and Constant are of loads that meet no conflict.
	Shared, Constant int
	// Memory is of all loads that may leave the SM, and of atomics. A compiler
	// cannot tell which hit.
	Memory int
	// Tensor is of products of matrices.
	Tensor int
}

// Maxwell is measured on chips of compute capability 5.2 (GTX 980, M60), and
// where no measurement is known, 6.x: ALU by Volkov (Understanding Latency Hiding on GPUs,
// 2016); shared memory, the constant cache and the L2, which stands for memory,
// by Jia et al. (arXiv 1804.06826, M60), and FP64 and SFU by the same on a P100. It has no
// tensor cores: Tensor is m16n8k16 on an A100 by Sun et al. (arXiv 2206.02874), 24.7.
var Maxwell = Latencies{ALU: 6, FP64: 8, SFU: 14, Shared: 23, Constant: 25, Memory: 207, Tensor: 25}

// of is the latency of an instruction's class.
func (l *Latencies) of(in *ptx.Inst, c workload.Class) int {
	switch c {
	case workload.Int, workload.FP32:
		return l.ALU
	case workload.FP64:
		return l.FP64
	case workload.SFU:
		return l.SFU
	case workload.Tensor:
		return l.Tensor
	case workload.Constant:
		return l.Constant
	case workload.Load, workload.Atomic:
		if in.Space == ptx.Shared || in.Op == "ldmatrix" {
			return l.Shared
		}
		return l.Memory
	}
	return 1
}

// Optimize is a kernel as a compiler leaves it before it becomes machine code:
// with loads of shared memory merged (flow.Merge), unless the rule is off, and
// its blocks scheduled (flow.Schedule), unless that is. It computes the same.
// Threads take no more registers than a number, or than the units that they need anyway.
func Optimize(f *ptx.Func, registers int, place flow.Place, latencies *Latencies, opt Options) *ptx.Func {
	if !opt.KeepAddresses {
		f = flow.Offsets(f)
	}
	if live := flow.MaxLive(f); live > registers {
		registers = opt.Units(live)
	}
	if !opt.KeepOrder {
		f = flow.Rename(f)
	}
	if !opt.KeepLoads {
		f = flow.Merge(f, place, registers)
	}
	if opt.KeepOrder {
		return f
	}
	l := newLowering(f, opt)
	joins := map[int]int{}
	for into, fold := range l.folds {
		joins[fold.operand] = into
	}
	guide := flow.Guide{Registers: registers, Joins: joins, Class: l.regs.class,
		Cost: func(i int) flow.Cost { return l.cost(i, latencies) }}
	h := flow.Schedule(f, guide)
	fewest := doubled(h, opt)
	if len(f.Insts) > longest {
		fewest = 0
	}
	for guide.Limit = workload.NoReg; fewest > 0 && guide.Limit > workload.NoReg*3/4; guide.Limit -= spareRegisters {
		other := flow.Schedule(f, guide)
		if n := doubled(other, opt); n < fewest {
			h, fewest = other, n
		}
	}
	return h
}

// longest is the length of the functions, in instructions, for which orders with fewer registers
// are tried.
const longest = 1 << 13

// doubled is how many values of a function share a register with others that are needed at
// the same time, because there are too few. Then instructions wait for each other that do not
// in machine code, which computes values again or keeps them in memory.
func doubled(f *ptx.Func, opt Options) int { return assign(f, absorbed(f, opt), opt).doubled }

// cost is what an instruction takes. Instructions of a sequence depend on one
// another, so a warp waits for each.
func (l *lowering) cost(index int, latencies *Latencies) flow.Cost {
	in := &l.f.Insts[index]
	if in.Op == "bra" && in.Guard >= 0 {
		return flow.Cost{Issue: 1, Latency: 1} // free or not, it is the last of its block
	}
	total, last := 0, 0
	for _, s := range l.steps(index) {
		last = latencies.of(in, s.class)
		total += s.count * last
	}
	if total == 0 {
		return flow.Cost{Free: true}
	}
	return flow.Cost{Issue: total - last + 1, Latency: last}
}
