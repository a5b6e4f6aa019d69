package components

import (
	"math/bits"

	"github.com/sarchlab/akita/v3/sim"
)

// ringSize is the number of cycles that a domain's ring looks ahead; a power
// of two and a multiple of 64. Latencies of caches and pipes fit in it.
const ringSize = 512

// Domain is a clock: edges at whole multiples of its period, from time 0.
type Domain struct {
	name   string
	hz     uint64
	period Time
	engine *Engine

	cycle    uint64 // the current edge, or the last examined edge
	edge     Time   // its instant
	next     uint64 // the next edge with an event or tick, from the current edge on
	nextTime Time   // its instant, Never if there is none
	occupied [ringSize / 64]uint64

	modules []*Module // in the order in which they were made
	ticks   []*tickRing
	events  [ringSize]phases // other than ticks of modules
	foreign int              // their number
}

// tickRing holds, for each edge of the ring, a bit for each of 64 modules that ticks.
type tickRing [ringSize]uint64

// Name of the clock.
func (d *Domain) Name() string { return d.name }

// Hz is the clock's frequency.
func (d *Domain) Hz() uint64 { return d.hz }

// Period is the time between two edges, in engine units.
func (d *Domain) Period() Time { return d.period }

// Engine that drives the clock.
func (d *Domain) Engine() *Engine { return d.engine }

// At is the instant of an edge.
func (d *Domain) At(cycle uint64) Time { return Time(cycle) * d.period }

// after is the first edge after an instant.
func (d *Domain) after(now Time) uint64 {
	if now == d.edge {
		return d.cycle + 1
	}
	return uint64(now/d.period) + 1
}

// seconds is an edge's time as Akita's Freq computes it: count / frequency,
// never a sum of periods, which would drift off the grid.
func (d *Domain) seconds(cycle uint64) sim.VTimeInSec {
	return sim.VTimeInSec(float64(cycle) / float64(d.hz))
}

// register gives a module its place in the order of ticks.
func (d *Domain) register(m *Module) {
	number := len(d.modules)
	d.modules = append(d.modules, m)
	if number%64 == 0 {
		d.ticks = append(d.ticks, new(tickRing))
	}
	m.ticks, m.bit = d.ticks[number/64], 1<<(number%64)
}

// insert places an event on an edge that is not in the past.
func (d *Domain) insert(cycle uint64, ev sim.Event, secondary bool) {
	if cycle >= d.catchUp()+ringSize {
		d.engine.pushOverflow(d.At(cycle), d.seconds(cycle), ev, secondary)
		return
	}
	d.occupy(cycle)
	d.events[cycle%ringSize].add(ev, secondary)
	d.foreign++
}

// occupy marks an edge within the ring as having work.
func (d *Domain) occupy(cycle uint64) {
	slot := cycle % ringSize
	if d.occupied[slot/64]>>(slot%64)&1 != 0 {
		return
	}
	d.occupied[slot/64] |= 1 << (slot % 64)
	if at := d.At(cycle); at < d.nextTime {
		d.next, d.nextTime = cycle, at
	}
}

// catchUp moves an idle clock to its last edge up to the present, so that its ring
// reaches as far ahead as it can, and returns that edge.
func (d *Domain) catchUp() uint64 {
	if behind := d.engine.now - d.edge; behind >= d.period {
		edges := behind / d.period
		d.cycle += uint64(edges)
		d.edge += edges * d.period
	}
	return d.cycle
}

// enter makes the next edge with work current.
func (d *Domain) enter() {
	d.cycle, d.edge = d.next, d.nextTime
	d.engine.nowSec = d.seconds(d.cycle)
}

// tick ticks the due modules, in the order in which they were made, and reports
// whether there were any.
func (d *Domain) tick() (ran bool) {
	slot := d.next % ringSize
	for group, ticks := range d.ticks {
		if ticks[slot] == 0 {
			continue
		}
		if !ran {
			ran = true
			d.enter()
		}
		modules := d.modules[group*64:]
		cycle, hooked := d.cycle, d.engine.NumHooks() > 0
		again := uint64(0)
		for ticks[slot] != 0 {
			bit := ticks[slot] & -ticks[slot]
			ticks[slot] ^= bit
			m := modules[bits.TrailingZeros64(bit)]
			m.ticked = cycle + 1
			if hooked {
				if m.hookedTick() {
					again |= bit
				}
			} else if m.ticker.Tick(cycle) {
				again |= bit
			}
		}
		if again != 0 {
			ticks[(cycle+1)%ringSize] |= again
			d.occupy(cycle + 1)
		}
	}
	return ran
}

// runForeign runs the due primary events other than ticks of modules, and reports
// whether there were any.
func (d *Domain) runForeign() bool {
	p := &d.events[d.next%ringSize]
	if p.primaryNext == len(p.primary) {
		return false
	}
	d.enter()
	d.engine.runPrimary(p)
	return true
}

// finish empties the current edge and finds the next edge with work.
func (d *Domain) finish() {
	slot := d.cycle % ringSize
	if d.foreign > 0 {
		d.foreign -= d.events[slot].reset()
	}
	d.occupied[slot/64] &^= 1 << (slot % 64)
	for next := d.cycle + 1; next < d.cycle+ringSize; {
		slot := next % ringSize
		if ahead := d.occupied[slot/64] >> (slot % 64); ahead != 0 {
			d.next = next + uint64(bits.TrailingZeros64(ahead))
			d.nextTime = d.At(d.next)
			return
		}
		next += 64 - slot%64
	}
	d.nextTime = Never
}
