package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/workload"

	"github.com/golang/mock/gomock"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// grouped is an SM of one scheduler with slots warp slots in its first group.
func grouped(slots int) Spec {
	spec := oneScheduler()
	spec.GroupSlots = slots
	return spec
}

// firstRow is the cycle of a transcript's first row, and firstLive the first edge that
// sees its warps. Until that row none is ready, which leaves the first group visible.
const firstLive, firstRow = 2, 20

// transcript writes the slot that issues in each cycle, A for slot 0. The warps run
// endless instructions that no pipe holds back, and are ready in a cycle if their bit of
// its row is set. The SM is woken when the mask changes, or, restless, at each row.
func transcript(t *testing.T, spec Spec, warpsUsed int, restless bool, ready []warps.Mask) (string, *bench) {
	b, g := gated(t, spec, true)
	g[0].EXPECT().Placed(0, gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes()
	g[0].all = ^warps.Mask(0)
	b.turn()
	issued := make([]byte, len(ready))
	var streams []workload.Stream
	for slot := range warpsUsed {
		streams = append(streams, &writer{loop{list: independent(5)}, b, issued, byte('A' + slot)})
	}
	b.placeStreams(0, streams...)
	for i, mask := range ready {
		issued[i] = '.'
		if i == 0 || restless || mask != ready[i-1] {
			b.turnFor(uint64(firstRow+i), func() {
				b.sm.Stats(uint64(firstRow + i)) // as a message does: what it has slept was with the mask before
				g[0].all = ^mask
			})
		}
	}
	b.RunTo(uint64(firstRow + len(ready)))
	return string(issued), b
}

// writer is a warp that writes its name where it issues.
type writer struct {
	loop
	b      *bench
	issued []byte
	name   byte
}

func (w *writer) Execute(*workload.Inst) { w.issued[w.b.sm.residents.Cycle-firstRow] = w.name }

// HeteroCore 3.2 as section "Warp-slot groups" of its specification has it, to the
// cycle: A and B in the first group, A the older one, C in the other. In row 8 the
// SM sleeps, and has changed groups three times when it wakes.
func TestTwoGroupsIssueAsTheGoldenTranscriptHasIt(t *testing.T) {
	const a, b, c = 1, 2, 4
	ready := []warps.Mask{a | b | c, a | b | c, b | c, c, c, a | c, a, a, 0, 0, 0, c, c}
	for _, restless := range []bool{false, true} {
		got, bench := transcript(t, grouped(2), 3, restless, ready)
		require.Equal(t, "AAB.CC.A...CC", got)
		stalls := bench.kernel(0).Stalls
		require.Equal(t, uint64(2), stalls[GroupSwitch], "rows 3 and 6")
	}
}

func TestOneGroupNeverSwitches(t *testing.T) {
	ready := []warps.Mask{7, 7, 6, 4, 4, 5, 1, 1, 0, 0, 0, 4, 4}
	for _, slots := range []int{0, 32, 64} {
		got, b := transcript(t, grouped(slots), 3, false, ready)
		require.Equal(t, "AABCCCAA...CC", got, "%d slots", slots)
		require.Zero(t, b.kernel(0).Stalls[GroupSwitch])
	}
}

// A switch is no reason to wake: an SM that slept issues like an SM that has looked at
// every edge.
func TestGroupsDoNotDependOnSleep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := grouped(rapid.IntRange(1, 4).Draw(rt, "slots"))
		spec.Scheduler = rapid.SampledFrom(schedulers("2")).Draw(rt, "scheduler")
		var ready []warps.Mask
		for range rapid.IntRange(1, 12).Draw(rt, "changes") {
			mask := rapid.SampledFrom([]warps.Mask{0, 0, 0, 1, 2, 4, 8, 3, 12, 5, 15}).Draw(rt, "ready")
			for range rapid.IntRange(1, 6).Draw(rt, "cycles") {
				ready = append(ready, mask)
			}
		}
		n := rapid.IntRange(1, 4).Draw(rt, "warps")
		asleep, a := transcript(t, spec, n, false, ready)
		awake, b := transcript(t, spec, n, true, ready)
		require.Equal(rt, awake, asleep)
		require.Equal(rt, model(spec.GroupSlots, n, ready), silent(asleep))
		end := uint64(firstRow + len(ready))
		require.Equal(rt, *b.sm.Stats(end), *a.sm.Stats(end))
	})
}

// silent replaces the letter of each issue by x.
func silent(text string) string {
	out := []byte(text)
	for i := range out {
		if out[i] != '.' {
			out[i] = 'x'
		}
	}
	return string(out)
}

// model states a scheduler's rule apart from the choice inside the group.
func model(first, warpsUsed int, ready []warps.Mask) string {
	group := func(slot int) int {
		if slot < first {
			return 0
		}
		return 1
	}
	live, current := [2]bool{}, 0
	for slot := range warpsUsed {
		live[group(slot)] = true
	}
	step := func(mask warps.Mask) byte {
		for slot := range warpsUsed {
			if mask>>slot&1 != 0 && group(slot) == current {
				return 'x'
			}
		}
		if live[1-current] {
			current = 1 - current
		}
		return '.'
	}
	for range firstRow - firstLive {
		step(0)
	}
	text := make([]byte, len(ready))
	for i, mask := range ready {
		text[i] = step(mask)
	}
	return string(text)
}

