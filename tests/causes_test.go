package tests

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/observe/page"
	"cotenant/observe/sample"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/sm"

	"github.com/stretchr/testify/require"
)

// What a cause needs is its row in sm.Causes: each form of a result has all of them
// from there, and no other.
func TestEveryFormOfAResultHasTheCausesOfTheList(t *testing.T) {
	var counts sm.TenantStats
	var names []string
	for _, c := range sm.Causes() {
		require.NotEmpty(t, c.Name)
		require.NotEmpty(t, c.Shown)
		require.NotEmpty(t, c.About)
		require.Equal(t, c, *c.Cause.Info())
		counts.Stalls[c.Cause] = 100 + uint64(c.Cause)
		names = append(names, c.Name)
	}
	require.Len(t, names, int(sm.NumCauses))
	slices.Sort(names)
	require.Len(t, slices.Compact(names), int(sm.NumCauses))

	gpu, err := presets.Load("gtx980")
	require.NoError(t, err)
	stalls := counts.Stalls.ByName()
	r := &experiment.Result{Schema: experiment.Schema, Stalls: stalls, Cycles: 10, Kernels: []experiment.KernelResult{{Name: "a", Cycles: 10, Stalls: stalls}}}
	var out bytes.Buffer
	require.NoError(t, experiment.WriteJSON(&out, r))
	var form struct {
		Kernels []struct{ Stalls map[string]uint64 }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &form))
	require.Equal(t, stalls, form.Kernels[0].Stalls)

	out.Reset()
	require.NoError(t, experiment.WriteCSV(&out, r))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Equal(t, names, after("stalls_", rows[0]))

	var counters []string
	for _, c := range stats.List(&counts) {
		counters = append(counters, c.Name)
	}
	require.Equal(t, names, after("stalls_", counters))

	gpu.SMs = wiring.EqualSMs(1)
	nothing := sample.Sample{Tenants: make([]sample.Tenant, 1), SMs: [][]sample.SM{make([]sample.SM, 1)}}
	end := nothing
	end.Cycle = 10
	out.Reset()
	require.NoError(t, page.Write(&out, &page.Report{Result: r, Tenants: []string{"a"}, Config: *gpu, Preemptions: sample.NewPreemptions(),
		Samples: []sample.Sample{nothing, end}}))
	_, options, _ := strings.Cut(out.String(), `"id":"tenant-stalls"`)
	options, _, _ = strings.Cut(options, `"id":"sm-stalls"`)
	for _, c := range sm.Causes() {
		shown, err := json.Marshal(c.Shown)
		require.NoError(t, err)
		require.Contains(t, options, `"name":`+string(shown))
	}
}

// after lists the rests of texts behind a prefix, sorted.
func after(prefix string, texts []string) (list []string) {
	for _, text := range texts {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			list = append(list, rest)
		}
	}
	slices.Sort(list)
	return list
}
