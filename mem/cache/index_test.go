package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"cotenant/protocol"
	"cotenant/tenant"
)

func TestDivisorAgreesWithTheMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1<<20).Draw(t, "n")
		x := rapid.Uint32().Draw(t, "x")
		d := newDivisor(n)
		assert.Equal(t, x/uint32(n), d.quotient(x))
		assert.Equal(t, x%uint32(n), d.remainder(x))
	})
}

func TestConsecutiveLinesFallInConsecutiveSets(t *testing.T) {
	const sets = 24
	i := newIndexer(Index{}, sets)
	for n := range 100 {
		assert.Equal(t, n%sets, i.set(uint64(n)*protocol.LineBytes))
	}
}

func TestTenantDoesNotChooseTheSet(t *testing.T) {
	for _, x := range []Index{{}, {Function: Hash}, {Function: Hash, Slices: 6, BlockLines: 2}} {
		i := newIndexer(x, 64)
		addr := uint64(0x7f8d_1234_5680)
		assert.Equal(t, i.set(addr), i.set(addr|5<<tenant.AddressShift))
	}
}

// setsUsed counts how many of the lines put each set to use.
func setsUsed(i indexer, sets int, lines func(yield func(n int) bool)) (counts []int) {
	counts = make([]int, sets)
	for n := range lines {
		counts[i.set(uint64(n)*protocol.LineBytes)]++
	}
	return counts
}

func TestSliceSpreadsItsLinesOverAllSets(t *testing.T) {
	const sets = 64
	for _, x := range []Index{
		{Slices: 16, BlockLines: 2},
		{Slices: 6, BlockLines: 1},
		{Slices: 16, BlockLines: 2, Function: Hash},
	} {
		for slice := range x.Slices {
			counts := setsUsed(newIndexer(x, sets), sets, func(yield func(int) bool) {
				for n := range sets * x.Slices {
					if n/x.BlockLines%x.Slices == slice && !yield(n) {
						return
					}
				}
			})
			for set, count := range counts {
				assert.Equal(t, 1, count, "%+v slice %d set %d", x, slice, set)
			}
		}
	}
}

func TestHashSpreadsAStrideOfAllSets(t *testing.T) {
	const sets = 64
	stride := func(yield func(int) bool) {
		for n := range sets {
			if !yield(n * sets) {
				return
			}
		}
	}
	plain := setsUsed(newIndexer(Index{}, sets), sets, stride)
	assert.Equal(t, sets, plain[0])
	for set, count := range setsUsed(newIndexer(Index{Function: Hash}, sets), sets, stride) {
		assert.Equal(t, 1, count, "set %d", set)
	}
}

// The bits are those that Nugteren et al. measured (HPCA 2014): 7 to 11 of the address XOR
// 13, 14, 15, 17, 19; and bit 12 with 64 sets.
func TestFermiTakesTheMeasuredBits(t *testing.T) {
	bit := func(addr uint64, from, to int) int { return int(addr>>from&1) << to }
	rapid.Check(t, func(t *rapid.T) {
		addr := rapid.Uint64Range(0, 1<<39-1).Draw(t, "addr")
		want := int(addr>>7&31) ^ (bit(addr, 13, 0) | bit(addr, 14, 1) | bit(addr, 15, 2) | bit(addr, 17, 3) | bit(addr, 19, 4))
		for sets, want := range map[int]int{32: want, 64: want | bit(addr, 12, 5)} {
			i := newIndexer(Index{Function: Fermi}, sets)
			assert.Equal(t, want, i.set(addr), "%d sets", sets)
		}
	})
}

func TestSetIndexIsReadByName(t *testing.T) {
	for name, want := range map[SetIndex]Function{"": Hash, "hash": Hash, "linear": Linear, "fermi": Fermi} {
		got, err := ParseFunction(name, 64)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := ParseFunction("xor", 64)
	assert.EqualError(t, err, `set_index is "xor", must be hash, linear or fermi`)
	_, err = ParseFunction("fermi", 24)
	assert.EqualError(t, err, "set_index is fermi, which goes with 32 or 64 sets, not 24")
}
