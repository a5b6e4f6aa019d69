package contract

import (
	"fmt"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// board is a literal View on which placements take effect and nothing runs; no
// policy may preempt on it.
type board struct {
	*testing.T
	policy.View
	policies map[string]policy.Policy
}

// Place makes board a policy.Actions.
func (b *board) Place(tenant, sm int) {
	if !b.Fits(tenant, sm) {
		panic(fmt.Sprintf("tenant %d does not fit on SM %d", tenant, sm))
	}
	t, s := &b.Tenants[tenant], &b.SMs[sm]
	t.Waiting--
	t.Running++
	s.Usage.Take(t.Demand)
	s.TBs[tenant]++
	s.Tenants[tenant] = s.Tenants[tenant].Add(t.Demand)
}

// Preempt, PreemptSM, Relocate and SetQuotas complete it.
func (b *board) Preempt(_, _, _ int, _ policy.Mechanism)  { b.refuse() }
func (b *board) PreemptSM(int, policy.Mechanism)          { b.refuse() }
func (b *board) Relocate(_, _, _ int, _ policy.Mechanism) { b.refuse() }
func (b *board) SetQuotas(int, []int)                     { b.refuse() }

func (b *board) refuse() {
	b.Helper()
	b.Fatal("only Place is expected here")
}

// finish ends one of a tenant's thread blocks on an SM.
func (b *board) finish(tenant, sm int) {
	t, s := &b.Tenants[tenant], &b.SMs[sm]
	t.Running--
	s.Usage.Release(t.Demand)
	s.TBs[tenant]--
	s.Tenants[tenant] = s.Tenants[tenant].Sub(t.Demand)
}

// leave ends a tenant's application, which has no thread block left.
func (b *board) leave(tenant int) {
	b.Tenants[tenant] = policy.Tenant{Rank: b.Tenants[tenant].Rank}
	active := b.Active[:0:0]
	for _, a := range b.Active {
		if a != tenant {
			active = append(active, a)
		}
	}
	b.Active = active
}

// decide asks a policy.
func (b *board) decide(name string, e policy.Event) {
	b.Helper()
	if b.policies[name] == nil {
		p, err := policy.Parse(name)
		require.NoError(b, err)
		b.policies[name] = p
	}
	b.Event = e
	b.policies[name].Decide(&b.View, b)
}

// placed lists how many thread blocks of each tenant an SM has, SM by SM.
func (b *board) placed() (list [][]int) {
	for i := range b.SMs {
		list = append(list, append([]int(nil), b.SMs[i].TBs...))
	}
	return list
}

// newBoard is a View of equal empty SMs and tenants that have arrived in order.
func newBoard(t *testing.T, c occupancy.Capacity, sms int, tenants ...policy.Tenant) *board {
	b := &board{T: t, policies: map[string]policy.Policy{}}
	for i, tenant := range tenants {
		tenant.Present, tenant.Rank = true, i
		b.Tenants = append(b.Tenants, tenant)
		b.Active = append(b.Active, i)
	}
	for range sms {
		b.SMs = append(b.SMs, policy.SM{Capacity: &c, TBs: make([]int, len(tenants)), Leaving: make([]int, len(tenants)),
			Tenants: make([]occupancy.Demand, len(tenants)), Issued: make([]uint64, len(tenants)), Schedulers: 4})
	}
	return b
}

// tbs is a kernel of so many thread blocks, each with the given registers.
func tbs(n, registers int) policy.Tenant {
	return policy.Tenant{Waiting: n, Demand: occupancy.Demand{TBs: 1, Threads: 32, Warps: 1, Registers: registers}}
}

// ten is an SM with ten registers.
var ten = occupancy.Capacity{TBs: 8, Threads: 2048, Warps: 64, Registers: 10, SharedOptions: []int{0}}

func TestFCFSGivesLaterKernelsWhatIsLeftOver(t *testing.T) {
	// The first kernel has 5 blocks of 4 registers; 2 fit on an SM. The second
	// gets nothing while the first has blocks that wait.
	b := newBoard(t, ten, 2, tbs(5, 4), tbs(9, 2))
	b.decide("fcfs", policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {2, 0}}, b.placed())
	b.finish(0, 1)
	b.decide("fcfs", policy.TBFinished)
	require.Equal(t, [][]int{{2, 1}, {2, 1}}, b.placed(), "the last block of the first, then the leftover")
	// What the first gives back goes to the second, on the emptiest SM first.
	b.finish(0, 0)
	b.decide("fcfs", policy.TBFinished)
	require.Equal(t, [][]int{{1, 3}, {2, 1}}, b.placed())
}

func TestFCFSGoesByTheOrderOfTheActiveQueue(t *testing.T) {
	b := newBoard(t, ten, 1, tbs(5, 5), tbs(5, 5))
	b.Active = []int{1, 0}
	b.decide("fcfs", policy.KernelArrived)
	require.Equal(t, [][]int{{0, 2}}, b.placed())
}

func TestFCFSSpreadsThreadBlocksOverTheSMs(t *testing.T) {
	b := newBoard(t, ten, 4, tbs(6, 1))
	b.decide("fcfs", policy.KernelArrived)
	require.Equal(t, [][]int{{2}, {2}, {1}, {1}}, b.placed())
}

const unpreempted = "spart:preempt=none"

