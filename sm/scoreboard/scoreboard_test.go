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

// bench is a scoreboard of two schedulers with two slots each, and its signals.
type bench struct {
	*Board
	signals []warps.Signals
}

var slots = warps.Slots{Schedulers: 2, Each: 2}

func newBench() *bench {
	signals := make([]warps.Signals, slots.Schedulers)
	return &bench{New(slots, signals), signals}
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
	b.Next(0, &inst)
}

func dst(regs ...uint8) *[4]uint8 {
	list := workload.NoRegs4
	copy(list[:], regs)
	return &list
}

const none = workload.NoReg

func TestReaderAndWriterOfARegisterOnItsWayWait(t *testing.T) {
	for _, r := range []uint8{0, 63, 64, 127, 128, 254} {
		b := newBench()
		b.Reserve(0, dst(r))
		b.decode(9, r)
		b.require(t, true, false, "read after write, register %d", r)
		b.decode(r, 9)
		b.require(t, true, false, "write after write, register %d", r)
		b.decode(r^1, r^2)
		b.require(t, false, false, "other registers than %d", r)
		b.decode(r)
		b.Release(0, dst(r))
		b.require(t, false, false)
	}
}

func TestEveryRegisterOfAListCounts(t *testing.T) {
	b := newBench()
	b.Reserve(0, dst(1, 70, 140, 210))
	for _, r := range []uint8{1, 70, 140, 210} {
		b.decode(9, 8, 7, 6, 5, 4, r)
		b.require(t, true, false, "register %d", r)
	}
}

func TestWarpsHaveRegistersOfTheirOwn(t *testing.T) {
	b := newBench()
	inst := script.Op(workload.Int, 9, 1)
	b.Reserve(1, dst(1))
	for slot := range slots.Count() {
		b.Next(slot, &inst)
		hazard, _ := b.waits(slot)
		require.Equal(t, slot == 1, hazard, "slot %d", slot)
	}
}

func TestInstructionWaitsForTheLastOfItsRegisters(t *testing.T) {
	b := newBench()
	b.Reserve(0, dst(1))
	b.Reserve(0, dst(2))
	b.decode(9, 1, 2)
	require.False(t, b.Idle(0))
	b.Release(0, dst(1))
	b.require(t, true, false)
	b.Release(0, dst(2))
	b.require(t, false, false)
	require.True(t, b.Idle(0))
}

func TestOnlyAMissMakesTheWaitLong(t *testing.T) {
	b := newBench()
	b.ReserveMemory(0, dst(1))
	b.decode(9, 1)
	b.require(t, true, false, "it may hit yet")
	b.Missed(0, dst(1))
	b.require(t, true, true)
	b.decode(1, 9)
	b.require(t, true, true, "an overwrite waits as long")
	b.ReleaseMemory(0, dst(1))
	b.require(t, false, false)
	b.Reserve(0, dst(1))
	b.decode(9, 1)
	b.require(t, true, false, "the register's next result is a short one")
}

func TestLongWaitIsThatOfTheRegistersNeeded(t *testing.T) {
	b := newBench()
	b.ReserveMemory(0, dst(1))
	b.Missed(0, dst(1))
	b.Reserve(0, dst(2))
	b.decode(9, 2)
	b.require(t, true, false)
	b.decode(9, 3)
	b.require(t, false, false)
	b.decode(9, 1, 2)
	b.require(t, true, true)
	b.ReleaseMemory(0, dst(1))
	b.require(t, true, false, "the short one is left")
}

func TestFenceWaitsForMemoryOperationsAlone(t *testing.T) {
	fence := script.Op(workload.Fence, none)
	b := newBench()
	b.Reserve(0, dst(1))
	b.Next(0, &fence)
	b.require(t, false, false, "an arithmetic result")
	b.ReserveMemory(0, dst())
	b.ReserveMemory(0, dst(2))
	b.Next(0, &fence)
	b.require(t, true, true, "stores and loads")
	b.ReleaseMemory(0, dst())
	b.require(t, true, true)
	b.ReleaseMemory(0, dst(2))
	b.require(t, false, false, "with the last memory operation")
	require.False(t, b.Idle(0))
}

// flight is an operation in flight of the naive model.
type flight struct {
	writes         [4]uint8
	memory, missed bool
	done           bool // its result is there
}

// waits is what an instruction waits for, found by looking at all that is in
// flight.
func waits(inst *workload.Inst, inFlight []*flight) (hazard, long bool) {
	needs := append(slices.Clone(inst.Dst[:]), inst.Src[:]...)
	for _, f := range inFlight {
		if inst.Class == workload.Fence {
			if f.memory && !f.done {
				return true, true
			}
			continue
		}
		for _, r := range f.writes {
			if r != none && !f.done && slices.Contains(needs, r) {
				hazard, long = true, long || f.missed
			}
		}
	}
	return hazard, long
}

func TestBoardAgreesWithAListOfWhatIsInFlight(t *testing.T) {
	reg := rapid.SampledFrom([]uint8{0, 63, 64, 127, 128, 254, none})
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
		var insts [4]workload.Inst
		var inFlight [4][]*flight
		for slot := range insts {
			insts[slot] = next.Draw(t, "first")
			b.Next(slot, &insts[slot])
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			slot := rapid.IntRange(0, 3).Draw(t, "slot")
			list, inst := &inFlight[slot], &insts[slot]
			if hazard, _ := b.waits(slot); !hazard && rapid.Bool().Draw(t, "issue") {
				f := &flight{writes: inst.Dst}
				f.memory = inst.Class != workload.Fence && rapid.Bool().Draw(t, "memory")
				if f.memory {
					b.ReserveMemory(slot, &inst.Dst)
				} else {
					b.Reserve(slot, &inst.Dst)
				}
				*list = append(*list, f)
				*inst = next.Draw(t, "next")
				b.Next(slot, inst)
			} else if len(*list) > 0 {
				f := rapid.SampledFrom(*list).Draw(t, "operation")
				switch action := rapid.IntRange(0, 2).Draw(t, "action"); {
				case action == 0 && f.memory && !f.missed && !f.done:
					b.Missed(slot, &f.writes)
					f.missed = true
				case action > 0 && !f.done && f.memory:
					b.ReleaseMemory(slot, &f.writes)
					f.done = true
				case action > 0 && !f.done:
					b.Release(slot, &f.writes)
					f.done = true
				}
			}
			for slot := range insts {
				hazard, long := b.waits(slot)
				wantHazard, wantLong := waits(&insts[slot], inFlight[slot])
				require.Equal(t, [2]bool{wantHazard, wantLong}, [2]bool{hazard, long}, "slot %d", slot)
				results := 0
				for _, f := range inFlight[slot] {
					if !f.done {
						results++
					}
				}
				require.Equal(t, results == 0, b.Idle(slot))
			}
		}
	})
}
