package lsu

import (
	"math/bits"
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wordsOf is the number of words that each lane of an instruction accesses.
func wordsOf(inst *workload.Inst) int { return max(1, int(inst.Width)/4) }

// naiveConflicts counts the words of each bank, for the lanes that the banks
// serve together: all 32 words wide, half or a quarter of them if each lane
// accesses two or four words. A word of several lanes counts once if they share
// it, and else for each.
func naiveConflicts(inst workload.Inst, wide, banks int, shared bool) int {
	together := workload.WarpSize / wide
	first := bits.TrailingZeros32(inst.Active)
	cycles := 0
	for start := 0; start < workload.WarpSize; start += together {
		words := map[int]map[[2]uint64]bool{}
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
					words[bank] = map[[2]uint64]bool{}
				}
				owner := uint64(lane)
				if shared {
					owner = 0
				}
				words[bank][[2]uint64{word, owner}] = true
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
			rows := rapid.Bool().Draw(t, "rows")
			for i := range inst.Lanes {
				inst.Lanes[i] %= 1 << 14
				if rows {
					inst.Lanes[i] &^= uint64(inst.Width) - 1
				}
			}
		}
		banks := rapid.SampledFrom([]int{32, 16, 24, 1}).Draw(t, "banks")
		for _, shared := range []bool{true, false} {
			for _, words := range []int{wordsOf(&inst), 1} {
				require.Equal(t, naiveConflicts(inst, words, banks, shared), conflicts(&inst, words, workload.WarpSize/words, banks, shared))
			}
		}
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
		require.Equal(t, c.cycles, conflicts(&inst, wordsOf(&inst), workload.WarpSize/wordsOf(&inst), 32, true), "%+v", c)
	}
}

func TestFirstWordsAloneConflictIfToldSo(t *testing.T) {
	for _, c := range []struct {
		class      workload.Class
		stride     int32
		width      uint8
		every, one int // cycles, by all words and by the first of each lane
	}{
		{workload.Load, 0, 16, 4, 1}, // all lanes want one vector
		{workload.Load, 0, 4, 1, 1},
		{workload.Load, 8, 8, 2, 2}, // the first words lie in every second bank
		{workload.Load, 4, 8, 2, 1}, // overlapping
		{workload.Store, 132, 16, 16, 1},
		{workload.Atomic, 0, 8, 3 * 32, 3 * 32},
		{workload.Atomic, 132, 8, 3 * 4, 3},
	} {
		inst := script.Access(c.class, workload.Shared, 0, c.stride, c.width, 1)
		for first, want := range map[bool]int{false: c.every, true: c.one} {
			b := newBench(t)
			b.spec.SharedFirstWord = first
			require.Equal(t, want, b.bankPasses(&inst), "%+v", c)
		}
	}
}

