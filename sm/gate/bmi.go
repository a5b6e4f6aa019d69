package gate

import (
	"math"

	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// BMI issues memory instructions so that the tenants' requests are in balance (balanced
// memory request issuing, Dai et al., HPCA 2018; CCBP 7.5). A tenant with r requests for
// each instruction has a quota of L/r instructions, where L is the least common multiple
// of all tenants' r, so quotas are equal in requests. An instruction takes one from the
// quota. When a present tenant has nothing left, each tenant gets its quota in addition
// to what it has. Among a scheduler's ready memory instructions, the instruction of the
// tenant with most left goes first.
//
// BMI holds no warp back: the scheduler picks among its ready warps first, and BMI
// chooses the tenant only if the pick is a memory instruction. So other instructions are
// not affected, as the paper says, and no cycle is lost waiting for a warp that the
// scheduler would not pick. Each scheduler chooses among its own warps, by the counters
// of the edge before. At a nearly full load-store unit the scheduler that comes first
// changes with the cycle, or takes turns where schedulers share the way to the unit.
type BMI struct {
	present
	left     [tenant.Max]int64
	taken    [tenant.Max]int64 // since the last edge
	requests [tenant.Max]ratio
}

// ratio is the mean number of a tenant's requests in an instruction: of the last
// whole bmiPeriod of instructions, 1 before.
type ratio struct {
	mean         uint64
	sum, counted uint64 // of the present period
}

const (
	// bmiPeriod is the number of instructions that a mean is of.
	bmiPeriod = 1024
	// bmiMost bounds a mean: the lanes of a warp.
	bmiMost = workload.WarpSize
	// bmiLimit bounds what a tenant that sends little is left; more is lost. No
	// quota is above it.
	bmiLimit = int64(1) << 50
)

// NewBMI makes a gate for a number of schedulers.
func NewBMI(schedulers int) *BMI {
	b := &BMI{present: newPresent(schedulers)}
	for t := range b.requests {
		b.requests[t].mean = 1
	}
	return b
}

// Sent takes an instruction off a tenant's counter.
func (b *BMI) Sent(t tenant.ID, accesses int) {
	b.taken[t]++
	b.stale = true
	r := &b.requests[t]
	r.sum += uint64(accesses)
	if r.counted++; r.counted == bmiPeriod {
		*r = ratio{mean: min(max((r.sum+bmiPeriod/2)/bmiPeriod, 1), bmiMost)}
	}
}

// Accessed changes nothing.
func (b *BMI) Accessed(tenant.ID, int, uint64) {}

// Done changes nothing.
func (b *BMI) Done(tenant.ID) {}

// Closed is never true.
func (b *BMI) Closed() bool { return false }

// Edge subtracts what has been sent from the counters, and adds quotas if a tenant has
// used its own up. No mask changes.
func (b *BMI) Edge() (changed bool) {
	if !b.stale {
		return false
	}
	b.stale = false
	least, all := int64(math.MaxInt64), uint64(1)
	for t := range b.left {
		b.left[t] -= b.taken[t]
		b.taken[t] = 0
		if b.count[t] > 0 {
			least = min(least, b.left[t])
			all = multiple(all, b.requests[t].mean)
		}
	}
	for least <= 0 {
		least = math.MaxInt64
		for t := range b.left {
			if b.count[t] > 0 {
				b.left[t] = min(b.left[t]+int64(all/b.requests[t].mean), bmiLimit)
				least = min(least, b.left[t])
			}
		}
	}
	return false
}

// multiple is the least common multiple of two numbers above 0.
func multiple(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// Masks are empty.
func (b *BMI) Masks(scheduler int) (all, memory warps.Mask) { return 0, 0 }

// First are the slots of the tenant with most left, or of all tenants that share this
// maximum.
func (b *BMI) First(scheduler int, ready warps.Mask) (first warps.Mask) {
	most := int64(math.MinInt64)
	for t, slots := range b.slots[scheduler] {
		switch slots &= ready; {
		case slots == 0 || b.left[t] < most:
		case b.left[t] > most:
			most, first = b.left[t], slots
		default:
			first |= slots
		}
	}
	return first
}
