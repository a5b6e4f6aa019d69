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
	for _, x := range []Index{{}, {Hash: true}, {Hash: true, Slices: 6, BlockLines: 2}} {
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
		{Slices: 16, BlockLines: 2, Hash: true},
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
	for set, count := range setsUsed(newIndexer(Index{Hash: true}, sets), sets, stride) {
		assert.Equal(t, 1, count, "set %d", set)
	}
}
