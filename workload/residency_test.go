package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The policies that NVIDIA's libraries write as numbers: libcu++ 1.8.1, __access_property, and
// CUTLASS, CacheHintSm90.
func TestPoliciesAreHardwares(t *testing.T) {
	assert.Equal(t, Policy(0x12F0000000000000), NewEviction(EvictFirst, Unchanged, 1).Policy())
	assert.Equal(t, Policy(0x14F0000000000000), NewEviction(EvictLast, Unchanged, 1).Policy())
	assert.Equal(t, Policy(0x16F0000000000000), NewEviction(EvictNormal, Unchanged, 1).Policy())
	assert.Equal(t, EvictLast, Policy(0x14F0000000000000).At(0).Of(4096))
	assert.Equal(t, Unchanged, Policy(0x1000000000000000).At(0).Of(4096), "CUTLASS's EVICT_NORMAL")
	// libcu++ asserts 0xF318102000000001 for block size 1, start 1, count 1, first in and out of them, with four more bits
	// that say nothing about priorities.
	p := Policy(0xF318102000000001)
	assert.Equal(t, EvictFirst, p.At(8<<10).Of(0))
	assert.Equal(t, EvictFirst, p.At(0).Of(0))
}

// sharesOf counts the priorities of 1,600 lines in a row.
func sharesOf(e Eviction) (n [4]int) {
	for i := range uint64(1600) {
		n[e.Of(1<<32+i*128)]++
	}
	return n
}

func TestEvictionDealsPrioritiesByShare(t *testing.T) {
	for _, share := range []float64{0.25, 0.5, 0.75} {
		n := sharesOf(NewEviction(EvictLast, EvictFirst, share))
		assert.InDelta(t, 1600*share, n[EvictLast], 16)
		assert.Equal(t, 1600, n[EvictLast]+n[EvictFirst])
	}
	assert.Equal(t, 1600, sharesOf(NewEviction(EvictLast, EvictFirst, 1))[EvictLast])
	assert.Equal(t, 1600, sharesOf(NewEviction(EvictLast, EvictFirst, 0.01))[EvictFirst], "less than half a sixteenth is none")
	assert.Equal(t, 1600, sharesOf(0)[Unchanged])
}

func TestRangeIsOfWholeBlocks(t *testing.T) {
	const base, mega = 0x7f4000000000, 1 << 20
	p := NewRange(EvictLast, EvictFirst, base, mega, 8*mega) // blocks of 64 KiB
	for addr, want := range map[uint64]Priority{base: EvictLast, base + mega - 1: EvictLast, base + mega: EvictFirst, base + 7*mega: EvictFirst,
		base - 1: EvictFirst, base + 8*mega: EvictLast} {
		assert.Equal(t, want, p.At(addr).Of(addr), "%#x; behind 128 blocks the range comes again", addr)
	}
	assert.Equal(t, Unchanged, NewRange(EvictLast, Unchanged, base, mega, 8*mega).At(base+mega).Of(0))
}

func TestWindowHoldsItsAddresses(t *testing.T) {
	w := Window{Base: 1 << 20, Bytes: 1 << 10, Eviction: NewEviction(EvictLast, EvictFirst, 1)}
	assert.Equal(t, Unchanged, w.Of(1<<20-128))
	assert.Equal(t, EvictLast, w.Of(1<<20))
	assert.Equal(t, EvictLast, w.Of(1<<20+1<<10-128))
	assert.Equal(t, Unchanged, w.Of(1<<20+1<<10))
}
