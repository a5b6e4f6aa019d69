package pcie

import "slices"

// lane is what carries one burst at a time: a direction of the bus, or both.
type lane struct {
	spec   *Spec
	active []*transfer // with bursts left, in the order of their turns
	ending []*transfer // with all bursts begun, in the order of their ends
	free   uint64      // cycle from which on the next burst can begin
}

// transfer is a copy under way.
type transfer struct {
	request
	share  int
	bursts uint64 // that have not begun
	start  uint64 // cycle at which an engine took it
	end    uint64 // of its last burst, once that has begun
}

// add starts a copy at a cycle.
func (l *lane) add(t *transfer, cycle uint64) {
	l.free = max(l.free, cycle)
	l.active = append(l.active, t)
}

// advance begins every burst that begins before a cycle.
func (l *lane) advance(cycle uint64) {
	for len(l.active) > 0 && l.free < cycle {
		if rounds := min(l.wholeRounds(), (cycle-l.free)/l.round()); rounds > 0 {
			for _, t := range l.active {
				t.bursts -= rounds
			}
			l.free += rounds * l.round()
			continue
		}
		t := l.active[0]
		l.free += l.turn(t)
		copy(l.active, l.active[1:])
		last := len(l.active) - 1
		if t.bursts--; t.bursts > 0 {
			l.active[last] = t
			continue
		}
		t.end = l.free
		l.active, l.ending = l.active[:last], append(l.ending, t)
	}
}

// turn is the time of a copy's next burst.
func (l *lane) turn(t *transfer) uint64 {
	size := uint64(l.spec.BurstBytes)
	if t.bursts == 1 {
		return l.spec.burstCycles(t.Bytes - (l.spec.Bursts(t.Bytes)-1)*size)
	}
	return l.spec.burstCycles(size)
}

// round is the time of one full burst of every copy.
func (l *lane) round() uint64 {
	return uint64(len(l.active)) * l.spec.burstCycles(uint64(l.spec.BurstBytes))
}

// wholeRounds is the number of rounds in which no copy's last burst begins.
func (l *lane) wholeRounds() uint64 {
	least := l.active[0].bursts
	for _, t := range l.active[1:] {
		least = min(least, t.bursts)
	}
	return least - 1
}

// next is a cycle at which the lane is to be looked at again, at the latest the one at which the
// next copy ends. The lane carries something.
func (l *lane) next() uint64 {
	if len(l.ending) > 0 {
		return l.ending[0].end
	}
	if rounds := l.wholeRounds(); rounds > 0 {
		return l.free + rounds*l.round()
	}
	at := l.free
	for _, t := range l.active {
		if at += l.turn(t); t.bursts == 1 {
			break
		}
	}
	return at
}

// busy reports whether the lane carries a copy.
func (l *lane) busy() bool { return len(l.active) > 0 || len(l.ending) > 0 }

// ended is the first copy that has ended by a cycle, nil if none has.
func (l *lane) ended(cycle uint64) *transfer {
	if len(l.ending) == 0 || l.ending[0].end > cycle {
		return nil
	}
	return l.ending[0]
}

// drop forgets the copy that ended returned.
func (l *lane) drop() { l.ending = slices.Delete(l.ending, 0, 1) }
