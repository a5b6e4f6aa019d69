package sm

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// classUnits tells which unit executes each class.
var classUnits = [workload.NumClasses]warps.Unit{
	workload.Int: warps.ALU, workload.FP32: warps.ALU,
	workload.FP64: warps.FP64, workload.SFU: warps.SFU, workload.Tensor: warps.Tensor,
	workload.Constant: warps.LSU, workload.Load: warps.LSU, workload.Store: warps.LSU, workload.Atomic: warps.LSU, workload.Reduction: warps.LSU,
}

// pipes are the units of instructions and the timing of the arithmetic pipes, by
// workload.Inst.Kind.
type pipes struct {
	unit   [workload.Kinds]warps.Unit
	timing [workload.Kinds]timing
	shared [warps.NumUnits]bool // the schedulers share the pipes
}

// timing is the initiation interval and latency of a kind of instructions.
type timing struct{ interval, latency uint64 }

func newPipes(spec *PipesSpec) (p pipes) {
	alu := spec.ALU.timing()
	timings := [warps.NumUnits]timing{warps.ALU: alu, warps.FP64: spec.FP64.timing(), warps.SFU: spec.SFU.timing(),
		warps.Tensor: spec.Tensor.timing(),
		// A memory instruction without an active lane passes through.
		warps.LSU: {0, alu.latency}}
	for class := range workload.NumClasses {
		u := classUnits[class]
		for _, f := range []workload.Flags{0, workload.Multiply, workload.MultiplyAdd, workload.Multiply | workload.MultiplyAdd} {
			kind := workload.KindOf(class, f)
			p.unit[kind], p.timing[kind] = u, timings[u]
		}
	}
	for f, m := range map[workload.Flags]*MultiplySpec{workload.Multiply: &spec.IMul, workload.MultiplyAdd: &spec.IMad} {
		if m.Unit != "" {
			kind := workload.KindOf(workload.Int, f)
			p.unit[kind], p.timing[kind] = multipliers[m.Unit], timing{uint64(m.Interval), uint64(m.Latency)}
		}
	}
	p.shared = [warps.NumUnits]bool{warps.ALU: spec.ALU.PerSM, warps.FP64: spec.FP64.PerSM, warps.SFU: spec.SFU.PerSM, warps.Tensor: spec.Tensor.PerSM}
	return p
}

// take has a pipe take no instruction before a cycle: a scheduler's own, or the
// one that they share.
func (p *pipes) take(schedulers []scheduler, number int, u warps.Unit, until uint64) {
	if p.shared[u] {
		for i := range schedulers {
			schedulers[i].take(u, until)
		}
	} else {
		schedulers[number].take(u, until)
	}
}

func (p *scheduler) take(u warps.Unit, until uint64) {
	p.freeAt[u] = until
	p.busy |= 1 << u
}

// takes reports whether a unit takes an instruction from a scheduler now.
func (s *SM) takes(p *scheduler, u warps.Unit, cycle uint64) bool {
	if u == warps.LSU {
		return !s.lsu.Full()
	}
	return p.freeAt[u] <= cycle
}
