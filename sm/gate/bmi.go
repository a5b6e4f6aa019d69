package gate

import (
	"math"

	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// BMI issues memory instructions of tenants so that their requests are in balance
// (balanced memory request issuing, Dai et al., HPCA 2018; CCBP 7.5). A tenant
// whose instructions are of r requests has a quota of as many instructions as the
// least common multiple of all tenants' r has r in it, so that quotas are the same
// in requests. An instruction takes one. When a tenant of those present has none
// left, its quota is added to what each has. Of memory instructions that are ready
// on a scheduler the tenant's goes first that has most left.
//
// It holds nobody back: which of its ready warps a scheduler would take is decided
// first, and only if that is for a memory instruction the tenant is chosen. So
// other instructions are not affected, as the paper says, and no cycle is lost
// waiting for a warp that the scheduler would not take. Schedulers choose each among
// their own warps, by the counters as the edge before has left them; which scheduler
// comes first at a load-store unit that is nearly full changes with the cycle, or is
// the one whose turn it is where schedulers share the way to the unit.
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

// NewBMI makes a gate for so many schedulers.
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

// Edge takes off the counters what has been sent, and adds quotas if one of them is
// used up. No mask changes.
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

// First are the slots of the tenant that has most left, or of those that have
// equally much.
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
