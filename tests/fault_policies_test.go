package tests

import (
	"math/rand/v2"
	"strings"
	"testing"

	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// Each policy that preempts runs two applications to their ends while pages fault, under
// each scheme and order; the second application arrives late and is more urgent.
func TestPoliciesThatPreemptEndUnderEveryScheme(t *testing.T) {
	goal := tenant.Attributes{QoS: 0.5}
	urgent := tenant.Attributes{Arrival: tenant.Moment{Cycles: 3000}, Priority: 1}
	alone := &experiment.IsolatedCache{} // the same whatever the policy of the mix
	for _, policy := range []string{"timeslice:slice=3k", "dss", "ppq", "ppq:mode=shared", "spart", "spart-qos",
		"smk", "smk-p", "smk-pw", "smk-pw2", "qos"} {
		t.Run(policy, func(t *testing.T) {
			preemptions := uint64(0)
			for name, options := range schemes {
				random := rand.New(rand.NewPCG(3, 19))
				runs, n := [2]map[int]int{{}, {}}, uint64(0)
				gpu := *preset(t, "pagefault16?sms=2&address.slices=4&address.channels=2&mmu.fill.region_bytes=4096&pager.migrate_ns=200&"+options)
				a, b := work(random, "a", runs[0], &n), work(random, "b", runs[1], &n)
				a.RegistersPerTB, b.RegistersPerTB = 8000, 8000
				r := &experiment.Run{Spec: experiment.Spec{Policy: policy, Parameters: experiment.Parameters{Pages: wiring.PagesDemand}, MaxCycles: 2_000_000}, GPU: &gpu, Cache: alone, Apps: []experiment.App{
					{Spec: "a", Workload: script.App("a", a)}, {Spec: "b", Workload: script.App("b", b), Attributes: urgent}}}
				if policy == "qos" || policy == "spart-qos" {
					r.Apps[0].Attributes = goal
				}
				result, err := r.Do(t.Context())
				require.NoError(t, err, name)
				require.NotZero(t, counters(result, "fill")["regions"], name)
				require.Equal(t, strings.Contains(name, "switching"), counters(result, "driver")["block_switches"] > 0, name)
				for i, k := range []int{a.TBs(), b.TBs()} {
					require.EqualValues(t, k, result.Kernels[i].TBsCompleted, name)
					preemptions += result.Kernels[i].Preemptions
				}
			}
			require.Positive(t, preemptions)
		})
	}
}
