package tests

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// watcher is fcfs, and has every SM counted all the time.
type watcher struct {
	policy.Policy
	sm   protocol.SMTenant
	last uint64 // cycle
}

func (*watcher) Needs() policy.Needs { return policy.Needs{Epoch: 700} }

func (w *watcher) Decide(v *policy.View, a policy.Actions) {
	w.Policy.Decide(v, a)
	if v.Event != policy.Epoch {
		return
	}
	for _, unit := range v.Windows {
		w.last = unit.To
		c := unit.Counters.(protocol.SMCounters)
		w.sm.WarpInstructions += c.Tenants[0].WarpInstructions
		w.sm.ThreadInstructions += c.Tenants[0].ThreadInstructions
		w.sm.MemoryRequests += c.Tenants[0].MemoryRequests
	}
}

func TestWindowsAddUpToTheCounters(t *testing.T) {
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	w := &watcher{Policy: fcfs}
	gpu := wired(t, 3, w, true, builtin(t, "lbm"))
	require.NoError(t, gpu.Run(context.Background(), 30_000, nil))
	require.Greater(t, w.last, uint64(29_000))
	total := gpu.Counters(30_000)
	for name, c := range map[string][2]uint64{
		"warp instructions":   {w.sm.WarpInstructions, total.SM.Tenant(0).WarpInstructions},
		"thread instructions": {w.sm.ThreadInstructions, total.SM.Tenant(0).ThreadInstructions},
		"memory requests":     {w.sm.MemoryRequests, total.SM.Tenant(0).MemoryRequests},
	} {
		require.LessOrEqual(t, c[0], c[1], name)
		require.GreaterOrEqual(t, float64(c[0]), 0.93*float64(c[1]), "%s: but for the last window", name)
	}
}
