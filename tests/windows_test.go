package tests

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// watcher is fcfs, and has every unit counted all the time.
type watcher struct {
	policy.Policy
	sm   protocol.SMTenant
	l2   protocol.L2Tenant
	dram protocol.DRAMTenant
	last uint64 // cycle
}

func (*watcher) Needs() policy.Needs {
	return policy.Needs{Epoch: 700, Units: []string{protocol.KindSM, protocol.KindL2, protocol.KindDRAM}}
}

func (w *watcher) Decide(v *policy.View, a policy.Actions) {
	w.Policy.Decide(v, a)
	if v.Event != policy.Epoch {
		return
	}
	for _, unit := range v.Windows {
		w.last = unit.To
		switch c := unit.Counters.(type) {
		case protocol.SMCounters:
			w.sm.WarpInstructions += c.Tenants[0].WarpInstructions
			w.sm.ThreadInstructions += c.Tenants[0].ThreadInstructions
			w.sm.MemoryRequests += c.Tenants[0].MemoryRequests
		case protocol.L2Counters:
			w.l2.Accesses += c.Tenants[0].Accesses
			w.l2.Hits += c.Tenants[0].Hits
			w.l2.Misses += c.Tenants[0].Misses
			w.l2.ReplyBytes += c.Tenants[0].ReplyBytes
		case protocol.DRAMCounters:
			w.dram.ReadBytes += c.Tenants[0].ReadBytes
			w.dram.WrittenBytes += c.Tenants[0].WrittenBytes
			w.dram.DataBusCycles += c.Tenants[0].DataBusCycles
		}
	}
}

func TestWindowsOfEveryKindAddUpToTheCounters(t *testing.T) {
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	w := &watcher{Policy: fcfs}
	gpu := wired(t, 3, w, true, builtin(t, "lbm"))
	require.NoError(t, gpu.Run(context.Background(), 30_000, nil))
	require.Greater(t, w.last, uint64(29_000))
	total := gpu.Counters(30_000)
	accesses := total.L2.Tenant(0)
	for name, c := range map[string][2]uint64{
		"warp instructions":   {w.sm.WarpInstructions, total.SM.Tenant(0).WarpInstructions},
		"thread instructions": {w.sm.ThreadInstructions, total.SM.Tenant(0).ThreadInstructions},
		"memory requests":     {w.sm.MemoryRequests, total.SM.Tenant(0).MemoryRequests},
		"accesses":            {w.l2.Accesses, accesses.Accesses()},
		"hits":                {w.l2.Hits, total.L2.Tenant(0).Hits},
		"misses":              {w.l2.Misses, total.L2.Tenant(0).Misses + total.L2.Tenant(0).SectorMisses},
		"reply bytes":         {w.l2.ReplyBytes, total.L2.Tenant(0).ReplyBytes},
		"read bytes":          {w.dram.ReadBytes, total.DRAM.Tenant(0).ReadBytes},
		"written bytes":       {w.dram.WrittenBytes, total.DRAM.Tenant(0).WrittenBytes},
		"data bus cycles":     {w.dram.DataBusCycles, total.DRAM.Tenant(0).DataBusCycles},
	} {
		require.LessOrEqual(t, c[0], c[1], name)
		require.GreaterOrEqual(t, float64(c[0]), 0.93*float64(c[1]), "%s: but for the last window", name)
	}
}
