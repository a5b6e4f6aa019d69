// Package scoreboard keeps a warp from issuing an instruction until its registers are
// settled. A result of a pipe comes at a known cycle: the board keeps that cycle for each
// register of a warp, and a warp's next instruction waits for the last of its registers.
// A result of memory comes when it comes: its register has a cycle that is always far
// ahead, and farther if memory beyond the L1 is to give it. A fence waits for the warp's
// memory operations.
//
// The scoreboard drives the signals Hazard and Long.
package scoreboard

import (
	"math/bits"

	"cotenant/components"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Board is the scoreboard of an SM.
type Board struct {
	edge uint64 // the present edge
	aged uint64 // the edge at which stamps were last renewed
	// wakes has, for each of the next cycles and for each scheduler, the slots that wait
	// for the results of that cycle; due has the cycles with such slots.
	due     uint64
	wakes   []warps.Mask
	late    []wake // beyond the reach of wakes
	warps   []warp // by slot
	signals []warps.Signals
}

// stamp is the low part of a cycle. Two stamps compare rightly if their cycles are less
// than half its range apart, so the board renews old stamps.
type stamp = uint16

const (
	// reach is the number of cycles that wakes looks ahead.
	reach = 64
	// ageing is the time between two renewals of stamps: beyondL1 is below half the range
	// of a stamp.
	ageing = 15 << 10
	// longest is the largest latency of a pipe.
	longest = 1023
	// inMemory and beyondL1 are how far ahead a register is that waits for memory, and for
	// memory beyond the L1. Until its renewal it comes nearer, by ageing cycles at most.
	inMemory = longest + 1 + ageing
	beyondL1 = inMemory + 1 + ageing
)

// ahead is the number of cycles until a stamp, 0 or less if it is over.
func ahead(at, now stamp) int16 { return int16(at - now) }

// wake is a slot that waits for a cycle.
type wake struct {
	at   uint64
	slot int
}

// warp is the state of one warp slot. Instructions with registers below 16 look at the
// first line of the processor's cache alone.
type warp struct {
	signals   *warps.Signals
	next      *workload.Inst // the next instruction
	order     uint64         // of the last result of a pipe, see Retire
	last      stamp          // its cycle
	memory    uint16         // memory operations on their way
	scheduler uint8
	bit       uint8 // number of the slot's bit
	retiring  bool  // Settled will say when the last result is there
	_         byte
	ready     [workload.NoReg + 1]stamp // cycle of each register's last result; NoReg has none
	copies    uint16                    // among memory, which fences do not wait for
	_         [30]byte                  // makes it whole lines
}

// New makes the scoreboard of an SM of a number, with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals, sm int) *Board {
	b := &Board{warps: components.Spread[warp](slots.Count(), sm), signals: signals, wakes: make([]warps.Mask, reach*slots.Schedulers)}
	for i := range b.warps {
		b.warps[i].signals, b.warps[i].scheduler, b.warps[i].bit = &signals[i/slots.Each], uint8(i/slots.Each), uint8(i%slots.Each)
	}
	return b
}

// Begin begins an edge, before the board is told of anything.
func (b *Board) Begin(cycle uint64) {
	if cycle-b.aged >= ageing {
		b.renew(cycle)
	}
	b.edge = cycle
}

// renew makes the stamps recent that are over by a cycle, and puts the registers that wait
// for memory as far ahead as they were. Nothing has happened since the last edge.
func (b *Board) renew(cycle uint64) {
	now, then := stamp(cycle), stamp(b.edge)
	passed := cycle - b.edge
	var over [workload.NoReg + 1]stamp
	for r := range over {
		over[r] = now
	}
	for i := range b.warps {
		w := &b.warps[i]
		if b.Idle(i, b.edge) { // it has all its results
			w.last, w.ready = now, over
			continue
		}
		if rest := ahead(w.last, then); rest <= 0 || uint64(rest) <= passed {
			w.last = now
		}
		for r := range w.ready {
			switch rest := ahead(w.ready[r], then); {
			case rest > inMemory:
				w.ready[r] = now + beyondL1
			case rest > longest:
				w.ready[r] = now + inMemory
			case rest <= 0 || uint64(rest) <= passed:
				w.ready[r] = now
			}
		}
	}
	b.aged = cycle
}

