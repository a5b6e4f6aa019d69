package sm

import (
	"math/bits"
	"strings"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/irc"
	"cotenant/protocol"
	"cotenant/sm/ews"
	"cotenant/sm/frontend"
	"cotenant/sm/icache"
	"cotenant/sm/idle"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/rocache"
	"cotenant/sm/tensor"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anySpec draws an SM that is short of everything now and then.
func anySpec(t *rapid.T) Spec {
	number := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	pipe := func(name string) PipeSpec {
		return PipeSpec{Interval: number(name+" interval", 1, 2, 7), Latency: number(name+" latency", 1, 4, 30), PerSM: flag(name + " shared"), Units: number(name+" units", 1, 2, 3)}
	}
	multiply := func(name string) UnitSpec {
		if unit := rapid.SampledFrom([]string{"", "alu", "fp64", "sfu"}).Draw(t, name+" unit"); unit != "" {
			return UnitSpec{Unit: unit, Interval: number(name+" interval", 1, 3), Latency: number(name+" latency", 1, 9)}
		}
		return UnitSpec{}
	}
	readOnlyCache := func(name string) rocache.Spec {
		return rocache.Spec{Sets: number(name+" sets", 0, 1, 8), Ways: number(name+" ways", 1, 4), Sectored: flag(name + " sectored"),
			HitLatency: number(name+" hit", 2, 40), SecondSets: number(name+" second sets", 0, 2), SecondWays: 2,
			SecondLatency: number(name+" second", 2, 70), MissLatency: number(name+" miss", 1, 600),
			MSHRs: number(name+" mshrs", 1, 64), MSHRMerge: number(name+" merge", 1, 8)}
	}
	spec := Spec{
		Schedulers: number("schedulers", 1, 2, 4), Faults: FaultsSpec{Scheme: "none"}, GroupSlots: number("group slots", 0, 0, 1, 2, 5), IssueWidth: number("issue width", 1, 2), MemoryIssue: rapid.SampledFrom([]string{"any", "mil", "bmi"}).Draw(t, "memory issue"), IssueSameUnit: flag("same unit"),
		Scheduler: rapid.SampledFrom(schedulers("2")).Draw(t, "scheduler"),
		TBs:       8, Threads: 1024, Registers: 65536, SharedBytes: []int{48 << 10},
		FrontEnd: frontend.Spec{BufferDepth: number("buffer", 1, 2, 5), FetchWidth: number("width", 1, 3),
			FetchLatency: number("fetch", 1, 3, 16), BranchLatency: number("branch", 1, 9), PerSM: flag("shared fetch"),
			Refill: rapid.SampledFrom([]string{frontend.RefillRoom, frontend.RefillEmpty}).Draw(t, "refill")},
		Pipes: PipesSpec{ALU: pipe("alu"), FP64: pipe("fp64"), SFU: pipe("sfu"), Tensor: pipe("tensor"), IMul: multiply("imul"), IMad: multiply("imad"), Constant: multiply("constant"),
			Matrix:         multiply("matrix"),
			BranchInterval: number("branch interval", 0, 1, 3), BarrierInterval: number("barrier interval", 0, 2, 5),
			MemoryIssuePerSM: flag("one memory instruction")},
		LSU: lsu.Spec{QueueDepth: number("queue", 1, 2, 8), Skip: flag("skip"), SharedLatency: number("shared", 2, 24), SharedBanks: number("banks", 16, 32), SharedFirstWord: flag("first word"),
			SharedAtomicInterval: number("atomic", 1, 3), ConstantLatency: number("constant", 2, 50), TexelsPerCycle: number("texels", 1, 5, 32),
			TextureLinesPerCycle: number("texture lines", 1, 3, 32), ReadOnlyLoads: flag("read-only loads"),
			ConstantCache: readOnlyCache("constants"), TextureCache: readOnlyCache("textures")},
		L1: l1.Spec{Victim: rapid.SampledFrom(l1.Victims()).Draw(t, "victim"), UCPPeriod: number("ucp period", 1, 100), Prefetch: l1.PrefetchSpec{Kind: rapid.SampledFrom(append(l1.Prefetchers(), "none")).Draw(t, "prefetch"), Degree: number("degree", 1, 3)}, Sets: number("sets", 1, 2, 16), Ways: number("ways", 1, 4), Sectored: flag("sectored"), AllocateOnFill: flag("on fill"),
			HitLatency: number("hit", 2, 30), MissLatency: number("miss", 1, 10, 600), MSHRs: number("mshrs", 1, 2, 5, 64),
			MSHRMerge: number("merge", 1, 2, 8), MissQueue: number("miss queue", 1, 2, 64), StoreBuffer: number("stores", 1, 8),
			ReplyQueue: number("replies", 1, 4), ReturnsPerCycle: number("returns", 0, 1, 3),
			MissesTakeHitLatency: flag("hit latency"), Banks: number("l1 banks", 1, 2, 5), BankBytes: number("bank bytes", 32, 64, 128),
			AccessBytes: number("access bytes", 32, 128), Globals: rapid.SampledFrom([]string{"cached", "read_only", "bypass"}).Draw(t, "globals"),
			WriteEvict: flag("write evict")},
	}
	spec.L1.MSHRPerSector = spec.L1.MSHRs >= 4 && flag("an MSHR for each sector")
	if p := &spec.Pipes; p.Matrix.Unit == "" && !p.Tensor.PerSM && p.Tensor.Units == 1 && flag("shapes") {
		spec.Tensor.Shapes.M16N8K16F32 = tensor.Timing{Interval: tensor.Cycles(number("shape interval", 500, 6400, 8000)), Latency: number("shape latency", 1, 25)}
	}
	spec.IRC = anyIRC(t)
	if spec.FrontEnd.Refill == frontend.RefillEmpty && flag("instruction cache") {
		spec.FrontEnd.ICache = icache.Spec{Sets: number("icache sets", 1, 3), Ways: number("icache ways", 1, 2), LineBytes: number("icache line", 16, 64),
			MSHRs: number("icache mshrs", 1, 3), MissLatency: number("icache latency", 1, 40, 300)}
	}
	return spec
}

// anyIRC draws an issue-rate controller, or none.
func anyIRC(t *rapid.T) irc.Spec {
	number := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
	return irc.Spec{SubQueues: number("sub-queues", 0, 0, 1, 2, 8), Depth: number("depth", 16, 24),
		Latency: number("queue latency", 1, 2, 4), IntervalCycles: number("interval", 7, 200)}
}

// someRates limits two of the tenants of random runs, where there are rates. A chained
// run, in which each message waits for an answer, has none.
func someRates(spec *Spec, chained bool) []*protocol.Rates {
	if spec.IRC.SubQueues == 0 || chained {
		return nil
	}
	m := &protocol.Rates{On: true}
	m.Of[0] = protocol.Rate{Given: true, Limited: true, Requests: protocol.RateOne * 3 / 4}
	m.Of[1] = protocol.Rate{Given: true, Limited: true, Requests: 2 * protocol.RateOne, Sensitive: true}
	return []*protocol.Rates{m}
}

// block is a thread block of a random run.
type block struct {
	tenant tenant.ID
	launch uint64
	warps  [][]workload.Inst
}

func anyInst(t *rapid.T) workload.Inst {
	reg := rapid.SampledFrom([]uint8{0, 1, 2, 3, 100, workload.NoReg})
	class := workload.Class(rapid.IntRange(0, int(workload.NumClasses)-1).Draw(t, "class"))
	inst := script.Op(class, reg.Draw(t, "dst"), reg.Draw(t, "src"))
	inst.Active = rapid.SampledFrom([]uint32{0, 1, 0xf0, 0xffff, ^uint32(0)}).Draw(t, "lanes")
	switch {
	case class == workload.Int:
		inst.Flags = rapid.SampledFrom([]workload.Flags{0, workload.Multiply, workload.MultiplyAdd}).Draw(t, "multiplies")
	case class == workload.Fence:
		inst = script.Op(class, workload.NoReg)
	case class == workload.Await:
		inst.Barrier = rapid.SampledFrom([]uint8{0, 1, 2}).Draw(t, "may wait")
	case class == workload.Tensor:
		inst.Width = rapid.SampledFrom([]uint8{0, uint8(workload.M16N8K16F32), uint8(workload.M16N8K8F16)}).Draw(t, "shape")
	case class == workload.Branch:
		inst.Flags = rapid.SampledFrom([]workload.Flags{0, workload.Redirect}).Draw(t, "flags")
	case class == workload.Constant:
		inst.Space = workload.Constants
		inst.Stride = rapid.SampledFrom([]int32{0, 1, 4, 128}).Draw(t, "stride")
		inst.Width = 4
	case class.IsMemory():
		inst.Space = rapid.SampledFrom([]workload.Space{workload.Global, workload.Shared, workload.Local, workload.Texture}).Draw(t, "space")
		inst.Base = uint64(rapid.IntRange(0, 40).Draw(t, "place")) * 64
		inst.Stride = rapid.SampledFrom([]int32{0, 4, 8, 32, 128, 4096}).Draw(t, "stride")
		inst.Width = rapid.SampledFrom([]uint8{1, 4, 16}).Draw(t, "width")
		inst.Flags = rapid.SampledFrom([]workload.Flags{0, 0, workload.ReadOnly, workload.BypassL1}).Draw(t, "flags")
		if class == workload.Store || class == workload.Reduction || class == workload.Copy {
			inst.Dst = workload.NoRegs4
		}
		if class == workload.Copy {
			inst.Space = workload.Global
			inst.Flags &^= workload.ReadOnly
		}
	}
	return inst
}

func anyBlocks(t *rapid.T) (blocks []block) {
	launches := [tenant.Max]uint64{}
	for range rapid.IntRange(1, 6).Draw(t, "blocks") {
		b := block{tenant: rapid.SampledFrom([]tenant.ID{0, 1, 15}).Draw(t, "kernel")}
		if rapid.IntRange(0, 3).Draw(t, "new launch") == 0 {
			launches[b.tenant]++
		}
		b.launch = launches[b.tenant]
		for range rapid.IntRange(0, 4).Draw(t, "warps") {
			b.warps = append(b.warps, rapid.SliceOfN(rapid.Custom(anyInst), 0, 25).Draw(t, "instructions"))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// runBlocks runs thread blocks, with as many spurious wake-ups as asked for,
// after control messages, and returns the bench and the warps.
func runBlocks(t rig.T, spec Spec, blocks []block, chained bool, wakes int, controls ...*protocol.Rates) (*bench, []*recorder) {
	b := newBench(t, spec)
	var all []*recorder
	for _, c := range controls {
		b.driver.Send(0, c)
	}
	for _, blk := range blocks {
		all = append(all, b.placeLaunch(blk.tenant, blk.launch, blk.warps...)...)
	}
	if chained {
		b.chain()
	}
	if wakes > 0 {
		w := &waker{t: t, sm: b.sm, left: wakes}
		w.Init("Waker", b.Clock, w)
		w.Start()
	}
	b.run()
	return b, all
}

// waker wakes an SM at every edge, though it has no reason to, and looks at it.
type waker struct {
	components.Module
	t      require.TestingT
	sm     *SM
	left   int
	opened uint32 // lsu.Unit.Opened at the edge before
}

func (w *waker) Tick(uint64) bool {
	// A tenant that comes or leaves behind the issue stage makes room in the load-store unit. The
	// schedulers that wait for it look again when they issue next.
	if opened := w.sm.lsu.Opened(); opened == w.opened {
		requireStill(w.t, w.sm)
	} else {
		w.opened = opened
	}
	w.sm.Wake()
	w.left--
	return w.left > 0
}

// requireStill checks that a scheduler which takes its stall for the one before would find
// the same one.
func requireStill(t require.TestingT, s *SM) {
	for i := range s.residents.Schedulers {
		if p := &s.residents.Schedulers[i]; p.Signals.Still != 0 && !s.residents.Halted {
			require.Zero(t, p.Signals.Ready()&^s.pipeline.(idle.Source).Waiting(i, s.residents.Cycle), "scheduler %d", i)
			cause, mask := s.pipeline.Stall(i)
			require.Equal(t, s.residents.StallOf(p, cause, mask), p.Stall, "scheduler %d", i)
		}
	}
}

// requireAtRest checks that an SM which has run everything holds nothing.
func requireAtRest(t require.TestingT, s *SM) {
	require.Zero(t, s.Outstanding())
	require.Zero(t, s.lsu.Queued(), "instructions in the load-store unit")
	require.Zero(t, s.lsu.InFlight(), "operations in flight")
	require.Zero(t, s.egress.Len(), "packets waiting to leave")
	require.True(t, s.RateController() != nil || s.egress.Room(protocol.Write, 0), "stores waiting to leave")
	require.Zero(t, s.residents.Threads())
	require.Zero(t, s.l1.Outstanding(), "MSHRs in use")
	require.False(t, s.l1.Returning(), "accesses at the return port")
	for _, c := range s.readOnly {
		require.True(t, c == nil || c.Outstanding() == 0, "MSHRs of a read-only cache in use")
	}
	_, due := s.pipeline.Next(s.residents.Cycle)
	require.False(t, due, "fetches and results on their way")
	require.Zero(t, s.residents.Departing, "warps that hold their slots")
	for i := range s.residents.Schedulers {
		p := &s.residents.Schedulers[i]
		signals := *p.Signals
		signals.Still = 0
		require.Zero(t, signals, "signals of scheduler %d", i)
	}
	for i := range s.residents.Warps {
		require.False(t, s.residents.Warps[i].InUse, "slot %d in use", i)
		require.True(t, s.pipeline.Look(i).Quiet, "results for slot %d", i)
	}
	require.Empty(t, s.residents.Finished)
}

// Indices of what lines counts beside the classes' accesses of the L1.
const (
	bypassed  = workload.NumClasses + iota // loads that bypass the L1
	constants                              // accesses of the constant cache
	textures                               // of the texture cache
	counts
)

// lines counts the accesses of a program, of the L1 by class.
func lines(blocks []block, id tenant.ID, spec *Spec) (n [counts]uint64) {
	for _, b := range blocks {
		for _, w := range b.warps {
			for _, inst := range w {
				if b.tenant == id && workload.Addressed(inst.Class, inst.Space) && inst.Active != 0 && inst.Space != workload.Shared {
					what, bytes := accessOf(&inst, spec)
					n[what] += uint64(touched(&inst, uint64(bytes)))
				}
			}
		}
	}
	if spec.LSU.ConstantCache.Sets == 0 || spec.Pipes.Constant.Unit != "" {
		n[constants] = 0
	}
	return n
}

// accessOf is what an instruction's accesses count as, and how many bytes each
// spans at most.
func accessOf(inst *workload.Inst, spec *Spec) (what workload.Class, bytes int) {
	bypass, readOnly := inst.Flags&workload.BypassL1 != 0, inst.Flags&workload.ReadOnly != 0 && spec.LSU.ReadOnlyLoads
	copies := inst.Class == workload.Copy
	load, global := copies || inst.Class == workload.Load, inst.Space == workload.Global
	past := spec.L1.Globals == "bypass" || spec.L1.Globals == "read_only" && inst.Flags&workload.ReadOnly == 0
	what, bytes = inst.Class, protocol.LineBytes
	if copies {
		what = workload.Load
	}
	switch {
	case inst.Class == workload.Constant:
		return constants, bytes
	case load && !copies && spec.LSU.TextureCache.Sets > 0 && (inst.Space == workload.Texture || global && readOnly && !bypass):
		return textures, bytes
	case load && (bypass || global && past):
		what = bypassed
	}
	if inst.Space != workload.Texture && (load || inst.Class == workload.Store) {
		bytes = spec.L1.AccessBytes
	}
	return what, bytes
}

// touched is the number of parts of bytes bytes, at most a line, that an instruction
// touches: in local memory a line for each word of the variable, whatever the lane.
func touched(inst *workload.Inst, bytes uint64) int {
	lines := map[uint64]bool{}
	first := bits.TrailingZeros32(inst.Active)
	for lane := range workload.WarpSize {
		if inst.Active>>lane&1 == 0 {
			continue
		}
		addr := inst.Base + uint64(int64(inst.Stride)*int64(lane-first))
		if inst.Lanes != nil {
			addr = inst.Lanes[lane]
		}
		for i := range uint64(inst.Width) {
			if inst.Space == workload.Local {
				word := (addr + i) % (1 << 20) / 4
				lines[(word*protocol.LineBytes+uint64(lane)*4)/bytes] = true
			} else {
				lines[(addr+i)%(1<<55)/bytes] = true
			}
		}
	}
	return len(lines)
}

func TestEverythingIsDoneOnceAndEveryCycleIsCharged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		require.NoError(t, spec.Validate())
		chained := rapid.Bool().Draw(t, "chained")
		b, all := runBlocks(t, spec, blocks, chained, 0, someRates(&spec, chained)...)
		requireAtRest(t, b.sm)
		for _, r := range all {
			require.Len(t, r.issued, len(r.list))
		}
		cycles := uint64(b.Engine.Now()/b.Clock.Period()) + 77
		stats := b.sm.Stats(cycles)
		sum := stats.IdleCycles
		for kernel := range tenant.ID(tenant.Max) {
			k := stats.Accounts.Of(tenant.Account(kernel))
			var instructions, tbs, packets uint64
			for _, blk := range blocks {
				if blk.tenant == kernel {
					tbs++
					for _, w := range blk.warps {
						instructions += uint64(len(w))
					}
				}
			}
			for i := range b.memory.seen {
				if b.memory.seen[i].Tenant() == kernel {
					packets++
				}
			}
			require.Equal(t, instructions, k.WarpInstructions)
			require.Equal(t, tbs, k.TBsPlaced)
			require.Equal(t, tbs, k.TBsFinished)
			require.Equal(t, packets, k.MemoryRequests)
			want := lines(blocks, kernel, &spec)
			require.Equal(t, want[workload.Load], k.L1.Accesses)
			require.Equal(t, k.L1.Accesses, k.L1.Hits+k.L1.Misses)
			require.LessOrEqual(t, k.L1.Merges, k.L1.Misses)
			require.Equal(t, want[bypassed], k.L1.Bypasses)
			require.Equal(t, want[constants], k.ConstantCache.Accesses)
			require.Equal(t, want[textures], k.TextureCache.Accesses)
			require.Equal(t, want[textures], k.TextureCache.Hits+k.TextureCache.SecondHits+k.TextureCache.Misses)
			require.Equal(t, want[workload.Store], k.L1.Writes)
			require.Equal(t, want[workload.Atomic]+want[workload.Reduction], k.L1.Atomics)
			if spec.IssueWidth == 1 {
				require.Equal(t, instructions, k.Stalls[Issued])
			}
			require.Zero(t, k.Stalls[Idle])
			if tbs == 0 {
				require.Zero(t, *k)
			}
			for _, n := range k.Stalls {
				sum += n
			}
		}
		require.Equal(t, cycles*uint64(spec.Schedulers), sum)
	})
}

func TestSpuriousWakeUpsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks, chained := anySpec(t), anyBlocks(t), rapid.Bool().Draw(t, "chained")
		quiet, calm := runBlocks(t, spec, blocks, chained, 0, someRates(&spec, chained)...)
		end := uint64(quiet.Engine.Now() / quiet.Clock.Period())
		woken, nervous := runBlocks(t, spec, blocks, chained, int(end)+50, someRates(&spec, chained)...)
		for i := range calm {
			require.Equal(t, calm[i].issued, nervous[i].issued)
		}
		require.Equal(t, rig.Cycles(quiet.driver.Got), rig.Cycles(woken.driver.Got))
		require.Equal(t, quiet.memory.at, woken.memory.at)
		require.Equal(t, *quiet.sm.Stats(end + 100), *woken.sm.Stats(end + 100))
	})
}

func TestEverySchedulerIssuesTheSameInstructions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		for _, name := range schedulers("1") {
			spec.Scheduler = name
			b, _ := runBlocks(t, spec, blocks, false, 0)
			require.Equal(t, uint64(instructions(blocks)), b.sm.Issued(), name)
		}
	})
}

// schedulers lists the warp schedulers, with a number where the name takes one.
func schedulers(number string) (names []string) {
	for _, name := range ews.Names() {
		if base, takes := strings.CutSuffix(name, "-N"); takes {
			name = base + "-" + number
		}
		names = append(names, name)
	}
	return names
}

func instructions(blocks []block) (n int) {
	for _, b := range blocks {
		for _, w := range b.warps {
			n += len(w)
		}
	}
	return n
}
