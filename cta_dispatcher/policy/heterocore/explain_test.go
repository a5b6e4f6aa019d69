package heterocore

import (
	"encoding/json"
	"fmt"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// decision is an explanation as JSON has it.
type decision struct {
	Sets []explainedSet
}

type explainedSet struct {
	Present bool
	Phase   string
	Kernels []struct {
		MostCTAs int             `json:"most_ctas"`
		OnKinds  json.RawMessage `json:"on_kinds"`
	}
}

func explanation(t *testing.T, p policy.Policy) (d decision) {
	t.Helper()
	require.NoError(t, json.Unmarshal(policy.Explain(p), &d))
	return d
}

// kinds lists the SMs and figures of a set's kernels, as JSON.
func kinds(set explainedSet) (list []string) {
	for _, k := range set.Kernels {
		list = append(list, string(k.OnKinds))
	}
	return list
}

func TestADecisionIsExplained(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	require.Nil(t, policy.Explain(d.policy))
	second := d.view.Tenants[1]
	d.view.Tenants[1].Kernels, d.view.Active = 0, d.view.Active[:1]
	d.see(policy.KernelArrived)
	require.Nil(t, policy.Explain(d.policy), "one alone is no set")
	d.view.Tenants[1], d.view.Active = second, []int{0, 1}
	d.see(policy.KernelArrived)
	sets := explanation(t, d.policy).Sets
	require.Len(t, sets, 1)
	require.Equal(t, []any{true, "warm-up", 9}, []any{sets[0].Present, sets[0].Phase, sets[0].Kernels[1].MostCTAs})
	unknown := `{"ipc_big":null,"ipc_small":null,"ipc_base":null,"sms_big":4,"sms_small":4}`
	require.Equal(t, []string{unknown, unknown}, kinds(sets[0]))
	d.end(20_000, [2][2]uint64{})
	require.Equal(t, "measurement", explanation(t, d.policy).Sets[0].Phase)
	// x is faster on big SMs, y is not: 6 CTAs on a base SM, 9 on a big one and 3 on a small
	// one.
	d.end(40_000, [2][2]uint64{{60_000, 20_000}, {40_000, 40_000}})
	before := explanation(t, d.policy)
	kept := d.policy.Needs().Explain()
	unchanged := fmt.Sprint(kept)
	require.Equal(t, "by kind", before.Sets[0].Phase)
	want := []string{`{"ipc_big":3,"ipc_small":1,"ipc_base":2,"sms_big":8,"sms_small":0}`, `{"ipc_big":2,"ipc_small":2,"ipc_base":2,"sms_big":0,"sms_small":8}`}
	require.Equal(t, want, kinds(before.Sets[0]))
	// Another kernel of y, which runs on big SMs alone, and makes another set.
	d.view.Tenants[1].Demand.Threads, d.view.Tenants[1].Launch = 1024, 1
	d.see(policy.KernelArrived)
	d.end(20_000, [2][2]uint64{})
	d.end(40_000, [2][2]uint64{{60_000, 20_000}, {40_000, 0}})
	sets = explanation(t, d.policy).Sets
	require.Len(t, sets, 2)
	require.Equal(t, []any{false, "by kind", true, "halves"}, []any{sets[0].Present, sets[0].Phase, sets[1].Present, sets[1].Phase})
	require.Equal(t, want, kinds(sets[0]))
	require.Contains(t, kinds(sets[1])[1], `"ipc_small":null`)
	require.Equal(t, unchanged, fmt.Sprint(kept), "what was said stays")
	// The applications are run again: the same set, measured anew.
	d.view.Tenants[1] = second
	for i := range d.view.Tenants {
		d.view.Tenants[i].Run, d.view.Tenants[i].Launch = 1, 2
	}
	d.see(policy.KernelArrived)
	sets = explanation(t, d.policy).Sets
	require.Len(t, sets, 2)
	require.Equal(t, []any{true, "warm-up", false}, []any{sets[0].Present, sets[0].Phase, sets[1].Present})
	// Another kernel, with equal thread blocks.
	d.view.Tenants[1].Code, d.view.Tenants[1].Launch = 7, 3
	d.see(policy.KernelArrived)
	require.Len(t, explanation(t, d.policy).Sets, 3)
}