// Next tells the board which instruction the warp of a slot issues next, at the same
// address each time. The instruction before has issued, so the slot waits for nothing.
func (b *Board) Next(slot int, inst *workload.Inst, cycle uint64) {
	w := &b.warps[slot]
	if w.next != inst {
		w.next = inst
	}
	b.look(w, slot, cycle)
}

// look finds what a slot's next instruction waits for.
func (b *Board) look(w *warp, slot int, cycle uint64) {
	rest := w.wait(stamp(cycle))
	if w.next.Class == workload.Fence {
		if rest = 0; w.memory > w.copies {
			rest = beyondL1
		}
	}
	bit := warps.Bit(int(w.bit))
	g := w.signals // without jumps, which could not be foretold
	waits := bit & warps.Mask(-int64(rest)>>63)
	g.Hazard = g.Hazard&^bit | waits
	g.Long = g.Long&^bit | bit&warps.Mask((inMemory-int64(rest))>>63)
	g.Still = 0
	switch {
	case rest < reach: // or over, for no slot
		at := cycle + uint64(rest&^(rest>>15))
		b.wakes[int(at%reach)*len(b.signals)+int(w.scheduler)] |= waits
		b.due |= waits >> (w.bit & (warps.PerScheduler - 1)) << (at % reach)
	case rest <= longest:
		b.late = append(b.late, wake{cycle + uint64(rest), slot})
	}
}

// wait is how far ahead the last register of the next instruction is; 0 or less if none is
// ahead. It asks for NoReg, too, to do without jumps that could not be foretold: most
// instructions write one register and read three at most.
func (w *warp) wait(now stamp) int16 {
	d, s, ready := &w.next.Dst, &w.next.Src, &w.ready
	rest := max(ahead(ready[d[0]], now), ahead(ready[s[0]], now), ahead(ready[s[1]], now), ahead(ready[s[2]], now))
	if d[1]&s[3] != workload.NoReg {
		rest = max(rest, ahead(ready[d[1]], now), ahead(ready[d[2]], now), ahead(ready[d[3]], now),
			ahead(ready[s[3]], now), ahead(ready[s[4]], now), ahead(ready[s[5]], now))
	}
	if s[6] != workload.NoReg { // only products of matrices read so many
		rest = max(rest, ahead(ready[s[6]], now), ahead(ready[s[7]], now), ahead(ready[s[8]], now), ahead(ready[s[9]], now))
	}
	return rest
}

// Arrive ends the waits for the results of a cycle, and reports whether there were any.
func (b *Board) Arrive(cycle uint64) (moved bool) {
	if len(b.late) > 0 {
		moved = b.arriveLate(cycle)
	}
	if b.due>>(cycle%reach)&1 == 0 {
		return moved
	}
	b.due &^= 1 << (cycle % reach)
	first := int(cycle%reach) * len(b.signals)
	for i, mask := range b.wakes[first : first+len(b.signals)] {
		g := &b.signals[i]
		g.Hazard, g.Still = g.Hazard&^mask, warps.Unless(g.Still, mask)
	}
	clear(b.wakes[first : first+len(b.signals)])
	return true
}

func (b *Board) arriveLate(cycle uint64) (moved bool) {
	left := b.late[:0]
	for _, l := range b.late {
		if l.at > cycle {
			left = append(left, l)
			continue
		}
		w := &b.warps[l.slot]
		w.signals.Hazard &^= warps.Bit(int(w.bit))
		w.signals.Still = 0
		moved = true
	}
	b.late = left
	return moved
}

