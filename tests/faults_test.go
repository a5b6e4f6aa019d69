package tests

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/pages"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// schemes are the options of pagefault16 for each way to treat page faults.
var schemes = map[string]string{
	"stall":                             "sm.faults.scheme=stall",
	"stall, commit in order":            "sm.faults.scheme=stall&sm.issue_queue.order=in-order-commit",
	"stall, issue and commit in order":  "sm.faults.scheme=stall&sm.issue_queue.order=in-order-both",
	"wd-commit":                         "sm.faults.scheme=wd-commit",
	"wd-lastcheck":                      "sm.faults.scheme=wd-lastcheck",
	"replay-queue":                      "sm.faults.scheme=replay-queue",
	"operand-log":                       "sm.faults.scheme=operand-log&sm.faults.log_bytes=16384",
	"replay-queue, block switching":     "sm.faults.scheme=replay-queue&driver.block_switching.extra=4",
	"operand-log, block switching":      "sm.faults.scheme=operand-log&sm.faults.log_bytes=8192&driver.block_switching.extra=4",
	"wd-commit, ideal block switching":  "sm.faults.scheme=wd-commit&driver.block_switching.extra=2&driver.block_switching.ideal=true",
	"operand-log, handlers":             "sm.faults.scheme=operand-log&sm.faults.log_bytes=32768&mmu.fill.local=true&sm.faults.handler_cycles=700",
	"replay-queue, handlers, switching": "sm.faults.scheme=replay-queue&mmu.fill.local=true&sm.faults.handler_cycles=700&driver.block_switching.extra=4",
}

// schedules is the number of random schedules for each of the schemes.
var schedules = flag.Uint64("schedules", 10, "random schedules of faults and preemptions for each scheme")

// loads is a kernel with thread blocks of one warp. Each loads a line and stores the value
// to shared memory.
func loads(lines ...uint64) *workload.App {
	return script.App("loads", script.Kernel("loads", len(lines), 32, func(tb, _ int) []workload.Inst {
		return []workload.Inst{warpAccess(workload.Load, lines[tb], 1), script.Op(workload.FP32, 2, 1)}
	}))
}

// cyclesOf runs an application on a GPU with regions in a state.
func cyclesOf(t *testing.T, gpu string, state pages.State, app *workload.App, regions ...uint64) uint64 {
	t.Helper()
	p := platform(t, preset(t, gpu), "fcfs", false, app)
	for _, r := range regions {
		p.Pages.Set(0, r, 1<<16, state, 0)
	}
	require.NoError(t, p.Run(context.Background(), 0, nil))
	require.Zero(t, p.FillUnit.Pending())
	return p.Cycles(0)
}

// TestLifeOfAFault has a single load on an idle GPU, TLBs cold (faults_results.json,
// worked.single_fault and worked.concurrent). Its translation takes 570 cycles when the
// page is there.
func TestLifeOfAFault(t *testing.T) {
	const walked = 570
	const locked = "?clocks.dram_mhz=1000" // so that the DRAM takes as long whenever it is asked
	for _, c := range []struct {
		gpu   string
		state pages.State
		life  uint64
	}{
		{"pagefault16", pages.CPU, 13_140}, {"pagefault16", pages.CPUClean, 11_140},
		{"pagefault16-pcie", pages.CPU, 26_140}, {"pagefault16-pcie", pages.CPUClean, 13_140},
	} {
		one := cyclesOf(t, c.gpu+locked, pages.Resident, loads(array), array)
		require.Equal(t, c.life-walked, cyclesOf(t, c.gpu+locked, c.state, loads(array), array)-one, "%+v", c)
		// Four at once are served one by one.
		var lines []uint64
		for i := range uint64(4) {
			lines = append(lines, array+i<<16)
		}
		four := cyclesOf(t, c.gpu+locked, pages.Resident, loads(lines...), lines...)
		service := c.life - 2*walked
		require.Equal(t, 4*service+walked, cyclesOf(t, c.gpu+locked, c.state, loads(lines...), lines...)-four, "%+v", c)
	}
}

// TestHandlersOnTheGPUWorkAtTheSameTime has two regions without memory (thesis 6.5.4).
func TestHandlersOnTheGPUWorkAtTheSameTime(t *testing.T) {
	const walked, preempts = 570, "sm.faults.scheme=replay-queue"
	lines := []uint64{array, array + 1<<16}
	for gpu, service := range map[string]uint64{
		"pagefault16?" + preempts:      20_000,
		"pagefault16-pcie?" + preempts: 24_000,
		"pagefault16?" + preempts + "&mmu.fill.local=true&sm.faults.handler_cycles=20000":      20_000,
		"pagefault16-pcie?" + preempts + "&mmu.fill.local=true&sm.faults.handler_cycles=20000": 20_000,
	} {
		there := cyclesOf(t, gpu, pages.Resident, loads(lines...), lines...)
		require.InDelta(t, float64(there+service+walked), float64(cyclesOf(t, gpu, pages.Lazy, loads(lines...), lines...)), 4, gpu)
	}
}

