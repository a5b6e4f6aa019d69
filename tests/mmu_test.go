package tests

import (
	"testing"

	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// Presets have no address translation; with it the GPU has three modules more, and
// results and the netlist show them.
func TestTranslationIsThreeModules(t *testing.T) {
	plain := platform(t, preset(t, "plain16"), "fcfs", false, builtin(t, "spmv"))
	require.Nil(t, plain.Pages)
	require.ErrorContains(t, plain.SetPages(wiring.PagesDemand), "does not translate addresses")
	modules := len(plain.Hierarchy())
	gpu := platform(t, preset(t, "plain16?mmu.l2_tlb.entries=1024&sm.tlb.entries=32"), "fcfs", false, builtin(t, "spmv"))
	require.Len(t, gpu.Hierarchy(), modules+3)
	counters, _ := gpu.Stats(0, 1)
	for _, key := range []string{"l2_tlb", "fill", "pager"} {
		require.Contains(t, counters, key)
		require.Len(t, counters[key].Tenants, 1)
	}
	require.NoError(t, gpu.SetPages(wiring.PagesDemand))
}

func TestRunsWithOtherPagesAreOtherRuns(t *testing.T) {
	gpu := preset(t, "plain16?mmu.l2_tlb.entries=1024&sm.tlb.entries=32")
	hash := func(m wiring.PageMode) string {
		app := builtin(t, "spmv")
		app.Arrays = []workload.Array{{Name: "out", Addr: 1 << 20, Bytes: 4096, Origin: workload.Untouched}}
		r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Parameters: experiment.Parameters{Pages: m}}, GPU: gpu, Apps: []experiment.App{{Spec: "spmv", Workload: app}}}
		require.NoError(t, r.Check())
		return r.ConfigHash()
	}
	require.Equal(t, hash(""), hash(wiring.PagesResident))
	require.NotEqual(t, hash(""), hash(wiring.PagesDemand))
	require.NotEqual(t, hash(wiring.PagesLazyOutput), hash(wiring.PagesDemand))
}
