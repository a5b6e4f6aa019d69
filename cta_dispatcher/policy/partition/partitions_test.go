package partition

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// divider is a policy that does nothing but divide SMs.
type divider struct{ Partitions }

func (d *divider) Needs() policy.Needs { return policy.Needs{} }

func (d *divider) Decide(v *policy.View, a policy.Actions) {
	d.Update(v)
	d.Dispatch(v, a)
}

// waiting lists tenants with waiting thread blocks of a slot each.
func waiting(tbs ...int) (list []policy.Tenant) {
	for _, n := range tbs {
		list = append(list, policy.Tenant{Waiting: n})
	}
	return list
}

// arrive has a tenant's kernel become active.
func arrive(d *divider, v *policy.View, tenant, tbs int) []string {
	policytest.Launch(v, tenant, tbs)
	return policytest.Decide(d, v, policy.KernelArrived)
}

func TestAKernelAloneHasWholeSMs(t *testing.T) {
	d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(3, 0), nil, nil)
	require.Equal(t, []string{"place 0 on SM 0", "place 0 on SM 1", "place 0 on SM 0"}, policytest.Decide(d, v, policy.KernelArrived))
	require.Equal(t, []int{4, 4, 0}, []int{d.TBs(0, 0), d.TBs(1, 0), d.TBs(0, 1)})
}

// The kernels of SMK Figure 8, one after the other.
func TestASecondKernelHasTheFirstsThreadBlocksLeaveThatAreTooMany(t *testing.T) {
	sm := occupancy.Capacity{TBs: 1000, Threads: 1500, Warps: 1000, Registers: 1000, SharedOptions: []int{1000}}
	k := waiting(12, 0)
	k[0].Demand = occupancy.Demand{TBs: 1, Threads: 100, Warps: 4, Registers: 100}
	k[1].Demand = occupancy.Demand{TBs: 1, Threads: 75, Warps: 3, Registers: 30, SharedBytes: 60}
	d, v := &divider{Partitions{Mechanism: policy.Ideal}}, policytest.View(sm, k, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	require.Equal(t, [][]int{{10, 0}}, policytest.Counts(v))
	require.Equal(t, []string{"ideal 4 of 0 on SM 0"}, arrive(d, v, 1, 5), "partitions are of 6 and 12")
	policytest.Leave(v, 0)
	policytest.Save(v, 0)
	policytest.Decide(d, v, policy.TBPreempted)
	require.Equal(t, [][]int{{6, 5}}, policytest.Counts(v), "room in the other's partition stays empty")
	require.Equal(t, []int{6, 12}, []int{d.TBs(0, 0), d.TBs(0, 1)})
	policytest.Finish(v, 0, 0, 1)
	require.Equal(t, []string{"place 0 on SM 0"}, policytest.Decide(d, v, policy.TBFinished))
}

func TestOnlySoManySMsAreDividedAsTheKernelHasThreadBlocksFor(t *testing.T) {
	for tbs, want := range [][]string{1: {"switch 2 of 0 on SM 0"}, 2: {"switch 2 of 0 on SM 0"}, 3: {"switch 2 of 0 on SM 0", "switch 2 of 0 on SM 1"}} {
		if tbs == 0 {
			continue
		}
		d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(9, 0), nil, nil)
		policytest.Decide(d, v, policy.KernelArrived)
		require.Equal(t, want, arrive(d, v, 1, tbs), "%d thread blocks", tbs)
		require.Empty(t, policytest.Decide(d, v, policy.ContextSaved))
	}
}

// The kernel with the lowest share places next, on the SM with the lowest share taken.
func TestTheLowestShareFillsItsPartitionsFirst(t *testing.T) {
	d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(9, 0), nil, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	arrive(d, v, 1, 9)
	for sm := range 2 {
		policytest.Leave(v, sm)
	}
	policytest.Finish(v, 0, 1, 1)
	require.Equal(t, []string{
		"place 1 on SM 1", "place 1 on SM 0", "place 1 on SM 1", // 0, 1 and 2 of 8; then 3 each
		"place 0 on SM 1", "place 1 on SM 0"}, policytest.Decide(d, v, policy.TBPreempted))
}

