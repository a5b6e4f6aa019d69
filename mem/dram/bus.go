package dram

// bus holds the rules that all banks share: one command a clock, the distances
// between column commands that keep the data bus in order, and those between
// activates.
type bus struct {
	clocks     *clocks
	columnAt   [2]uint64 // first cycle for a read, for a write
	groupAt    []uint64  // first cycle for a column command of a bank group
	activateAt uint64    // first cycle for an activate
	unified    bool      // column commands of both directions compete

	// fourth holds the ends of the tFAW windows that the last four activates began;
	// oldest is the index of the first.
	fourth [4]uint64
	oldest int

	// Column commands of one request take every clocks.run-th clock up to
	// runLast.
	runLast uint64
}

// Indices of floors, the first cycles at which commands of one kind can be sent as far as
// all banks are concerned. Each bank group has a floor for column commands, from
// columnFloor on. A unified queue has floors for reads there, then as many for writes.
const (
	activateFloor = iota
	prechargeFloor
	columnFloor
	maxFloors = 1 << 8 // every uint8, of which 2 + 2*maxBanks are used at most
)

// columnFloor is the index of the floor of a request's column commands.
func (b *bus) columnFloor(e *entry, group uint8) uint8 {
	if b.unified && e.write {
		group += uint8(len(b.groupAt))
	}
	return columnFloor + group
}

// free is the first clock from at on that no announced column command takes.
func (b *bus) free(at uint64) uint64 {
	if at > b.runLast || uint32(b.runLast-at)%uint32(b.clocks.run) != 0 {
		return at
	}
	if b.clocks.run > 1 {
		return at + 1
	}
	return b.runLast + 1
}

// activated notes an activate.
func (b *bus) activated(now uint64) {
	b.fourth[b.oldest] = now + b.clocks.faw
	b.oldest = (b.oldest + 1) % len(b.fourth)
	b.activateAt = max(now+b.clocks.rrd, b.fourth[b.oldest])
}

// column notes bursts column commands from now on, every run clocks, and
// returns the cycle of the last one, and the one after its last beat of data.
func (b *bus) column(d direction, group uint8, now, bursts uint64) (last, dataEnd uint64) {
	last = now + (bursts-1)*b.clocks.run
	b.runLast = last
	b.groupAt[group] = last + b.clocks.ccdl
	b.columnAt[d] = last + b.clocks.ccd
	if d == reading {
		b.columnAt[writing] = last + b.clocks.readToWrite
		return last, last + b.clocks.cl + b.clocks.burst
	}
	b.columnAt[reading] = last + b.clocks.writeToRead
	return last, last + b.clocks.wl + b.clocks.burst
}
