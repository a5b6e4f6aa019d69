package lsu

import (
	"math/bits"

	"cotenant/protocol"
	"cotenant/workload"
)

// bankPasses is the number of cycles that an instruction takes of the banks of
// shared memory.
func (u *Unit) bankPasses(inst *workload.Inst) int {
	spec := &u.spec
	words := max(1, int(inst.Width)/4)
	if spec.SharedFirstWord {
		words = 1
	}
	together := workload.WarpSize / words
	if inst.Class == workload.Atomic || inst.Class == workload.Reduction {
		return conflicts(inst, words, together, spec.SharedBanks, false) * spec.SharedAtomicInterval
	}
	if spec.SharedPairs && words > 1 && inst.Class == workload.Load && paired(inst) {
		together *= 2
	}
	return conflicts(inst, words, together, spec.SharedBanks, true)
}

// texelPasses is the number of cycles that a fetch takes the slowest stage of the texture units: that
// of addresses, of tags, or of data.
func (u *Unit) texelPasses(inst *workload.Inst) int {
	lanes, words := u.spec.TexelsPerCycle, max(1, int(inst.Width)/4)
	cycles := (bits.OnesCount32(inst.Active) + lanes - 1) / lanes
	if u.spec.TextureBanks > 0 {
		cycles = max(cycles, conflicts(inst, words, min(lanes, workload.WarpSize/words), u.spec.TextureBanks, true))
	}
	if u.spec.TextureTags > 0 {
		var of [workload.WarpSize]uint64 // words in place of lines, each in the bank of its tag
		eachLane(inst, func(lane int, addr uint64) {
			line := addr / protocol.LineBytes
			of[lane] = 4 * (uint64(u.spec.TextureTags)*line + tagMemory(line))
		})
		cycles = max(cycles, conflicts(&workload.Inst{Active: inst.Active, Lanes: &of}, 1, lanes, u.spec.TextureTags, true))
	}
	return cycles
}

// tagMemory is the number of the memory of four that holds a line's tag (US patent 9,348,762, claims 1, 3 and 4):
// the lowest two bits of the line, to which the parity of higher bits of the address with even numbers is added as
// the upper bit of two, and that of bits with odd numbers as the lower.
func tagMemory(line uint64) uint64 {
	const odd, even = 0x5555555555555554, 0xaaaaaaaaaaaaaaa8 // bit 0 of a line is bit 7 of its address
	parity := func(v uint64) uint64 { return uint64(bits.OnesCount64(v) & 1) }
	return (line + parity(line&even)<<1 + parity(line&odd)) % 4
}

// paired reports whether lanes n and n^1 have the same address for every n, or lanes n and n^2,
// as far as they are active.
func paired(inst *workload.Inst) bool {
	if inst.Lanes == nil && inst.Stride == 0 {
		return true
	}
	var of [workload.WarpSize]uint64
	eachLane(inst, func(lane int, addr uint64) { of[lane] = addr })
	apart := [3]bool{} // by distance
	for lane := range of {
		for distance := 1; distance <= 2; distance++ {
			other := lane ^ distance
			if inst.Active>>lane&(inst.Active>>other)&1 != 0 && of[lane] != of[other] {
				apart[distance] = true
			}
		}
	}
	return !apart[1] || !apart[2]
}

// conflicts is the largest number of accesses that an instruction makes to one bank of shared
// memory, or of textures. Each lane accesses a number of words from its address on. Lanes that share a
// word make one access if it is broadcast to them, as by loads and stores, and else one
// each. So many lanes are served together: a whole warp, where each accesses a word.
func conflicts(inst *workload.Inst, words, together, banks int, broadcast bool) int {
	wide := uint64(words)
	if inst.Lanes == nil && broadcast {
		// Most accesses are of the same words by all lanes, or of no word by two.
		if inst.Stride == 0 && wide <= uint64(banks) {
			return groups(inst.Active, together)
		}
		step := uint64(max(inst.Stride, -inst.Stride))
		broadcast = step < 4*wide
		if wide == 1 && together == workload.WarpSize && step%4 == 0 && !broadcast && contiguous(inst.Active) && inOrder(inst) {
			return evenly(bits.OnesCount32(inst.Active), int(step/4), banks)
		}
	}
	unit := uint64(4) // bytes that one access of a bank serves
	if wide > 1 && banks%words == 0 && inst.Lanes != nil && aligned(inst, 4*wide-1) {
		// Lanes access the same words, in the same banks, or none in common.
		unit, banks, wide = 4*wide, banks/words, 1
	}
	var known [workload.WarpSize]uint64
	var bank, depth [workload.WarpSize]uint8
	cycles, n, group := 0, 0, 0
	deepest := uint8(0)
	eachLane(inst, func(lane int, addr uint64) {
		if g := lane / together; g != group {
			group = g
			cycles += int(deepest)
			n, deepest = 0, 0
			depth = [workload.WarpSize]uint8{}
		}
	next:
		for word := addr / unit; word < addr/unit+wide; word++ {
			b := uint8(word % uint64(banks))
			if broadcast {
				for i := range known[:n] {
					if bank[i] == b && known[i] == word {
						continue next
					}
				}
				known[n], bank[n] = word, b
				n++
			}
			depth[b]++
			deepest = max(deepest, depth[b])
		}
	})
	return cycles + int(deepest)
}

// aligned reports whether the addresses of all active lanes have none of the low bits of a
// mask.
func aligned(inst *workload.Inst, low uint64) bool {
	bits := uint64(0)
	for mask, lane := inst.Active, 0; mask != 0; mask, lane = mask>>1, lane+1 {
		bits |= inst.Lanes[lane&(workload.WarpSize-1)] & -uint64(mask&1)
	}
	return bits&low == 0
}

// evenly is the largest number of accesses to one bank by lanes at a distance of step
// words: every period-th lane meets the same bank.
func evenly(lanes, step, banks int) int {
	a, b := step, banks
	for b != 0 {
		a, b = b, a%b
	}
	period := banks / a
	return (lanes + period - 1) / period
}

// groups is the number of groups of neighbouring lanes in which one is active.
func groups(active uint32, lanes int) (n int) {
	for ; active != 0; active >>= lanes {
		if active<<(workload.WarpSize-lanes) != 0 {
			n++
		}
	}
	return n
}

// constants is the number of different words that the lanes of a load from
// constant memory begin at: the constant cache reads them one after another, and gives
// what it reads to all lanes that want it.
func constants(inst *workload.Inst) int {
	if inst.Lanes == nil && inst.Stride == 0 {
		return 1
	}
	var words [workload.WarpSize]uint64
	n := 0
	eachLane(inst, func(_ int, addr uint64) {
		word := addr / 4
		for _, other := range words[:n] {
			if other == word {
				return
			}
		}
		words[n] = word
		n++
	})
	return n
}
