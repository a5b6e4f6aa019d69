package cache

// Entries is a table of outstanding misses, one entry per line, to which later
// requests for the line are merged. An entry holds the requests that wait, as
// the owner's tokens, in order of arrival; they leave it in that order, each
// once the sectors that it needs have arrived. The owner knows which entry a
// line has; MSHRs are Entries that know it by the line's address.
type Entries struct {
	entries []entry
	nodes   []node // as many as have waited at once so far: few runs need them all
	// freeEntry and freeNode head the lists of what is not in use.
	freeEntry, freeNode int32
	merge               uint32
	used                int
}

// entry is one line's outstanding misses.
type entry struct {
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

// NewEntries returns a table of outstanding lines, each with room for merge waiting
// requests, the first included; both at least 1.
func NewEntries(entries, merge int) *Entries {
	m := &Entries{
		entries:  make([]entry, entries),
		freeNode: None,
		merge:    uint32(merge),
	}
	for i := range m.entries {
		m.entries[i].next = int32(i) + 1
	}
	m.entries[entries-1].next = None
	return m
}

// Len is the number of entries in use.
func (m *Entries) Len() int { return m.used }

// Full reports whether no entry is free.
func (m *Entries) Full() bool { return m.freeEntry == None }

// Allocate takes a free entry, which there must be, for a line that has none;
// line is the owner's own and comes back from Line.
func (m *Entries) Allocate(line int) int {
	i := m.freeEntry
	e := &m.entries[i]
	m.freeEntry = e.next
	*e = entry{line: int32(line)}
	m.used++
	return int(i)
}

// Line is what Allocate was given.
func (m *Entries) Line(entry int) int { return int(m.entries[entry].line) }

// Sectors is the mask of sectors that requests waiting in an entry touch. A further
// request for such a sector waits behind them, even if the sector is valid meanwhile, so
// that requests are performed in order.
func (m *Entries) Sectors(entry int) uint8 { return m.entries[entry].sectors }

// Missing is the mask of sectors asked for below that have not arrived.
func (m *Entries) Missing(entry int) uint8 { return m.entries[entry].missing }

// MergeFull reports whether an entry holds as many requests as it may.
func (m *Entries) MergeFull(entry int) bool { return m.entries[entry].waiting == m.merge }

// Wait appends a request that touches sectors to an entry that is not
// MergeFull, and notes that fetch is asked for below on its behalf. The request
// is ready once no sector that it touches is missing.
func (m *Entries) Wait(entry int, sectors, fetch uint8, token uint32) {
	e := &m.entries[entry]
	i := m.freeNode
	if i == None {
		i = int32(len(m.nodes))
		m.nodes = append(m.nodes, node{})
	} else {
		m.freeNode = m.nodes[i].next
	}
	m.nodes[i] = node{token: token, next: None, sectors: sectors}
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

// Ask notes that sectors of an entry's line are asked for below, with no request that
// waits for them.
func (m *Entries) Ask(entry int, fetch uint8) { m.entries[entry].missing |= fetch }

// Arrive notes that sectors of an entry's line have come from below.
func (m *Entries) Arrive(entry int, sectors uint8) { m.entries[entry].missing &^= sectors }

// Ready reports whether an entry's oldest request can go on: whether there is
// one, and no sector that it touches is missing.
func (m *Entries) Ready(entry int) bool {
	e := &m.entries[entry]
	return e.waiting != 0 && m.nodes[e.head].sectors&e.missing == 0
}

// Next removes the oldest request of an entry and returns its token, if the
// entry is Ready.
func (m *Entries) Next(entry int) (token uint32, ok bool) {
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
func (m *Entries) Free(entry int) bool {
	e := &m.entries[entry]
	if e.waiting != 0 || e.missing != 0 {
		return false
	}
	e.next = m.freeEntry
	m.freeEntry = int32(entry)
	m.used--
	return true
}
