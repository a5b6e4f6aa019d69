package cache

import (
	"math/bits"

	"cotenant/protocol"
)

// MSHRs is a table of outstanding misses, one entry per line, to which later
// requests for the line are merged. An entry holds the requests that wait, as
// the owner's tokens, in order of arrival; they leave it in that order, each
// once the sectors that it needs have arrived.
type MSHRs struct {
	entries []entry
	nodes   []node
	// freeEntry and freeNode head the lists of what is not in use.
	freeEntry, freeNode int32
	merge               uint32
	used                int
	// slots is a hash table with linear probing, from line address to entry;
	// it has at least twice as many slots as there are entries.
	slots []int32
	shift uint // from a 64-bit hash to a slot
}

// entry is one line's outstanding misses.
type entry struct {
	addr       uint64
	line       int32
	head, tail int32 // nodes; next is the free list's link while not in use
	next       int32
	waiting    uint32 // requests in the list
	sectors    uint8  // that the waiting requests touch, or did
	missing    uint8  // asked for below and not arrived
}

// node is one waiting request.
type node struct {
	token   uint32
	next    int32
	sectors uint8
}

// NewMSHRs returns a table of entries lines, each with room for merge waiting
// requests, the first included; both at least 1.
func NewMSHRs(entries, merge int) *MSHRs {
	m := &MSHRs{
		entries: make([]entry, entries),
		nodes:   make([]node, entries*merge),
		merge:   uint32(merge),
		shift:   uint(64 - bits.Len(uint(2*entries-1))),
	}
	m.slots = make([]int32, 1<<(64-m.shift))
	for i := range m.slots {
		m.slots[i] = None
	}
	for i := range m.entries {
		m.entries[i].next = int32(i) + 1
	}
	m.entries[entries-1].next = None
	for i := range m.nodes {
		m.nodes[i].next = int32(i) + 1
	}
	return m
}

// Len is the number of entries in use.
func (m *MSHRs) Len() int { return m.used }

// Full reports whether no entry is free.
func (m *MSHRs) Full() bool { return m.freeEntry == None }

// slot is where a line address belongs in the hash table. The multiplier is
// 2^64 divided by the golden ratio, made odd.
func (m *MSHRs) slot(addr uint64) int {
	return int(addr / protocol.LineBytes * 0x9E3779B97F4A7C15 >> m.shift)
}

// find returns the slot that holds a line address, or the empty slot where it
// would be put.
func (m *MSHRs) find(addr uint64) int {
	s := m.slot(addr)
	for m.slots[s] != None && m.entries[m.slots[s]].addr != addr {
		s = (s + 1) & (len(m.slots) - 1)
	}
	return s
}

// Lookup returns the entry of a line, None if it has none.
func (m *MSHRs) Lookup(addr uint64) int { return int(m.slots[m.find(addr)]) }

// Allocate takes a free entry, which there must be, for a line that has none;
// line is the owner's own and comes back from Line.
func (m *MSHRs) Allocate(addr uint64, line int) int {
	i := m.freeEntry
	e := &m.entries[i]
	m.freeEntry = e.next
	*e = entry{addr: addr, line: int32(line)}
	m.slots[m.find(addr)] = i
	m.used++
	return int(i)
}

// Line is what Allocate was given.
func (m *MSHRs) Line(entry int) int { return int(m.entries[entry].line) }

// Sectors is the mask of sectors that requests waiting in an entry touch. A
// request for one of them has to wait behind them, even if the sector is valid
// meanwhile, to be performed in order.
func (m *MSHRs) Sectors(entry int) uint8 { return m.entries[entry].sectors }

// Missing is the mask of sectors asked for below that have not arrived.
func (m *MSHRs) Missing(entry int) uint8 { return m.entries[entry].missing }

// MergeFull reports whether an entry holds as many requests as it may.
func (m *MSHRs) MergeFull(entry int) bool { return m.entries[entry].waiting == m.merge }

// Wait appends a request that touches sectors to an entry that is not
// MergeFull, and notes that fetch is asked for below on its behalf. The request
// is ready once no sector that it touches is missing.
func (m *MSHRs) Wait(entry int, sectors, fetch uint8, token uint32) {
	e := &m.entries[entry]
	i := m.freeNode
	n := &m.nodes[i]
	m.freeNode = n.next
	*n = node{token: token, next: None, sectors: sectors}
	if e.waiting == 0 {
		e.head = i
	} else {
		m.nodes[e.tail].next = i
	}
	e.tail = i
	e.waiting++
	e.sectors |= sectors
	e.missing |= fetch
}

// Arrive notes that sectors of an entry's line have come from below.
func (m *MSHRs) Arrive(entry int, sectors uint8) { m.entries[entry].missing &^= sectors }

// Ready reports whether an entry's oldest request can go on: whether there is
// one, and no sector that it touches is missing.
func (m *MSHRs) Ready(entry int) bool {
	e := &m.entries[entry]
	return e.waiting != 0 && m.nodes[e.head].sectors&e.missing == 0
}

// Next removes the oldest request of an entry and returns its token, if the
// entry is Ready.
func (m *MSHRs) Next(entry int) (token uint32, ok bool) {
	if !m.Ready(entry) {
		return 0, false
	}
	e := &m.entries[entry]
	i := e.head
	n := &m.nodes[i]
	e.head = n.next
	e.waiting--
	n.next = m.freeNode
	m.freeNode = i
	return n.token, true
}

// Free gives an entry back if nothing waits in it and nothing is missing, and
// reports whether it did.
func (m *MSHRs) Free(entry int) bool {
	e := &m.entries[entry]
	if e.waiting != 0 || e.missing != 0 {
		return false
	}
	m.remove(m.find(e.addr))
	e.next = m.freeEntry
	m.freeEntry = int32(entry)
	m.used--
	return true
}

// remove empties a slot and moves later slots of the same run up, so that no
// search stops short.
func (m *MSHRs) remove(hole int) {
	mask := len(m.slots) - 1
	for s := (hole + 1) & mask; m.slots[s] != None; s = (s + 1) & mask {
		home := m.slot(m.entries[m.slots[s]].addr)
		if (s-home)&mask >= (s-hole)&mask {
			m.slots[hole] = m.slots[s]
			hole = s
		}
	}
	m.slots[hole] = None
}
