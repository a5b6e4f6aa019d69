// Package scoreboard keeps a warp from issuing an instruction until its registers are
// settled. A result of a pipe comes at a known cycle: the board keeps that cycle for each
// register of a warp, and a warp's next instruction waits for the last of its registers.
// A result of memory comes when it comes: the board keeps the registers that wait for
// memory, and among them the registers that wait for memory beyond the L1. A fence waits
// for the warp's memory operations.
//
// The scoreboard drives the signals Hazard and Long.
package scoreboard

import (
	"math/bits"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// Board is the scoreboard of an SM.
type Board struct {
	warps   []warp  // by slot
	loads   []loads // by slot
	signals []warps.Signals
	// wakes has, for each of the next cycles and for each scheduler, the slots that wait
	// for the results of that cycle alone; due has the cycles with such slots.
	wakes []warps.Mask
	due   uint64
	late  []wake // beyond the reach of wakes
	aged  uint64 // the cycle at which past cycles were last made recent
}

// stamp is the low part of a cycle. Two stamps compare rightly if their cycles are less
// than half its range apart, so the board makes older stamps recent in time.
type stamp = uint16

const (
	// reach is the number of cycles that wakes looks ahead.
	reach = 64
	// ageing is the time between two renewals of old stamps: with the longest latency it
	// is below half the range of a stamp.
	ageing = 1 << 14
)

// ahead is the number of cycles until a stamp, 0 if it is over.
func ahead(at, now stamp) int16 { return max(int16(at-now), 0) }

// wake is a slot that waits for a cycle.
type wake struct {
	at   uint64
	slot int
}

// warp is the state of one warp slot. Instructions with registers below 20 look at the
// first line of the processor's cache alone.
type warp struct {
	signals   *warps.Signals
	order     uint64 // of the last result, see Retire
	last      stamp  // cycle of the last result
	memory    uint16 // memory operations on their way
	scheduler uint8
	bit       uint8 // number of the slot's bit
	retiring  bool  // Settled will say when the last result is there
	_         byte
	ready     [workload.NoReg + 1]stamp // cycle of each register's last result; NoReg has none
	_         [40]byte                  // makes it whole lines
}

// loads are the registers of a warp that wait for memory, and the registers of its next
// instruction while there are some.
type loads struct {
	state [workload.NoReg + 1]uint8 // of each register: inMemory, beyondL1
	dst   [4]uint8
	src   [6]uint8
	until stamp // cycle from which the next instruction waits for memory alone
	fence bool  // the next instruction is one
	_     [51]byte
}

// The state of a register.
const (
	inMemory uint8 = 1 << iota // its result comes from memory
	beyondL1                   // and from beyond the L1
)

// New makes the scoreboard of an SM with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Board {
	b := &Board{warps: make([]warp, slots.Count()), loads: make([]loads, slots.Count()), signals: signals, wakes: make([]warps.Mask, reach*slots.Schedulers)}
	for i := range b.warps {
		b.warps[i].signals, b.warps[i].scheduler, b.warps[i].bit = &signals[i/slots.Each], uint8(i/slots.Each), uint8(i%slots.Each)
	}
	return b
}

// Begin begins an edge, before the board is told of anything.
func (b *Board) Begin(cycle uint64) {
	if cycle-b.aged >= ageing {
		b.age(cycle)
	}
}

// age makes stamps recent that are over.
func (b *Board) age(cycle uint64) {
	now := stamp(cycle)
	if cycle-b.aged >= 2*ageing { // every stamp is over
		for i := range b.warps {
			w := &b.warps[i]
			w.last, b.loads[i].until = now, now
			for r := range w.ready {
				w.ready[r] = now
			}
		}
		b.aged = cycle
		return
	}
	b.aged = cycle
	for i := range b.warps {
		w := &b.warps[i]
		w.last += stamp(max(int16(now-w.last), 0))
		b.loads[i].until += stamp(max(int16(now-b.loads[i].until), 0))
		for r := range w.ready {
			w.ready[r] += stamp(max(int16(now-w.ready[r]), 0))
		}
	}
}

// Next tells the board which instruction the warp of a slot issues next. The one before
// has issued, so it waits for nothing.
func (b *Board) Next(slot int, inst *workload.Inst, cycle uint64) {
	w := &b.warps[slot]
	if w.memory > 0 {
		b.nextWithLoads(slot, inst, cycle)
		return
	}
	wait := int16(0)
	if inst.Class != workload.Fence {
		wait = w.wait(inst, stamp(cycle))
	}
	signals, bit := w.signals, warps.Bit(int(w.bit))
	signals.Long &^= bit
	if wait <= 0 {
		signals.Hazard &^= bit
		return
	}
	signals.Hazard |= bit
	b.wake(slot, cycle+uint64(wait), cycle)
}

