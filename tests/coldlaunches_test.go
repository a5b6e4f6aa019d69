package tests

import (
	"testing"

	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

// fetched are the bytes that the L2 fetched for each launch of stencil, which reads what the
// launch before has written.
func fetched(t *testing.T, options string) (list []uint64) {
	p := platform(t, preset(t, "plain16?sms=4"+options), "fcfs", false, opened(t, "stencil?size=tiny"))
	require.NoError(t, p.Run(t.Context(), 0, nil))
	for _, l := range p.Launches(0, p.Cycles(0)) {
		list = append(list, l.L2.FillBytes)
	}
	require.Greater(t, len(list), 2)
	return list
}

func TestColdLaunchesFindTheL2Empty(t *testing.T) {
	warm, cold := fetched(t, ""), fetched(t, "&l2.cold_launches=true")
	require.Equal(t, warm[0], cold[0])
	require.Less(t, warm[2], warm[0]/2)
	require.InEpsilon(t, cold[0], cold[2], 0.01)
}

func TestColdLaunchesNeedAnL2WithoutCopies(t *testing.T) {
	_, err := presets.Load("plain16?topology=halves&l2.cold_launches=true")
	require.ErrorContains(t, err, `l2.cold_launches is true, must be false with topology "halves", where slices hold copies`)
}
