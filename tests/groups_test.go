package tests

import (
	"testing"

	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// A kernel that leaves the second group empty pays nothing for it on a big SM of
// HeteroCore, and a kernel that fills both does (3.2, "Cycle time").
func TestOnlyKernelsThatUseBothGroupsOfWarpSlotsPayForThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		shared int // bytes of each thread block of 8 warps: of 64 KB
		pays   bool
	}{{"24 warps a scheduler", 10 << 10, false}, {"36 warps a scheduler", 0, true}} {
		t.Run(c.name, func(t *testing.T) {
			k := script.Kernel("k", 100, 256, func(tb, warp int) (list []workload.Inst) {
				for i := range uint64(40) {
					at := (uint64(tb*8+warp)*40 + i) << 12
					list = append(list, script.Access(workload.Load, workload.Global, at, 4, 4, 1), script.Op(workload.Int, 2, 1), script.Op(workload.SFU, 3, 2))
				}
				return list
			})
			k.SharedBytesPerTB = c.shared
			run := func(gpu *wiring.Config) (switches uint64, text string) {
				gpu.SMs = wiring.SMGroups{{Count: 2, Kind: "big"}}
				r, err := shared(gpu, "fcfs", 0, script.App("app", k))
				require.NoError(t, err)
				r.ConfigHash = ""
				return r.Stalls["group_switch"], encoded(t, r)
			}
			switches, two := run(preset(t, "heterocore-8b8s"))
			plain := preset(t, "heterocore-8b8s")
			big := plain.SMKinds["big"]
			big.GroupSlots = 0
			plain.SMKinds["big"] = big
			none, one := run(plain)
			require.Zero(t, none)
			require.Equal(t, c.pays, switches > 0)
			require.Equal(t, c.pays, one != two)
		})
	}
}
