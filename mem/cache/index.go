package cache

import (
	"fmt"
	"math/bits"
	"slices"

	"cotenant/protocol"
)

// Index says which set of a cache a line belongs to. The zero value is the
// line number modulo the number of sets.
//
// Only bits 7 to 38 of an address take part: the tenant's bits do not, so that
// a kernel meets the same conflicts whatever number its tenant has.
type Index struct {
	// Function says how the set follows from the line number.
	Function Function
	// Slices is the number of equal caches to which blocks of BlockLines
	// consecutive lines are dealt, one block each in turn or permuted within a
	// turn. A slice counts its own lines only, else it would use a fraction of
	// its sets. 0 or 1: the cache is not sliced and BlockLines has no meaning.
	Slices int
	// BlockLines is the number of consecutive lines dealt to one slice, at
	// least 1 if Slices is above 1.
	BlockLines int
}

// Function is a rule by which a set follows from a line number.
type Function uint8

const (
	// Linear is the line number modulo the number of sets: a stride of a multiple of it stays
	// in one set. GPGPU-Sim 3.2.2 has it in all caches (gpu-cache.h, cache_config::set_index).
	Linear Function = iota
	// Hash XORs the higher parts of the line number into its lower part first, so that such
	// strides spread.
	Hash
	// Fermi is the set of a Fermi L1 of 32 or 64 sets, as measured: bits 7 to 11 of the
	// address, XORed with its bits 13, 14, 15, 17 and 19, and with 64 sets bit 12 above
	// (Nugteren et al., A Detailed GPU Cache Model Based on Reuse Distance Theory, HPCA 2014;
	// in GPGPU-Sim since July 2014, after 3.2.2).
	Fermi
)

// SetIndex names a Function in a configuration: hash, which "" stands for, linear or fermi.
type SetIndex string

// IsZero leaves the default out of JSON, so that a GPU without another function keeps the
// identity of its stored results.
func (s SetIndex) IsZero() bool { return s == "" || s == "hash" }

var functions = []SetIndex{Linear: "linear", Hash: "hash", Fermi: "fermi"}

// ParseFunction reads a cache's parameter set_index; "" is hash. The error names the
// parameter and what it may be with a number of sets.
func ParseFunction(name SetIndex, sets int) (Function, error) {
	f := Function(slices.Index(functions, name))
	switch {
	case name == "":
		return Hash, nil
	case int(f) >= len(functions):
		return Hash, fmt.Errorf("set_index is %q, must be hash, linear or fermi", name)
	case f == Fermi && sets != 32 && sets != 64:
		return f, fmt.Errorf("set_index is fermi, which goes with 32 or 64 sets, not %d", sets)
	}
	return f, nil
}

// indexer is an Index made ready for use: remainders and quotients of 32-bit
// numbers as multiplications with precomputed reciprocals.
type indexer struct {
	sets     divisor
	turn     divisor // lines dealt in one turn to all slices
	block    divisor
	function Function
	fold     uint   // shift of the first XOR step of Hash
	top      uint32 // bit of the line number that Fermi takes as it is: 32 with 64 sets, else 0
	sliced   bool
}

func newIndexer(x Index, sets int) indexer {
	i := indexer{sets: newDivisor(sets), function: x.Function, fold: uint(max(1, bits.Len(uint(sets-1)))), top: uint32(sets-1) & 32}
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
	switch i.function {
	case Hash:
		n ^= n >> i.fold
		n ^= n >> (2 * i.fold)
	case Fermi: // line number: the address without its lowest 7 bits
		return int(n&31 ^ (n>>6&7 | n>>7&8 | n>>8&16) | n&i.top)
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
