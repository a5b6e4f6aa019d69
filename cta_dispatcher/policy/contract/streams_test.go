package contract

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// streams is an application with a stream for each kernel.
func streams(list ...application) (app application) {
	for i, one := range list {
		k := one.kernels[0]
		k.stream, k.pause = i, one.arrival
		app.kernels = append(app.kernels, k)
	}
	return app
}

func TestKernelsOfSeveralStreamsShareTheGPUWhereThePolicyAdmitsIt(t *testing.T) {
	// One SM of ten registers: three thread blocks of two registers and a fourth of four.
	for spec, want := range map[string]int{
		"fcfs": 4, "green": 4, "mps": 4, "even": 4, "spart": 4, "spart-qos": 4, "timeslice": 4,
		"ccbp": 3, "npq": 3, "ppq": 3, "dss": 3, "fixed": 3, "smk": 3, "smk-p": 3, "smk-pw": 3, "smk-pw2": 3, "ws": 3,
	} {
		b := deal(t, spec, alike(1, ten), streams(endless(3, 2), endless(1, 4)))
		require.Equal(t, [][]int{{want}}, b.have(), spec)
	}
}

func TestEveryPolicySaysWhetherItAdmitsSeveralKernelsOfATenant(t *testing.T) {
	admits := 0
	for _, d := range policy.All() {
		p, err := policy.Parse(d.Name)
		require.NoError(t, err)
		if p.Needs().Concurrent {
			admits++
		}
	}
	require.Equal(t, 7, admits, "a new one belongs into the test above")
}

func TestFCFSGoesByTheOrderOfKernelsNotOfTenants(t *testing.T) {
	// K1's first kernel, then K2's, then K1's second. All of the first is placed.
	second := endless(9, 2)
	second.arrival = 200
	late := endless(2, 2)
	late.arrival = 100
	b := deal(t, "fcfs", alike(1, ten), streams(endless(2, 2), second), late)
	b.wait(300)
	require.Equal(t, [][]int{{3, 2}}, b.have())
	b.end(1, 0)
	require.Equal(t, [][]int{{4, 1}}, b.have(), "K2 has none left that waits")

	late.kernels[0].tbs = 9
	b = deal(t, "fcfs", alike(1, ten), streams(endless(2, 2), second), late)
	b.wait(300)
	require.Equal(t, [][]int{{2, 3}}, b.have())
	b.end(0, 0)
	require.Equal(t, [][]int{{1, 4}}, b.have(), "K2's kernel goes before K1's second")
}

func TestAStreamOfHigherPriorityPassesKernelsThatWait(t *testing.T) {
	// K1 fills the SM, and then K2 comes. Thread blocks that run stay.
	for priority, want := range map[int][]int{0: {5, 0}, -1: {4, 1}} {
		late := endless(9, 2)
		late.arrival = 100
		late.kernels[0].priority = priority
		b := deal(t, "fcfs", alike(1, ten), endless(9, 2), late)
		b.wait(300)
		require.Equal(t, [][]int{{5, 0}}, b.have())
		b.end(0, 0)
		require.Equal(t, [][]int{want}, b.have(), "priority %d", priority)
	}
}

func TestEvenPartIsThatOfAllKernelsOfATenantTogether(t *testing.T) {
	// Five of ten registers each: K1's kernels have two and three of theirs.
	require.Equal(t, [][]int{{2, 2}}, deal(t, "even", alike(1, ten), streams(endless(1, 2), endless(9, 3)), endless(9, 2)).have())
}

func TestPreemptedThreadBlocksOfTwoKernelsComeBackToTheirOwn(t *testing.T) {
	// Both of K1's kernels have thread blocks on the SM that K2 takes over.
	late := uniform(100, 2, 1000)
	s := byArrival(scenario{sms: alike(2, holding(2)), delays: []int{10}}, streams(uniform(0, 2, 3000), uniform(0, 2, 3000)), late)
	m := start(t, "spart:epoch=1k", s)
	require.Equal(t, 2, m.total.preemptions)
	requireEach(t, &s, m.finishes)
}
