package cache

import (
	"math/bits"

	"cotenant/protocol"
)

// MSHRs finds Entries by the addresses of their lines, for a cache where a line can miss
// before it has a place.
type MSHRs struct {
	Entries
	addrs []uint64 // of the entries' lines
	// slots is a hash table with linear probing, from line address to entry;
	// it has at least twice as many slots as there are entries.
	slots []int32
	shift uint // from a 64-bit hash to a slot
}

// NewMSHRs returns a table of entries lines, each with room for merge waiting
// requests, the first included; both at least 1.
func NewMSHRs(entries, merge int) *MSHRs {
	m := &MSHRs{
		Entries: *NewEntries(entries, merge),
		addrs:   make([]uint64, entries),
		shift:   uint(64 - bits.Len(uint(2*entries-1))),
	}
	m.slots = make([]int32, 1<<(64-m.shift))
	for i := range m.slots {
		m.slots[i] = None
	}
	return m
}

// slot is where a line address belongs in the hash table. The multiplier is
// 2^64 divided by the golden ratio, made odd.
func (m *MSHRs) slot(addr uint64) int {
	return int(addr / protocol.LineBytes * 0x9E3779B97F4A7C15 >> m.shift)
}

// find returns the slot that holds a line address, or the empty slot where it
// would be put.
func (m *MSHRs) find(addr uint64) int {
	s := m.slot(addr)
	for m.slots[s] != None && m.addrs[m.slots[s]] != addr {
		s = (s + 1) & (len(m.slots) - 1)
	}
	return s
}

// Lookup returns the entry of a line, None if it has none.
func (m *MSHRs) Lookup(addr uint64) int { return int(m.slots[m.find(addr)]) }

// Allocate takes a free entry, which there must be, for a line that has none;
// line is the owner's own and comes back from Line.
func (m *MSHRs) Allocate(addr uint64, line int) int {
	i := m.Entries.Allocate(line)
	m.addrs[i] = addr
	m.slots[m.find(addr)] = int32(i)
	return i
}

// Free gives an entry back if nothing waits in it and nothing is missing, and
// reports whether it did.
func (m *MSHRs) Free(entry int) bool {
	if !m.Entries.Free(entry) {
		return false
	}
	m.remove(m.find(m.addrs[entry]))
	return true
}

// remove empties a slot and moves later slots of the same run up, so that no
// search stops short.
func (m *MSHRs) remove(hole int) {
	mask := len(m.slots) - 1
	for s := (hole + 1) & mask; m.slots[s] != None; s = (s + 1) & mask {
		home := m.slot(m.addrs[m.slots[s]])
		if (s-home)&mask >= (s-hole)&mask {
			m.slots[hole] = m.slots[s]
			hole = s
		}
	}
	m.slots[hole] = None
}