// third is a GPU of one SM that tenants 0 and 1 have divided.
func third(t *testing.T) (*divider, *policy.View) {
	d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(9, 9, 0), nil)
	policytest.Decide(d, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 2, 0}}, policytest.Counts(v))
	return d, v
}

func TestATenantKeepsItsPartitionsBetweenTwoLaunches(t *testing.T) {
	d, v := third(t)
	v.Tenants[1].Waiting = 0
	policytest.Finish(v, 1, 0, 2)
	policytest.Retire(v, 1)
	require.Empty(t, policytest.Decide(d, v, policy.KernelFinished))
	require.Equal(t, []string{"place 1 on SM 0"}, arrive(d, v, 1, 1))
	policytest.Finish(v, 1, 0, 1)
	policytest.Retire(v, 1)
	v.Tenants[1].Present = false
	require.Equal(t, []string{"place 0 on SM 0", "place 0 on SM 0"}, policytest.Decide(d, v, policy.KernelFinished), "its application has ended")
	require.Equal(t, []int{4, 0}, []int{d.TBs(0, 0), d.TBs(0, 1)})
}

func TestAKernelWithOtherThreadBlocksHasANewPartition(t *testing.T) {
	d, v := third(t)
	v.Tenants[1].Waiting = 0
	policytest.Finish(v, 1, 0, 2)
	policytest.Retire(v, 1)
	v.Tenants[1].Demand.Threads = 3
	require.Equal(t, []string{"switch 1 of 0 on SM 0"}, arrive(d, v, 1, 1), "one of three threads beside one")
	policytest.Leave(v, 0)
	require.Equal(t, []string{"place 1 on SM 0"}, policytest.Decide(d, v, policy.TBPreempted))
}

func TestWhoHasFewestPartitionsJoinsADivision(t *testing.T) {
	d, v := third(t)
	require.Equal(t, []string{"switch 1 of 1 on SM 0"}, arrive(d, v, 2, 9), "2, 1 and 1 of four")
	policytest.Leave(v, 0)
	require.Equal(t, []string{"place 2 on SM 0"}, policytest.Decide(d, v, policy.TBPreempted))
}

// With at most two kernels on an SM, the tenants with most SMs give to the tenant with fewer,
// the last to arrive first (SMK 5.5).
func TestATenantWithMoreSMsGivesOneToAThird(t *testing.T) {
	d := &divider{Partitions{KernelLimit: 2}}
	v := policytest.View(policytest.Slots(4), waiting(99, 99, 0), nil, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 2, 0}, {2, 2, 0}}, policytest.Counts(v))
	require.Equal(t, []string{"switch 2 of 1 on SM 0"}, arrive(d, v, 2, 99))
	policytest.Leave(v, 0)
	policytest.Save(v, 1)
	policytest.Decide(d, v, policy.TBPreempted)
	require.Equal(t, [][]int{{2, 0, 2}, {2, 2, 0}}, policytest.Counts(v), "2, 1 and 1 SMs")
}

