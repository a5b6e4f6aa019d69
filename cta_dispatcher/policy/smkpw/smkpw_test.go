package smkpw

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/policytest"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// gpu has SMs with eight slots and four schedulers, and tenants with 99 thread blocks.
func gpu(sms, tenants int) *policy.View {
	list := make([]policy.Tenant, tenants)
	for i := range list {
		list[i].Waiting = 99
	}
	return policytest.View(policytest.Slots(8), list, make([][]int, sms)...)
}

// epoch ends an epoch of 10,000 cycles and lists the quotas. wipc has the warp instructions
// that each tenant has issued in a cycle of each scheduler of its SM.
func epoch(p policy.Policy, v *policy.View, wipc ...float64) (quotas []string) {
	for i := range v.Windows {
		var c protocol.SMCounters
		if i < len(wipc) {
			c.Tenants[i].WarpInstructions = uint64(wipc[i] * 4 * 10_000)
		}
		w := &v.Windows[i]
		w.From, w.To, w.Counters = w.To, w.To+10_000, c
	}
	return policytest.Decide(p, v, policy.Epoch)
}

// measured is a GPU on which two tenants have been measured: x is 0.4 and 0.5.
func measured(t *testing.T, spec string) (policy.Policy, *policy.View, []string) {
	p, v := policytest.Parse(t, spec), gpu(4, 2)
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{8, 0}, {0, 8}, {4, 4}, {4, 4}}, policytest.Counts(v), "the first SMs are for profiling")
	require.Empty(t, epoch(p, v, 0.9, 0.9), "the first epoch began without the thread blocks")
	return p, v, epoch(p, v, 0.4, 0.5)
}

// SMK 5.4: C = x S/T, 0.2 and 0.25; the quotas are 0.2/0.45 and 0.25/0.45 of an epoch, whole
// or a quarter for each scheduler.
func TestQuotasFollowFromTheProfilingSMs(t *testing.T) {
	for spec, want := range map[string][]string{
		"smk-pw":                 {"quotas [1111 1388] on SM 2", "quotas [1111 1388] on SM 3"},
		"smk-pw:quota=scheduler": {"quotas [4444 5555] on SM 2", "quotas [4444 5555] on SM 3"},
	} {
		_, _, quotas := measured(t, spec)
		require.Equal(t, want, quotas)
	}
}

func TestQuotasAreSetAnewAtEachEpoch(t *testing.T) {
	p, v, _ := measured(t, "smk-pw")
	require.Equal(t, []string{"quotas [1250 1250] on SM 2", "quotas [1250 1250] on SM 3"}, epoch(p, v, 0.3, 0.3))
	require.Equal(t, []string{"quotas [1875 625] on SM 2", "quotas [1875 625] on SM 3"}, epoch(p, v, 0.9, 0), "who issued nothing was not measured anew")
}

func TestThereAreNoProfilingSMsForOneOrWhereTheyWouldBeMoreThanHalf(t *testing.T) {
	for _, c := range []struct {
		sms, tenants int
		want         [][]int
	}{
		{2, 1, [][]int{{8}, {8}}},
		{3, 2, [][]int{{4, 4}, {4, 4}, {4, 4}}},
		{4, 2, [][]int{{8, 0}, {0, 8}, {4, 4}, {4, 4}}},
	} {
		p, v := policytest.Parse(t, "smk-pw"), gpu(c.sms, c.tenants)
		policytest.Decide(p, v, policy.KernelArrived)
		require.Equal(t, c.want, policytest.Counts(v))
		if c.sms < 4 {
			for range 3 {
				require.Empty(t, epoch(p, v, 0.5, 0.5), "nobody is measured")
			}
		}
	}
}

func TestATenantIsMeasuredOnlyWithTheProfilingSMToItself(t *testing.T) {
	p, v := policytest.Parse(t, "smk-pw"), gpu(4, 2)
	policytest.Decide(p, v, policy.KernelArrived)
	epoch(p, v)
	v.SMs[0].TBs[1], v.SMs[0].Usage.TBs = 1, 9 // a thread block of the other is still there
	require.Empty(t, epoch(p, v, 0.9, 0.5))
	v.SMs[0].TBs[1], v.SMs[0].Usage.TBs = 0, 8
	require.Empty(t, epoch(p, v, 0.9, 0.5), "the epoch began with it")
	require.NotEmpty(t, epoch(p, v, 0.9, 0.5))
}

