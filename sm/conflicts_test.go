package sm

import (
	"math/bits"
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// naiveConflicts counts the words of each bank, for the lanes that the banks
// serve together: all 32 words wide, half or a quarter of them if each lane
// accesses two or four words.
func naiveConflicts(inst workload.Inst, banks int) int {
	wide := max(1, int(inst.Width)/4)
	together := workload.WarpSize / wide
	first := bits.TrailingZeros32(inst.Active)
	cycles := 0
	for start := 0; start < workload.WarpSize; start += together {
		words := map[int]map[uint64]bool{}
		for lane := start; lane < start+together; lane++ {
			if inst.Active>>lane&1 == 0 {
				continue
			}
			addr := inst.Base + uint64(int64(inst.Stride)*int64(lane-first))
			if inst.Lanes != nil {
				addr = inst.Lanes[lane]
			}
			for i := range uint64(wide) {
				word := addr/4 + i
				bank := int(word % uint64(banks))
				if words[bank] == nil {
					words[bank] = map[uint64]bool{}
				}
				words[bank][word] = true
			}
		}
		deepest := 0
		for _, w := range words {
			deepest = max(deepest, len(w))
		}
		cycles += deepest
	}
	return cycles
}

func TestBankConflictsAgreeWithCountingEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inst := anyAccess(t, workload.Shared)
		inst.Base %= 96 << 10
		if inst.Lanes != nil {
			for i := range inst.Lanes {
				inst.Lanes[i] %= 1 << 14
			}
		}
		banks := rapid.SampledFrom([]int{32, 16, 24, 1}).Draw(t, "banks")
		require.Equal(t, naiveConflicts(inst, banks), conflicts(&inst, banks))
	})
}

func TestSharedMemoryMovesOneWordPerBankAndCycle(t *testing.T) {
	for _, c := range []struct {
		stride int32
		width  uint8
		active uint32
		cycles int
	}{
		{4, 4, ^uint32(0), 1},
		{1, 1, ^uint32(0), 1}, // lanes of one word share it
		{0, 4, ^uint32(0), 1},
		{132, 4, ^uint32(0), 1},
		{8, 4, ^uint32(0), 2},
		{128, 4, ^uint32(0), 32},
		{128, 4, 0xff, 8},
		{8, 8, ^uint32(0), 2},   // 256 bytes
		{16, 16, ^uint32(0), 4}, // 512 bytes
		{16, 16, 0xff, 1},       // a quarter of the warp
		{16, 8, ^uint32(0), 4},  // half of the warp, two deep, twice
		{128, 16, ^uint32(0), 32},
	} {
		inst := script.Access(workload.Load, workload.Shared, 0, c.stride, c.width, 1)
		inst.Active = c.active
		require.Equal(t, c.cycles, conflicts(&inst, 32), "%+v", c)
	}
}
