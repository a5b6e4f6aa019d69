package tensor

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Unit is the tensor cores of an SM, one for each scheduler.
type Unit struct {
	timing [workload.NumShapes]Timing
	// freeAt is when each core takes the next product, in thousandths of a cycle.
	freeAt [warps.MaxSchedulers]uint64
}

// New makes the cores. interval and latency, in cycles, are for products without an entry
// in the table. The Spec must be valid.
func New(spec *Spec, interval, latency int) *Unit {
	u := &Unit{timing: spec.Shapes.list()}
	for s := range u.timing {
		if u.timing[s].Interval == 0 {
			u.timing[s] = Timing{Cycles(interval * perCycle), latency}
		}
	}
	return u
}

// Take gives a scheduler's core a product of a shape that issues at a cycle, which is not
// before the cycle that the last Take returned as free. The result is there latency cycles
// later.
//
// A core that becomes free within a cycle takes a product in that cycle and begins it when
// it is free, so that intervals with a fraction hold on average.
func (u *Unit) Take(scheduler int, s workload.Shape, cycle uint64) (free, latency uint64) {
	t, at := &u.timing[s%workload.NumShapes], &u.freeAt[scheduler&(warps.MaxSchedulers-1)]
	*at = max(*at, cycle*perCycle) + uint64(t.Interval)
	return *at / perCycle, uint64(t.Latency)
}

// Timing gives the whole cycles of the interval, and the latency, of products of a shape.
func (u *Unit) Timing(s workload.Shape) (interval, latency uint64) {
	t := &u.timing[s%workload.NumShapes]
	return uint64(t.Interval / perCycle), uint64(t.Latency)
}

// TenantStats counts one tenant's products on cores that have a table of shapes.
type TenantStats struct {
	Products     uint64 // warp instructions
	MultiplyAdds uint64 // multiplications, each with an addition, of the products with known shapes
}

// Add counts a product.
func (t *TenantStats) Add(s workload.Shape) {
	t.Products++
	t.MultiplyAdds += s.Products()
}
