package smk

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// hundred is an SM of 100 threads, which alone count.
var hundred = occupancy.Capacity{TBs: 1000, Threads: 100, Warps: 1000}

// of is a tenant with waiting thread blocks of some threads.
func of(waiting, threads int) policy.Tenant {
	return policy.Tenant{Waiting: waiting, Demand: occupancy.Demand{TBs: 1, Threads: threads}}
}

func TestTheLowestShareGoesNextToTheSMThatIsTakenLeast(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(3, 20), of(4, 10)}, nil, nil)
	require.Equal(t, []string{
		"place 1 on SM 0", // of equals, the smaller thread block
		"place 0 on SM 1",
		"place 1 on SM 0", // 5 % and 10 %
		"place 1 on SM 0", // 10 % each
		"place 0 on SM 1",
		"place 1 on SM 0",
		"place 0 on SM 0", // 40 % are taken of both SMs
	}, policytest.Decide(policytest.Parse(t, "smk"), v, policy.KernelArrived))
}

func TestOfEqualKernelsTheFirstToBecomeActiveGoesFirst(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(1, 40), of(1, 40)}, nil)
	v.Active = []int{1, 0}
	require.Equal(t, []string{"place 1 on SM 0", "place 0 on SM 0"}, policytest.Decide(policytest.Parse(t, "smk"), v, policy.KernelArrived))
}

// A kernel that comes gets the places of the first one's thread blocks, one on each SM at
// a time, until shares are equal.
func TestThreadBlocksLeaveUntilSharesAreEqual(t *testing.T) {
	p := policytest.Parse(t, "smk:preempt=ideal")
	v := policytest.View(policytest.Slots(4), []policy.Tenant{{Waiting: 9}, {Waiting: 9}}, []int{4, 0}, []int{4, 0})
	require.Equal(t, []string{"ideal 1 of 0 on SM 0", "ideal 1 of 0 on SM 1"}, policytest.Decide(p, v, policy.KernelArrived))
	require.Empty(t, policytest.Decide(p, v, policy.ContextSaved), "an SM is promised to one at a time")
	policytest.Leave(v, 0)
	require.Equal(t, []string{"place 1 on SM 0", "ideal 1 of 0 on SM 0"}, policytest.Decide(p, v, policy.TBPreempted), "6 and 2 of 8")
	policytest.Leave(v, 1)
	require.Equal(t, []string{"place 1 on SM 1", "ideal 1 of 0 on SM 1"}, policytest.Decide(p, v, policy.TBPreempted), "5 and 3")
	policytest.Leave(v, 0)
	policytest.Leave(v, 1)
	policytest.Save(v, 0)
	require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 1"}, policytest.Decide(p, v, policy.TBPreempted), "4 and 4")
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished))
}

func TestThreadBlocksLeaveOnlyIfSharesComeCloser(t *testing.T) {
	for threads, want := range map[int][]string{
		50:  {"switch 5 of 0 on SM 0"}, // 100 % and 0, then 50 % each
		90:  {"switch 9 of 0 on SM 0"}, // then 10 % and 90 %
		100: nil,                       // 0 and 100 % are as far apart
	} {
		v := policytest.View(hundred, []policy.Tenant{of(9, 10), of(9, threads)}, []int{10, 0})
		require.Equal(t, want, policytest.Decide(policytest.Parse(t, "smk"), v, policy.KernelArrived), "%d threads", threads)
	}
}

// A thread block of the kernel with the highest share leaves the SM with the largest share of
// other kernels.
func TestWhoLeavesWhichSM(t *testing.T) {
	for _, c := range []struct {
		have [][]int
		want []string
	}{
		{[][]int{{2, 2}, {3, 1}}, []string{"switch 1 of 0 on SM 1"}},
		{[][]int{{3, 1}, {3, 1}}, []string{"switch 1 of 0 on SM 0", "switch 1 of 0 on SM 1"}},
		{[][]int{{1, 0, 3}, {0, 0, 4}}, []string{"switch 1 of 2 on SM 0", "switch 1 of 2 on SM 1"}},
		{[][]int{{2, 0, 2}, {2, 0, 2}}, []string{"switch 1 of 2 on SM 0", "switch 1 of 0 on SM 1"}}, // the last to become active among equals
	} {
		tenants := []policy.Tenant{{}, {Waiting: 9}, {}}
		v := policytest.View(policytest.Slots(4), tenants[:len(c.have[0])], c.have...)
		if len(c.have[0]) == 3 {
			v.Active = []int{0, 2, 1}
		}
		require.Equal(t, c.want, policytest.Decide(policytest.Parse(t, "smk"), v, policy.KernelArrived), "%v", c.have)
	}
}

