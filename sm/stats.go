package sm

import (
	"cotenant/components/stats"
	"cotenant/sm/icache"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/rocache"
	"cotenant/sm/tlb"
	"cotenant/tenant"
)

// Cause is what a scheduler's cycle went to.
type Cause uint8

// The causes. A cycle without issue is charged to the first that applies to
// any warp, in the order Bubble, GroupSwitch, LSUFull, PipeFull, Quota, RAWOther, RAWLong,
// Faulted, Control, Preempted, Idle: to what was nearest to letting an instruction issue.
// While the whole SM is halted, it is Preempted or Idle.
const (
	Issued      Cause = iota // at least one instruction issued
	Idle                     // no warp on the scheduler
	Control                  // every warp waits for instructions after a branch, for fetch or the instruction cache, or at a barrier
	RAWLong                  // every warp with an instruction waits for a load that missed the L1, or at a fence
	RAWOther                 // a warp waits for another result
	LSUFull                  // an instruction is ready, the load-store unit is not
	PipeFull                 // an instruction is ready, its arithmetic pipe is not
	Quota                    // an instruction is ready, a gate holds it back: its tenant's quota is used up, say
	Preempted                // every warp's thread block is leaving, or the SM is halted for a context switch
	Bubble                   // an instruction could issue, and the warp scheduler picked no warp
	GroupSwitch              // an instruction could issue, and is in the group of warp slots that the scheduler does not consider (Spec.GroupSlots)
	Faulted                  // every warp with an instruction waits for a page fault to be served
	NumCauses
)

var causeNames = [NumCauses]string{"issued", "idle", "control", "raw_long", "raw_other", "lsu_full", "pipe_other", "quota", "preempted", "bubble", "group_switch", "fault"}

// String returns the name used in reports.
func (c Cause) String() string { return causeNames[c] }

// CauseCounts are scheduler-cycles by cause.
type CauseCounts [NumCauses]uint64

// Label is the name of a cause, in reports.
func (CauseCounts) Label(cause int) string { return Cause(cause).String() }

// ByName are the counts by the names of their causes.
func (n *CauseCounts) ByName() map[string]uint64 {
	m := map[string]uint64{}
	for c, cycles := range n {
		m[Cause(c).String()] = cycles
	}
	return m
}

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
	L1     l1.TenantStats
	// ConstantCache and TextureCache are zero if the SM has no such cache.
	ConstantCache, TextureCache rocache.TenantStats
	// TLB is zero if addresses are not translated.
	TLB tlb.TenantStats
	// Faults is the number of page faults of instructions that the SM was told of, and
	// Replays that of instructions that issued again after one. Neither counts what
	// waits in the TLB for a fault to be served.
	Faults, Replays uint64
	// HandledFaults is the number of handlers that warps ran, of which several can be
	// for one region.
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
	sum = stats.Sum(s.Accounts[:])
	sum.Stalls[Idle] = s.IdleCycles
	return sum
}

// Tenant is the sum over a tenant's accounts.
func (s *Stats) Tenant(number int) TenantStats { return stats.Each(s.Accounts[number:], tenant.Max) }
