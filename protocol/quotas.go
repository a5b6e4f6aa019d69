package protocol

import "cotenant/tenant"

// Quotas gives tenants of an SM quotas of instructions: what each may issue before
// it waits, of which it has a counter that instructions take from. The counter is
// signed, since an instruction is issued whole as long as anything is left. What a
// sharing scheme is follows from the fields; the enhanced warp scheduler has one
// mechanism for all (SMK 5.4; QoS 3.4).
type Quotas struct {
	ControlMsg
	// On is false if tenants are to have no quotas from now on; then nothing else
	// counts.
	On bool
	// Lanes has an instruction take one for each of its active lanes (QoS 3.4.1);
	// else it takes one, whatever its lanes (SMK 5.4).
	Lanes bool
	// PerSM has a tenant share one counter among the SM's schedulers (QoS 3.4.1);
	// else it has one at each (SMK 5.4). Lanes and PerSM are of all tenants; a
	// message that changes one of them starts all counters at 0.
	PerSM bool
	// AtCompletion has an instruction take from its counter when it completes, "when
	// a warp instruction of k is completed" (QoS 3.4.1): when its result is there, or
	// its accesses have been performed; one that nothing is awaited of, when it
	// issues. Else all do when they issue (SMK 5.4).
	AtCompletion bool
	// Of are the tenants' quotas, by tenant.
	Of [tenant.Max]Quota
}

// Quota is one tenant's.
type Quota struct {
	// Given is false if the tenant's quota and counter stay as they are.
	Given bool
	// Unlimited says that the tenant has no quota, and keeps nobody waiting: a refill
	// looks at the other tenants alone. It is held back where tenants with First are to
	// go first, and nowhere else. The other fields count for nothing; its counter is 0.
	Unlimited bool
	// Amount is the quota: the counter starts with it. Not negative.
	Amount int64
	// Keep adds what the counter still has, if that is above 0 (Rollover, QoS
	// 3.4.4). What is owed is forgotten either way.
	Keep bool
	// Refill is what the counter gets when those of all tenants that have a warp
	// here are at 0 or below. Where each scheduler has counters, a tenant whose warps
	// at a scheduler all wait at barriers for warps that are held back does not count
	// there.
	Refill Refill
	// First holds back all tenants without First while the counter is above 0 and
	// the tenant has a warp here (Rollover-Time, QoS 4.5).
	First bool
}

// Refill is what becomes of a tenant's counter when those of all tenants are used
// up.
type Refill uint8

// The refills.
const (
	// RefillNever leaves it: the tenant waits for the next Quotas.
	RefillNever Refill = iota
	// RefillAdd adds the quota until the counter is above 0, so that what was owed
	// is paid back (QoS 3.4.1). A quota of 0 adds nothing.
	RefillAdd
	// RefillRestart sets it to the quota (SMK 5.4).
	RefillRestart
)

// QuotaLimit bounds a counter of quotas: what is kept beyond it is lost. A tenant
// that has so many lanes left is never held back.
const QuotaLimit = int64(1) << 40

// NewQuotas are those of Simultaneous Multikernel, in warp instructions of each
// scheduler, by tenant, which start anew when all are used up; none for nil.
func NewQuotas(instructions []int) *Quotas {
	m := &Quotas{On: instructions != nil}
	for i := range m.Of {
		m.Of[i] = Quota{Given: true, Refill: RefillRestart}
	}
	for i, n := range instructions {
		m.Of[i].Amount = int64(n)
	}
	return m
}

// SampleIdle has an SM count its idle warps every so many cycles, at those cycles
// of the core clock that lie half of it behind a multiple of it; 0: not at all. A
// warp is idle if its next instruction is ready and not held back, and has not
// issued because the unit that it needs takes none (QoS 3.6). The sums are in
// SMCounters.
type SampleIdle struct {
	ControlMsg
	Every uint64 // core cycles
}
