package scoreboard

import (
	"slices"
	"testing"

	"cotenant/sm/warps"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bench is a scoreboard of two schedulers with two slots each, its signals, and the time.
type bench struct {
	*Board
	signals []warps.Signals
	cycle   uint64
	order   uint64
}

var slots = warps.Slots{Schedulers: 2, Each: 2}

func newBench() *bench {
	signals := make([]warps.Signals, slots.Schedulers)
	return &bench{Board: New(slots, signals, 0), signals: signals}
}

// waits is the signals Hazard and Long of a slot.
func (b *bench) waits(slot int) (hazard, long bool) {
	s, bit := b.signals[slot/slots.Each], slot%slots.Each
	return s.Hazard>>bit&1 != 0, s.Long>>bit&1 != 0
}

// require checks what the next instruction of slot 0 waits for.
func (b *bench) require(t require.TestingT, hazard, long bool, why ...any) {
	h, l := b.waits(0)
	require.Equal(t, [2]bool{hazard, long}, [2]bool{h, l}, why...)
}

// decode makes an instruction slot 0's next.
func (b *bench) decode(dst uint8, src ...uint8) {
	inst := script.Op(workload.Int, dst, src...)
	b.Next(0, &inst, b.cycle)
}

// reserve has a slot issue an instruction with a result after a number of cycles.
func (b *bench) reserve(slot int, after uint64, regs ...uint8) {
	b.order++
	b.Reserve(slot, dst(regs...), b.cycle+after, b.order)
}

// reserveMemory has slot 0 issue a memory operation.
func (b *bench) reserveMemory(regs ...uint8) { b.ReserveMemory(0, dst(regs...), b.cycle) }

// missed and release end an access, as a miss and for good.
func (b *bench) missed(regs ...uint8)       { b.Missed(0, dst(regs...), b.cycle) }
func (b *bench) release(regs ...uint8) bool { return b.ReleaseMemory(0, dst(regs...), b.cycle) }

// pass lets a number of cycles pass.
func (b *bench) pass(cycles uint64) {
	for range cycles {
		b.cycle++
		b.Begin(b.cycle)
		b.Arrive(b.cycle)
	}
}

func dst(regs ...uint8) *[4]uint8 {
	list := workload.NoRegs4
	copy(list[:], regs)
	return &list
}

const none = workload.NoReg

func TestReaderAndWriterOfARegisterOnItsWayWait(t *testing.T) {
	for _, r := range []uint8{0, 23, 24, 127, 128, 254} {
		for _, wait := range []func(b *bench){func(b *bench) { b.decode(9, r) }, func(b *bench) { b.decode(r, 9) }} {
			b := newBench()
			b.reserve(0, 4, r)
			wait(b)
			b.pass(3)
			b.require(t, true, false, "register %d", r)
			b.pass(1)
			b.require(t, false, false, "register %d", r)
		}
		b := newBench()
		b.reserve(0, 4, r)
		b.decode(r^1, r^2)
		b.require(t, false, false, "other registers than %d", r)
	}
}

func TestEveryRegisterOfAListCounts(t *testing.T) {
	b := newBench()
	b.reserve(0, 1, 1, 70, 140, 210)
	for _, r := range []uint8{1, 70, 140, 210} {
		b.decode(9, 8, 7, 6, 5, 4, r)
		b.require(t, true, false, "register %d", r)
	}
}

func TestWarpsHaveRegistersOfTheirOwn(t *testing.T) {
	b := newBench()
	inst := script.Op(workload.Int, 9, 1)
	b.reserve(1, 5, 1)
	for slot := range slots.Count() {
		b.Next(slot, &inst, 0)
		hazard, _ := b.waits(slot)
		require.Equal(t, slot == 1, hazard, "slot %d", slot)
	}
}

// Results can be due in any order, and beyond the reach of the masks.
func TestInstructionWaitsForTheLastOfItsRegisters(t *testing.T) {
	for _, last := range []uint64{7, reach - 1, reach, 1023} {
		b := newBench()
		b.pass(5)
		b.reserve(0, last, 1)
		b.reserve(0, 3, 2)
		b.decode(9, 1, 2)
		at, ok := b.Due(b.cycle)
		require.True(t, ok)
		require.Equal(t, b.cycle+last, at)
		b.pass(last - 1)
		b.require(t, true, false)
		require.False(t, b.Idle(0, b.cycle))
		b.pass(1)
		b.require(t, false, false)
		require.True(t, b.Idle(0, b.cycle))
		_, ok = b.Due(b.cycle)
		require.False(t, ok)
	}
}

// A result of long ago is there, however long ago it was, and whether or not edges went by.
func TestResultsOfThePastAreThere(t *testing.T) {
	for _, cycles := range []uint64{1<<15 - 1, 1 << 15, 1<<16 - 2, 1<<16 + 3, 1 << 40} {
		for _, edges := range []uint64{1, 2, 9} {
			b := newBench()
			b.reserve(0, 5, 1)
			for range edges {
				b.cycle += cycles / edges
				b.Begin(b.cycle)
				b.decode(9, 1)
				b.require(t, false, false, "%d cycles in %d steps", cycles, edges)
				require.True(t, b.Idle(0, b.cycle))
			}
		}
	}
}

func TestAgeingKeepsWhatIsToCome(t *testing.T) {
	b := newBench()
	b.pass(ageing - 2)
	b.reserve(0, 10, 1)
	b.decode(9, 1)
	b.pass(9)
	b.decode(9, 1)
	b.require(t, true, false)
	require.False(t, b.Idle(0, b.cycle))
	b.pass(1)
	b.require(t, false, false)
}

func TestRetiringWarpIsIdleWithItsLastResult(t *testing.T) {
	b := newBench()
	b.reserve(0, 9, 1)
	b.reserve(0, 9, 2)
	b.reserve(0, 3, 3)
	b.reserveMemory(4)
	due, order, ok := b.Retire(0, b.cycle)
	require.True(t, ok)
	require.Equal(t, [2]uint64{9, 2}, [2]uint64{due, order}, "of equal results the one behind")
	_, _, ok = b.Retire(0, b.cycle)
	require.False(t, ok, "once")
	b.pass(9)
	require.False(t, b.release(4), "its last result has not been settled")
	require.True(t, b.Settled(0))
	require.True(t, b.Idle(0, b.cycle))
	_, _, ok = b.Retire(0, b.cycle)
	require.False(t, ok, "nothing is on its way")
}

func TestRetiringWarpWaitsForMemoryBehindItsLastResult(t *testing.T) {
	b := newBench()
	b.reserveMemory(4)
	b.reserve(0, 2, 1)
	_, _, ok := b.Retire(0, b.cycle)
	require.True(t, ok)
	b.pass(2)
	require.False(t, b.Settled(0))
	require.True(t, b.release(4))
}

func TestOnlyAMissMakesTheWaitLong(t *testing.T) {
	b := newBench()
	b.reserveMemory(1)
	b.decode(9, 1)
	b.require(t, true, false, "it may hit yet")
	b.missed(1)
	b.require(t, true, true)
	b.decode(1, 9)
	b.require(t, true, true, "an overwrite waits as long")
	b.release(1)
	b.require(t, false, false)
	b.reserve(0, 4, 1)
	b.decode(9, 1)
	b.require(t, true, false, "the register's next result is a short one")
}

func TestLongWaitIsThatOfTheRegistersNeeded(t *testing.T) {
	b := newBench()
	b.reserveMemory(1)
	b.missed(1)
	b.reserve(0, 4, 2)
	b.decode(9, 3)
	b.require(t, false, false)
	b.decode(9, 1, 2)
	b.require(t, true, true)
	b.pass(2)
	b.release(1)
	b.require(t, true, false, "the short one is left")
	b.pass(2)
	b.require(t, false, false)
}

func TestFenceWaitsForMemoryOperationsAlone(t *testing.T) {
	fence := script.Op(workload.Fence, none)
	b := newBench()
	b.reserve(0, 4, 1)
	b.Next(0, &fence, b.cycle)
	b.require(t, false, false, "an arithmetic result")
	b.reserveMemory()
	b.reserveMemory(2)
	b.Next(0, &fence, b.cycle)
	b.require(t, true, true, "stores and loads")
	b.release()
	b.require(t, true, true)
	b.release(2)
	b.require(t, false, false, "with the last memory operation")
	require.False(t, b.Idle(0, b.cycle))
}

// flight is an operation in flight of the naive model.
type flight struct {
	writes         [4]uint8
	memory, missed bool
	due            uint64 // when its result is there; never if that is open
}

const never = 1 << 62

// waits is what an instruction waits for at a cycle, found by looking at all that is in
// flight.
func waits(inst *workload.Inst, inFlight []*flight, cycle uint64) (hazard, long bool) {
	needs := append(slices.Clone(inst.Dst[:]), inst.Src[:]...)
	for _, f := range inFlight {
		if inst.Class == workload.Fence {
			if f.memory && f.due > cycle {
				return true, true
			}
			continue
		}
		for _, r := range f.writes {
			if r != none && f.due > cycle && slices.Contains(needs, r) {
				hazard, long = true, long || f.missed
			}
		}
	}
	return hazard, long
}

func TestBoardAgreesWithAListOfWhatIsInFlight(t *testing.T) {
	reg := rapid.SampledFrom([]uint8{0, 23, 24, 127, 128, 254, none})
	next := rapid.Custom(func(t *rapid.T) workload.Inst {
		if rapid.IntRange(0, 9).Draw(t, "fence") == 0 {
			return script.Op(workload.Fence, none)
		}
		inst := script.Op(workload.Int, reg.Draw(t, "dst"), reg.Draw(t, "src"))
		if inst.Dst[0] != none {
			inst.Dst[1] = reg.Draw(t, "second dst")
		}
		if inst.Src[0] != none {
			inst.Src[1] = reg.Draw(t, "second src")
		}
		return inst
	})
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		b.cycle = rapid.SampledFrom([]uint64{0, 1<<16 - 20, 1 << 40}).Draw(t, "start")
		b.Begin(b.cycle)
		var insts [4]workload.Inst
		var inFlight [4][]*flight
		for slot := range insts {
			insts[slot] = next.Draw(t, "first")
			b.Next(slot, &insts[slot], b.cycle)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			slot := rapid.IntRange(0, 3).Draw(t, "slot")
			list, inst := &inFlight[slot], &insts[slot]
			if hazard, _ := b.waits(slot); !hazard && rapid.Bool().Draw(t, "issue") {
				f := &flight{writes: inst.Dst, due: never}
				if inst.Class != workload.Fence && rapid.Bool().Draw(t, "memory") {
					f.memory = true
					b.ReserveMemory(slot, &inst.Dst, b.cycle)
				} else {
					after := rapid.SampledFrom([]uint64{1, 2, 4, 20, reach - 1, reach, 1023}).Draw(t, "latency")
					f.due = b.cycle + after
					b.order++
					b.Reserve(slot, &inst.Dst, f.due, b.order)
				}
				*list = append(*list, f)
				*inst = next.Draw(t, "next")
				b.Next(slot, inst, b.cycle)
			} else if len(*list) > 0 && rapid.Bool().Draw(t, "access") {
				f := rapid.SampledFrom(*list).Draw(t, "operation")
				switch {
				case !f.memory || f.due <= b.cycle:
				case !f.missed && rapid.Bool().Draw(t, "missed"):
					b.Missed(slot, &f.writes, b.cycle)
					f.missed = true
				default:
					f.due = b.cycle
					b.ReleaseMemory(slot, &f.writes, b.cycle)
				}
			} else {
				cycles := rapid.SampledFrom([]uint64{1, 2, 30, 20_000, 70_000}).Draw(t, "cycles")
				for end := b.cycle + cycles; b.cycle < end; { // the SM sleeps while nothing is due
					b.cycle = end
					if at, ok := b.Due(b.cycle - cycles); ok && at < end {
						b.cycle, cycles = at, end-at
					}
					b.Begin(b.cycle)
					b.Arrive(b.cycle)
				}
			}
			for slot := range insts {
				hazard, long := b.waits(slot)
				wantHazard, wantLong := waits(&insts[slot], inFlight[slot], b.cycle)
				require.Equal(t, [2]bool{wantHazard, wantLong}, [2]bool{hazard, long}, "slot %d", slot)
				idle := true
				for _, f := range inFlight[slot] {
					idle = idle && f.due <= b.cycle
				}
				require.Equal(t, idle, b.Idle(slot, b.cycle))
			}
		}
	})
}
