package ppq

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// waiting is a tenant of a priority with waiting thread blocks.
func waiting(tbs, priority int) policy.Tenant {
	return policy.Tenant{Waiting: tbs, Attributes: tenant.Attributes{Priority: priority}}
}

func TestLowerPrioritiesWaitOrFillSMsOfTheirOwn(t *testing.T) {
	for spec, want := range map[string][]string{
		"ppq":             {"place 1 on SM 0"},
		"ppq:mode=shared": {"place 1 on SM 0", "place 0 on SM 1", "place 0 on SM 1"},
	} {
		v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(9, 0), waiting(1, 5)}, nil, nil)
		require.Equal(t, want, policytest.Decide(policytest.Parse(t, spec), v, policy.KernelArrived), "never two priorities on an SM")
	}
}

func TestKernelsOfOnePriorityShareInOrderOfArrival(t *testing.T) {
	p := policytest.Parse(t, "ppq")
	v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(3, 5), waiting(9, 5)}, nil, nil)
	require.Equal(t, []string{"place 0 on SM 0", "place 0 on SM 1", "place 0 on SM 0", "place 1 on SM 1"}, policytest.Decide(p, v, policy.KernelArrived))
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished), "nobody is preempted for an equal")
	policytest.Launch(v, 0, 9)
	policytest.Finish(v, 1, 1, 1)
	v.Active = v.Active[:2]
	require.Equal(t, []string{"place 0 on SM 1"}, policytest.Decide(p, v, policy.TBFinished), "the first goes on being the first")
}

// A kernel takes an SM for each waiting thread block: SMs with fewest first, the last among
// equals.
func TestAsManySMsAreTakenAsThreadBlocksWait(t *testing.T) {
	for waits, want := range [][]string{nil, {"switch SM 2"}, {"switch SM 2", "switch SM 1"}, {"switch SM 2", "switch SM 1", "switch SM 0"},
		{"switch SM 2", "switch SM 1", "switch SM 0"}} {
		p := policytest.Parse(t, "ppq")
		v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(9, 0), waiting(waits, 5)}, []int{2, 0}, []int{1, 0}, []int{1, 0})
		if waits == 0 {
			policytest.Launch(v, 1, 0)
		}
		require.Equal(t, want, policytest.Decide(p, v, policy.KernelArrived))
		require.Empty(t, policytest.Decide(p, v, policy.ContextSaved), "room for them is coming")
	}
}

func TestTheSMOfTheLowestPriorityIsTakenFirst(t *testing.T) {
	v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(0, 1), waiting(0, 0), waiting(1, 5), waiting(0, 9)},
		[]int{1, 0, 0, 0}, []int{0, 2, 0, 0}, []int{1, 0, 0, 0}, []int{0, 0, 0, 1})
	require.Equal(t, []string{"ideal SM 1"}, policytest.Decide(policytest.Parse(t, "ppq:mode=shared,preempt=ideal"), v, policy.KernelArrived))
}

func TestAnSMThatCannotHoldTheThreadBlockIsNotTaken(t *testing.T) {
	v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(0, 0), waiting(1, 5)}, []int{2, 0}, []int{1, 0})
	large := policytest.Slots(2)
	large.Threads <<= 1
	v.SMs[0].Capacity = &large
	v.Tenants[1].Demand.Threads = large.Threads
	require.Equal(t, []string{"switch SM 0"}, policytest.Decide(policytest.Parse(t, "ppq"), v, policy.KernelArrived))
}

func TestADrainedSMIsTheTakersWhenItIsEmpty(t *testing.T) {
	p := policytest.Parse(t, "ppq:preempt=drain")
	v := policytest.View(policytest.Slots(2), []policy.Tenant{waiting(9, 0), waiting(3, 5)}, []int{2, 0})
	require.Equal(t, []string{"drain SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
	policytest.Finish(v, 0, 0, 1)
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished))
	policytest.Finish(v, 0, 0, 1)
	require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 0"}, policytest.Decide(p, v, policy.SMFreed))
}

// An SM that is being emptied is spoken for by the highest priority that waits.
func TestTheNextPriorityTakesAnSMOfItsOwn(t *testing.T) {
	v := policytest.View(policytest.Slots(1), []policy.Tenant{waiting(0, 0), waiting(1, 5), waiting(1, 7)}, []int{1, 0, 0}, []int{1, 0, 0}, []int{1, 0, 0})
	p := policytest.Parse(t, "ppq:mode=shared")
	require.Equal(t, []string{"switch SM 2", "switch SM 1"}, policytest.Decide(p, v, policy.KernelArrived))
	require.Empty(t, policytest.Decide(p, v, policy.KernelArrived))
}

// returning has a high priority with a thread block on SM 0 and another on its way to memory,
// and a low priority that waits; SM 1 is empty.
func returning(t *testing.T, slots, saving int) []string {
	v := policytest.View(policytest.Slots(slots), []policy.Tenant{waiting(9, 0), waiting(0, 5)}, []int{0, 1}, nil)
	v.Tenants[1].Saving = saving
	return policytest.Decide(policytest.Parse(t, "ppq:mode=shared"), v, policy.TBPreempted)
}

func TestRoomIsKeptForThreadBlocksOnTheirWayToMemory(t *testing.T) {
	require.Equal(t, []string{"place 0 on SM 1"}, returning(t, 1, 0))
	require.Empty(t, returning(t, 1, 1), "it comes back to SM 1")
	require.Equal(t, []string{"place 0 on SM 1", "place 0 on SM 1"}, returning(t, 2, 1), "it comes back beside the one on SM 0")
	require.Empty(t, returning(t, 2, 2), "one beside it, one on SM 1")
}

func TestAnSMThatIsEmptiedIsKeptForThemToo(t *testing.T) {
	for saving, want := range [][]string{nil, {"switch SM 1"}} {
		v := policytest.View(policytest.Slots(1), []policy.Tenant{waiting(0, 0), waiting(1, 5), waiting(0, 7)}, []int{1, 0, 0}, []int{1, 0, 0}, []int{0, 0, 1})
		v.SMs[0].Reserved = true
		v.Tenants[2].Saving = saving
		require.Equal(t, want, policytest.Decide(policytest.Parse(t, "ppq:mode=shared"), v, policy.KernelArrived))
	}
}

func TestEachKernelHasRoomOfItsOwnKept(t *testing.T) {
	for saving, want := range [][]string{{"place 0 on SM 3"}, nil} {
		v := policytest.View(policytest.Slots(1), []policy.Tenant{waiting(1, 0), waiting(0, 5), waiting(0, 5)}, []int{0, 1, 0}, []int{0, 0, 1}, nil, nil)
		v.Tenants[1].Saving, v.Tenants[2].Saving = 1, saving
		require.Equal(t, want, policytest.Decide(policytest.Parse(t, "ppq:mode=shared"), v, policy.TBPreempted))
	}
}