func TestThreadBlocksThatDoNotFitBesideEachOtherHaveSMsInTurn(t *testing.T) {
	large := occupancy.Demand{TBs: 1, Threads: 6}
	d, v := &divider{}, policytest.View(policytest.Slots(10), []policy.Tenant{{Waiting: 9, Demand: large}, {Waiting: 9, Demand: large}}, nil, nil, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	require.Equal(t, [][]int{{1, 0}, {0, 1}, {1, 0}}, policytest.Counts(v))
}

// A partition of 4 at the top goes and a partition of 9 comes; 5 registers are free on each
// side of the third tenant's.
func TestThreadBlocksMoveWhereAPartitionFindsNoRoomInOnePiece(t *testing.T) {
	sm := occupancy.Capacity{TBs: 3, Threads: 3, Warps: 3, Registers: 20}
	k := waiting(1, 1, 1)
	for i, registers := range []int{6, 5, 4} {
		k[i].Demand = occupancy.Demand{TBs: 1, Threads: 1, Registers: registers}
	}
	d, v := &divider{}, policytest.View(sm, k, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	require.Equal(t, [][]int{{1, 1, 1}}, policytest.Counts(v))
	at := func() (list []int) {
		for _, b := range d.sms[0].base {
			list = append(list, b[registers])
		}
		return list
	}
	require.Equal(t, []int{0, 15, 11}, at())
	policytest.Finish(v, 1, 0, 1)
	policytest.Retire(v, 1)
	v.Tenants[1].Demand.Registers = 9
	require.Equal(t, []string{"switch 1 of 2 on SM 0 and back", "place 1 on SM 0"}, arrive(d, v, 1, 1))
	require.Equal(t, 0, at()[0], "to move the first one makes no room for nine")
}

func TestADedicatedSMIsTheTenantsAlone(t *testing.T) {
	d, v := third(t)
	require.True(t, d.Renewed(0))
	require.False(t, d.Renewed(0), "since the last call")
	d.Dedicated[0] = 1
	require.Equal(t, []int{0, 2}, []int{d.TBs(0, 0), d.TBs(0, 1)}, "the other may not keep its partition")
	policytest.Finish(v, 1, 0, 1)
	v.Tenants[0].Waiting = 0
	require.Equal(t, []string{"place 1 on SM 0", "switch 2 of 0 on SM 0"}, policytest.Decide(d, v, policy.TBFinished))
	require.True(t, d.Renewed(0))
	policytest.Leave(v, 0)
	policytest.Save(v, 0)
	require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 0"}, policytest.Decide(d, v, policy.TBPreempted))
	require.Equal(t, []int{0, 4}, []int{d.TBs(0, 0), d.TBs(0, 1)})
}

func TestTheDedicatedSMIsDividedFirst(t *testing.T) {
	d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(99, 0), nil, nil, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	policytest.Finish(v, 0, 1, 2)
	v.Tenants[0].Waiting = 0
	d.Dedicated[2] = 1
	require.Equal(t, []string{"switch 4 of 0 on SM 2"}, arrive(d, v, 1, 4), "SM 1 has more room")
}

func TestAReservedSMIsNotDivided(t *testing.T) {
	d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(99, 0), nil, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	v.SMs[0].Reserved = true
	require.Equal(t, []string{"switch 2 of 0 on SM 1"}, arrive(d, v, 1, 9))
}

func TestOneThatLeavesAPartitionMakesRoomInIt(t *testing.T) {
	d, v := third(t)
	v.Tenants[1].Waiting = 0
	v.SMs[0].Leaving[0] = 1
	policytest.Finish(v, 1, 0, 1)
	require.Equal(t, []string{"place 0 on SM 0"}, policytest.Decide(d, v, policy.TBFinished), "where there is a slot")
}

// A thread block that comes back after a page fault can be one too many for its partition.
// That costs the kernel no room elsewhere.
func TestOneTooManyOnAnSMTakesNoRoomOfAnother(t *testing.T) {
	d, v := &divider{}, policytest.View(policytest.Slots(4), waiting(12, 0), nil, nil, nil)
	policytest.Decide(d, v, policy.KernelArrived)
	require.Equal(t, []string{"switch 2 of 0 on SM 0", "switch 2 of 0 on SM 1"}, arrive(d, v, 1, 4))
	policytest.Leave(v, 0)
	require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 0"}, policytest.Decide(d, v, policy.TBPreempted))
	policytest.Finish(v, 0, 0, 1)
	policytest.Put(v, 1, 0)
	require.Empty(t, policytest.Decide(d, v, policy.TBFinished), "two wait for the two places on SM 1")
}
