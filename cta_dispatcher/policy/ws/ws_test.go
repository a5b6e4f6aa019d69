package ws

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// far is an IPC that no SM reaches, and none that no SM waits for memory.
var far, none = []float64{1e6, 1e6, 1e6}, []float64{0, 0, 0}

// pair has tenant 0, of 256 threads in a thread block and 8 on an SM, joined by tenant
// 1, of 512 and 4, on eight SMs.
func pair(t *testing.T, spec string) *gpu {
	g := newGPU(t, spec, 8, 3)
	g.arrive(0, 256)
	require.Equal(t, []int{8, 0, 0}, g.have()[7])
	require.Empty(t, g.windows, "who is alone is not profiled")
	require.Equal(t, []float64{0, 8, 0, 0, 0, 0, 0}, g.shown())
	g.arrive(1, 512)
	return g
}

// profiled are the thread blocks of such a pair while it is profiled.
var profiled = [][]int{{2, 0, 0}, {4, 0, 0}, {6, 0, 0}, {8, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0}}

// everywhere are the same thread blocks on eight SMs.
func everywhere(tbs ...int) (list [][]int) {
	for range 8 {
		list = append(list, tbs)
	}
	return list
}

func TestAPairIsProfiledAndSharesEverySM(t *testing.T) {
	g := pair(t, "ws")
	require.Equal(t, profiled, g.have())
	require.Equal(t, []uint64{20_000}, g.windows)
	require.Equal(t, []float64{1, 8, 0, 4, 0, 0, 0}, g.shown())
	g.event(policy.TBFinished)
	require.Empty(t, g.windows)
	g.window([]float64{9, 9}, far, none)
	require.Equal(t, []uint64{5_000}, g.windows)
	require.Equal(t, 2.0, g.shown()[0])
	require.Equal(t, profiled, g.have())
	// Tenant 1 has its best, 30, with three thread blocks; tenant 0 scales to the end.
	g.window([]float64{10, 10}, []float64{1e6, 30}, none)
	require.Empty(t, g.windows)
	require.Equal(t, everywhere(4, 2, 0), g.have())
	require.Equal(t, []float64{3, 4, 0.5, 2, 2.0 / 3, 0, 0}, g.shown())
}

func TestWaitingForMemoryCorrectsTheCurve(t *testing.T) {
	for spec, want := range map[string][]int{"ws": {2, 3, 0}, "ws:clip=1/1": {4, 2, 0}} {
		g := pair(t, spec)
		g.window(none, far, none)
		// Tenant 0's mean is 5: the points of 2, 4, 6 and 8 thread blocks count 1.6, 1.2, 0.8
		// and 0.5 times, so it is best with six. Tenant 1 does not wait.
		g.window([]float64{10, 10}, far, []float64{1, 0})
		require.Equal(t, want, g.have()[0], spec)
	}
}

func TestWhatWasFoundIsKeptByTheSetOfKernels(t *testing.T) {
	g := pair(t, "ws")
	g.window(none, far, none)
	g.window([]float64{10, 10}, []float64{1e6, 30}, none)
	g.finish(1)
	require.Equal(t, everywhere(4, 0, 0), g.have(), "the set stays while its tenant has a claim")
	g.launch(1, 512)
	require.Equal(t, everywhere(4, 2, 0), g.have())
	// A kernel of another size, and then the first again.
	g.finish(1)
	g.launch(1, 1024)
	require.Equal(t, []uint64{20_000}, g.windows)
	g.window(none, far, none)
	g.window([]float64{10, 10}, far, none)
	require.Equal(t, 3.0, g.shown()[0])
	require.Equal(t, everywhere(4, 1, 0), g.have())
	g.finish(1)
	g.launch(1, 512)
	require.Empty(t, g.windows)
	require.Equal(t, []float64{3, 4, 0.5, 2, 2.0 / 3, 0, 0}, g.shown())
	// A third makes another set, and its end the first one.
	g.arrive(2, 256)
	require.Equal(t, []uint64{20_000}, g.windows)
	require.Equal(t, [][]int{{3, 0, 0}, {6, 0, 0}, {8, 0, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0}, {0, 0, 4}, {0, 0, 8}}, g.have())
	g.view.Tenants[2].Present = false
	g.finish(2)
	require.Equal(t, everywhere(4, 2, 0), g.have())
	g.window(none, far, none)
	require.Empty(t, g.windows, "the warm-up that was given up is of no interest")
	require.Equal(t, []float64{3, 4, 0.5, 2, 2.0 / 3, 0, 0}, g.shown())
}

