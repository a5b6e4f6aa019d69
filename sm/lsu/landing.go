package lsu

import "cotenant/protocol"

// Copies is told of asynchronous copies.
type Copies interface {
	// Landed: a copy of a warp, of a group of the warp's, has been performed. It goes before
	// the Performed of its operation.
	Landed(warp int, group uint8)
	// BulkLanded is Landed for an instruction of a bulk copy of a number.
	BulkLanded(warp int, number uint8)
}

// landing writes the data that copies bring into shared memory, up to 128 bytes a pass of the
// banks. Data and the unit's instructions take turns at the banks, cycle by cycle; either goes
// on while the other does not need them.
type landing struct {
	waiting []arrival // oldest first, from next on
	next    int
	sectors int // of waiting
	written []uint32
	// writes says that the banks write data of copies in this cycle, reads that they served
	// an instruction when they were used last.
	writes, reads bool
}

// compacts is the number of written arrivals that stay in the list.
const compacts = 256

// arrival is the data of an access of a copy.
type arrival struct {
	op      uint32
	sectors uint16
}

// busy reports whether data wait, or an access is to be told that they have been written.
func (l *landing) busy() bool { return l.sectors > 0 || len(l.written) > 0 }

// sectorCount is the number of sectors that a copy brings.
func sectorCount(m *instruction) (n uint16) {
	for i := range m.list[:m.n] {
		n += uint16(protocol.SectorCount(m.list[i].Sectors))
	}
	return n
}

// land takes the data of one of an operation's accesses. They are an equal part of the data
// that have not come.
func (u *Unit) land(op uint32, o *operation) {
	part := (o.sectors + uint16(o.coming) - 1) / uint16(o.coming)
	o.sectors -= part
	o.coming--
	l := &u.landing
	l.waiting = append(l.waiting, arrival{op, part})
	l.sectors += int(part)
}

// stepLanding is Step with data of copies.
func (u *Unit) stepLanding(cycle uint64) bool {
	l := &u.landing
	for _, op := range l.written {
		u.performed(op, &u.ops[op])
	}
	l.written = l.written[:0]
	l.writes = l.reads && l.sectors > 0
	l.reads = false
	if l.writes {
		l.write()
	}
	u.step(cycle)
	if !l.writes && !l.reads {
		l.write()
	}
	l.writes = false
	return true
}

// write makes one pass of the banks. Accesses are performed a cycle later.
func (l *landing) write() {
	for room := uint16(protocol.SectorsPerLine); room > 0 && l.next < len(l.waiting); {
		a := &l.waiting[l.next]
		part := min(room, a.sectors)
		a.sectors -= part
		room -= part
		l.sectors -= int(part)
		if a.sectors == 0 {
			l.written = append(l.written, a.op)
			l.next++
		}
	}
	if l.next == len(l.waiting) || l.next == compacts {
		l.waiting, l.next = l.waiting[:copy(l.waiting, l.waiting[l.next:])], 0
	}
}
