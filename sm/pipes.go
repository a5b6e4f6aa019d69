package sm

import (
	"slices"

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
	detours bool // some kinds have another unit than classUnits says
	// special units have not one pipe for each scheduler alone: see occupy.
	special [warps.NumUnits]bool
	shared  [warps.NumUnits]bool // the schedulers share the pipes, or the way to the load-store unit
	unit    [workload.Kinds]warps.Unit
	timing  [workload.Kinds]timing
	// several has the cycles at which the pipes of a unit take an instruction,
	// those of each scheduler, or of the SM, in a list; none if there is one pipe.
	several [warps.NumUnits][][]uint64
}

// timing is the initiation interval and latency of a kind of instructions.
type timing struct{ interval, latency uint64 }

func newPipes(spec *PipesSpec, schedulers int) (p pipes) {
	alu := spec.ALU.timing()
	timings := [warps.NumUnits]timing{warps.ALU: alu, warps.FP64: spec.FP64.timing(), warps.SFU: spec.SFU.timing(),
		warps.Tensor: spec.Tensor.timing(),
		// The latency is that of a memory instruction without an active lane, which
		// passes through.
		warps.LSU: {0, alu.latency}}
	if spec.MemoryIssuePerSM {
		timings[warps.LSU].interval, p.shared[warps.LSU] = 1, true
	}
	for class := range workload.NumClasses {
		u := classUnits[class]
		for _, f := range []workload.Flags{0, workload.Multiply, workload.MultiplyAdd, workload.Multiply | workload.MultiplyAdd} {
			kind := workload.KindOf(class, f)
			p.unit[kind], p.timing[kind] = u, timings[u]
		}
	}
	divided := spec.IMul.Unit != "" || spec.IMad.Unit != "" || spec.Convert.Unit != "" // classes have kinds of several timings
	for kind, m := range map[uint8]*UnitSpec{workload.KindOf(workload.Int, workload.Multiply): &spec.IMul,
		workload.KindOf(workload.Int, workload.MultiplyAdd): &spec.IMad, uint8(workload.Constant): &spec.Constant,
		workload.KindOf(workload.SFU, workload.Convert): &spec.Convert} {
		if m.Unit != "" {
			p.detours = true
			p.unit[kind], p.timing[kind] = detours[m.Unit], timing{uint64(m.Interval), uint64(m.Latency)}
		}
	}
	for _, c := range []struct {
		class    workload.Class
		unit     warps.Unit
		interval int
	}{{workload.Branch, warps.Branch, spec.BranchInterval}, {workload.Barrier, warps.Barrier, spec.BarrierInterval}} {
		if c.interval > 1 {
			p.detours = true
			p.unit[c.class], p.timing[c.class].interval = c.unit, uint64(c.interval)
		}
	}
	for u, pipe := range map[warps.Unit]*PipeSpec{warps.ALU: &spec.ALU, warps.FP64: &spec.FP64, warps.SFU: &spec.SFU, warps.Tensor: &spec.Tensor} {
		p.shared[u] = pipe.PerSM
		if pipe.Units > 1 {
			p.several[u] = make([][]uint64, schedulers)
			for i := range p.several[u] {
				if i == 0 || !pipe.PerSM {
					p.several[u][i] = make([]uint64, pipe.Units)
				} else {
					p.several[u][i] = p.several[u][0]
				}
			}
		}
	}
	for u := range p.special {
		p.special[u] = p.shared[u] || p.several[u] != nil || divided
	}
	return p
}

// take has a pipe of a unit take no instruction before a cycle.
func (p *pipes) take(schedulers []scheduler, number int, u warps.Unit, until uint64) {
	if p.several[u] != nil {
		until = takeFirst(p.several[u][number], until)
	}
	if !p.shared[u] {
		schedulers[number].take(u, until)
		return
	}
	for i := range schedulers {
		schedulers[i].take(u, until)
	}
}

// occupy takes what the instruction that a warp issues takes of a special unit,
// and returns its timing.
func (s *SM) occupy(w *warp, cycle uint64) *timing {
	t := &s.pipes.timing[w.inst.Kind()]
	s.pipes.take(s.schedulers, int(w.scheduler), w.unit, cycle+t.interval)
	s.tookTurn(w.unit, w.scheduler)
	return t
}

// takeFirst gives an instruction to the pipe that has been free for longest, and
// returns when the first pipe takes another.
func takeFirst(freeAt []uint64, until uint64) uint64 {
	first := slices.Min(freeAt)
	freeAt[slices.Index(freeAt, first)] = until
	return slices.Min(freeAt)
}

// take has a unit take no instruction from the scheduler before a cycle.
func (p *scheduler) take(u warps.Unit, until uint64) {
	p.freeAt[u] = until
	p.busy |= 1 << u
}

// arithmetic reports whether a unit is a kind of arithmetic pipe.
func arithmetic(u warps.Unit) bool { return u != warps.Control && u < warps.LSU }

// takes reports whether the unit that a scheduler's warp needs takes its instruction
// now.
func (s *SM) takes(p *scheduler, w *warp, cycle uint64) bool {
	return p.freeAt[w.unit] <= cycle && s.lsuFull(p)&w.bit == 0
}

// pairs reports whether an instruction for a unit may issue together with one for
// another, or for the same.
func (s *SM) pairs(first, second warps.Unit) bool {
	return first != second || s.spec.IssueSameUnit && arithmetic(first)
}
