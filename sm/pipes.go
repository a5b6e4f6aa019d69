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

// pipes are the timing of the arithmetic pipes.
type pipes struct {
	timing [workload.NumClasses]classTiming
	shared [warps.NumUnits]bool // the schedulers share one pipe
}

// classTiming is a class's initiation interval and latency.
type classTiming struct{ interval, latency uint64 }

func newPipes(spec *PipesSpec) (p pipes) {
	set := func(u warps.Unit, spec PipeSpec, classes ...workload.Class) {
		p.shared[u] = spec.PerSM
		for _, c := range classes {
			p.timing[c] = classTiming{uint64(spec.Interval), uint64(spec.Latency)}
		}
	}
	set(warps.ALU, spec.ALU, workload.Int, workload.FP32)
	set(warps.FP64, spec.FP64, workload.FP64)
	set(warps.SFU, spec.SFU, workload.SFU)
	set(warps.Tensor, spec.Tensor, workload.Tensor)
	for c := range p.timing {
		if classUnits[c] == warps.LSU {
			// A memory instruction without an active lane passes through.
			p.timing[c] = classTiming{0, uint64(spec.ALU.Latency)}
		}
	}
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