// TestOneOfSeveralHandlersCounts has a warp on each SM fault on the same region.
func TestOneOfSeveralHandlersCounts(t *testing.T) {
	lines := make([]uint64, 16)
	for i := range lines {
		lines[i] = array + uint64(i)*128
	}
	p := platform(t, preset(t, "pagefault16?sm.faults.scheme=replay-queue&mmu.fill.local=true&sm.faults.handler_cycles=20000"), "fcfs", false, loads(lines...))
	p.Pages.Set(0, array, 1<<16, pages.Lazy, 0)
	require.NoError(t, p.Run(context.Background(), 0, nil))
	k := p.FillUnit.Stats().Total()
	require.Equal(t, uint64(1), k.Regions)
	require.Positive(t, k.HandledLate)
	handled := uint64(0)
	for _, s := range p.SMs {
		handled += s.Stats(p.Cycles(0)).Accounts.Get(0).HandledFaults
	}
	require.Equal(t, handled, k.Regions+k.HandledLate)
	require.Equal(t, uint64(16), handled)
	require.False(t, p.Pager.Busy())
}

// TestLongHandlerIsNoDeadlock has nothing issue for longer than a GPU may stand still.
func TestLongHandlerIsNoDeadlock(t *testing.T) {
	const handler = 5_000_000 // above 4,000,000, which counts as stuck where the core has the slowest clock
	gpu := fmt.Sprintf("pagefault16?sm.faults.scheme=replay-queue&mmu.fill.local=true&sm.faults.handler_cycles=%d", handler)
	there := cyclesOf(t, gpu, pages.Resident, loads(array), array)
	require.InDelta(t, float64(there+handler), float64(cyclesOf(t, gpu, pages.Lazy, loads(array), array)), 1000)
}

// TestKernelsOfSeveralStreamsShareTheLog runs kernels with different occupancies on an SM
// at once: each gets the part of the log that any may need, so that the parts fit into
// the log.
func TestKernelsOfSeveralStreamsShareTheLog(t *testing.T) {
	large, small := streaming("large", 1, 12, 6, 3), streaming("small", 2, 60, 3, 1)
	large.SharedBytesPerTB = 12_000
	app := script.App("app", large, small)
	for i := range app.Ops {
		app.Ops[i].Async = true
	}
	for _, options := range []string{"", "&driver.block_switching.extra=4"} {
		gpu := preset(t, "pagefault16?sms=1&sm.faults.scheme=operand-log&sm.faults.log_bytes=8192"+options)
		r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Parameters: experiment.Parameters{Pages: wiring.PagesDemand}}, GPU: gpu, Apps: []experiment.App{{Spec: app.Name, Workload: app}}}
		result, err := r.Do(context.Background())
		require.NoError(t, err)
		k := &result.Kernels[0]
		require.EqualValues(t, 72, k.TBsCompleted)
		require.Less(t, k.Launches[1].StartCycle, k.Launches[0].EndCycle)
		require.Less(t, k.Launches[0].StartCycle, k.Launches[1].EndCycle)
	}
}

// TestEvictionDuringAFault evicts from an SM while its only warp waits for a page.
func TestEvictionDuringAFault(t *testing.T) {
	for name, options := range schemes {
		t.Run(name, func(t *testing.T) {
			var left, served uint64
			gpu := *preset(t, "pagefault16?sms=1&"+options)
			p := &later{at: 2000, act: func(_ *policy.View, a policy.Actions) { a.PreemptSM(0, policy.Switch) }}
			wired, err := wiring.NewWatched(gpu, again{p}, []host.Process{{App: loads(array)}}, wiring.Listeners{
				Driver: dispatcher.Listener{TBPreempted: func(e dispatcher.TBEvent) { left = e.Cycle }},
				Faults: fill.Listener{Served: func(_ fill.Fault, cycle uint64) { served = cycle }},
			})
			require.NoError(t, err)
			wired.Pages.Set(0, array, 1<<16, pages.CPU, 0)
			require.NoError(t, wired.Run(context.Background(), 0, nil))
			require.Positive(t, left)
			require.Greater(t, served, uint64(12_000))
			if strings.HasPrefix(name, "stall") {
				require.Greater(t, left, served, "in-flight faults are served first (thesis 5.2.2)")
			} else {
				require.Less(t, left, uint64(2600), "the time of the context, and nothing else")
			}
		})
	}
}

