package page

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/metrics/latency"
)

func TestLatenciesOfThePageAreThoseOfTheResult(t *testing.T) {
	r := report(t, 2)
	require.Empty(t, r.latencyRows())
	require.Empty(t, r.latencies())
	for k := range r.Result.Kernels {
		n := uint64(k)
		list := map[string]*experiment.LatencyResult{}
		for stage := range latency.NumStages {
			list[stage.String()] = &experiment.LatencyResult{Count: 4, Mean: 300.5 + float64(n), P50: 319, P95: 1279, P99: 1791, Max: 1800 + n + uint64(stage), From: []uint64{256, 448}, Counts: []uint64{1, 3}}
		}
		r.Result.Kernels[k].Latencies = list
	}
	rows := r.latencyRows()
	require.Len(t, rows, 2*int(latency.NumStages))
	var shown []string
	for _, c := range rows[len(rows)-1].Cells[1:] {
		shown = append(shown, c.Value)
	}
	require.Equal(t, []string{"L2 to SM", "4", "301.5", "319", "1,279", "1,791", "1,806"}, shown)
	chart := options(t, written(t, r))["latency"]
	require.Equal(t, []string{"256", "320", "384", "448"}, chart.Option.XAxis[0].Data)
	var shares []float64
	for _, d := range chart.Option.Series[1].Data {
		var v float64
		require.NoError(t, json.Unmarshal(d.Value, &v))
		shares = append(shares, v)
	}
	require.Equal(t, []float64{25, 0, 0, 75}, shares)
}
