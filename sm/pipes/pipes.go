package pipes

import (
	"math"
	"slices"

	"cotenant/sm/tensor"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// classUnits tells which unit executes each class.
var classUnits = [workload.NumClasses]warps.Unit{
	workload.Int: warps.ALU, workload.FP32: warps.ALU,
	workload.FP64: warps.FP64, workload.SFU: warps.SFU, workload.Tensor: warps.Tensor,
	workload.Constant: warps.LSU, workload.Load: warps.LSU, workload.Store: warps.LSU, workload.Atomic: warps.LSU, workload.Reduction: warps.LSU,
	workload.Copy: warps.LSU,
}

// UnitOf is the unit that executes a class, unless an SM's parameters say otherwise.
func UnitOf(c workload.Class) warps.Unit { return classUnits[c] }

// Arithmetic reports whether a unit is a kind of arithmetic pipe.
func Arithmetic(u warps.Unit) bool { return u != warps.Control && u < warps.LSU }

// Pipes are an SM's units, and the timing of the arithmetic pipes by
// workload.Inst.Kind.
type Pipes struct {
	ports   [warps.MaxSchedulers]port // by scheduler
	timing  [workload.Kinds]timing
	matrix  *tensor.Unit // nil: products of matrices take the time of pipes.tensor
	extra   Unit         // the registered unit that the parameters name; nil without
	special uint16       // units, one bit each, that are not one pipe for each scheduler alone
	shared  uint16       // units with pipes that the schedulers share, or the load-store unit if they share the way to it
	detours bool         // some kinds have another unit than classUnits says
	lends   bool         // the second pipe of ALU executes integers too
	stepped bool         // products of a shape have several steps
	limited warps.Unit   // one more than the last unit that can be busy
	unit    [workload.Kinds]warps.Unit
	// several has the cycles at which the pipes of a unit take an instruction, in one
	// list for each scheduler; the lists of shared pipes are one. nil: there is one
	// pipe.
	several    [warps.NumUnits][][]uint64
	schedulers int
}

// port is a scheduler's way to its pipes.
type port struct {
	freeAt [warps.NumUnits]uint64 // first cycle at which a unit takes an instruction
}

// multiplications are the flags that make kinds of a class.
var multiplications = [...]workload.Flags{0, workload.Multiply, workload.MultiplyAdd, workload.Multiply | workload.MultiplyAdd}

// timing is the initiation interval and latency of a kind of instructions.
type timing struct{ interval, latency uint16 }

// Init makes the pipes of an SM in place.
func (p *Pipes) Init(spec *Spec, cores *tensor.Spec, schedulers int) {
	p.schedulers = schedulers
	alu := spec.ALU.timing()
	timings := [warps.NumUnits]timing{warps.ALU: alu, warps.FP64: spec.FP64.timing(), warps.SFU: spec.SFU.timing(),
		warps.Tensor: spec.Tensor.timing(),
		// The latency is that of a memory instruction without an active lane, which
		// passes through.
		warps.LSU: {0, alu.latency}}
	if spec.MemoryIssuePerSM {
		timings[warps.LSU].interval = 1
		p.shared |= 1 << warps.LSU
	}
	for class := range workload.NumClasses {
		u := classUnits[class]
		for _, f := range multiplications {
			kind := workload.KindOf(class, f)
			p.unit[kind], p.timing[kind] = u, timings[u]
		}
	}
	p.divideIntegers(&spec.Int)
	p.detour(spec)
	for u, pipe := range map[warps.Unit]*PipeSpec{warps.ALU: &spec.ALU, warps.FP64: &spec.FP64, warps.SFU: &spec.SFU, warps.Tensor: &spec.Tensor} {
		if pipe.PerSM {
			p.shared |= 1 << u
		}
		p.multiply(u, pipe, schedulers)
	}
	if cores.Any() {
		p.matrix = tensor.New(cores, spec.Tensor.Interval, spec.Tensor.Latency)
		p.stepped = cores.Shapes.Stepped()
	}
	divided := spec.IMul.Unit != "" || spec.IMad.Unit != "" || spec.Convert.Unit != "" || spec.Half.Unit != "" // classes have kinds of several timings
	for u := range warps.NumUnits {
		if p.Shared(u) || p.several[u] != nil || divided || u == warps.Extra || u == warps.Tensor && p.matrix != nil {
			p.special |= 1 << u
		}
	}
	for kind, t := range p.timing {
		if t.interval > 0 {
			p.limited = max(p.limited, p.unit[kind]+1)
		}
	}
}

// detour sends kinds of instructions to the units that the parameters name.
func (p *Pipes) detour(spec *Spec) {
	kinds := [...]uint8{workload.KindOf(workload.Int, workload.Multiply), workload.KindOf(workload.Int, workload.MultiplyAdd),
		uint8(workload.Constant), workload.KindOf(workload.SFU, workload.Convert),
		workload.KindOf(workload.FP32, workload.Half), uint8(workload.Tensor)}
	for i, m := range spec.named() {
		if kind := kinds[i]; m.Unit != "" {
			p.detours = true
			p.unit[kind], p.timing[kind] = unitNamed(m.Unit), timing{uint16(m.Interval), uint16(m.Latency)}
			if make := units[m.Unit]; make != nil {
				p.add(make(p.schedulers, uint64(m.Interval), uint64(m.Latency)))
			}
		}
	}
	for _, c := range []struct {
		class    workload.Class
		unit     warps.Unit
		interval int
	}{{workload.Branch, warps.Branch, spec.BranchInterval}, {workload.Barrier, warps.Barrier, spec.BarrierInterval}} {
		if c.interval > 1 {
			p.detours = true
			p.unit[c.class], p.timing[c.class].interval = c.unit, uint16(c.interval)
		}
	}
}

// multiply gives a unit several pipes.
func (p *Pipes) multiply(u warps.Unit, pipe *PipeSpec, schedulers int) {
	if pipe.Units <= 1 {
		return
	}
	p.several[u] = make([][]uint64, schedulers)
	for i := range p.several[u] {
		if i == 0 || !pipe.PerSM {
			p.several[u][i] = make([]uint64, pipe.Units)
		} else {
			p.several[u][i] = p.several[u][0]
		}
	}
}

// Unit is the unit that an instruction needs.
func (p *Pipes) Unit(inst *workload.Inst) warps.Unit {
	if p.detours {
		return p.unit[inst.Kind()]
	}
	return classUnits[inst.Class]
}

// Shared reports whether the schedulers share a unit.
func (p *Pipes) Shared(u warps.Unit) bool { return p.shared>>(u%16)&1 != 0 }

// Special reports whether a unit is more, or less, than one pipe for each scheduler.
func (p *Pipes) Special(u warps.Unit) bool { return p.special>>(u%16)&1 != 0 }

// Cores are the tensor cores; nil if products of matrices do not take the time of their shapes.
func (p *Pipes) Cores() *tensor.Unit { return p.matrix }

// Stepped reports whether products of a shape have several steps.
func (p *Pipes) Stepped() bool { return p.stepped }

// Stepping reports whether a scheduler issues a step of an earlier product in a cycle, and so no
// instruction.
func (p *Pipes) Stepping(scheduler int, cycle uint64) bool {
	return p.stepped && p.matrix.Steps(scheduler, cycle)
}

// CanTake reports whether a unit takes an instruction from a scheduler at a cycle.
func (p *Pipes) CanTake(scheduler int, u warps.Unit, cycle uint64) bool {
	if u == warps.Extra && p.extra != nil {
		return p.extra.CanTake(scheduler, cycle)
	}
	return p.ports[scheduler&(warps.MaxSchedulers-1)].freeAt[u] <= cycle
}

// Free are the units that take an instruction from a scheduler at a cycle, one bit each.
func (p *Pipes) Free(scheduler int, cycle uint64) (units uint16) {
	for u := range warps.NumUnits {
		if p.CanTake(scheduler, u, cycle) {
			units |= 1 << u
		}
	}
	return units
}

// later is the mask of all slots if a cycle is behind another one, else 0. Cycles are below
// half the range of their type.
func later(cycle, than uint64) warps.Mask { return warps.Mask(int64(than-cycle) >> 63) }

// Busy are the slots of a scheduler with an instruction for a unit that takes none at
// a cycle.
func (p *Pipes) Busy(scheduler int, needs *[warps.NumUnits]warps.Mask, cycle uint64) (mask warps.Mask) {
	port := &p.ports[scheduler&(warps.MaxSchedulers-1)]
	at := &port.freeAt // without jumps, which could not be foretold
	mask = needs[warps.ALU]&later(at[warps.ALU], cycle) | needs[warps.FP64]&later(at[warps.FP64], cycle) | needs[warps.SFU]&later(at[warps.SFU], cycle) |
		needs[warps.Tensor]&later(at[warps.Tensor], cycle) | needs[warps.Int]&later(at[warps.Int], cycle)
	for u := warps.Int + 1; u < p.limited; u++ {
		mask |= needs[u] & later(at[u], cycle)
	}
	if p.extra != nil && needs[warps.Extra] != 0 && !p.extra.CanTake(scheduler, cycle) {
		mask |= needs[warps.Extra]
	}
	return mask
}

// FreeAt is the first cycle, behind one at which the ready slots of a scheduler all wait, at
// which a unit that they need may take an instruction; the largest number if each unit that
// they need would take one.
func (p *Pipes) FreeAt(scheduler int, needs *[warps.NumUnits]warps.Mask, ready warps.Mask, cycle uint64) (first uint64) {
	first = math.MaxUint64
	for u, at := range p.ports[scheduler&(warps.MaxSchedulers-1)].freeAt {
		if at > cycle && needs[u]&ready != 0 {
			first = min(first, at)
		}
	}
	if p.extra != nil && needs[warps.Extra]&ready != 0 {
		first = cycle + 1
	}
	return first
}

// Room is the number of instructions that a unit of arithmetic takes at a cycle if it
// takes one.
func (p *Pipes) Room(u warps.Unit, cycle uint64) (n int) {
	if p.several[u] == nil {
		return 1
	}
	for _, at := range p.several[u][0] {
		if at <= cycle {
			n++
		}
	}
	return n
}

// Take gives an instruction of a scheduler to its unit, and returns its latency.
func (p *Pipes) Take(scheduler int, u warps.Unit, inst *workload.Inst, cycle uint64) (latency uint64) {
	if !p.Special(u) {
		t := p.timing[inst.Class%workload.Kinds]
		p.ports[scheduler&(warps.MaxSchedulers-1)].freeAt[u] = cycle + uint64(t.interval)
		return uint64(t.latency)
	}
	return p.takeSpecial(scheduler, u, inst, cycle)
}

func (p *Pipes) takeSpecial(scheduler int, u warps.Unit, inst *workload.Inst, cycle uint64) (latency uint64) {
	if u == warps.Extra {
		return p.extra.Take(scheduler, inst, cycle)
	}
	if u == warps.Tensor && p.matrix != nil {
		p.ports[scheduler].freeAt[u], latency = p.matrix.Take(scheduler, inst, cycle)
		return latency
	}
	t := p.timing[inst.Kind()]
	until := cycle + uint64(t.interval)
	if p.lends && (u == warps.ALU || u == warps.Int) {
		p.takeLent(scheduler, u, cycle, until)
		return uint64(t.latency)
	}
	if p.several[u] != nil {
		until = takeFirst(p.several[u][scheduler], until)
	}
	if !p.Shared(u) {
		p.ports[scheduler].freeAt[u] = until
		return uint64(t.latency)
	}
	for i := range p.schedulers {
		p.ports[i].freeAt[u] = until
	}
	return uint64(t.latency)
}

// Timing gives the interval, in cycles, until the pipe of an instruction takes the next
// one, and the latency until a dependent instruction can issue. A fraction of an interval is
// left out.
func (p *Pipes) Timing(inst *workload.Inst) (interval, latency uint64) {
	if inst.Class == workload.Tensor && p.matrix != nil {
		return p.matrix.Timing(inst)
	}
	t := p.timing[inst.Kind()]
	return uint64(t.interval), uint64(t.latency)
}

// Hold has a unit take no further instruction from a scheduler at a cycle.
func (p *Pipes) Hold(scheduler int, u warps.Unit, cycle uint64) {
	p.ports[scheduler].freeAt[u] = cycle + 1
	p.limited = max(p.limited, u+1)
}

// takeFirst gives an instruction to the pipe that has been free for longest, and
// returns when the first pipe takes another.
func takeFirst(freeAt []uint64, until uint64) uint64 {
	first := slices.Min(freeAt)
	freeAt[slices.Index(freeAt, first)] = until
	return slices.Min(freeAt)
}
