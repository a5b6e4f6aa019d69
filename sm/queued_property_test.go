package sm

import (
	"fmt"
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/icache"
	"cotenant/sm/issuequeue"
	"cotenant/sm/l1"
	"cotenant/sm/residency"
	"cotenant/sm/rocache"
	"cotenant/sm/tlb"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyQueued draws an SM with an issue queue and any of the schemes.
func anyQueued(t *rapid.T, schemes ...string) Spec {
	number := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
	spec := anySpec(t)
	spec.Schedulers, spec.GroupSlots, spec.FrontEnd.ICache = 1, 0, icache.Spec{}
	spec.Pipes.Constant, spec.Pipes.BranchInterval, spec.Pipes.BarrierInterval = UnitSpec{}, 0, 0
	if spec.MemoryIssue == "bmi" {
		spec.MemoryIssue = "any"
	}
	spec.Queue = issuequeue.Spec{Entries: number("entries", 1, 3, 96), Width: number("width", 1, 2, 4), FetchWidth: number("fetch width", 1, 2),
		Order: "out-of-order"}
	spec.TLB = tlb.Spec{Entries: number("tlb", 2, 32), Ways: number("tlb ways", 1, 2), MSHRs: number("tlb mshrs", 1, 2, 32)}
	spec.Faults.Scheme = rapid.SampledFrom(schemes).Draw(t, "scheme")
	spec.Faults.LogBytes = number("log", logSizes(spec.Faults.Scheme, spec.TBs)...)
	if !spec.Faults.Preemptible() {
		spec.Queue.Order = rapid.SampledFrom([]string{"out-of-order", "in-order", "in-order-commit", "in-order-both"}).Draw(t, "order")
		if spec.Faults.Scheme == "none" {
			spec.TLB = tlb.Spec{}
		}
	}
	if spec.TLB.Entries > 0 {
		spec.L1.Prefetch = l1.PrefetchSpec{}
	}
	return spec
}

// scene is what happens to an SM that runs thread blocks.
type scene struct {
	spec    Spec
	blocks  []block
	latency []uint64 // of the MMU
	service uint64
	faults  bool
	evicts  []uint64 // cycles at which a thread block is taken off, by number
	halts   bool     // the SM is halted until it has left
	away    uint64   // for so long
	wakes   int
	shuffle func(*rig.Bench)
}

func anyScene(t *rapid.T, schemes ...string) *scene {
	s := &scene{spec: anyQueued(t, schemes...), blocks: anyBlocks(t), service: rapid.SampledFrom([]uint64{0, 7, 400}).Draw(t, "service"),
		latency: rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 1, 5, 60}), 1, 3).Draw(t, "translation"), faults: rapid.Bool().Draw(t, "faults"),
		halts: rapid.Bool().Draw(t, "halts"), away: rapid.SampledFrom([]uint64{0, 3, 500}).Draw(t, "away")}
	for range rapid.IntRange(0, 4).Draw(t, "evictions") {
		s.evicts = append(s.evicts, uint64(rapid.IntRange(2, 600).Draw(t, "eviction")))
	}
	for i := range s.blocks {
		for _, w := range s.blocks[i].warps {
			for pc := range w {
				w[pc].PC = uint32(pc)
			}
		}
	}
	return s
}

// strict is a warp that checks that its instructions are executed once, in their order,
// each before the next is fetched.
type strict struct {
	recorder
	t        require.TestingT
	fetched  int
	executed int
}

func (r *strict) Fetch(inst *workload.Inst) bool {
	require.Equal(r.t, r.fetched, r.executed, "fetched behind one that has not been executed")
	if !r.recorder.Fetch(inst) {
		return false
	}
	r.fetched++
	return true
}

func (r *strict) Execute(inst *workload.Inst) {
	require.Equal(r.t, uint32(r.executed), inst.PC)
	r.executed++
	r.recorder.Execute(inst)
}

// run runs the scene.
func (s *scene) run(t rig.T) (*bench, []*strict) {
	b := newBench(t, s.spec)
	if s.shuffle != nil {
		s.shuffle(b.Bench)
	}
	if b.mmu != nil {
		b.mmu.latency, b.mmu.service = append([]uint64(nil), s.latency...), s.service
		if s.faults {
			b.mmu.missing = func(region uint64) protocol.Fault {
				if region&(1<<tenant.AddressShift-1) >= 1<<40 { // local memory
					return protocol.NoFault
				}
				return protocol.Migrate
			}
		}
	}
	var all []*strict
	for _, blk := range s.blocks {
		var streams []workload.Stream
		for _, list := range blk.warps {
			r := &strict{recorder: recorder{list: list, sm: b.sm}, t: t}
			all, streams = append(all, r), append(streams, r)
		}
		b.placeStreams(blk.tenant, streams...).Launch = blk.launch
	}
	e := b.preEng()
	serial := map[uint64]*protocol.PlaceTB{}
	for i, p := range b.placed {
		serial[uint64(i)+1] = p
	}
	take := func(cycle, serial uint64) {
		if s.halts {
			e.Send(cycle, &protocol.Halt{On: true})
		}
		e.Send(cycle, &protocol.EvictTB{Serial: serial})
	}
	next := uint64(100)
	e.Answer = func(cycle uint64, m sim.Msg) {
		left, ok := m.(*protocol.TBEvicted)
		if ok && s.halts && e.leaving() == 0 {
			e.Send(cycle, &protocol.Halt{})
		}
		if !ok || left.Context == nil {
			return
		}
		was := serial[left.Serial]
		again := &protocol.PlaceTB{TB: was.TB, Account: was.Account, Launch: was.Launch, Serial: next, Context: left.Context, Demand: was.Demand}
		serial[next] = again
		e.Send(cycle+s.away, again)
		if len(s.evicts) > 2 {
			take(cycle+s.away+s.evicts[0]%50, next)
			s.evicts = s.evicts[1:]
		}
		next++
	}
	for i, at := range s.evicts[:min(len(s.evicts), len(s.blocks))] {
		take(at, uint64(i)+1)
	}
	if s.wakes > 0 {
		w := &waker{t: t, sm: b.sm, left: s.wakes}
		w.Init("Waker", b.Clock, w)
		w.Start()
	}
	b.run()
	return b, all
}

