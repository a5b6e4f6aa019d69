package validation

import (
	"testing"

	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

// An SM takes a flit of replies with 64 bytes of data in a cycle, and so does each of a GPC's two
// links: two SMs of a GPC get no more than one from one half of the memory, and twice as much
// from both halves or in two GPCs. Rounds of chunks begin at slices in turn, so that slices hold nobody up.
func TestSMsOfAGPCShareItsLinks(t *testing.T) {
	gpu, err := presets.Load("v100?sms=4&gpcs=[2,2]&reply_noc.gpc_bytes=72&reply_noc.gpc_ports=2&l2.sets=8&address.scatter_rounds=false")
	require.NoError(t, err)
	for _, c := range []struct {
		traffic   Traffic
		least, of float64
	}{
		{Traffic{SMs: []int{0}}, 62, 64},
		{Traffic{SMs: []int{0, 1}, Part: 1, Parts: 2}, 62, 64},
		{Traffic{SMs: []int{0, 1}}, 110, 128}, // now and then both want the same half
		{Traffic{SMs: []int{0, 2}, Part: 1, Parts: 2}, 120, 128},
	} {
		rate, err := FabricBandwidth(t.Context(), gpu, c.traffic)
		require.NoError(t, err)
		require.Greater(t, rate, c.least, "%+v", c.traffic)
		require.LessOrEqual(t, rate, c.of+0.5, "%+v", c.traffic)
	}
	_, err = FabricBandwidth(t.Context(), gpu, Traffic{SMs: []int{4}})
	require.EqualError(t, err, "SM 4; valid: 0 to 3")
	_, err = FabricBandwidth(t.Context(), gpu, Traffic{Part: 3, Parts: 2})
	require.EqualError(t, err, "3 of 2 parts; valid: 1 to 2")
}
