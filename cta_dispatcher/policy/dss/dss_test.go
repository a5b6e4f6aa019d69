package dss

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"

	"github.com/stretchr/testify/require"
)

// gpu has SMs with two slots, and tenants with waiting thread blocks.
func gpu(sms int, waiting ...int) *policy.View {
	var tenants []policy.Tenant
	for _, n := range waiting {
		tenants = append(tenants, policy.Tenant{Waiting: n})
	}
	return policytest.View(policytest.Slots(2), tenants, make([][]int, sms)...)
}

// owned is a GPU of four SMs. Tenant 0 has bought and filled all while alone; the other
// tenants are yet to come.
func owned(t *testing.T, spec string, tenants int) (policy.Policy, *policy.View) {
	p, v := policytest.Parse(t, spec), gpu(4, append([]int{99}, make([]int, tenants-1)...)...)
	for i := 1; i < tenants; i++ {
		v.Tenants[i].Present = false
	}
	policytest.Decide(p, v, policy.KernelArrived)
	for _, have := range policytest.Counts(v) {
		require.Equal(t, 2, have[0], "it goes into debt for what nobody else wants")
	}
	return p, v
}

// arrive has a tenant come with a kernel.
func arrive(p policy.Policy, v *policy.View, tenant, tbs int) []string {
	v.Tenants[tenant].Present = true
	policytest.Launch(v, tenant, tbs)
	return policytest.Decide(p, v, policy.KernelArrived)
}

func TestIdleSMsGoToTheKernelWithMostTokens(t *testing.T) {
	v := gpu(5, 99, 99)
	policytest.Decide(policytest.Parse(t, "dss"), v, policy.KernelArrived)
	// The first has 3 tokens, as one is left over, and is the first of equals.
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {0, 2}, {2, 0}, {0, 2}}, policytest.Counts(v))
}

func TestSMsChangeHandsUntilTokensDifferByOne(t *testing.T) {
	for spec, want := range map[string][]string{
		"dss":            {"switch SM 3", "switch SM 2"}, // tokens -2 and 2, then 0 and 0
		"dss:tokens=2/2": {"switch SM 3", "switch SM 2"},
		"dss:tokens=3/2": {"switch SM 3"}, // -1 and 2, then 0 and 1
		"dss:tokens=1/3": {"switch SM 3", "switch SM 2", "switch SM 1"},
		"dss:tokens=9/1": nil, // 5 and 1
	} {
		p, v := owned(t, spec, 2)
		require.Equal(t, want, arrive(p, v, 1, 99), spec)
		require.Empty(t, policytest.Decide(p, v, policy.KernelArrived), "%s: the next owner has paid", spec)
	}
}

func TestTheLastNumberOfTokensIsForAllOthers(t *testing.T) {
	v := gpu(4, 99, 99, 99)
	policytest.Decide(policytest.Parse(t, "dss:tokens=1/3"), v, policy.KernelArrived)
	require.Equal(t, [][]int{{0, 2, 0}, {0, 0, 2}, {0, 2, 0}, {0, 0, 2}}, policytest.Counts(v))
}

func TestAnSMIsUsedByItsNextOwnerOnceItIsEmpty(t *testing.T) {
	p, v := owned(t, "dss", 2)
	arrive(p, v, 1, 99)
	policytest.Finish(v, 0, 0, 1)
	require.Equal(t, []string{"place 0 on SM 0"}, policytest.Decide(p, v, policy.TBFinished))
	policytest.Leave(v, 3)
	require.Equal(t, []string{"place 1 on SM 3", "place 1 on SM 3"}, policytest.Decide(p, v, policy.SMFreed))
}

func TestNoMoreSMsAreBoughtThanThreadBlocksWait(t *testing.T) {
	p, v := owned(t, "dss", 2)
	require.Equal(t, []string{"switch SM 3"}, arrive(p, v, 1, 1))
}

