package dram

// drainControl decides whether the channel serves reads or writes. A drain of
// the write queue begins when high writes wait, or when no read does. It ends
// when reads wait and no more than low writes are left.
//
// Writes that come as fast as they are served would starve reads. So a drain also ends
// when it has served as many writes as the write queue holds, and leaves time for as
// many reads as the read queue holds. A unified queue never drains.
type drainControl struct {
	high, low             int
	readQueue, writeQueue int

	present direction
	// left is the number of entries that the present direction may serve before
	// the other may cut it off.
	left int
}

// next is the direction that the numbers of waiting requests ask for.
func (d *drainControl) next(reads, writes int) direction {
	switch {
	case d.present == writing && (reads == 0 || writes > d.low && d.left > 0):
		return writing
	case d.present == reading && writes > 0 && (reads == 0 || writes >= d.high && d.left == 0):
		return writing
	}
	return reading
}

// turn changes the direction. Writes is the number that wait.
func (d *drainControl) turn(next direction, writes int) {
	d.present = next
	switch {
	case next == writing:
		d.left = d.writeQueue
	case writes > d.low:
		d.left = d.readQueue
	default:
		d.left = 0
	}
}

// served notes that entries of the present direction have been served.
func (d *drainControl) served(entries int) { d.left = max(d.left-entries, 0) }
