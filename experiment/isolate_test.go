package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dispatcher "cotenant/cta_dispatcher"
	_ "cotenant/cta_dispatcher/policy/dss"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
)

// An application that arrives late has the rest of the window in the mix, and so it has
// alone.
func TestTheIsolatedWindowIsShortenedByTheArrival(t *testing.T) {
	r, _ := toy(t, "fcfs", 1700, "", "?arrival=600")
	kernels := do(t, r).Kernels
	for i, cycles := range []uint64{1700, 1100} {
		alone, _ := toy(t, "fcfs", cycles, "")
		assert.Equal(t, do(t, alone).Kernels[0].IPC, kernels[i].IsolatedIPC, "%d cycles", cycles)
	}
	assert.NotEqual(t, kernels[0].IsolatedIPC, kernels[1].IsolatedIPC)

	// Without a window there is nothing to shorten.
	r, _ = toy(t, "fcfs", 0, "", "?arrival=600")
	kernels = do(t, r).Kernels
	assert.Equal(t, kernels[0].IsolatedIPC, kernels[1].IsolatedIPC)
}

func TestTheWindowOfAnArrivalInTimeFollowsTheClockOfTheMix(t *testing.T) {
	r, _ := toy(t, "fcfs", 1700, "", "?arrival=500ns")
	assert.Equal(t, uint64(608), ArrivalCycle(r.Apps[1].Attributes, r.GPU.Clocks.Core), "500 ns at 1216 MHz")
	alone, _ := toy(t, "fcfs", 1700-608, "")
	assert.Equal(t, do(t, alone).Kernels[0].IPC, do(t, r).Kernels[1].IsolatedIPC)
}

func TestTheIsolatedGPUIsPartOfTheConfigHash(t *testing.T) {
	plain, _ := toy(t, "fcfs", 1700, "", "")
	hash := func(isolated string) string {
		r := *plain
		var err error
		r.IsolatedGPU, err = presets.Load(isolated)
		require.NoError(t, err)
		return r.ConfigHash()
	}
	assert.Equal(t, hash("plain16?sms=2"), hash("plain16?sms=2"))
	assert.NotEqual(t, hash("plain16?sms=2"), hash("plain16?sms=3"))
	assert.NotEqual(t, plain.ConfigHash(), hash("plain16?sms=2"))
}

// What an application achieves on the isolated GPU does not depend on the GPU of the mix.
func TestRunsOnTheIsolatedGPUAreSharedBetweenMixes(t *testing.T) {
	isolated, err := presets.Load("plain16?sms=2")
	require.NoError(t, err)
	cache := &IsolatedCache{}
	var ipc []float64
	for _, gpu := range []string{"plain16?sms=1", "plain16?sms=2", "plain16?sms=3"} {
		r, _ := toy(t, "fcfs", 1700, "", "")
		r.GPU, err = presets.Load(gpu)
		require.NoError(t, err)
		r.Apps[0].source, r.Apps[1].source = "toy", "toy" // toy writes a new file each time
		r.IsolatedGPU, r.Cache = isolated, cache
		ipc = append(ipc, do(t, r).Kernels[0].IsolatedIPC)
	}
	assert.Equal(t, 1, cache.len())
	assert.Equal(t, []float64{ipc[0], ipc[0]}, ipc[1:])
}

// A single application is its own isolated run only on the GPU of the isolated runs.
func TestASingleApplicationRunsAgainOnTheIsolatedGPU(t *testing.T) {
	r, _ := toy(t, "fcfs", 1700, "")
	k := do(t, r).Kernels[0]
	assert.Equal(t, k.IPC, k.IsolatedIPC)
	two, err := presets.Load("plain16?sms=2")
	require.NoError(t, err)
	r.IsolatedGPU = two
	there := do(t, r).Kernels[0]
	assert.Equal(t, k.IPC, there.IPC)
	r.GPU, r.IsolatedGPU = two, nil
	assert.Equal(t, do(t, r).Kernels[0].IPC, there.IsolatedIPC)
	assert.NotEqual(t, k.IPC, there.IsolatedIPC)
}

func TestTheIPCOfAnApplicationThatRunsOnceIsTakenFromItsArrivalToItsEnd(t *testing.T) {
	r, _ := toy(t, "fcfs", 0, "", "?arrival=600")
	for _, k := range do(t, r).Kernels {
		assert.Equal(t, k.TurnaroundCycles, []uint64{k.Cycles})
		assert.Equal(t, toyInstructions/float64(k.Cycles), k.IPC)
	}
}

// Kernels of one stream never overlap, whichever stream that is.
func TestAnApplicationOfOneStreamIsItsOwnIsolatedRun(t *testing.T) {
	r, _ := toy(t, "dss", 0, "")
	for want, streams := range map[bool][]int{true: {3, 3}, false: {3, 0}} {
		var corun *wiring.Platform
		r.Started = func(p *wiring.Platform) error { corun = p; return nil }
		do(t, r)
		launches := &corun.Driver.Stats().Tenants[0].Launches
		*launches = nil
		for _, s := range streams {
			*launches = append(*launches, dispatcher.LaunchRecord{Stream: s})
		}
		assert.Equal(t, want, r.isItsOwn(corun), "streams %v", streams)
	}
}

func TestAnEndIsAfterUpToAMillionReplays(t *testing.T) {
	for text, want := range map[string]uint64{"done": 0, "replays=1": 1, "replays=1M": 1_000_000} {
		replays, err := ParseEnd(text)
		require.NoError(t, err)
		assert.Equal(t, want, replays)
	}
	for _, text := range []string{"replays=0", "replays=1000001", "replays=", "1", "replays"} {
		_, err := ParseEnd(text)
		assert.EqualError(t, err, "valid: done, or replays=N with N from 1 to 1000000", text)
	}
}

func TestAGivenIPCOfASingleApplicationStays(t *testing.T) {
	r, _ := toy(t, "fcfs", 1700, "")
	r.Isolated = []Isolated{{IPC: 7}}
	k := do(t, r).Kernels[0]
	assert.Equal(t, 7.0, k.IsolatedIPC)
	assert.Equal(t, Figure(k.IPC/7), k.NormalizedIPC)
}

// len is the number of runs.
func (c *IsolatedCache) len() (n int) {
	c.runs.Range(func(_, _ any) bool { n++; return true })
	return n
}
