// Package cache holds the two structures that every cache of the GPU is made
// of: the tag array (Tags) and the table of outstanding misses (Entries, and
// MSHRs, which find them by address). Both are passive: the cache that owns
// them decides the time of each look-up and the effects of a hit, a write or a fill.
//
// A miss takes a line by Reserve, pins it, and holds one entry; when the entry
// is freed the line is unpinned. A line is therefore pinned exactly while it has
// an entry, and a cache looks for an entry only if the line is pinned.
package cache

import "cotenant/tenant"

// None is the line or entry that does not exist.
const None = -1

// noTag is no line's address: those are multiples of protocol.LineBytes.
const noTag = ^uint64(0)

// Tags is a set-associative, sectored tag array with exact LRU replacement, among
// lines of one priority if accesses have some (Prefer). A
// line is known by its position in the array, set*ways + way, which stays the
// same while the line is pinned, and otherwise until the next Reserve, Drop or
// InvalidateTenant.
type Tags struct {
	index  indexer
	ways   int      // positions of a set
	usable int      // ways that lines may take, the first of each set
	tags   []uint64 // line address, noTag if the position is empty
	// used orders the positions by their ranks and their last use, 0 if empty, so that empty
	// positions are taken first; with pinnedBit for a pinned line.
	used  []uint64
	lines []lineState
	clock uint64 // grows by one with every use
	aside int    // ways for lines with workload.EvictLast
	held  [tenant.Max]int
}

// lineState is the state of one position.
type lineState struct {
	valid   uint8 // sectors with all their bytes here
	dirty   uint8 // sectors newer than the level below, valid or not
	account tenant.Account
}

// pinnedBit is above every use.
const pinnedBit = 1 << 63

// Victim is the line that Reserve displaced.
type Victim struct {
	Addr    uint64         // line address; meaningful if Dirty is not 0
	Dirty   uint8          // sectors to write back
	Account tenant.Account // owner
}

// NewTags returns an empty array of sets x ways lines, both at least 1; sets
// need not be a power of two.
func NewTags(sets, ways int, index Index) *Tags {
	t := &Tags{
		index:  newIndexer(index, sets),
		ways:   ways,
		usable: ways,
		tags:   make([]uint64, sets*ways),
		used:   make([]uint64, sets*ways),
		lines:  make([]lineState, sets*ways),
	}
	for i := range t.tags {
		t.tags[i] = noTag
	}
	return t
}

// Resize lets lines take the first ways of each set, at most as many as the array has, and
// drops the lines in the others, dirty or not. No line may be pinned.
func (t *Tags) Resize(ways int) {
	for first := 0; first < len(t.tags); first += t.ways {
		for i := first + ways; i < first+t.usable; i++ {
			if t.used[i] != 0 {
				t.Drop(i)
			}
		}
	}
	t.usable = ways
}

// Probe looks for a line, without counting as a use of it: line is its
// position, None if it is absent, and hit the part of sectors that is valid.
func (t *Tags) Probe(addr uint64, sectors uint8) (line int, hit uint8) {
	first := t.index.set(addr) * t.ways
	for way, tag := range t.tags[first : first+t.usable] {
		if tag == addr {
			line = first + way
			return line, t.lines[line].valid & sectors
		}
	}
	return None, 0
}

// Touch makes a line the most recently used of its set.
func (t *Tags) Touch(line int) {
	t.clock++
	t.used[line] = t.clock | t.used[line]&(pinnedBit|rankBits)
}

// Reserve gives an account a line for addr, which must be absent, in place of the
// least recently used line of the lowest priority that is not pinned. The new line has no valid
// sector and counts as used. It fails, changing nothing, if all lines of the
// set are pinned.
func (t *Tags) Reserve(addr uint64, owner tenant.Account) (line int, victim Victim, ok bool) {
	first := t.index.set(addr) * t.ways
	line, oldest := first, uint64(pinnedBit)
	for way, used := range t.used[first : first+t.usable] {
		if used < oldest {
			line, oldest = first+way, used
		}
	}
	if oldest == pinnedBit {
		return None, Victim{}, false
	}
	return line, t.take(line, addr, owner), true
}