func TestAnotherKernelIsMeasuredAnew(t *testing.T) {
	p, v, _ := measured(t, "smk-pw")
	v.Tenants[1].Waiting = 0
	for sm, n := range []int{0, 8, 4, 4} {
		policytest.Finish(v, 1, sm, n)
	}
	policytest.Retire(v, 1)
	require.Empty(t, policytest.Decide(p, v, policy.KernelFinished))
	v.Tenants[1].Demand.Threads = 2
	policytest.Launch(v, 1, 99)
	actions := policytest.Decide(p, v, policy.KernelArrived)
	require.Contains(t, actions, "no quotas on SM 2", "it must not wait for the next epoch without one")
	require.Contains(t, actions, "no quotas on SM 3")
	require.Empty(t, epoch(p, v, 0.4, 0.5))
	require.Equal(t, []string{"quotas [1666 833] on SM 2", "quotas [1666 833] on SM 3"}, epoch(p, v, 0.4, 0.2), "4 of 8 and 2 of 4 thread blocks: 0.2 and 0.1")
}

func TestWhoEndsGivesHisProfilingSMBackAndQuotasEnd(t *testing.T) {
	p, v, _ := measured(t, "smk-pw")
	v.Tenants[1].Waiting, v.Tenants[1].Present = 0, false
	for sm, n := range []int{0, 8, 4, 4} {
		policytest.Finish(v, 1, sm, n)
	}
	policytest.Retire(v, 1)
	actions := policytest.Decide(p, v, policy.KernelFinished)
	require.Equal(t, [][]int{{8, 0}, {8, 0}, {8, 0}, {8, 0}}, policytest.Counts(v))
	require.Equal(t, []string{"no quotas on SM 2", "no quotas on SM 3"}, actions[len(actions)-2:])
}

// With wipc=isolated quotas follow from the tenants' attribute, and hold from the first
// division on.
func TestIsolatedFiguresMakeQuotasAtOnce(t *testing.T) {
	p, v := policytest.Parse(t, "smk-pw:wipc=isolated"), gpu(2, 2)
	require.Equal(t, policy.Alone{WIPC: true}, p.Needs().Alone)
	require.Equal(t, policy.Alone{}, policytest.Parse(t, "smk-pw").Needs().Alone)
	v.Tenants[0].IsolatedWIPC, v.Tenants[1].IsolatedWIPC = 0.4, 0.5
	actions := policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{4, 4}, {4, 4}}, policytest.Counts(v))
	want := []string{"quotas [1111 1388] on SM 0", "quotas [1111 1388] on SM 1"}
	require.Equal(t, want, actions[len(actions)-2:])
	require.Empty(t, policytest.Decide(p, v, policy.TBFinished))
	require.Equal(t, want, epoch(p, v))
}

func TestWhoHasAnSMToItselfHasNoQuotaThere(t *testing.T) {
	p, v := policytest.Parse(t, "smk-pw:wipc=isolated"), gpu(2, 2)
	v.Tenants[0].IsolatedWIPC, v.Tenants[1].IsolatedWIPC = 0.4, 0.5
	v.Tenants[0].Waiting = 16
	policytest.Retire(v, 1)
	policytest.Decide(p, v, policy.KernelArrived)
	require.Equal(t, [][]int{{8, 0}, {8, 0}}, policytest.Counts(v))
	require.Empty(t, epoch(p, v))
	policytest.Launch(v, 1, 1)
	require.Equal(t, []string{"switch 4 of 0 on SM 0", "quotas [1111 1388] on SM 0"}, policytest.Decide(p, v, policy.KernelArrived))
	require.Equal(t, []string{"quotas [1111 1388] on SM 0"}, epoch(p, v))
}
