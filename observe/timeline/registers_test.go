package timeline

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
)

func TestRegistersAndGoalsAreCountersOfThePolicy(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"sgemm", `l"bm`}})
	w.Goals([]float64{0, 80.5})
	show := w.Listener().Registers
	registers := func(cycle uint64, alpha, other, epochs, history float64) {
		show(cycle, []policy.RegisterValue{
			{Name: "alpha", Tenant: 0, Value: alpha}, {Name: "history", Tenant: 0, Value: history}, {Name: "epochs", Tenant: -1, Value: epochs},
			{Name: "alpha", Tenant: 1, Value: other}, {Name: "history", Tenant: 1, Value: math.Inf(1)}})
	}
	registers(10_000, 1, 1.25, 1, math.NaN())
	registers(20_000, 1, 1.25, 2, 64)
	registers(30_000, 1, 1, 2, 64)
	require.NoError(t, w.Close(40_000))
	assert.Equal(t, []string{
		`goal IPC at 0.000 us: map[l"bm:80.5]`,
		`alpha at 10.000 us: map[l"bm:1.25 sgemm:1]`,
		"epochs at 10.000 us: map[value:1]",
		"history at 20.000 us: map[sgemm:64]",
		"epochs at 20.000 us: map[value:2]",
		`alpha at 30.000 us: map[l"bm:1 sgemm:1]`,
	}, lines(t, out.Bytes()))
	var named []any
	for _, e := range parse(t, out.Bytes()) {
		if e.Phase == "M" {
			assert.Equal(t, policyProcess, e.Process)
			named = append(named, e.Name)
		} else {
			assert.Equal(t, policyProcess, e.Process)
		}
	}
	assert.Equal(t, []any{"process_name", "process_sort_index"}, named)
}

func TestTimelineWithoutGoalsHasNoPolicyProcess(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a", "b"}})
	w.Goals([]float64{0, 0})
	require.NoError(t, w.Close(5))
	assert.Empty(t, parse(t, out.Bytes()))
}
