package cache

import (
	"math/bits"

	"cotenant/protocol"
)

// Index says which set of a cache a line belongs to. The zero value is the
// line number modulo the number of sets.
//
// Only bits 7 to 38 of an address take part: the tenant's bits do not, so that
// a kernel meets the same conflicts whatever number its tenant has.
type Index struct {
	// Hash XORs the higher parts of the line number into its lower part first,
	// so that strides of a multiple of the number of sets spread.
	Hash bool
	// Slices is the number of equal caches to which blocks of BlockLines
	// consecutive lines are dealt, one block each in turn or permuted within a
	// turn. A slice counts its own lines only, else it would use a fraction of
	// its sets. 0 or 1: the cache is not sliced and BlockLines has no meaning.
	Slices int
	// BlockLines is the number of consecutive lines dealt to one slice, at
	// least 1 if Slices is above 1.
	BlockLines int
}

// indexer is an Index made ready for use: remainders and quotients of 32-bit
// numbers as multiplications with precomputed reciprocals.
type indexer struct {
	sets  divisor
	turn  divisor // lines dealt in one turn to all slices
	block divisor
	// fold is the shift of the first XOR step, 32 for none.
	fold   uint
	sliced bool
}

func newIndexer(x Index, sets int) indexer {
	i := indexer{sets: newDivisor(sets), fold: 32}
	if x.Hash {
		i.fold = uint(max(1, bits.Len(uint(sets-1))))
	}
	if x.Slices > 1 {
		i.sliced = true
		i.turn = newDivisor(x.Slices * x.BlockLines)
		i.block = newDivisor(x.BlockLines)
	}
	return i
}

// set is the set of a line address.
func (i *indexer) set(addr uint64) int {
	n := uint32(addr / protocol.LineBytes)
	if i.sliced {
		n = i.turn.quotient(n)*i.block.n + i.block.remainder(n)
	}
	if i.fold < 32 {
		n ^= n >> i.fold
		n ^= n >> (2 * i.fold)
	}
	return int(i.sets.remainder(n))
}

// divisor divides 32-bit numbers by a constant n: reciprocal is 2^64/n rounded
// up, exact for every 32-bit dividend (Lemire, Kaser, Kurz, "Faster remainder
// by direct computation", 2019).
type divisor struct {
	n          uint32
	reciprocal uint64 // 0 stands for 2^64 when n is 1
}

func newDivisor(n int) divisor {
	return divisor{n: uint32(n), reciprocal: ^uint64(0)/uint64(n) + 1}
}

func (d *divisor) remainder(x uint32) uint32 {
	hi, _ := bits.Mul64(d.reciprocal*uint64(x), uint64(d.n))
	return uint32(hi)
}

func (d *divisor) quotient(x uint32) uint32 {
	if d.n == 1 {
		return x
	}
	hi, _ := bits.Mul64(d.reciprocal, uint64(x))
	return uint32(hi)
}
