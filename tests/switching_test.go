package tests

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload/source"
)

// If a thread block's faults are served while it leaves its SM, it comes back once, and not
// before its context is in memory.
func TestThreadBlocksThatAreSwitchedOnFaultsRunOnce(t *testing.T) {
	for _, ideal := range []string{"false", "true"} {
		gpu, err := presets.Load("pagefault16?sms=8&host.ideal=true&sm.faults.scheme=operand-log&sm.faults.log_bytes=16384&driver.block_switching.extra=4&driver.block_switching.ideal=" + ideal)
		require.NoError(t, err)
		app, err := experiment.Open("spmv?size=small&set=size:12288,products:1&arch=k20c", source.Options{Seed: 1})
		require.NoError(t, err)
		run := experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Parameters: experiment.Parameters{Pages: wiring.PagesDemand}, Seed: 1}, GPU: gpu, Apps: []experiment.App{app}}
		r, err := run.Do(context.Background())
		require.NoError(t, err)
		require.EqualValues(t, 384, r.Kernels[0].TBsCompleted)
		switches, ok := r.Stats["driver"].Total.Get("block_switches")
		require.True(t, ok)
		require.Greater(t, switches, uint64(100))
	}
}