// take gives a line that is not pinned to an account, for another address.
func (t *Tags) take(line int, addr uint64, owner tenant.Account) (victim Victim) {
	l := &t.lines[line]
	if t.used[line] != 0 {
		victim = Victim{Addr: t.tags[line], Dirty: l.dirty, Account: l.account}
		t.held[l.account.Tenant()]--
	}
	t.held[owner.Tenant()]++
	t.clock++
	t.tags[line] = addr
	t.used[line] = t.clock | normal
	*l = lineState{account: owner}
	return victim
}

// Pin keeps a line from being displaced.
func (t *Tags) Pin(line int) { t.used[line] |= pinnedBit }

// Unpin lets a line be displaced again.
func (t *Tags) Unpin(line int) { t.used[line] &^= pinnedBit }

// Pinned reports whether a line is pinned.
func (t *Tags) Pinned(line int) bool { return t.used[line]&pinnedBit != 0 }

// Fill makes sectors of a line valid: all their bytes have arrived, or have
// been written.
func (t *Tags) Fill(line int, sectors uint8) { t.lines[line].valid |= sectors }

// Invalidate makes sectors of a line invalid.
func (t *Tags) Invalidate(line int, sectors uint8) { t.lines[line].valid &^= sectors }

// MarkDirty notes that sectors of a line hold bytes that the level below does
// not have. A sector that was written in part need not be valid.
func (t *Tags) MarkDirty(line int, sectors uint8) { t.lines[line].dirty |= sectors }

// Dirty reports whether a line has a dirty sector.
func (t *Tags) Dirty(line int) bool { return t.lines[line].dirty != 0 }

// Clean makes the least recently used dirty line of a line's set clean, if more than limit
// lines of the set are dirty, and returns what to write back. Neither the line itself nor a
// pinned one is cleaned.
func (t *Tags) Clean(line, limit int) (cleaned Victim, ok bool) {
	first := line - line%t.ways
	dirty, oldest, at := 0, uint64(pinnedBit), None
	for i := first; i < first+t.usable; i++ {
		if t.lines[i].dirty == 0 {
			continue
		}
		dirty++
		if i != line && t.used[i] < oldest {
			oldest, at = t.used[i], i
		}
	}
	if dirty <= limit || at == None {
		return Victim{}, false
	}
	l := &t.lines[at]
	cleaned = Victim{Addr: t.tags[at], Dirty: l.dirty, Account: l.account}
	l.dirty = 0
	return cleaned, true
}

// Drop empties a line that is not pinned. Its dirty sectors are lost.
func (t *Tags) Drop(line int) {
	t.held[t.lines[line].account.Tenant()]--
	t.tags[line], t.used[line] = noTag, 0
	t.lines[line] = lineState{}
}

// InvalidateTenant drops every line of a tenant, dirty or not. Of a pinned
// line only the sectors are made invalid; what is on its way will still fill
// it.
func (t *Tags) InvalidateTenant(id tenant.ID) {
	for i := range t.lines {
		if t.tags[i] != noTag && t.lines[i].account.Tenant() == id {
			t.invalidate(i)
		}
	}
}

// Empty is InvalidateTenant for all tenants.
func (t *Tags) Empty() {
	for i := range t.lines {
		if t.tags[i] != noTag {
			t.invalidate(i)
		}
	}
}

// invalidate drops a line, or makes the sectors of a pinned line invalid.
func (t *Tags) invalidate(line int) {
	if t.Pinned(line) {
		t.lines[line].valid, t.lines[line].dirty = 0, 0
		return
	}
	t.Drop(line)
}

// Held is the number of lines that a tenant owns, pinned ones included.
func (t *Tags) Held(id tenant.ID) int { return t.held[id] }
