package tests

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// dependent is an application of one kernel. Its warps execute a number of instructions of
// a class, each of which waits for the one before. Arguments set its thread blocks' resources.
func dependent(name string, class workload.Class, instructions, threads, registersPerThread, sharedBytes int) *workload.App {
	var list []workload.Inst
	for range instructions {
		list = append(list, script.Op(class, 1, 1))
	}
	k := script.Kernel(name, 400, threads, func(int, int) []workload.Inst { return list })
	k.RegistersPerTB, k.SharedBytesPerTB = threads*registersPerThread, sharedBytes
	return script.App(name, k)
}

// One decision of the dynamic policy from end to end. An integer instruction takes 11
// cycles, and the SM's two schedulers issue one each: the 16 warps of the one thread block
// that a small SM holds (32 registers a thread) have 16/11 in a cycle, the 48 of a big one
// all 2. The other kernel keeps the SM's one SFU busy, which takes a warp in 16 cycles, on
// either. So the first gets the big SMs and the second the small ones.
func TestHeteroCoreGivesTheBigSMsToWhomTheyHelp(t *testing.T) {
	gpu := preset(t, "heterocore-8b8s")
	p, err := policy.Parse("heterocore:warmup=3k,measure=3k")
	require.NoError(t, err)
	wired := built(t, *gpu, p, true, dependent("thick", workload.Int, 300, 512, 32, 0), dependent("lean", workload.SFU, 40, 512, 20, 0))
	const decided = 6000
	require.NoError(t, wired.Run(context.Background(), decided-1, nil))
	set := p.Needs().Explain()[0].Sections[0]
	require.Equal(t, "measurement", set.Facts["phase"], "the windows end 6,000 cycles from the kernels' arrival")
	for _, k := range set.Rows {
		require.Equal(t, []any{4, 4}, []any{k["on_kinds.sms_big"], k["on_kinds.sms_small"]})
		require.Nil(t, k["on_kinds.ipc_big"])
	}
	require.NoError(t, wired.Run(context.Background(), 30_000, nil))
	set = p.Needs().Explain()[0].Sections[0]
	require.Equal(t, policy.Cells{"phase": "by kind", "present": true}, set.Facts)
	thick, lean := set.Rows[0], set.Rows[1]
	require.Equal(t, [4]any{8, 0, 0, 8}, [4]any{thick["on_kinds.sms_big"], thick["on_kinds.sms_small"], lean["on_kinds.sms_big"], lean["on_kinds.sms_small"]})
	require.InDelta(t, 2*32, thick["on_kinds.ipc_big"], 4)
	require.InDelta(t, 32*16/11.0, thick["on_kinds.ipc_small"], 3)
	require.InDelta(t, (thick["on_kinds.ipc_big"].(float64)+thick["on_kinds.ipc_small"].(float64))/2, thick["on_kinds.ipc_base"], 0.001, "two of one to three thread blocks")
	require.InDelta(t, 32/16.0, lean["on_kinds.ipc_big"], 0.2)
	require.InDelta(t, 32/16.0, lean["on_kinds.ipc_small"], 0.2)

	// Each kernel runs on its own SMs alone.
	issued := func() (list [16][2]uint64) {
		for sm, c := range wired.Counters(wired.Cycles(0)).SMs {
			list[sm] = [2]uint64{c.Tenant(0).WarpInstructions, c.Tenant(1).WarpInstructions}
		}
		return list
	}
	before := issued()
	require.NoError(t, wired.Run(context.Background(), 40_000, nil))
	for sm, now := range issued() {
		for tenant, n := range now {
			require.Equal(t, gpu.SMList()[sm].Kind == []string{"big", "small"}[tenant], n > before[sm][tenant], "tenant %d on SM %d", tenant, sm)
		}
	}
}

// Contexts that a decision moves have the sizes of section 6 of HeteroCore's specification, to
// the byte: 4 bytes of each register, the shared memory, and 8 bytes of each warp, in
// packets of 128 bytes, of which sectors of 32 move. The thread blocks take what FDTD3D's
// and NQU's do: 3 and 4 of them fit on a big SM, 1 and 2 on a small one. The first tenant
// loses four small SMs, and gets four big ones, full of what the second one loses there.
func TestHeteroCoreMovesTheContextsOfWhoIsSwitchedOut(t *testing.T) {
	const long, short = 20_000, 300 // instructions of a warp, 11 cycles each at least
	type blocks struct{ saved, loaded uint64 }
	for name, c := range map[string]struct {
		preempt string
		thick   int // instructions of the first tenant, which gets the big SMs
		lean    int // of the second
		want    [2]blocks
	}{
		"no thread block finishes":        {"adaptive", long, long, [2]blocks{{4, 4}, {4 * 4, 4 * 2}}},
		"those of the second finish":      {"adaptive", long, short / 3, [2]blocks{{4, 4}, {}}},
		"those of the first finish":       {"adaptive", 3 * short, long, [2]blocks{{}, {4 * 4, 4 * 2}}},
		"all finish":                      {"adaptive", short, short / 3, [2]blocks{}},
		"moving contexts takes no packet": {"ideal", long, long, [2]blocks{}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := policy.Parse("heterocore:preempt=" + c.preempt)
			require.NoError(t, err)
			wired := built(t, *preset(t, "heterocore-8b8s"), p, true,
				dependent("fdtd3d", workload.Int, c.thick, 512, 32, 3840), dependent("nqu", workload.SFU, c.lean, 96, 20, 15_744))
			require.NoError(t, wired.Run(context.Background(), 70_000, nil))
			require.Equal(t, "by kind", p.Needs().Explain()[0].Sections[0].Facts["phase"])
			require.EqualValues(t, 8, wired.Driver.Stats().SMPreemptions)
			got := wired.Counters(wired.Cycles(0))
			for tenant, of := range [2]struct{ bytes, packets uint64 }{{69_504, 543}, {23_456, 184}} { // NQU's 23,448 in whole sectors
				saved, loaded := c.want[tenant].saved, c.want[tenant].loaded
				e, l2, dram := got.PreEng.Tenants[tenant], got.L2.Tenant(tenant), got.DRAM.Tenant(tenant)
				require.Equal(t, [2]uint64{saved * of.bytes, loaded * of.bytes}, [2]uint64{e.SavedBytes, e.LoadedBytes}, "tenant %d", tenant)
				require.Equal(t, [2]uint64{saved * of.packets, loaded * of.packets}, [2]uint64{l2.ContextSaves, l2.ContextLoads}, "tenant %d", tenant)
				require.Equal(t, [2]uint64{e.SavedBytes, e.LoadedBytes}, [2]uint64{dram.SavedBytes, dram.LoadedBytes}, "tenant %d", tenant)
			}
		})
	}
}
