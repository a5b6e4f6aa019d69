package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/presets"
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
	assert.Equal(t, uint64(608), r.arrival(&r.Apps[1]), "500 ns at 1216 MHz")
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
	cache := NewIsolatedCache()
	var ipc []float64
	for _, gpu := range []string{"plain16?sms=1", "plain16?sms=2", "plain16?sms=3"} {
		r, _ := toy(t, "fcfs", 1700, "", "")
		r.GPU, err = presets.Load(gpu)
		require.NoError(t, err)
		r.Apps[0].source, r.Apps[1].source = "toy", "toy" // whose file is another each time
		r.IsolatedGPU, r.Cache = isolated, cache
		ipc = append(ipc, do(t, r).Kernels[0].IsolatedIPC)
	}
	assert.Len(t, cache.runs, 1)
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
