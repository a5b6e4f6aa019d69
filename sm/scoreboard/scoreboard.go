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

// warp is the state of one warp slot. Instructions with registers below 24 look at the
// first line of the processor's cache alone.
type warp struct {
	order     uint64 // of the last result, see Retire
	last      stamp  // cycle of the last result
	memory    uint16 // memory operations on their way
	scheduler uint8
	bit       uint8 // number of the slot's bit
	retiring  bool  // Settled will say when the last result is there
	_         uint8
	ready     [workload.NoReg + 1]stamp // cycle of each register's last result
	_         [48]byte                  // makes it whole lines
}

// loads are the registers of a warp that wait for memory.
type loads struct {
	sets  [(workload.NoReg + 1) / word]sets
	until stamp // cycle from which the next instruction waits for memory alone
	fence bool  // the next instruction is one
	wide  bool  // it has registers from 128 on
	_     [28]byte
}

// word is the number of registers in each word of a set.
const word = 64

// sets are one word of each set of a warp's registers.
type sets struct {
	need   uint64 // of the next instruction
	writes uint64 // that wait for memory
	long   uint64 // of those, for memory beyond the L1
}

// of is the word of the sets with a register, and the register's bit there.
func (l *loads) of(r uint8) (s *sets, bit uint64) { return &l.sets[r/word], 1 << (r % word) }

// New makes the scoreboard of an SM with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Board {
	b := &Board{warps: make([]warp, slots.Count()), loads: make([]loads, slots.Count()), signals: signals, wakes: make([]warps.Mask, reach*slots.Schedulers)}
	for i := range b.warps {
		b.warps[i].scheduler, b.warps[i].bit = uint8(i/slots.Each), uint8(i%slots.Each)
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
	s, bit := &b.signals[w.scheduler], warps.Mask(1)<<(w.bit%warps.PerScheduler)
	s.Long &^= bit
	warps.Assign(&s.Hazard, bit, wait > 0)
	if wait > 0 {
		b.wake(slot, cycle+uint64(wait), cycle)
	}
}

// wait is the number of cycles until the results of pipes that an instruction waits for
// are there.
func (w *warp) wait(inst *workload.Inst, now stamp) (cycles int16) {
	for _, r := range inst.Dst {
		if r == workload.NoReg {
			break
		}
		cycles = max(cycles, int16(w.ready[r]-now))
	}
	for _, r := range inst.Src {
		if r == workload.NoReg {
			break
		}
		cycles = max(cycles, int16(w.ready[r]-now))
	}
	return cycles
}

// wake ends the wait of a slot at a later cycle.
func (b *Board) wake(slot int, at, now uint64) {
	if at-now >= reach {
		b.late = append(b.late, wake{at, slot})
		return
	}
	w := &b.warps[slot]
	b.wakes[int(at%reach)*len(b.signals)+int(w.scheduler)] |= 1 << (w.bit % warps.PerScheduler)
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
		b.signals[w.scheduler].Hazard &^= 1 << w.bit
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
	if l.fence = inst.Class == workload.Fence; l.fence {
		l.until = stamp(cycle)
	} else {
		l.learn(inst)
		l.until = stamp(cycle) + stamp(b.warps[slot].wait(inst, stamp(cycle)))
	}
	b.look(slot, cycle)
}

// look compares the next instruction with what is on its way.
func (b *Board) look(slot int, cycle uint64) {
	w, l := &b.warps[slot], &b.loads[slot]
	low, high := &l.sets[0], &l.sets[1]
	writes, long := low.need&low.writes|high.need&high.writes, low.need&low.long|high.need&high.long
	if l.wide {
		low, high = &l.sets[2], &l.sets[3]
		writes |= low.need&low.writes | high.need&high.writes
		long |= low.need&low.long | high.need&high.long
	}
	if l.fence {
		writes = uint64(w.memory)
		long = writes
	}
	rest := ahead(l.until, stamp(cycle))
	s, bit := &b.signals[w.scheduler], warps.Mask(1)<<(w.bit%warps.PerScheduler)
	warps.Assign(&s.Hazard, bit, writes != 0 || rest > 0)
	warps.Assign(&s.Long, bit, long != 0)
	if writes == 0 && rest > 0 {
		b.wake(slot, cycle+uint64(rest), cycle)
	}
}

// learn finds the registers of the next instruction.
func (l *loads) learn(inst *workload.Inst) {
	var need [len(l.sets)]uint64
	for _, r := range inst.Dst {
		if r == workload.NoReg {
			break
		}
		need[r/word] |= 1 << (r % word)
	}
	for _, r := range inst.Src {
		if r == workload.NoReg {
			break
		}
		need[r/word] |= 1 << (r % word)
	}
	l.wide = need[2]|need[3] != 0
	l.sets[0].need, l.sets[1].need = need[0], need[1]
	if l.wide {
		l.sets[2].need, l.sets[3].need = need[2], need[3]
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
		set, bit := l.of(r)
		set.writes |= bit
	}
}

// Missed notes that the result of a memory operation comes from beyond the L1.
func (b *Board) Missed(slot int, regs *[4]uint8, cycle uint64) {
	l := &b.loads[slot]
	for _, r := range regs {
		if r == workload.NoReg {
			break
		}
		set, bit := l.of(r)
		set.long |= bit
	}
	b.settle(slot, cycle)
}

// settle looks again at a warp with an instruction that waits for memory.
func (b *Board) settle(slot int, cycle uint64) {
	if w := &b.warps[slot]; b.signals[w.scheduler].Hazard>>w.bit&1 != 0 {
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
		set, bit := l.of(r)
		set.writes &^= bit
		set.long &^= bit
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