// again places thread blocks by breadth once a later has acted.
type again struct{ *later }

func (a again) Decide(v *policy.View, act policy.Actions) {
	a.later.Decide(v, act)
	if a.done {
		for _, tenant := range v.Active {
			policy.Breadth(v, act, tenant, func(int) bool { return true })
		}
	}
}

// wiredToFault is a small pagefault16 with two tenants and pages of 4 KB anywhere.
func wiredToFault(t testing.TB, random *rand.Rand, sms int, options string, p policy.Policy, apps ...*workload.App) *wiring.Platform {
	gpu := *preset(t, fmt.Sprintf("pagefault16?address.slices=4&address.channels=2&mmu.fill.region_bytes=4096&pager.migrate_ns=%d&pager.allocate_ns=%d&%s", max(3, 1+random.IntN(2000)), max(3, 1+random.IntN(1000)), options))
	gpu.SMs = wiring.EqualSMs(sms)
	return built(t, gpu, p, false, apps...)
}

// TestRandomFaultsAndPreemptionsLoseNothing has faults and every kind of preemption at
// random, under each scheme. go test -schedules=100 has 1,200 in all.
func TestRandomFaultsAndPreemptionsLoseNothing(t *testing.T) {
	schedules := *schedules
	for name, options := range schemes {
		t.Run(name, func(t *testing.T) {
			var preemptions, faults, switches uint64
			for seed := range schedules {
				random := rand.New(rand.NewPCG(seed, 11))
				runs, instructions := [2]map[int]int{{}, {}}, [2]uint64{}
				a, b := work(random, "a", runs[0], &instructions[0]), work(random, "b", runs[1], &instructions[1])
				gpu := wiredToFault(t, random, 1+random.IntN(3), options, &chaos{random: random, left: 30}, script.App("a", a), script.App("b", b))
				for id := range 2 {
					for _, base := range []uint64{array, 2 * array} {
						for page := range uint64(120) {
							state := []pages.State{pages.Resident, pages.CPU, pages.CPUClean, pages.Lazy}[random.IntN(4)]
							gpu.Pages.Set(tenant.ID(id), base+page<<12, 1<<12, state, 0)
						}
					}
				}
				require.NoError(t, gpu.Run(context.Background(), 0, nil), "seed %d", seed)
				require.Zero(t, gpu.FillUnit.Pending(), "seed %d", seed)
				require.False(t, gpu.Pager.Busy(), "seed %d", seed)
				for _, m := range gpu.SMs {
					require.Zero(t, m.Outstanding(), "seed %d, %s", seed, m.Name())
				}
				got := gpu.Counters(gpu.Cycles(0))
				for tenant, k := range []*workload.Kernel{a, b} {
					d := gpu.Driver.Stats().Tenants[tenant]
					require.Equal(t, uint64(k.TBs()), d.TBsCompleted, "seed %d", seed)
					require.Len(t, runs[tenant], k.TBs())
					for tb, n := range runs[tenant] {
						require.Equal(t, 1, n, "seed %d, thread block %d", seed, tb)
					}
					require.Equal(t, instructions[tenant], got.SM.Tenant(tenant).WarpInstructions, "seed %d", seed)
					require.Equal(t, d.ContextBytes, d.RestoredBytes, "seed %d", seed)
					for what, bytes := range map[string]uint64{
						"saved": got.PreEng.Tenants[tenant].SavedBytes, "loaded": got.PreEng.Tenants[tenant].LoadedBytes,
						"saved to DRAM": got.DRAM.Tenant(tenant).SavedBytes, "loaded from DRAM": got.DRAM.Tenant(tenant).LoadedBytes} {
						require.Equal(t, d.ContextBytes, bytes, "seed %d: %s", seed, what)
					}
					preemptions += d.Preemptions
					switches += d.BlockSwitches
				}
				faults += gpu.FillUnit.Stats().Total().Regions
				sum := uint64(0)
				for _, n := range got.SM.Total().Stalls {
					sum += n
				}
				require.Equal(t, gpu.Cycles(0)*uint64(len(gpu.SMs)), sum, "seed %d", seed)
			}
			t.Logf("%d preemptions, %d faults, %d switches", preemptions, faults, switches)
			require.Greater(t, preemptions, 5*schedules)
			require.Greater(t, faults, 5*schedules)
			require.Equal(t, strings.Contains(name, "switching"), switches > 0)
		})
	}
}
