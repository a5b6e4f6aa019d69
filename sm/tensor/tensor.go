package tensor

import (
	"slices"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// Unit is the tensor cores of an SM, one for each scheduler.
type Unit struct {
	timing [workload.NumShapes]Timing
	group  Warpgroup
	// freeAt is when each core takes the next product, in thousandths of a cycle.
	freeAt [warps.MaxSchedulers]uint64
	// latest are each core's latest products of several steps.
	latest [warps.MaxSchedulers]stepped
}

// stepped is a product of several steps. Step k, from 0, issues in the cycle of begin + k x interval /
// steps, in thousandths of a cycle.
type stepped struct{ begin, interval, steps uint64 }

// at reports whether a step behind the first issues in a cycle.
func (p *stepped) at(cycle uint64) bool {
	begin, end := p.begin*p.steps, (cycle+1)*perCycle*p.steps
	if end <= begin || p.steps == 0 {
		return false
	}
	k := (end - begin - 1) / p.interval // the latest step that began before the cycle's end
	return k > 0 && k < p.steps && begin+k*p.interval >= end-perCycle*p.steps
}

// New makes the cores. interval and latency, in cycles, are for products without an entry
// in the table. The Spec must be valid.
func New(spec *Spec, interval, latency int) *Unit {
	u := &Unit{timing: spec.Shapes.list(), group: spec.Warpgroup}
	for s := range u.timing {
		if u.timing[s].Interval == 0 {
			u.timing[s] = Timing{Interval: Cycles(interval * perCycle), Latency: latency}
		}
	}
	return u
}

// Take gives a scheduler's core a product that issues at a cycle, which is not
// before the cycle that the last Take returned as free. The result is there latency cycles
// later.
//
// A core that becomes free within a cycle takes a product in that cycle and begins it when
// it is free, so that intervals with a fraction hold on average.
func (u *Unit) Take(scheduler int, inst *workload.Inst, cycle uint64) (free, latency uint64) {
	at := &u.freeAt[scheduler&(warps.MaxSchedulers-1)]
	interval, latency := u.times(inst)
	begin := max(*at, cycle*perCycle)
	*at = begin + interval
	if steps := u.steps(inst); steps > 1 {
		u.latest[scheduler&(warps.MaxSchedulers-1)] = stepped{begin, interval, steps}
	}
	return *at / perCycle, latency
}

// steps is the number of the chip's instructions for a product.
func (u *Unit) steps(inst *workload.Inst) uint64 {
	if inst.Barrier > 0 {
		return 1
	}
	return uint64(max(u.timing[inst.Shape()%workload.NumShapes].Steps, 1))
}

// Stepped reports whether products of a shape have several steps.
func (s *Shapes) Stepped() bool {
	list := s.list()
	return slices.ContainsFunc(list[:], func(t Timing) bool { return t.Steps > 1 })
}

// Steps reports whether a scheduler issues a step of an earlier product in a cycle, and so no
// other instruction.
func (u *Unit) Steps(scheduler int, cycle uint64) bool {
	return u.latest[scheduler&(warps.MaxSchedulers-1)].at(cycle)
}

// times gives the interval of a product, in thousandths of a cycle, and its latency.
func (u *Unit) times(inst *workload.Inst) (interval, latency uint64) {
	t := &u.timing[inst.Shape()%workload.NumShapes]
	if inst.Barrier > 0 {
		return u.ofFourWarps(inst, t)
	}
	return uint64(t.Interval), uint64(t.Latency)
}

// The sizes of products of four warps (PTX ISA, wgmma): all have 64 rows, and 32 bytes of each
// row and column are multiplied.
const (
	groupRows  = 64
	groupBytes = 32
	partWide   = 8 // columns
)

// ofFourWarps is times of a part of a product of four warps. The parts are at the four cores
// at the same time, and the matrices come to all of them from shared memory. Without an entry
// for such products a part takes as long as its products of 8 columns one after another.
func (u *Unit) ofFourWarps(inst *workload.Inst, t *Timing) (interval, latency uint64) {
	g, columns := &u.group, partWide*uint64(inst.Barrier)
	if g.Column == 0 {
		interval = uint64(t.Interval) * uint64(inst.Barrier)
		return interval, interval/perCycle + uint64(t.Latency)
	}
	read := columns * groupBytes
	if inst.Warps > 1 {
		read += groupRows * groupBytes
	}
	multiply := uint64(g.Column) * columns
	return max(multiply, read*perCycle/uint64(g.Bytes)), uint64(g.Latency) + multiply/perCycle
}

// Timing gives the whole cycles of the interval, and the latency, of a product.
func (u *Unit) Timing(inst *workload.Inst) (interval, latency uint64) {
	interval, latency = u.times(inst)
	return interval / perCycle, latency
}

// TenantStats counts one tenant's products on cores that have a table of shapes.
type TenantStats struct {
	Products     uint64 // warp instructions
	MultiplyAdds uint64 // multiplications, each with an addition, of the products with known shapes
	Steps        uint64 // the chip's instructions for them, behind the first of each product
}

// Add counts a product of cores.
func (t *TenantStats) Add(cores *Unit, inst *workload.Inst) {
	t.Products++
	t.MultiplyAdds += inst.Shape().Products() * uint64(max(inst.Barrier, 1))
	t.Steps += cores.steps(inst) - 1
}