// requireQueueAtRest is requireAtRest for what an issue queue adds.
func requireQueueAtRest(t require.TestingT, s *SM) {
	requireAtRest(t, s)
	for slot := range s.residents.Warps {
		require.Equal(t, residency.Flight{Quiet: true}, s.pipeline.Look(slot))
	}
	if s.mmu != nil {
		require.Zero(t, s.mmu.Waiting())
	}
}

// requireDone checks what a scene must come to, whatever happened.
func requireDone(t require.TestingT, s *scene, b *bench, all []*strict) {
	requireQueueAtRest(t, b.sm)
	for _, r := range all {
		require.Equal(t, len(r.list), r.executed)
	}
	cycles := uint64(b.Engine.Now()/b.Clock.Period()) + 77
	stats := b.sm.Stats(cycles)
	sum := stats.IdleCycles
	none := s.spec
	none.LSU.ConstantCache, none.LSU.TextureCache = rocache.Spec{}, rocache.Spec{}
	for id := range tenant.ID(tenant.Max) {
		k := stats.Accounts.Of(tenant.Account(id))
		var instructions, tbs uint64
		for _, blk := range s.blocks {
			if blk.tenant == id {
				tbs++
				for _, w := range blk.warps {
					instructions += uint64(len(w))
				}
			}
		}
		require.Equal(t, instructions, k.WarpInstructions)
		require.Equal(t, tbs, k.TBsFinished)
		require.Equal(t, k.TBsPlaced, k.TBsFinished+k.TBsEvicted)
		want := lines(s.blocks, id, &s.spec)
		require.Equal(t, want[workload.Atomic]+want[workload.Reduction], k.L1.Atomics, "no atomic twice")
		require.GreaterOrEqual(t, k.L1.Accesses, want[workload.Load])
		require.GreaterOrEqual(t, k.L1.Writes, want[workload.Store])
		require.LessOrEqual(t, k.Replays, k.Faults)
		if k.Faults == 0 {
			require.Equal(t, want[workload.Load], k.L1.Accesses)
			require.Equal(t, want[workload.Store], k.L1.Writes)
			require.Zero(t, k.Replays)
		} else {
			require.True(t, s.faults && s.spec.Faults.Preemptible())
			require.NotZero(t, k.Replays)
		}
		for _, n := range k.Stalls {
			sum += n
		}
	}
	require.Equal(t, cycles, sum)
}

func TestQueueDoesEverythingOnceWhateverFaultsAndLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t, append(schemes, "none")...)
		require.NoError(t, s.spec.Validate())
		b, all := s.run(t)
		requireDone(t, s, b, all)
	})
}

// outcome is all that can be seen of a scene.
func (s *scene) outcome(t rig.T) string {
	evicts := s.evicts
	b, _ := s.run(t)
	s.evicts = evicts
	stats := b.sm.Stats(1 << 20)
	text := fmt.Sprintln(rig.Cycles(b.driver.Got), b.memory.at, stats.IdleCycles)
	for _, id := range []tenant.ID{0, 1, 15} {
		text += fmt.Sprintf("%+v\n", stats.Accounts.Get(tenant.Account(id)))
	}
	return text
}

func TestQueueDoesNotDependOnSleep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t, append(schemes, "none")...)
		calm := s.outcome(t)
		s.wakes = 6000
		require.Equal(t, calm, s.outcome(t))
	})
}

func TestQueueDoesNotDependOnTheOrderOfModules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t, schemes...)
		rig.InAnyOrder(t, func(shuffle func(*rig.Bench)) string {
			s.shuffle = shuffle
			return s.outcome(t)
		})
	})
}

// Without a fault a log that is never full costs nothing.
func TestLargeLogIsAsFastAsStallWithoutFaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t, operandLog)
		s.faults, s.evicts, s.spec.Faults.LogBytes = false, nil, 1<<20
		log := s.outcome(t)
		s.spec.Faults = FaultsSpec{Scheme: "stall"}
		require.Equal(t, s.outcome(t), log)
	})
}
