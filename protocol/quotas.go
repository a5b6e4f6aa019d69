package protocol

import "cotenant/tenant"

// Quotas gives tenants of an SM quotas: the number of instructions that each may
// issue before it waits. Instructions take from a counter of the tenant. The counter
// is signed, because an instruction issues whole as long as anything is left. The
// fields define a sharing scheme; the enhanced warp scheduler has one mechanism for
// all schemes (SMK 5.4; QoS 3.4).
type Quotas struct {
	ControlMsg
	// On is false if tenants are to have no quotas; then the other fields are unused.
	On bool
	// Lanes: an instruction takes one for each of its active lanes (QoS 3.4.1); else it
	// takes one, however many lanes it has (SMK 5.4).
	Lanes bool
	// PerSM: a tenant has one counter for all of the SM's schedulers (QoS 3.4.1); else
	// one at each (SMK 5.4). Lanes and PerSM hold for all tenants; a message that
	// changes either starts all counters at 0.
	PerSM bool
	// AtCompletion: an instruction takes from its counter when it completes, "when a
	// warp instruction of k is completed" (QoS 3.4.1): when its result is there, or its
	// accesses have been performed, or at issue if nothing waits for it. Else all
	// instructions take at issue (SMK 5.4).
	AtCompletion bool
	// Of are the tenants' quotas, by tenant.
	Of [tenant.Max]Quota
}

// Quota is one tenant's.
type Quota struct {
	// Given is false if the tenant's quota and counter stay unchanged.
	Given bool
	// Unlimited says that the tenant has no quota and keeps no tenant waiting: a refill
	// looks at the other tenants alone. Only tenants with First can hold it back. The
	// other fields are unused; its counter is 0.
	Unlimited bool
	// Amount is the quota: the counter starts with it. Not negative.
	Amount int64
	// Keep adds the counter's remainder, if that is above 0 (Rollover, QoS 3.4.4). A
	// debt is forgotten either way.
	Keep bool
	// Refill is the counter's gain when the counters of all tenants with a warp here are
	// at 0 or below. Where each scheduler has counters, a tenant does not count at a
	// scheduler if all its warps there wait at barriers for warps that are held back.
	Refill Refill
	// First holds back all tenants without First while the counter is above 0 and
	// the tenant has a warp here (Rollover-Time, QoS 4.5).
	First bool
}

// Refill says what happens to a tenant's counter when the counters of all tenants
// are used up.
type Refill uint8

// The refills.
const (
	// RefillNever leaves the counter: the tenant waits for the next Quotas.
	RefillNever Refill = iota
	// RefillAdd adds the quota until the counter is above 0, so that a debt is paid back
	// (QoS 3.4.1). A quota of 0 adds nothing.
	RefillAdd
	// RefillRestart sets the counter to the quota (SMK 5.4).
	RefillRestart
)

// QuotaLimit bounds a counter of quotas; Keep loses the excess. A tenant with this
// many lanes left is never held back.
const QuotaLimit = int64(1) << 40

// NewQuotas returns the quotas of Simultaneous Multikernel by tenant, in warp
// instructions of each scheduler; they restart when all are used up. Nil turns
// quotas off.
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

// SampleIdle tells an SM to count its idle warps every Every core cycles, at half of
// that span behind each multiple of it. A warp is idle if its next instruction is
// ready and not held back, but its unit takes no instruction (QoS 3.6). SMCounters
// holds the sums.
type SampleIdle struct {
	ControlMsg
	Every uint64 // core cycles; 0: never
}
