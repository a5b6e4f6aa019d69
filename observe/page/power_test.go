package page

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/observe/power"
)

func TestPowerIsDrawnByTenantAndForNobody(t *testing.T) {
	r := report(t, 2)
	require.Empty(t, r.power())
	owners := func(joules ...float64) (list []power.Owner) {
		for i, name := range append(append([]string{}, r.Tenants...), power.Nobody) {
			list = append(list, power.Owner{Tenant: i, Name: name, Joules: joules[i]})
		}
		return list
	}
	// 3000 cycles in 3 ms: a thousand cycles are 1 ms, a millijoule in it is a watt.
	r.Energy = &power.Report{Cycles: 3000, Seconds: 3e-3, Joules: 24e-3, Tenants: owners(9e-3, 6e-3, 9e-3), Intervals: []power.Interval{
		{Cycle: 6000, Cycles: 1000, Tenants: owners(1e-3, 2e-3, 3e-3)}, {Cycle: 8000, Cycles: 2000, Tenants: owners(8e-3, 4e-3, 6e-3)}}}
	chart := options(t, written(t, r))["power"]
	require.Equal(t, []string{"5,000", "6,000", "8,000"}, chart.Option.XAxis[0].Data)
	require.Len(t, chart.Option.Series, 3)
	for k, want := range [][]float64{{1, 1, 4}, {2, 2, 2}, {3, 3, 3}} {
		var watts []float64
		for _, d := range chart.Option.Series[k].Data {
			var v float64
			require.NoError(t, json.Unmarshal(d.Value, &v))
			watts = append(watts, v)
		}
		require.Equal(t, want, watts)
	}
}
