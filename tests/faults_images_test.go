package tests

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/mem/pages"
	"cotenant/platform/wiring"
	"cotenant/sm"
	"cotenant/workload"
	"cotenant/workload/script"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// imaged is an application of the project's kernels; image returns the arrays of its last
// run.
func imaged(t testing.TB, spec string) (app *workload.App, image func() []workload.Array) {
	t.Helper()
	opened, err := experiment.Open(spec, source.Options{Seed: 1})
	require.NoError(t, err)
	var last workload.Inspectable
	wrapped := *opened.Workload
	wrapped.Host = func() (workload.Host, error) {
		h, err := opened.Workload.Start()
		if err == nil {
			last = h.(workload.Inspectable)
		}
		return h, err
	}
	return &wrapped, func() (list []workload.Array) {
		for _, a := range last.Arrays() {
			a.Data = slices.Clone(a.Data)
			list = append(list, a)
		}
		return list
	}
}

// TestMemoryImagesAreThoseOfAnInOrderGPU runs two kernels, with pages anywhere, on a GPU
// that preempts at random: they compute the same as alone on a GPU that issues in order
// and translates nothing.
func TestMemoryImagesAreThoseOfAnInOrderGPU(t *testing.T) {
	specs := []string{"sgemm?size=tiny", "histo?size=tiny", "spmv?size=tiny", "mri-q?size=tiny"}
	want := map[string][]workload.Array{}
	for _, spec := range specs {
		app, image := imaged(t, spec)
		require.NoError(t, platform(t, preset(t, "plain16?sms=4"), "fcfs", false, app).Run(context.Background(), 0, nil))
		want[spec] = image()
		require.NotEmpty(t, want[spec])
	}
	for name, options := range schemes {
		t.Run(name, func(t *testing.T) {
			for seed := range max(1, *schedules/15) {
				random := rand.New(rand.NewPCG(seed, 13))
				pair := []string{specs[random.IntN(len(specs))], specs[random.IntN(len(specs))]}
				var apps []*workload.App
				var images []func() []workload.Array
				for _, spec := range pair {
					app, image := imaged(t, spec)
					apps, images = append(apps, app), append(images, image)
				}
				gpu := wiredToFault(t, random, 1+random.IntN(3), options, &chaos{random: random, left: 30, flush: false}, apps...)
				mode := []wiring.PageMode{wiring.PagesDemand, wiring.PagesLazyOutput}[random.IntN(2)]
				require.NoError(t, gpu.SetPages(mode))
				require.NoError(t, gpu.Run(context.Background(), 0, nil), "seed %d", seed)
				require.Positive(t, gpu.FillUnit.Stats().Total().Regions)
				for i, image := range images {
					got := image()
					require.Len(t, got, len(want[pair[i]]))
					for k, a := range got {
						require.Equal(t, want[pair[i]][k].Name, a.Name)
						require.True(t, slices.Equal(want[pair[i]][k].Data, a.Data), "seed %d: array %s of %s under %s", seed, a.Name, pair[i], mode)
					}
				}
			}
		})
	}
}

// News of a region that is served go to all SMs at one edge.
func TestOrderOfTicksChangesNothingWithFaults(t *testing.T) {
	for name, options := range schemes {
		t.Run(name, func(t *testing.T) {
			once := func(shuffle uint64) string {
				random := rand.New(rand.NewPCG(1, 17))
				runs, n := map[int]int{}, uint64(0)
				a, b := work(random, "a", runs, &n), work(random, "b", runs, &n)
				gpu := wiredToFault(t, random, 3, options, &chaos{random: random, left: 30}, script.App("a", a), script.App("b", b))
				require.NoError(t, gpu.SetPages(wiring.PagesDemand))
				if shuffle > 0 {
					gpu.Engine().Shuffle(shuffle)
				}
				require.NoError(t, gpu.Run(context.Background(), 0, nil))
				modules, _ := gpu.Stats(gpu.Cycles(0), 2)
				return fmt.Sprintf("%d %+v", gpu.Cycles(0), modules)
			}
			want := once(0)
			for seed := range uint64(2) {
				require.Equal(t, want, once(seed+1), "seed %d", seed+1)
			}
		})
	}
}

// TestATranslationThatAlwaysHitsCostsNothing has one page for everything: from the second
// kernel on the TLB has it, and cycles equal those on a GPU without an MMU.
func TestATranslationThatAlwaysHitsCostsNothing(t *testing.T) {
	// The first kernel has a thread block for each SM. The application comes so late that
	// the second begins at the same time whether or not there was a walk: what the DRAM
	// does then depends on when it is refreshed.
	second := func(gpu string, arrival uint64) (r dispatcher.LaunchRecord, counters sm.TenantStats) {
		lines := make([]uint64, 16)
		for i := range lines {
			lines[i] = array + 1<<29 + uint64(i)<<12
		}
		app := loads(lines...)
		app.Ops = append(app.Ops, copying("copy", 100).Ops...)
		tenant := host.Process{App: app}
		tenant.Arrival.Cycles = arrival
		fcfs, err := policy.Parse("fcfs")
		require.NoError(t, err)
		p, err := wiring.New(*preset(t, gpu), fcfs, []host.Process{tenant})
		require.NoError(t, err)
		require.NoError(t, p.Run(context.Background(), 0, nil))
		return p.Driver.Stats().Tenants[0].Launches[1], p.Counters(p.Cycles(0)).SM.Tenant(0)
	}
	const walked = 570
	const one = "&mmu.page_bytes=1073741824&mmu.fill.region_bytes=1073741824&clocks.dram_mhz=1000"
	without, base := second("pagefault16?mmu.l2_tlb.entries=0&sm.tlb.entries=0&sm.faults.scheme=none&clocks.dram_mhz=1000", 1+walked)
	stall, k := second("pagefault16?sm.faults.scheme=stall"+one, 1)
	require.Equal(t, without, stall, "no MMU")
	require.Equal(t, base.WarpInstructions, k.WarpInstructions)
	log, _ := second("pagefault16?sm.faults.scheme=operand-log&sm.faults.log_bytes=1048576"+one, 1)
	require.Equal(t, stall, log, "a log as large as there is need of is the baseline")
	queue, _ := second("pagefault16?sm.faults.scheme=replay-queue"+one, 1)
	require.GreaterOrEqual(t, queue.End, stall.End)
}

// BenchmarkWaitingForAFault is a whole GPU that waits 12,000 cycles for a fault: they
// are to take less than 100 us.
func BenchmarkWaitingForAFault(b *testing.B) {
	for _, scheme := range []string{"stall", "replay-queue"} {
		b.Run(strings.ReplaceAll(scheme, "-", " "), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				gpu, err := wiring.New(*preset(b, "pagefault16?sm.faults.scheme="+scheme), &later{at: 1 << 30}, []host.Process{{App: loads(array)}})
				require.NoError(b, err)
				gpu.Pages.Set(0, array, 1<<16, pages.CPU, 0)
				require.NoError(b, gpu.Run(context.Background(), 800, nil))
				b.StartTimer()
				require.NoError(b, gpu.Run(context.Background(), 12_500, nil))
				require.Equal(b, 1, gpu.FillUnit.Pending())
			}
		})
	}
}