// With shared_pairs LDS.128 needs two requests for four, as the source says, if lanes n and n^1 or
// n and n^2 have the same address.
func TestPairsOfLanesAreServedTogether(t *testing.T) {
	by := func(addr func(lane int) int) *[workload.WarpSize]uint64 {
		list := new([workload.WarpSize]uint64)
		for i := range list {
			list[i] = uint64(addr(i))
		}
		return list
	}
	for _, c := range []struct {
		name         string
		class        workload.Class
		stride       int32
		lanes        *[workload.WarpSize]uint64
		active       uint32
		width        uint8
		apart, pairs int // cycles
	}{
		{"one vector of four", workload.Load, 0, nil, ^uint32(0), 16, 4, 2},
		{"one vector of two", workload.Load, 0, nil, ^uint32(0), 8, 2, 1},
		{"one word", workload.Load, 0, nil, ^uint32(0), 4, 1, 1},
		{"neighbours", workload.Load, 0, by(func(n int) int { return n / 2 * 16 }), ^uint32(0), 16, 4, 2},
		{"every other", workload.Load, 0, by(func(n int) int { return (n&1 + n/4*2) * 16 }), ^uint32(0), 16, 4, 2},
		{"fours", workload.Load, 0, by(func(n int) int { return n / 4 * 16 }), ^uint32(0), 16, 4, 2},
		{"two distances", workload.Load, 0, by(func(n int) int { return []int{0, 0, 1, 2}[n%4] * 16 }), ^uint32(0), 16, 4, 4},
		{"lanes of their own", workload.Load, 16, nil, ^uint32(0), 16, 4, 4},
		{"one of each pair", workload.Load, 0, by(func(n int) int { return n / 2 * 16 }), 0x55555555, 16, 4, 2},
		{"partners that are not active", workload.Load, 0, by(func(n int) int { return (n/4*2 + n%2) * 16 }), 0x33333333, 16, 4, 2},
		{"three of each eight", workload.Load, 0, by(func(n int) int { return (n/8*3 + n%8) * 16 }), 0x07070000, 16, 2, 2},
		{"neighbours that conflict", workload.Load, 0, by(func(n int) int { return n / 2 * 128 }), ^uint32(0), 16, 16, 16},
		{"a store", workload.Store, 0, nil, ^uint32(0), 16, 4, 4},
		{"an atomic", workload.Atomic, 0, nil, ^uint32(0), 8, 3 * 32, 3 * 32},
	} {
		inst := script.Access(c.class, workload.Shared, 0, c.stride, c.width, 1)
		inst.Lanes, inst.Active = c.lanes, c.active
		for pairs, want := range map[bool]int{false: c.apart, true: c.pairs} {
			b := newBench(t)
			b.spec.SharedPairs = pairs
			require.Equal(t, want, b.bankPasses(&inst), "%s, pairs %t", c.name, pairs)
		}
	}
}

func TestAtomicsMoveOneLanePerBankAndCycle(t *testing.T) {
	for _, c := range []struct {
		stride int32
		width  uint8
		active uint32
		cycles int
	}{
		{4, 4, ^uint32(0), 1},
		{0, 4, ^uint32(0), 32},
		{0, 4, 0xff, 8},
		{0, 4, 1, 1},
		{128, 4, ^uint32(0), 32}, // words of one bank
		{8, 4, ^uint32(0), 2},
		{8, 8, ^uint32(0), 2},
		{0, 8, ^uint32(0), 32},
	} {
		inst := script.Access(workload.Atomic, workload.Shared, 0, c.stride, c.width, 1)
		inst.Active = c.active
		require.Equal(t, c.cycles, conflicts(&inst, wordsOf(&inst), workload.WarpSize/wordsOf(&inst), 32, false), "%+v", c)
	}
}

func TestConstantCacheReadsOneWordACycle(t *testing.T) {
	lanes := func(addr func(lane int) uint64) *[workload.WarpSize]uint64 {
		list := new([workload.WarpSize]uint64)
		for i := range list {
			list[i] = addr(i)
		}
		return list
	}
	for _, c := range []struct {
		name   string
		stride int32
		lanes  *[workload.WarpSize]uint64
		active uint32
		cycles int
	}{
		{"one word", 0, nil, ^uint32(0), 1},
		{"a word each", 4, nil, ^uint32(0), 32},
		{"a word each of some", 4, nil, 0xf0f, 8},
		{"upwards and downwards", -4, nil, 3, 2},
		{"four bytes of a word", 1, nil, ^uint32(0), 8},
		{"one word by lists", 0, lanes(func(int) uint64 { return 64 }), ^uint32(0), 1},
		{"three words", 0, lanes(func(i int) uint64 { return uint64(i % 3 * 128) }), ^uint32(0), 3},
		{"three words, of which two are wanted", 0, lanes(func(i int) uint64 { return uint64(i % 3 * 128) }), 0x1b, 2},
	} {
		inst := script.Access(workload.Constant, workload.Constants, 1024, c.stride, 4, 1)
		inst.Lanes, inst.Active = c.lanes, c.active
		require.Equal(t, c.cycles, constants(&inst), c.name)
	}
}
