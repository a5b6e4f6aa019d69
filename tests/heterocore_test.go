package tests

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// dependent is an application of one kernel whose warps execute so many instructions of
// a class, each of which waits for the one before.
func dependent(name string, class workload.Class, instructions, registersPerThread int) *workload.App {
	var list []workload.Inst
	for range instructions {
		list = append(list, script.Op(class, 1, 1))
	}
	k := script.Kernel(name, 400, 512, func(int, int) []workload.Inst { return list })
	k.RegistersPerTB = 512 * registersPerThread
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
	wired := built(t, *gpu, p, true, dependent("thick", workload.Int, 300, 32), dependent("lean", workload.SFU, 40, 20))
	const decided = 6000
	require.NoError(t, wired.Run(context.Background(), decided-1, nil))
	set := policy.Explain(p).Sets[0]
	require.Equal(t, "measurement", set.Phase, "the windows end 6,000 cycles from the kernels' arrival")
	for _, k := range set.Kernels {
		require.Equal(t, []int{4, 4}, []int{k.OnKinds.SMsBig, k.OnKinds.SMsSmall})
		require.Nil(t, k.OnKinds.IPCBig)
	}
	require.NoError(t, wired.Run(context.Background(), 30_000, nil))
	set = policy.Explain(p).Sets[0]
	require.Equal(t, []any{"by kind", true}, []any{set.Phase, set.Present})
	thick, lean := set.Kernels[0].OnKinds, set.Kernels[1].OnKinds
	require.Equal(t, [4]int{8, 0, 0, 8}, [4]int{thick.SMsBig, thick.SMsSmall, lean.SMsBig, lean.SMsSmall})
	require.InDelta(t, 2*32, *thick.IPCBig, 4)
	require.InDelta(t, 32*16/11.0, *thick.IPCSmall, 3)
	require.InDelta(t, (*thick.IPCBig+*thick.IPCSmall)/2, *thick.IPCBase, 0.001, "two of one to three thread blocks")
	require.InDelta(t, 32/16.0, *lean.IPCBig, 0.2)
	require.InDelta(t, 32/16.0, *lean.IPCSmall, 0.2)

	// Nobody runs where it does not belong.
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