// Ready is ready before conflicts about pipes: a warp that waits for its pipe is no
// reason to switch, though a warp of the other group could issue.
func TestBusyPipeIsNoReasonToSwitch(t *testing.T) {
	b := newBench(t, grouped(1)) // an SFU instruction takes its pipe for 4 cycles
	r := b.place(0, some(workload.SFU, 3), independent(3))
	b.run()
	require.Equal(t, []uint64{0, 4, 8}, relative(r[0].issued, r[0].issued[0]))
	require.Equal(t, []uint64{10, 11, 12}, relative(r[1].issued, r[0].issued[0]), "cycle 9 is lost")
	require.Equal(t, uint64(1+3+3+1), b.kernel(0).Stalls[GroupSwitch], "at the start the other group is visible, as none was ready in the cycle before")
	require.Zero(t, b.kernel(0).Stalls[PipeFull])
}

// A unit that takes nothing from either group is what holds the scheduler back.
func TestSwitchIsChargedOnlyIfTheOtherGroupCouldIssue(t *testing.T) {
	b := newBench(t, grouped(1))
	r := b.place(0, some(workload.SFU, 3), some(workload.SFU, 3))
	b.run()
	k := b.kernel(0)
	require.Equal(t, []uint64{12, 16, 20}, relative(r[1].issued, r[0].issued[0]), "it switches while the pipe is busy")
	require.Equal(t, uint64(5*3), k.Stalls[PipeFull])
	require.Equal(t, uint64(1), k.Stalls[GroupSwitch], "at the start")
}

// Behind a full load-store unit a warp of the other group could issue in each cycle.
// The SM sleeps until the unit has room, and charges the cycles all the same.
func TestSMSleepsWhileTheOtherGroupCouldIssue(t *testing.T) {
	count := func(latency uint64, restless bool) (n int, switches uint64) {
		spec := grouped(1)
		spec.LSU.QueueDepth, spec.L1.MSHRs = 1, 1
		b := newBench(t, spec)
		b.memory.latency = latency
		b.place(0, program(load(1, 0), load(2, 1<<20), load(3, 1<<21)), independent(20))
		if restless {
			wakes(b)
		}
		n = ticks(b)
		return n, b.kernel(0).Stalls[GroupSwitch]
	}
	short, switches := count(2000, false)
	long, more := count(3000, false)
	require.Equal(t, short, long)
	require.Equal(t, switches+1000, more)
	_, awake := count(3000, true)
	require.Equal(t, awake, more)
}

// wakes has a bench's SM tick at each edge for a while.
func wakes(b *bench) {
	r := &restless{sm: b.sm}
	r.Init("Restless", b.Clock, r)
	r.Start()
}

// While an SM is halted its schedulers stay where they are: otherwise both lengths
// would leave the same group visible.
func TestHaltedSchedulersDoNotSwitch(t *testing.T) {
	for length, want := range map[uint64]uint64{4: 41, 5: 40} {
		for _, restless := range []bool{false, true} {
			b, g := gated(t, grouped(1), true)
			g[0].EXPECT().Placed(0, gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes()
			g[0].EXPECT().Ended(0, gomock.Any()).AnyTimes()
			g[0].all = ^warps.Mask(0)
			b.turn()
			r := b.place(0, independent(1), independent(1))
			b.preEng(rig.At[sim.Msg](20, &protocol.Halt{On: true}), rig.At[sim.Msg](20+length, &protocol.Halt{}))
			b.turnFor(40, func() {
				b.sm.Stats(40)
				g[0].all = ^warps.Mask(2)
			})
			if restless {
				wakes(b)
			}
			b.RunTo(60)
			require.Equal(t, []uint64{want}, r[1].issued, "halted for %d cycles", length)
		}
	}
}

// With as many slots in the first group as a scheduler has, or as are ever used,
// there is nothing to switch to.
func TestGroupThatHoldsAllWarpsIsTheOnlyOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		chained := rapid.Bool().Draw(t, "chained")
		run := func(slots int) (*bench, []*recorder) {
			spec.GroupSlots = slots
			return runBlocks(t, spec, blocks, chained, 0)
		}
		most := 0
		for _, b := range blocks {
			most += len(b.warps)
		}
		want, wantWarps := run(0)
		for _, slots := range []int{spec.WarpSlots() / spec.Schedulers, 64, min(most, 64)} {
			got, gotWarps := run(slots)
			for i := range wantWarps {
				require.Equal(t, wantWarps[i].issued, gotWarps[i].issued)
			}
			require.Equal(t, rig.Cycles(want.driver.Got), rig.Cycles(got.driver.Got))
			require.Equal(t, *want.sm.Stats(1 << 20), *got.sm.Stats(1 << 20))
		}
	})
}
