package sm

import (
	"fmt"
	"slices"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// samples has the SM sample idle warps from the start on.
func (b *bench) samples(every uint64) { b.driver.Send(0, &protocol.SampleIdle{Every: every}) }

// idleWarps are the sums after a number of cycles.
func (b *bench) idleWarps(cycles uint64) (c protocol.SMCounters) {
	b.sm.Stats(cycles)
	b.sm.idle.Report(&c)
	return c
}

// sampled are the cycles below an end at which samples are taken.
func sampled(every, end uint64) (cycles []uint64) {
	for c := every / 2; c < end; c += every {
		if c > 1 { // when the message arrives
			cycles = append(cycles, c)
		}
	}
	return cycles
}

// TestIdleWarpsAreThoseWhosePipeIsBusy: warps of two tenants issue to a pipe that takes
// an instruction every fourth cycle. In between all warps with an instruction left wait;
// at the cycles of issue no warp is idle, though one has to wait.
func TestIdleWarpsAreThoseWhosePipeIsBusy(t *testing.T) {
	for every := uint64(1); every < 12; every++ {
		b := newBench(t, oneScheduler())
		b.samples(every)
		sfu := some(workload.SFU, 4)
		r := append(b.place(3, sfu), b.place(5, sfu)...)
		b.RunTo(100)
		issued := slices.Sorted(slices.Values(append(slices.Clone(r[0].issued), r[1].issued...)))
		require.Equal(t, []uint64{0, 4, 8, 12, 16, 20, 24, 28}, relative(issued, issued[0]))
		want := protocol.SMCounters{IdleSamples: uint64(len(sampled(every, 80)))}
		for _, c := range sampled(every, 80) {
			if c < issued[0] || slices.Contains(issued, c) {
				continue
			}
			for i, id := range []tenant.ID{3, 5} {
				if c < r[i].issued[3] {
					want.Tenants[id].IdleWarps++
				}
			}
		}
		require.Equal(t, want, b.idleWarps(80), "every %d", every)
	}
}

func TestIdleWarpsOfAllSchedulersAreCounted(t *testing.T) {
	spec := testSpec()
	b := newBench(t, spec)
	b.samples(1)
	b.place(2, some(workload.SFU, 4), some(workload.SFU, 4))
	b.RunTo(100)
	require.Equal(t, uint64(2*3*3), b.idleWarps(100).Tenants[2].IdleWarps)
}

func TestWarpThatLosesTheIssueSlotIsNotIdle(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.samples(1)
	b.place(0, independent(20), independent(20))
	b.RunTo(100)
	require.Zero(t, b.idleWarps(100).Tenants[0].IdleWarps)
	require.Equal(t, uint64(98), b.idleWarps(100).IdleSamples)
}

func TestWarpThatLosesASharedUnitToAnotherSchedulerIsNotIdle(t *testing.T) {
	spec := testSpec()
	spec.Pipes.MemoryIssuePerSM = true
	b := newBench(t, spec)
	b.samples(1)
	loads := program(load(1, 0), load(2, 0), load(3, 0))
	b.place(0, loads, loads)
	b.RunTo(500)
	require.Equal(t, uint64(5), b.kernel(0).Stalls[LSUFull])
	require.Zero(t, b.idleWarps(500).Tenants[0].IdleWarps)
}

func TestWarpThatIsHeldBackIsNotIdle(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.samples(1)
	b.quotas(1, 100)
	b.place(0, some(workload.SFU, 4))
	b.place(1, some(workload.SFU, 8))
	b.RunTo(30)
	c := b.idleWarps(30)
	require.LessOrEqual(t, c.Tenants[0].IdleWarps, uint64(3), "before its quota is used up")
	require.Greater(t, c.Tenants[1].IdleWarps, uint64(9))
}

func TestNoWarpIsIdleWhileTheSMIsHalted(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.samples(1)
	r := b.place(0, some(workload.FP64, 3))[0] // every sixteenth cycle
	b.preEng(rig.At[sim.Msg](20, &protocol.Halt{On: true}), rig.At[sim.Msg](24, &protocol.Halt{}))
	b.RunTo(200)
	require.Equal(t, []uint64{0, 16, 32}, relative(r.issued, r.issued[0]))
	c := b.idleWarps(200)
	require.Equal(t, uint64(198), c.IdleSamples)
	require.Equal(t, uint64(2*15-4), c.Tenants[0].IdleWarps)
}

func TestSampleIdleStartsAndEnds(t *testing.T) {
	b := newBench(t, oneScheduler())
	b.place(0, some(workload.FP64, 20))
	b.driver.Send(40, &protocol.SampleIdle{Every: 10})
	b.driver.Send(65, &protocol.Sample{})
	b.driver.Send(80, &protocol.SampleIdle{})
	b.driver.Send(200, &protocol.Sample{})
	b.RunTo(300)
	for i, want := range []uint64{3, 4} { // at 45, 55 and 65; at 75
		c := b.driver.Got[i].Msg.(*protocol.Sampled).Counters.(protocol.SMCounters)
		require.Equal(t, want, c.IdleSamples)
		require.Equal(t, b.idleWarps(300).Tenants[0].IdleWarps, c.Tenants[0].IdleWarps+uint64(1-i))
	}
}

// restless has an SM tick at each edge.
type restless struct {
	components.Module
	sm *SM
}

func (r *restless) Tick(cycle uint64) bool {
	r.sm.Wake()
	return cycle < 20_000
}

func TestIdleWarpsOfASleepingSMAreCountedAsItCatchesUp(t *testing.T) {
	count := func(latency uint64, sleeps bool, every uint64) (protocol.SMCounters, int) {
		spec := oneScheduler()
		spec.LSU.QueueDepth = 1
		b := newBench(t, spec)
		b.memory.latency = latency
		b.samples(every)
		b.place(0, program(scattered(1, 0), scattered(2, 1000)))
		b.place(1, program(load(3, 1<<20), use(3)))
		n := b.Ticks(&b.sm.Module)
		if !sleeps {
			r := &restless{sm: b.sm}
			r.Init("Restless", b.Clock, r)
			r.Start()
		}
		b.run()
		return b.idleWarps(50_000), *n
	}
	for _, every := range []uint64{1, 2, 97, 1000, 60_000} {
		short, ticks := count(2000, true, every)
		long, more := count(3000, true, every)
		require.Equal(t, ticks, more, "it sleeps while the memory works")
		awake, most := count(3000, false, every)
		require.Greater(t, most, 10_000)
		require.Equal(t, awake, long, "every %d", every)
		if every == 1 {
			require.NotZero(t, short.Tenants[1].IdleWarps)
			require.Zero(t, (long.Tenants[1].IdleWarps-short.Tenants[1].IdleWarps)%1000)
			require.Greater(t, long.Tenants[1].IdleWarps, short.Tenants[1].IdleWarps)
		}
	}
}

func TestIdleWarpsDoNotDependOnSleep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		every := rapid.SampledFrom([]uint64{1, 2, 3, 50}).Draw(t, "every")
		count := func(sleeps bool) string {
			b := newBench(t, spec)
			b.samples(every)
			for _, block := range blocks {
				b.placeLaunch(block.tenant, block.launch, block.warps...)
			}
			if !sleeps {
				r := &restless{sm: b.sm}
				r.Init("Restless", b.Clock, r)
				r.Start()
			}
			b.RunTo(4000)
			return fmt.Sprint(b.idleWarps(4000))
		}
		require.Equal(t, count(false), count(true))
	})
}

func TestSamplingChangesNothing(t *testing.T) {
	end := func(every uint64) (uint64, int) {
		spec := oneScheduler()
		spec.LSU.QueueDepth = 1
		b := newBench(t, spec)
		if every > 0 {
			b.samples(every)
		} else {
			b.driver.Send(0, &protocol.Quotas{}) // a message, too
		}
		b.place(0, program(scattered(1, 0), load(2, 1<<20), script.Op(workload.SFU, 3), use(2)))
		n := b.Ticks(&b.sm.Module)
		return b.run()[0], *n
	}
	without, ticks := end(0)
	for _, every := range []uint64{1, 50} {
		with, n := end(every)
		require.Equal(t, []any{without, ticks}, []any{with, n})
	}
}