// wait is the number of cycles until the results of pipes that an instruction waits for
// are there; 0 or less if they are. It asks for NoReg, too, to do without jumps that could
// not be foretold.
func (w *warp) wait(inst *workload.Inst, now stamp) (cycles int16) {
	d, s := &inst.Dst, &inst.Src
	return max(int16(w.ready[d[0]]-now), int16(w.ready[d[1]]-now), int16(w.ready[d[2]]-now), int16(w.ready[d[3]]-now),
		int16(w.ready[s[0]]-now), int16(w.ready[s[1]]-now), int16(w.ready[s[2]]-now), int16(w.ready[s[3]]-now),
		int16(w.ready[s[4]]-now), int16(w.ready[s[5]]-now))
}

// wake ends the wait of a slot at a later cycle.
func (b *Board) wake(slot int, at, now uint64) {
	if at-now >= reach {
		b.late = append(b.late, wake{at, slot})
		return
	}
	w := &b.warps[slot]
	b.wakes[int(at%reach)*len(b.signals)+int(w.scheduler)] |= warps.Bit(int(w.bit))
	b.due |= 1 << (at % reach)
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
		b.signals[i].Hazard &^= mask
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

// nextWithLoads is Next for a warp with memory operations on their way.
func (b *Board) nextWithLoads(slot int, inst *workload.Inst, cycle uint64) {
	l := &b.loads[slot]
	l.dst, l.src, l.until = inst.Dst, inst.Src, stamp(cycle)
	if l.fence = inst.Class == workload.Fence; !l.fence {
		l.until += stamp(max(b.warps[slot].wait(inst, stamp(cycle)), 0))
	}
	b.look(slot, cycle)
}

// look compares the next instruction with what is on its way.
func (b *Board) look(slot int, cycle uint64) {
	w, l := &b.warps[slot], &b.loads[slot]
	state, d, s := &l.state, &l.dst, &l.src
	found := state[d[0]] | state[d[1]] | state[d[2]] | state[d[3]] | state[s[0]] | state[s[1]] | state[s[2]] | state[s[3]] | state[s[4]] | state[s[5]]
	if l.fence {
		found = 0
		if w.memory > 0 {
			found = inMemory | beyondL1
		}
	}
	rest := ahead(l.until, stamp(cycle))
	bit := warps.Bit(int(w.bit))
	warps.Assign(&w.signals.Hazard, bit, found != 0 || rest > 0)
	warps.Assign(&w.signals.Long, bit, found&beyondL1 != 0)
	if found == 0 && rest > 0 {
		b.wake(slot, cycle+uint64(rest), cycle)
	}
}

// Reserve notes an instruction that has issued and has a result at a known cycle, for
// registers, or what it does itself, as a branch. It goes before the Next of the
// instruction behind it. order grows from Reserve to Reserve.
func (b *Board) Reserve(slot int, regs *[4]uint8, due, order uint64) {
	w := &b.warps[slot]
	if at := stamp(due); int16(at-w.last) >= 0 {
		w.last, w.order = at, order
	}
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		w.ready[r] = stamp(due)
	}
}

// ReserveMemory is Reserve for a memory operation, which a fence waits for.
func (b *Board) ReserveMemory(slot int, regs *[4]uint8) {
	b.warps[slot].memory++
	l := &b.loads[slot]
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		l.state[r] = inMemory
	}
}

// Missed notes that the result of a memory operation comes from beyond the L1.
func (b *Board) Missed(slot int, regs *[4]uint8, cycle uint64) {
	l := &b.loads[slot]
	for _, r := range regs {
		if r == workload.NoReg {
			break
		}
		l.state[r] = inMemory | beyondL1
	}
	b.settle(slot, cycle)
}

// settle looks again at a warp with an instruction that waits for memory.
func (b *Board) settle(slot int, cycle uint64) {
	if w := &b.warps[slot]; w.signals.Hazard&warps.Bit(int(w.bit)) != 0 {
		b.look(slot, cycle)
	}
}

// ReleaseMemory notes that a memory operation has been performed, and reports whether
// nothing is on its way for the warp any more.
func (b *Board) ReleaseMemory(slot int, regs *[4]uint8, cycle uint64) (idle bool) {
	w, l := &b.warps[slot], &b.loads[slot]
	w.memory--
	for _, r := range regs {
		if r == workload.NoReg {
			break
		}
		l.state[r] = 0
	}
	b.settle(slot, cycle)
	return b.Idle(slot, cycle)
}

// Idle reports whether nothing is on its way for the warp of a slot.
func (b *Board) Idle(slot int, cycle uint64) bool {
	w := &b.warps[slot]
	return w.memory == 0 && !w.retiring && ahead(w.last, stamp(cycle)) == 0
}

// Retire is for a warp that issues nothing any more. If results of pipes are on their way,
// it returns the cycle of the last of them and its order. The warp is not Idle before
// Settled, which must follow at that cycle.
func (b *Board) Retire(slot int, cycle uint64) (due, order uint64, ok bool) {
	w := &b.warps[slot]
	rest := ahead(w.last, stamp(cycle))
	if w.retiring || rest == 0 {
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