// owners lists to which tenant each SM goes under spart.
func owners(b *board) (list []int) {
	b.decide(unpreempted, policy.KernelArrived)
	for i := range b.SMs {
		owner := -1
		for tenant, n := range b.SMs[i].TBs {
			if n > 0 {
				require.Equal(b, -1, owner, "SM %d is shared", i)
				owner = tenant
			}
		}
		list = append(list, owner)
	}
	return list
}

func TestSpartGivesEqualSMsAndTheRemainderToTheFirst(t *testing.T) {
	// Equal sharing on 13 SMs (thesis 5.2.4): 5, 4, 4 by arrival.
	b := newBoard(t, ten, 13, tbs(99, 5), tbs(99, 5), tbs(99, 5))
	require.Equal(t, []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, owners(b))
	b = newBoard(t, ten, 13, tbs(99, 5), tbs(99, 5), tbs(99, 5))
	b.Tenants[0].Rank, b.Tenants[1].Rank, b.Tenants[2].Rank = 1, 2, 0
	require.Equal(t, []int{2, 2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1}, owners(b))
}

func TestSpartLeavesNoSMToATenantTooMany(t *testing.T) {
	b := newBoard(t, ten, 2, tbs(99, 5), tbs(99, 5), tbs(99, 5))
	require.Equal(t, []int{0, 1}, owners(b))
}

func TestSpartKeepsASMForATenantBetweenKernels(t *testing.T) {
	b := newBoard(t, ten, 4, tbs(99, 5), tbs(99, 5))
	b.Active = []int{1} // the first is between two kernels
	require.Equal(t, []int{-1, -1, 1, 1}, owners(b))
}

func TestSpartHandsAnSMOverWhenItIsEmpty(t *testing.T) {
	b := newBoard(t, ten, 2, tbs(2, 5), tbs(99, 5))
	require.Equal(t, []int{0, 1}, owners(b))
	b.finish(0, 0)
	b.finish(0, 0)
	b.leave(0)
	b.decide(unpreempted, policy.KernelFinished)
	require.Equal(t, [][]int{{0, 2}, {0, 2}}, b.placed())
	// A tenant that arrives gets the second SM, but its owner's blocks end first.
	b.Tenants[0] = tbs(99, 5)
	b.Tenants[0].Present, b.Tenants[0].Rank = true, 2
	b.Active = []int{1, 0}
	b.decide(unpreempted, policy.KernelArrived)
	require.Equal(t, [][]int{{0, 2}, {0, 2}}, b.placed())
	b.finish(1, 1)
	b.decide(unpreempted, policy.TBFinished)
	require.Equal(t, [][]int{{0, 2}, {0, 1}}, b.placed())
	b.finish(1, 1)
	b.decide(unpreempted, policy.TBFinished)
	require.Equal(t, [][]int{{0, 2}, {2, 0}}, b.placed())
}

func TestEvenLimitsEachTenantToItsPartOfEverySM(t *testing.T) {
	// Half of ten registers each: one block of 4, two of 2.
	b := newBoard(t, ten, 2, tbs(99, 4), tbs(99, 2))
	b.decide("even", policy.KernelArrived)
	require.Equal(t, [][]int{{1, 2}, {1, 2}}, b.placed())
}

func TestEvenPartIsNotLentWhileItsTenantIsPresent(t *testing.T) {
	b := newBoard(t, ten, 1, tbs(99, 2), tbs(99, 2))
	b.Active = []int{0} // the second is between two kernels
	b.decide("even", policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}}, b.placed())
	b.leave(1)
	b.decide("even", policy.KernelFinished)
	require.Equal(t, [][]int{{5, 0}}, b.placed())
}

func TestEvenLimitsEveryResource(t *testing.T) {
	c := occupancy.Capacity{TBs: 8, Threads: 1024, Warps: 32, Registers: 1000, SharedOptions: []int{1000}}
	for _, demand := range []occupancy.Demand{
		{TBs: 1},                   // 8 slots
		{TBs: 1, Threads: 128},     // 512 threads
		{TBs: 1, Warps: 4},         // 16 warps
		{TBs: 1, Registers: 125},   // 500 registers
		{TBs: 1, SharedBytes: 125}, // 500 bytes
	} {
		b := newBoard(t, c, 1, policy.Tenant{Waiting: 99, Demand: demand}, policy.Tenant{Waiting: 99, Demand: demand})
		b.decide("even", policy.KernelArrived)
		require.Equal(t, [][]int{{4, 4}}, b.placed(), "%+v", demand)
	}
}

func TestEvenLetsAThreadBlockLargerThanItsPartHaveAnSM(t *testing.T) {
	// 6 of 10 registers; the other tenant's blocks of 3 come to every SM first
	// or last, and both fit beside each other.
	b := newBoard(t, ten, 2, tbs(99, 6), tbs(99, 3))
	b.decide("even", policy.KernelArrived)
	require.Equal(t, [][]int{{1, 1}, {1, 1}}, b.placed())
	// Two large ones do not fit together: each gets an SM, in turn.
	b = newBoard(t, ten, 2, tbs(99, 6), tbs(99, 7))
	b.decide("even", policy.KernelArrived)
	require.Equal(t, [][]int{{1, 0}, {0, 1}}, b.placed())
}