func TestAnSMWhoseThreadBlocksLeaveAlreadyIsNoVictim(t *testing.T) {
	v := policytest.View(policytest.Slots(2), []policy.Tenant{{}, {Waiting: 9}}, []int{2, 0}, []int{2, 0}, []int{2, 0})
	v.SMs[0].Leaving[0], v.SMs[1].Reserved = 1, true
	require.Equal(t, []string{"switch 1 of 0 on SM 2"}, policytest.Decide(policytest.Parse(t, "smk"), v, policy.KernelArrived))
}

func TestRoomOnAPromisedSMIsNobodyElses(t *testing.T) {
	p := policytest.Parse(t, "smk")
	v := policytest.View(hundred, []policy.Tenant{of(9, 25), of(1, 50)}, []int{4, 0})
	require.Equal(t, []string{"switch 2 of 0 on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
	policytest.Finish(v, 0, 0, 1)
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished), "25 threads are free")
	policytest.Finish(v, 0, 0, 1)
	require.Equal(t, []string{"place 1 on SM 0"}, policytest.Decide(p, v, policy.TBFinished), "whoever made the room")
	policytest.Leave(v, 0)
	require.Equal(t, []string{"place 0 on SM 0", "place 0 on SM 0"}, policytest.Decide(p, v, policy.TBPreempted), "the promise is kept")
}

func TestAPromiseThatCannotBeKeptIsDropped(t *testing.T) {
	p := policytest.Parse(t, "smk")
	v := policytest.View(hundred, []policy.Tenant{of(9, 25), of(1, 25)}, []int{4, 0})
	require.Equal(t, []string{"switch 1 of 0 on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
	policytest.Leave(v, 0)
	v.Tenants[1].Demand.Threads = 30 // another kernel
	require.Equal(t, []string{"switch 1 of 0 on SM 0"}, policytest.Decide(p, v, policy.TBPreempted), "25 of 30 are free")
	policytest.Leave(v, 0)
	policytest.Retire(v, 1)
	require.Equal(t, []string{"place 0 on SM 0", "place 0 on SM 0"}, policytest.Decide(p, v, policy.KernelFinished), "nor is one for nobody")
}

// Two kernels do not switch each other out in turn: the first gains until a thread block
// ends.
func TestAKernelThatGainedDoesNotLoseAtOnce(t *testing.T) {
	p := policytest.Parse(t, "smk")
	v := policytest.View(hundred, []policy.Tenant{of(9, 10), of(1, 90)}, []int{10, 0})
	require.Equal(t, []string{"switch 9 of 0 on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
	policytest.Leave(v, 0)
	require.Equal(t, []string{"place 1 on SM 0"}, policytest.Decide(p, v, policy.TBPreempted))
	require.Empty(t, policytest.Decide(p, v, policy.ContextSaved), "20 % and 0 would be closer than 10 % and 90 %")
	require.Equal(t, []string{"switch 1 of 1 on SM 0"}, policytest.Decide(p, v, policy.TBFinished))
}

// One more of 30 threads would leave 60 % and 36 %, and have the other kernel switch it
// out for 30 % and 45 %.
func TestAThreadBlockIsNotPlacedThatWouldBeSwitchedOut(t *testing.T) {
	v := policytest.View(hundred, []policy.Tenant{of(1, 30), of(9, 9)}, []int{1, 4})
	require.Equal(t, []string{"place 1 on SM 0", "place 1 on SM 0"}, policytest.Decide(policytest.Parse(t, "smk"), v, policy.TBFinished),
		"nor a third: of 63 % and 30 % three would leave for 36 % and 60 %")
}

// A kernel with a lower share that has nothing to place counts for nothing: 6, 2 and 1 of 9
// become 5, 3 and 1.
func TestAKernelThatHasAllItWantsDoesNotHoldOthersBack(t *testing.T) {
	v := policytest.View(policytest.Slots(9), []policy.Tenant{{}, {Waiting: 9}, {}}, []int{6, 2, 1})
	require.Equal(t, []string{"switch 1 of 0 on SM 0"}, policytest.Decide(policytest.Parse(t, "smk"), v, policy.KernelArrived))
}

func TestAKernelThatGainedDoesNotLoseToAThirdEither(t *testing.T) {
	p := policytest.Parse(t, "smk")
	v := policytest.View(hundred, []policy.Tenant{of(9, 10), of(1, 90), of(0, 10)}, []int{10, 0, 0})
	require.Equal(t, []string{"switch 9 of 0 on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
	policytest.Leave(v, 0)
	policytest.Launch(v, 2, 9)
	require.Equal(t, []string{"place 1 on SM 0"}, policytest.Decide(p, v, policy.TBPreempted), "10 % for the third would leave 90 % for nobody")
	require.Equal(t, []string{"switch 1 of 1 on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
}