func TestTheSMWithFewestThreadBlocksIsTakenFirst(t *testing.T) {
	p, v := owned(t, "dss:preempt=drain", 2)
	v.Tenants[0].Waiting = 0
	policytest.Finish(v, 0, 1, 1)
	require.Equal(t, []string{"drain SM 1", "drain SM 3"}, arrive(p, v, 1, 99))
}

func TestTheKernelWithFewestTokensGivesTheLastToBecomeActiveAmongEquals(t *testing.T) {
	// Two have bought two SMs each, of tokens=3/2/2: one token is left to the first.
	p, v := policytest.Parse(t, "dss:tokens=3/2/2"), gpu(4, 99, 99, 0)
	v.Tenants[2].Present = false
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 0, 0}}, policytest.Counts(v), "3 and 2, 2 and 2, 1 and 2, 1 and 1, 0 and 1")
	require.Equal(t, []string{"switch SM 3"}, arrive(p, v, 2, 99), "0, 1 and 2, then 1, 1 and 1")
	p, v = policytest.Parse(t, "dss:tokens=2/2/2"), gpu(4, 99, 99, 0)
	v.Tenants[2].Present = false
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, []string{"switch SM 3"}, arrive(p, v, 2, 99), "0, 0 and 2: the second gives")
}

func TestTheNextOwnerCanChangeWhileAnSMIsEmptied(t *testing.T) {
	p, v := owned(t, "dss", 3)
	require.Equal(t, []string{"switch SM 3", "switch SM 2"}, arrive(p, v, 1, 99))
	// Tokens are 2, 1 and 1 now, and 0, -1 and 1 are left: an SM goes from the second to the
	// third.
	require.Empty(t, arrive(p, v, 2, 99))
	policytest.Leave(v, 3)
	require.Equal(t, []string{"place 2 on SM 3", "place 2 on SM 3"}, policytest.Decide(p, v, policy.SMFreed))
	policytest.Leave(v, 2)
	require.Equal(t, []string{"place 1 on SM 2", "place 1 on SM 2"}, policytest.Decide(p, v, policy.SMFreed))
}

func TestOnlyIdempotentKernelsAreFlushed(t *testing.T) {
	for idempotent, want := range map[bool]string{true: "flush SM 3", false: "switch SM 3"} {
		p, v := owned(t, "dss:preempt=flush", 2)
		v.Tenants[0].Idempotent = idempotent
		require.Equal(t, []string{want}, arrive(p, v, 1, 1))
	}
}

func TestSMsOfAKernelThatHasEndedAreIdle(t *testing.T) {
	p, v := policytest.Parse(t, "dss"), gpu(2, 99, 2)
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {0, 2}}, policytest.Counts(v))
	policytest.Finish(v, 1, 1, 2)
	policytest.Retire(v, 1)
	require.Equal(t, []string{"place 0 on SM 1", "place 0 on SM 1"}, policytest.Decide(p, v, policy.KernelFinished), "a tenant between two launches has no SM")
	require.Equal(t, []string{"switch SM 1"}, arrive(p, v, 1, 9), "which it buys again")
}

func TestAnSMIsKeptForThreadBlocksOnTheirWayToMemory(t *testing.T) {
	for saving, want := range [][]string{{"place 0 on SM 1", "place 0 on SM 1"}, nil} {
		p, v := policytest.Parse(t, "dss"), gpu(2, 99, 1)
		policytest.Decide(p, v, policy.KernelArrived)
		policytest.Finish(v, 1, 1, 1)
		v.Tenants[1].Saving = saving
		require.Equal(t, want, policytest.Decide(p, v, policy.TBFinished), "%d on their way", saving)
	}
}