func TestAProfilingThatIsGivenUpBeginsAnewWithAWholeWarmUp(t *testing.T) {
	g := pair(t, "ws:warmup=7k,sample=3k")
	g.arrive(2, 256)
	require.Empty(t, g.windows, "one is open")
	g.window(none, far, none)
	require.Equal(t, []uint64{7000}, g.windows)
	require.Equal(t, 1.0, g.shown()[0])
	g.window(none, far, none)
	require.Equal(t, []uint64{3000}, g.windows)
	g.view.Tenants[2].Present = false
	g.finish(2)
	require.Empty(t, g.windows)
	require.Equal(t, profiled, g.have())
	g.window([]float64{10, 10, 10}, far, none)
	require.Equal(t, []uint64{7000}, g.windows, "the sample was of another set")
	g.window(none, far, none)
	g.window([]float64{10, 10}, far, none)
	require.Equal(t, 3.0, g.shown()[0])
}

func TestAnSMCountsOnlyWithTheThreadBlocksThatItShouldHave(t *testing.T) {
	g := pair(t, "ws")
	g.window(none, far, none)
	// Tenant 1 has none left to place but one on each of two SMs.
	g.view.Tenants[1].Waiting = 0
	g.end(1, 4, 1)
	g.end(1, 5, 1)
	g.end(1, 6, 3)
	g.end(1, 7, 4)
	for range patience {
		g.window([]float64{10, 10}, far, none)
		require.Equal(t, []uint64{5000}, g.windows, "nothing is known of it yet")
	}
	g.window([]float64{10, 10}, far, none)
	require.Empty(t, g.windows)
	require.Equal(t, []float64{3, 4, 0.5, 2, 0.5, 0, 0}, g.shown(), "both go by their numbers")
	// The next set has as many tries.
	g.finish(1)
	g.launch(1, 1024)
	g.window(none, far, none)
	g.finish(1)
	g.window([]float64{10, 10}, far, none)
	require.Equal(t, []uint64{5000}, g.windows)
}

func TestAnSMWithThreadBlocksOfAnotherDoesNotCount(t *testing.T) {
	g := pair(t, "ws:preempt=none")
	for i := range 7 {
		g.end(0, i, 8)
	}
	g.event(policy.TBFinished)
	g.window(none, far, none)
	// One thread block of tenant 0 is left on the last SM, which has room for three of tenant
	// 1.
	g.end(0, 7, 7)
	g.policy.targets.TBs[1][7] = 3
	g.event(policy.TBFinished)
	require.Equal(t, []int{1, 3, 0}, g.have()[7])
	g.view.Tenants[1].Waiting = 0
	g.end(1, 4, 1)
	g.count([]float64{10, 20}, far, []float64{0.5, 0.25})
	require.Equal(t, [][]point{
		{{2, 20, 0.5}, {4, 40, 0.5}, {6, 60, 0.5}, {8, 80, 0.5}},
		{{2, 40, 0.25}, {3, 60, 0.25}},
	}, g.policy.read(&g.view))
}

func TestOneRepeatedSampleMayDo(t *testing.T) {
	g := pair(t, "ws")
	g.window(none, far, none)
	g.finish(1) // between two launches
	g.window([]float64{10, 10}, far, none)
	require.Equal(t, []uint64{5000}, g.windows)
	g.launch(1, 512)
	require.Empty(t, g.windows)
	require.Equal(t, profiled, g.have())
	g.window([]float64{10, 10}, []float64{1e6, 30}, none)
	require.Equal(t, everywhere(4, 2, 0), g.have())
}

func TestSMsAreDividedWhereSharingCostsTooMuch(t *testing.T) {
	for spec, want := range map[string]float64{"ws:loss=51": 3, "ws:loss=49": 4, "ws:loss=50": 3, "ws": 3} {
		g := pair(t, spec)
		g.window(none, far, none)
		g.window([]float64{10, 10}, far, none) // half of its best for each
		require.Equal(t, want, g.shown()[0], spec)
		if want == 4 {
			require.Equal(t, []int{8, 0, 0}, g.have()[0])
			require.Equal(t, []int{0, 4, 0}, g.have()[4])
			require.Equal(t, []float64{4, 8, 0, 4, 0, 0, 0}, g.shown())
		}
	}
}

