package tally

import (
	"cotenant/components/stats"
	"cotenant/sm/icache"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/rocache"
	"cotenant/sm/tensor"
	"cotenant/sm/tlb"
	"cotenant/tenant"
)

// TenantStats counts one tenant's work on an SM.
type TenantStats struct {
	WarpInstructions   uint64
	ThreadInstructions uint64 // active lanes of the issued instructions
	TBsPlaced          uint64
	TBsFinished        uint64
	// TBsEvicted left by preemption. A TB that comes back is placed once more.
	TBsEvicted uint64
	// Stalls are scheduler-cycles charged to the kernel, by cause. Idle cycles
	// belong to no kernel and are in Stats.IdleCycles.
	Stalls CauseCounts `percycle:"schedulers"`
	Icache icache.TenantStats
	LSU    lsu.TenantStats
	// Tensor is zero if the tensor cores have no table of shapes.
	Tensor tensor.TenantStats
	L1     l1.TenantStats
	// ConstantCache and TextureCache are zero if the SM has no such cache.
	ConstantCache, TextureCache rocache.TenantStats
	// TLB is zero if addresses are not translated.
	TLB tlb.TenantStats
	// Faults is the number of page faults of instructions that the SM was told of, and
	// Replays the number of instructions that issued again after a fault. Neither counts
	// accesses that wait in the TLB for a fault to be served.
	Faults, Replays uint64
	// HandledFaults is the number of handlers that warps ran. Several can be for one
	// region.
	HandledFaults uint64
	// MemoryRequests is the number of packets sent to the L2.
	MemoryRequests uint64
	// ContextRequests is the number of packets with parts of contexts, in
	// addition.
	ContextRequests uint64
	// ThreadCycles is the sum over cycles of the resident threads.
	ThreadCycles uint64 `percycle:"threads"`
}

// Stats counts an SM's work.
type Stats struct {
	Cycles     uint64 `percycle:"1"`          // cycles accounted for
	IdleCycles uint64 `percycle:"schedulers"` // scheduler-cycles without a warp
	Accounts   tenant.PerAccount[TenantStats]
}

// Total is the sum over accounts, with the idle cycles.
func (s *Stats) Total() (sum TenantStats) {
	sum = stats.Sum(s.Accounts)
	sum.Stalls[Idle] = s.IdleCycles
	return sum
}

// Charge books n cycles of a scheduler; idle ones are no account's.
func (s *Stats) Charge(cause Cause, a tenant.Account, n uint64) {
	if cause == Idle {
		s.IdleCycles += n
		return
	}
	s.Accounts.Of(a).Stalls[cause] += n
}

// Tenant is the sum over a tenant's accounts.
func (s *Stats) Tenant(number int) TenantStats {
	return stats.Each(s.Accounts.From(number), tenant.Max)
}
