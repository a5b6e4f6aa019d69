package docs

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/fcfs"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

const address = uint64(1) << 32

// load is one lane's load of a word into register 1, by an address in register 1.
func load(flags workload.Flags) workload.Inst {
	inst := script.Access(workload.Load, workload.Global, address, 0, 4, 1, 1)
	inst.Active, inst.Flags = 1, flags
	return inst
}

// cycles is the time of a kernel of one warp on a GPU.
func cycles(t *testing.T, gpu *wiring.Config, list ...workload.Inst) int {
	p, err := policy.Parse("fcfs")
	require.NoError(t, err)
	app := script.App("one", script.Kernel("one", 1, 32, func(int, int) []workload.Inst { return list }))
	platform, err := wiring.New(*gpu, p, []host.Process{{App: app}})
	require.NoError(t, err)
	require.NoError(t, platform.Run(context.Background(), 0, nil))
	return int(platform.Cycles(0))
}

// The sums of architecture.md for one load on an idle GPU. With one frequency for all
// clocks, edges of different domains coincide.
func TestJourneyOfALoadTakesTheCyclesThatTheArchitectureSays(t *testing.T) {
	for _, name := range presets.Names() {
		t.Run(name, func(t *testing.T) {
			gpu, err := presets.Load(name)
			require.NoError(t, err)
			// Where global loads pass the L1 by, the journey is that of a local one.
			gpu.SM.L1.Globals, gpu.SM.LSU.ReadOnlyLoads = "cached", false
			// Where slices hold copies, the journey is that of a line whose home is near.
			gpu.Topology = ""
			gpu.Host.LaunchLatency = 0 // the load is ahead of the first refresh
			gpu.Clocks = wiring.ClockSpec{Core: 1000, NoC: 1000, L2: 1000, DRAM: 1000}
			const link = 1
			// The load fetches one sector, or the whole line if a cache has no sectors.
			fromL1, fromL2 := 1, 1
			if !gpu.SM.L1.Sectored {
				fromL1 = 4
			}
			if !gpu.SM.L1.Sectored || !gpu.L2.Sectored {
				fromL2 = 4
			}
			there := 1 + gpu.SM.L1.MissLatency + link + gpu.RequestNoC.Flits(0) - 1 + gpu.RequestNoC.Latency + link + gpu.L2.HitLatency
			back := func(sectors int) int { return link + gpu.ReplyNoC.Flits(sectors*32) - 1 + gpu.ReplyNoC.Latency + link }
			bursts := max(1, fromL2*32/(gpu.DRAM.BurstLength*gpu.DRAM.BusBytes))
			between := gpu.DRAM.Timing.CCD
			if gpu.DRAM.BankGroups > 1 {
				between = max(between, gpu.DRAM.Timing.CCDL)
			}
			dram := gpu.L2.DRAMLatency + link + 1 + gpu.DRAM.Timing.RCD + (bursts-1)*between + gpu.DRAM.Timing.CL +
				gpu.DRAM.BurstLength/gpu.DRAM.DataRate + gpu.DRAM.ReturnLatency + link

			walk := 0 // of the page, for the first load of it
			if gpu.MMU.On() {
				walk = gpu.MMU.L2TLB.Latency + gpu.MMU.Fill.WalkLatency
			}

			use := script.Op(workload.Int, 1, 1)
			alone := cycles(t, gpu, use)
			cold := cycles(t, gpu, load(0), use)
			require.Equal(t, walk+there+dram+back(fromL1), cold-alone, "DRAM")
			again := cycles(t, gpu, load(0), load(0), use)
			require.Equal(t, gpu.SM.L1.HitLatency, again-cold, "L1 hit")
			// A load that bypasses the L1 asks for the sector alone.
			bypass := cycles(t, gpu, load(0), load(workload.BypassL1), use)
			require.Equal(t, there+back(1), bypass-cold, "L2 hit")
		})
	}
}
