package workload

import "math"

// Priority says how long the L2 keeps a line that an access uses (PTX ISA, cache eviction
// priorities; CUDA's access properties). The numbers are as in hardware's policies.
type Priority uint8

// The priorities.
const (
	// Unchanged leaves a line as it is; a line that comes for the access is as with EvictNormal.
	Unchanged Priority = iota
	// EvictFirst: the line makes room first (cudaAccessPropertyStreaming).
	EvictFirst
	// EvictLast: the line stays in the part of the L2 that is set aside for such lines
	// (cudaAccessPropertyPersisting).
	EvictLast
	// EvictNormal: the line makes room by its last use, whatever it was before
	// (cudaAccessPropertyNormal).
	EvictNormal
)

// Eviction deals out two priorities to lines: one to some sixteenths of them, Unchanged or
// EvictFirst to the rest. The zero value leaves all lines Unchanged. Bits 0 to 3 are the
// sixteenths less 1, bit 4 is the priority of the rest, and bits 5 and 6 are the first priority, as in
// bits 52 to 58 of a policy in 64 bits (libcu++ 1.8.1, __access_property).
type Eviction uint8

const (
	sixteenths              = 16
	restShift, hitShift     = 4, 5
	allLines                = sixteenths - 1
	policyShift             = 52
	modeShift               = 59
	interleaved, blocks     = 2, 3
	blockStart, blockCount  = 44, 37
	blockBits, blockNumbers = 12, 1<<7 - 1
)

// NewEviction deals hit to a share of the lines, to the nearest sixteenth, and rest, Unchanged or
// EvictFirst, to all else.
func NewEviction(hit, rest Priority, share float64) Eviction {
	n := int(math.Round(min(max(share, 0), 1) * sixteenths))
	if n == 0 {
		return Eviction(rest<<hitShift) | allLines
	}
	return Eviction(hit<<hitShift|rest&1<<restShift) | Eviction(n-1)
}

// Of is the priority of a line by its address. The lines of a share lie evenly among all.
func (e Eviction) Of(line uint64) Priority {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	if share := uint64(e % sixteenths); share < allLines && line*golden>>60 > share {
		return Priority(e >> restShift & 1)
	}
	return Priority(e >> hitShift & 3)
}

// Policy is what an instruction is told by a policy in 64 bits: an Eviction for all addresses
// or, by blocks of 4 KiB to 32 MiB, either of two priorities.
type Policy uint64

// Policy is an Eviction as instructions are given it.
func (e Eviction) Policy() Policy { return Policy(e)<<policyShift | interleaved<<modeShift }

// NewRange is the policy with a priority for a range of addresses and another, Unchanged or EvictFirst, for
// the rest of a larger range of at most 4 GiB, to whole blocks.
func NewRange(hit, rest Priority, base, bytes, total uint64) Policy {
	size := uint64(0)
	for total > 1<<(blockBits+size+7) && size < 13 {
		size++
	}
	start := base >> (blockBits + size)
	end := (base + bytes + 1<<(blockBits+size) - 1) >> (blockBits + size)
	return Policy(min(end-start, blockNumbers)<<blockCount | (start&blockNumbers)<<blockStart | size<<policyShift |
		uint64(rest&1)<<(policyShift+restShift) | uint64(hit&3)<<(policyShift+hitShift) | blocks<<modeShift)
}

// At is what the policy says to an access to an address and its neighbours.
func (p Policy) At(addr uint64) Eviction {
	e := Eviction(p >> policyShift & 0x7f)
	switch p >> modeShift & 3 {
	case interleaved:
		return e
	case blocks:
		size := uint64(p >> policyShift & 0xf)
		hit, rest := e>>hitShift&3, e>>restShift&1
		if (addr>>(blockBits+size)-uint64(p>>blockStart))&blockNumbers >= uint64(p>>blockCount)&blockNumbers {
			hit = rest
		}
		return hit<<hitShift | allLines
	}
	return 0
}

// Residency is what a launch asks of the L2.
type Residency struct {
	// SetAside is how many bytes of the L2 the application wants set aside for lines with
	// EvictLast (cudaLimitPersistingL2CacheSize).
	SetAside uint64
	// Reset has all lines with EvictLast be as with EvictNormal before the launch starts
	// (cudaCtxResetPersistingL2Cache).
	Reset bool
	Window
}

// Window is a range of addresses and the priorities of its lines. Accesses elsewhere, and
// accesses that say a priority themselves, do not take notice of it.
type Window struct {
	Base, Bytes uint64
	Eviction    Eviction
}

// Of is the priority of an access to an address.
func (w *Window) Of(addr uint64) Priority {
	if addr-w.Base >= w.Bytes {
		return Unchanged
	}
	return w.Eviction.Of(addr)
}