// Due is the first cycle after the given one at which a wait ends; false if time alone
// ends none.
func (b *Board) Due(cycle uint64) (at uint64, ok bool) {
	if b.due != 0 {
		at, ok = cycle+1+uint64(bits.TrailingZeros64(bits.RotateLeft64(b.due, -int((cycle+1)%reach)))), true
	}
	for _, l := range b.late {
		if !ok || l.at < at {
			at, ok = l.at, true
		}
	}
	return at, ok
}

// Reserve notes an instruction that has issued and has a result at a known cycle, for
// registers, or what it does itself, as a branch. It goes before the Next of the
// instruction behind it. order grows from Reserve to Reserve.
func (b *Board) Reserve(slot int, regs *[4]uint8, due, order uint64) {
	w := &b.warps[slot]
	last, behind := w.last, w.order
	if at := stamp(due); ahead(at, last) >= 0 { // without a jump, as warps.Assign
		last, behind = at, order
	}
	w.last, w.order = last, behind
	w.set(regs, stamp(due))
}

// set sets the cycle of registers.
func (w *warp) set(regs *[4]uint8, at stamp) {
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		w.ready[r] = at
	}
}

// ReserveMemory is Reserve for a memory operation, which a fence waits for.
func (b *Board) ReserveMemory(slot int, regs *[4]uint8, cycle uint64) {
	w := &b.warps[slot]
	w.memory++
	w.set(regs, stamp(cycle)+inMemory)
}

// ReserveCopy is ReserveMemory for an asynchronous copy, which has no registers and which a
// fence does not wait for. Landed goes before its ReleaseMemory.
func (b *Board) ReserveCopy(slot int) {
	w := &b.warps[slot]
	w.memory++
	w.copies++
}

// Landed notes that a copy has been performed.
func (b *Board) Landed(slot int) { b.warps[slot].copies-- }

// Missed notes that the result of a memory operation comes from beyond the L1.
func (b *Board) Missed(slot int, regs *[4]uint8, cycle uint64) {
	b.settle(slot, regs, stamp(cycle)+beyondL1, cycle)
}

// settle sets the cycle of registers, and looks again at a warp with an instruction that
// waits.
func (b *Board) settle(slot int, regs *[4]uint8, at stamp, cycle uint64) {
	w := &b.warps[slot]
	w.set(regs, at)
	if w.signals.Hazard&warps.Bit(int(w.bit)) != 0 {
		b.look(w, slot, cycle)
	}
}

// ReleaseMemory notes that a memory operation has been performed, and reports whether
// nothing is on its way for the warp any more.
func (b *Board) ReleaseMemory(slot int, regs *[4]uint8, cycle uint64) (idle bool) {
	b.warps[slot].memory--
	b.settle(slot, regs, stamp(cycle), cycle)
	return b.Idle(slot, cycle)
}

// Idle reports whether nothing is on its way for the warp of a slot.
func (b *Board) Idle(slot int, cycle uint64) bool {
	w := &b.warps[slot]
	return w.memory == 0 && !w.retiring && ahead(w.last, stamp(cycle)) <= 0
}

// Retire is for a warp that issues nothing any more. If results of pipes are on their way,
// it returns the cycle of the last of them and its order. The warp is not Idle before
// Settled, which must follow at that cycle.
func (b *Board) Retire(slot int, cycle uint64) (due, order uint64, ok bool) {
	w := &b.warps[slot]
	rest := ahead(w.last, stamp(cycle))
	if w.retiring || rest <= 0 {
		return 0, 0, false
	}
	w.retiring = true
	return cycle + uint64(rest), w.order, true
}

// Settled notes that the last result of a warp is there, and reports whether nothing is
// on its way any more.
func (b *Board) Settled(slot int) (idle bool) {
	w := &b.warps[slot]
	w.retiring = false
	return w.memory == 0
}
