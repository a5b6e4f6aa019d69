package lsu

import (
	"math/bits"

	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/workload"
)

// maxAccesses bounds the lines of one warp instruction: for each lane one or, unaligned,
// two; in local memory one for each word, and 16 unaligned bytes touch five.
const maxAccesses = 5 * workload.WarpSize

// eachLane calls visit with each active lane's number and address.
func eachLane(inst *workload.Inst, visit func(lane int, addr uint64)) {
	first := bits.TrailingZeros32(inst.Active)
	for mask := inst.Active; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		if inst.Lanes != nil {
			visit(lane, inst.Lanes[lane])
		} else {
			visit(lane, inst.Base+uint64(int64(inst.Stride)*int64(lane-first)))
		}
	}
}

// coalesce lists the lines that an instruction touches, in the order of its
// lanes, and returns their number, at least one. Global addresses are taken
// modulo localRegion, so that none leaves its tenant's memory.
func coalesce(inst *workload.Inst, list *[maxAccesses]l1.Access, tenant uint64, local *localMap) int {
	width := uint64(inst.Width)
	n := 0
	if inst.Lanes == nil && inst.Space != workload.Local && uint64(inst.Stride) == width && contiguous(inst.Active) {
		// One run of bytes: the common case.
		base := inst.Base % localRegion
		end := base + width*uint64(bits.OnesCount32(inst.Active))
		before := uint64(0) // lanes in earlier lines
		for at := base; at < end; {
			stop := min(end, at&^(protocol.LineBytes-1)+protocol.LineBytes)
			lanes := (stop - base + width - 1) / width
			a := &list[n]
			n++
			*a = l1.Access{Line: tenant | at%localRegion&^(protocol.LineBytes-1), Lanes: uint8(lanes - before)}
			before = lanes
			cover(a, at, stop-at)
			at = stop
		}
		return n
	}
	if inst.Lanes == nil && inst.Space != workload.Local && inst.Stride == 0 && inst.Active != 0 {
		// All lanes access the bytes of the first.
		n = addBytes(list, 0, 0, tenant, inst.Base%localRegion, width)
		list[0].Lanes = uint8(bits.OnesCount32(inst.Active))
		return n
	}
	// Lanes that lie in order meet only the lines that were listed last.
	reach := maxAccesses
	if inst.Lanes == nil && inst.Space != workload.Local && inOrder(inst) {
		reach = 4 // two lines of each of two neighbours
	}
	eachLane(inst, func(lane int, addr uint64) {
		if inst.Space != workload.Local {
			n = addBytes(list, n, reach, tenant, addr%localRegion, width)
			return
		}
		for end := addr + width; addr != end; {
			part := min(end-addr, 4-addr%4)
			n = addBytes(list, n, reach, tenant, local.address(lane, addr), part)
			addr += part
		}
	})
	return n
}

// inOrder reports whether the addresses of evenly spaced lanes rise, or fall,
// without passing an end of the memory.
func inOrder(inst *workload.Inst) bool {
	base, span := inst.Base, int64(inst.Stride)*(workload.WarpSize-1)
	if span < 0 {
		return base >= uint64(-span)
	}
	return base+uint64(span)+uint64(inst.Width) <= localRegion
}

// addBytes adds the bytes that one lane accesses to a list of n lines. They can touch
// the last reach lines of the list.
func addBytes(list *[maxAccesses]l1.Access, n, reach int, tenant, addr, bytes uint64) int {
	for counted := false; bytes > 0; counted = true {
		part := min(bytes, protocol.LineBytes-addr%protocol.LineBytes)
		line := tenant | addr&^(protocol.LineBytes-1)
		i, end := n-1, max(0, n-reach)
		for i >= end && list[i].Line != line {
			i--
		}
		if i < end {
			i = n
			n++
			list[i] = l1.Access{Line: line}
		}
		if !counted {
			list[i].Lanes++
		}
		cover(&list[i], addr, part)
		addr += part
		bytes -= part
	}
	return n
}

// split makes an access of each sector of n lines, and returns their number. It
// fits: a lane reaches two sectors, or in local memory one with each word.
func split(list *[maxAccesses]l1.Access, n int) int {
	total := 0
	for i := range list[:n] {
		total += protocol.SectorCount(list[i].Sectors)
	}
	to := total
	for i := n - 1; i >= 0; i-- {
		a := list[i]
		for s := protocol.SectorsPerLine - 1; s >= 0; s-- {
			if a.Sectors>>s&1 == 0 {
				continue
			}
			to--
			list[to] = l1.Access{Line: a.Line, Sectors: 1 << s, Lanes: a.Lanes}
			list[to].Written[s/2] = a.Written[s/2] & ((1<<protocol.SectorBytes - 1) << (s % 2 * protocol.SectorBytes))
		}
	}
	return total
}

func contiguous(mask uint32) bool {
	run := mask >> bits.TrailingZeros32(mask)
	return run&(run+1) == 0
}

// cover marks bytes from addr on, all of one line.
func cover(a *l1.Access, addr, bytes uint64) {
	from := addr % protocol.LineBytes
	for s := from / protocol.SectorBytes; s <= (from+bytes-1)/protocol.SectorBytes; s++ {
		a.Sectors |= 1 << s
	}
	for from, left := from, bytes; left > 0; {
		word := from / 64
		part := min(left, 64-from%64)
		a.Written[word] |= (^uint64(0) >> (64 - part)) << (from % 64)
		from += part
		left -= part
	}
}

// localMap places a warp's local memory: the same word of all lanes is one
// line, so that a warp which accesses one variable touches one line.
type localMap struct{ base uint64 }

const (
	// localRegion is the address bit that tells local memory from global.
	localRegion = uint64(1) << 55
	// localBytes is the window of local memory that one thread addresses.
	localBytes = 1 << 20
)

func (m *localMap) address(lane int, addr uint64) uint64 {
	word := addr % localBytes / 4
	return m.base + word*protocol.LineBytes + uint64(lane)*4 + addr%4
}