func TestSMsAreDividedWhereOneOfEachDoesNotFit(t *testing.T) {
	g := newGPU(t, "ws", 2, 3)
	g.arrive(0, 1056)
	g.arrive(1, 1056)
	require.Equal(t, []uint64{20_000}, g.windows, "an SM for each is enough")
	g.window(none, far, none)
	g.window([]float64{10, 10}, far, none)
	require.Equal(t, [][]int{{1, 0, 0}, {0, 1, 0}}, g.have())
	require.Equal(t, 4.0, g.shown()[0])
}

func TestMoreKernelsThanSMsAreNotProfiled(t *testing.T) {
	g := newGPU(t, "ws", 1, 2)
	g.arrive(0, 256)
	g.arrive(1, 512)
	require.Empty(t, g.windows)
	require.Equal(t, [][]int{{4, 2}}, g.have())
	require.Equal(t, []float64{3, 4, 0.5, 2, 0.5}, g.shown())
}

func TestThreadBlocksThatLeaveAreNotWaitedForTwice(t *testing.T) {
	g := newGPU(t, "ws", 8, 3)
	g.arrive(0, 256)
	g.holds = true
	g.arrive(1, 512)
	require.Equal(t, 4*8+6+4+2, g.preempts)
	g.event(policy.TBFinished)
	require.Zero(t, g.preempts)
}

func TestWithoutPreemptionThreadBlocksEnd(t *testing.T) {
	g := pair(t, "ws:preempt=none")
	require.Equal(t, everywhere(8, 0, 0), g.have())
	for i := range 8 {
		g.end(0, i, 8)
	}
	g.event(policy.TBFinished)
	require.Equal(t, profiled, g.have())
}

func TestOptions(t *testing.T) {
	for spec, want := range map[string]string{
		"warmup=0":      "option warmup=0: must be a whole number from 1 to 1000000000, such as 2k or 2M",
		"sample=5x":     "option sample=5x: must be a whole number from 1 to 1000000000, such as 2k or 2M",
		"clip=0.5":      "option clip=0.5: valid: a number from 0 to 1 and one from 1 to 100, such as 0.5/2",
		"clip=1.1/2":    "option clip=1.1/2: valid: a number from 0 to 1 and one from 1 to 100, such as 0.5/2",
		"clip=0.5/0.9":  "option clip=0.5/0.9: valid: a number from 0 to 1 and one from 1 to 100, such as 0.5/2",
		"clip=NaN/2":    "option clip=NaN/2: valid: a number from 0 to 1 and one from 1 to 100, such as 0.5/2",
		"loss=100":      "option loss=100: valid: off, or percent from 1 to 99",
		"preempt=drain": "option preempt=drain: valid: none, switch, ideal",
		"clip=0/100":    "",
		"loss=off":      "",
		"preempt=none":  "",
	} {
		_, err := policy.Parse("ws:" + spec)
		if want == "" {
			require.NoError(t, err, spec)
		} else {
			require.EqualError(t, err, "policy ws: "+want)
		}
	}
}

func TestSMsOfSeveralKindsAreRefused(t *testing.T) {
	v := &policy.View{SMs: []policy.SM{{}, {Kind: 1}}}
	require.ErrorContains(t, check(v), "SMs of several kinds")
}

func TestWhatWasFoundIsExplained(t *testing.T) {
	g := pair(t, "ws")
	require.Nil(t, policy.Explain(g.policy))
	g.window(none, far, none)
	g.window([]float64{10, 10}, []float64{1e6, 30}, none)
	set := func() policy.Section { return g.policy.Needs().Explain()[0].Sections[0] }
	require.Equal(t, policy.Cells{"present": true, "phase": "shared"}, set().Facts)
	require.Contains(t, string(policy.Explain(g.policy)), `{"tenant":1,"threads":512,"registers":0,"shared_bytes":0,"most_ctas":4,"ctas":2,"rate":null,"first":false,`+
		`"scaling":{"performance":[0,0.333333,0.666667,1,1],"predicted":0.666667}}`)
	g.arrive(2, 64)
	require.Equal(t, false, set().Facts["present"], "another is profiled")
	g.finish(2)
}

func TestDividedSMsAreExplained(t *testing.T) {
	g := pair(t, "ws:loss=1")
	g.window(none, far, none)
	g.window([]float64{10, 10}, far, none)
	d := g.policy.Needs().Explain()[0].Sections[0]
	require.Equal(t, "divided", d.Facts["phase"])
	require.Zero(t, d.Rows[0]["ctas"])
	require.Zero(t, d.Rows[0]["scaling.predicted"])
}
