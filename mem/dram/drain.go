package dram

// drainControl decides whether the channel serves reads or writes. A drain of
// the write queue begins when high writes wait, or when no read does, and ends
// when reads wait and no more than low writes are left.
//
// Where writes come as fast as they can be served, that would starve reads: so
// a drain also ends when it has served as many writes as the queue holds, and
// then leaves time for as many reads as theirs holds.
type drainControl struct {
	high, low             int
	readQueue, writeQueue int

	present direction
	// turn is the number of requests that the present direction may serve
	// before the other may cut it off.
	turn int
}

// update makes the direction that which the numbers of waiting requests ask
// for, and reports whether it has changed.
func (d *drainControl) update(reads, writes int) bool {
	if d.present == writing {
		if reads == 0 || writes > d.low && d.turn > 0 {
			return false
		}
		d.present, d.turn = reading, 0
		if writes > d.low {
			d.turn = d.readQueue
		}
		return true
	}
	if writes == 0 || reads > 0 && (writes < d.high || d.turn > 0) {
		return false
	}
	d.present, d.turn = writing, d.writeQueue
	return true
}

// served notes that a request of the present direction has been served.
func (d *drainControl) served() {
	if d.turn > 0 {
		d.turn--
	}
}
