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

	cycle    uint64 // the current edge, or the last one that was looked at
	edge     Time   // its instant
	next     uint64 // the next edge with events, the current one included
	nextTime Time   // its instant, Never if there is none
	ring     [ringSize]phases
	occupied [ringSize / 64]uint64
	// spare holds the memory of past edges' primary events: the last one used
	// is taken first, so that a busy clock stays within the processor's cache.
	spare [][]sim.Event
}

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

// seconds is an edge's time as Akita's Freq computes it: count / frequency,
// never a sum of periods, which would drift off the grid.
func (d *Domain) seconds(cycle uint64) sim.VTimeInSec {
	return sim.VTimeInSec(float64(cycle) / float64(d.hz))
}

// insert places an event on an edge that is not in the past.
func (d *Domain) insert(cycle uint64, ev sim.Event, secondary bool) {
	if cycle >= d.catchUp()+ringSize {
		d.engine.pushOverflow(d.At(cycle), d.seconds(cycle), ev, secondary)
		return
	}
	p := &d.ring[cycle%ringSize]
	if len(p.primary)+len(p.secondary) == 0 {
		d.open(cycle, p)
	}
	p.add(ev, secondary)
}

// insertNext is insert for a primary event at the edge after the current one.
func (d *Domain) insertNext(ev sim.Event) {
	cycle := d.cycle + 1
	p := &d.ring[cycle%ringSize]
	if len(p.primary) == 0 {
		d.insert(cycle, ev, false)
		return
	}
	p.primary = append(p.primary, ev)
}

// open prepares an edge for its first event.
func (d *Domain) open(cycle uint64, p *phases) {
	slot := cycle % ringSize
	d.occupied[slot/64] |= 1 << (slot % 64)
	if at := d.At(cycle); at < d.nextTime {
		d.next, d.nextTime = cycle, at
	}
	if last := len(d.spare) - 1; last >= 0 {
		p.primary, d.spare = d.spare[last], d.spare[:last]
	}
}

// catchUp moves an idle clock on to the last edge that is not in the future,
// so that its ring reaches as far ahead as it can, and returns that edge.
func (d *Domain) catchUp() uint64 {
	if behind := d.engine.now - d.edge; behind >= d.period {
		edges := behind / d.period
		d.cycle += uint64(edges)
		d.edge += edges * d.period
	}
	return d.cycle
}

// due returns the events of the clock's edge at the engine's time, or nil.
func (d *Domain) due() *phases {
	if d.nextTime > d.engine.now {
		return nil
	}
	return &d.ring[d.next%ringSize]
}

// enter makes the edge whose events are due current.
func (d *Domain) enter() {
	d.cycle, d.edge = d.next, d.nextTime
	d.engine.nowSec = d.seconds(d.cycle)
}

// finish empties the current edge and finds the next one with events.
func (d *Domain) finish() {
	slot := d.cycle % ringSize
	p := &d.ring[slot]
	p.reset()
	d.spare, p.primary = append(d.spare, p.primary), nil
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