// A kernel keeps an extra token to its end, and its successor does not inherit it before
// waiting kernels.
func TestATokenThatIsLeftOverGoesToANewKernel(t *testing.T) {
	p, v := policytest.Parse(t, "dss"), gpu(3, 99, 99)
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{2, 0}, {2, 0}, {0, 2}}, policytest.Counts(v))
	v.Tenants[0].Waiting = 0
	policytest.Finish(v, 0, 0, 2)
	policytest.Finish(v, 0, 1, 2)
	policytest.Retire(v, 0)
	policytest.Decide(p, v, policy.KernelFinished)
	require.Equal(t, [][]int{{0, 2}, {0, 2}, {0, 2}}, policytest.Counts(v))
	// 2 and 1 tokens; 2 and -2 are left.
	require.Equal(t, []string{"switch SM 2", "switch SM 1"}, arrive(p, v, 0, 99))
}

// On a GPU with SMs of several kinds the kernel with most tokens may fit on no SM of other
// tenants. The next one buys then.
func TestAKernelThatFitsNowhereIsPassedOver(t *testing.T) {
	p, v := owned(t, "dss:tokens=1/5/3", 3)
	large := *v.SMs[0].Capacity
	large.Threads <<= 1
	v.SMs[0].Capacity, v.SMs[0].Kind = &large, 1
	v.Tenants[1].Demand.Threads = large.Threads
	require.Equal(t, []string{"switch SM 0"}, arrive(p, v, 1, 99), "-3 and 5, then -2 and 4")
	require.Equal(t, []string{"switch SM 3", "switch SM 2"}, arrive(p, v, 2, 99), "-2 and 3, then 0 and 1")
}

// A kernel that loses an SM to a kernel that fits nowhere else buys another at once.
func TestAKernelThatLosesAnSMOnItsWayBuysAnother(t *testing.T) {
	p, v := owned(t, "dss:tokens=1/5/9", 3)
	large := *v.SMs[3].Capacity
	large.Threads <<= 1
	v.SMs[3].Capacity, v.SMs[3].Kind = &large, 1
	v.Tenants[2].Demand.Threads = large.Threads
	require.Equal(t, []string{"switch SM 3"}, arrive(p, v, 1, 1))
	require.Equal(t, []string{"switch SM 2"}, arrive(p, v, 2, 99), "for the second; SM 3 is the third's")
	policytest.Leave(v, 3)
	require.Equal(t, []string{"place 2 on SM 3"}, policytest.Decide(p, v, policy.SMFreed))
	policytest.Leave(v, 2)
	require.Equal(t, []string{"place 1 on SM 2"}, policytest.Decide(p, v, policy.SMFreed))
}

// There are as many tokens as SMs, after any launch.
func TestEqualTokensAddUpToTheSMs(t *testing.T) {
	v := gpu(5, 9, 9, 9)
	var k tokens
	of := func() (list []int) {
		k.grant(v)
		for tenant := range v.Tenants {
			list = append(list, k.of(v, tenant))
		}
		return list
	}
	require.Equal(t, []int{2, 2, 1}, of(), "what is left over goes to the first")
	for _, c := range []struct {
		launches int
		want     []int
	}{{2, []int{2, 2, 1}}, {1, []int{2, 2, 1}}, {0, []int{2, 2, 1}}} {
		policytest.Retire(v, c.launches)
		policytest.Launch(v, c.launches, 9)
		require.Equal(t, c.want, of(), "tenant %d", c.launches)
	}
	policytest.Retire(v, 0)
	require.Equal(t, []int{1, 2, 1}, of())
	policytest.Retire(v, 2)
	policytest.Launch(v, 2, 9)
	require.Equal(t, []int{1, 2, 2}, of(), "the first is without a kernel")
	v.Tenants[0].Present = false
	require.Equal(t, []int{0, 3, 2}, of(), "two tenants are left: all are dealt anew")
}

func TestTokensAreWholeNumbers(t *testing.T) {
	for _, text := range []string{"0", "1001", "", "1/", "x", "-1", "1.5", "1/0"} {
		_, err := policy.Parse("dss:tokens=" + text)
		require.Error(t, err, text)
	}
	o := policy.NewOptions(map[string]string{"tokens": "1/1000"})
	given, err := o.Ints("tokens", "equal", 1, 1000, "6/4/3"), o.Err()
	require.NoError(t, err)
	require.Equal(t, []int{1, 1000}, given)
}
