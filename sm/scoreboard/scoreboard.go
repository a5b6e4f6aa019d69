// Package scoreboard keeps a warp from issuing an instruction until its registers are
// settled. For each warp it holds the registers with a result on its way, and among them
// the registers that wait for memory beyond the L1. A warp's next instruction waits for
// all its registers. A fence waits for the warp's memory operations.
//
// The scoreboard drives the signals Hazard and Long.
package scoreboard

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Board is the scoreboard of an SM.
type Board struct {
	warps   []warp // by slot
	signals []warps.Signals
}

// warp is the state of one warp slot. Few kernels have registers from 128 on, so nearly
// every instruction looks at the first line of the processor's cache alone.
type warp struct {
	results   uint16 // on their way, of memory operations and branches too
	memory    uint16 // of those, memory operations
	scheduler uint8
	bit       uint8 // number of the slot's bit
	fence     bool  // the next instruction is one
	wide      bool  // it has registers from 128 on
	sets      [(workload.NoReg + 1) / word]sets
	_         [24]byte // makes it two whole lines
}

// word is the number of registers in each word of a set.
const word = 64

// sets are one word of each set of a warp's registers.
type sets struct {
	need   uint64 // of the next instruction
	writes uint64 // with a result on its way
	long   uint64 // of those, from beyond the L1
}

// of is the word of the sets with a register, and the register's bit there.
func (w *warp) of(r uint8) (s *sets, bit uint64) { return &w.sets[r/word], 1 << (r % word) }

// New makes the scoreboard of an SM with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Board {
	b := &Board{warps: make([]warp, slots.Count()), signals: signals}
	for i := range b.warps {
		b.warps[i].scheduler, b.warps[i].bit = uint8(i/slots.Each), uint8(i%slots.Each)
	}
	return b
}

// Next tells the board which instruction the warp of a slot issues next.
func (b *Board) Next(slot int, inst *workload.Inst) {
	w := &b.warps[slot]
	w.fence = inst.Class == workload.Fence
	if w.results == 0 { // nothing to wait for
		s, bit := &b.signals[w.scheduler], warps.Mask(1)<<w.bit
		s.Hazard &^= bit
		s.Long &^= bit
		return
	}
	w.learn(inst)
	b.look(slot)
}

// look compares the next instruction with what is in flight.
func (b *Board) look(slot int) {
	w := &b.warps[slot]
	low, high := &w.sets[0], &w.sets[1]
	writes, long := low.need&low.writes|high.need&high.writes, low.need&low.long|high.need&high.long
	if w.wide {
		low, high = &w.sets[2], &w.sets[3]
		writes |= low.need&low.writes | high.need&high.writes
		long |= low.need&low.long | high.need&high.long
	}
	if w.fence {
		writes = uint64(w.memory)
		long = writes
	}
	s, bit := &b.signals[w.scheduler], warps.Mask(1)<<(w.bit%warps.PerScheduler)
	warps.Assign(&s.Hazard, bit, writes != 0)
	warps.Assign(&s.Long, bit, long != 0)
}

// learn finds the registers of the next instruction. An instruction of a warp with nothing on
// its way waits for none.
func (w *warp) learn(inst *workload.Inst) {
	var need [len(w.sets)]uint64
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
	w.wide = need[2]|need[3] != 0
	w.sets[0].need, w.sets[1].need = need[0], need[1]
	if w.wide {
		w.sets[2].need, w.sets[3].need = need[2], need[3]
	}
}

// settle looks again at a warp with a waiting instruction, once a result has arrived.
func (b *Board) settle(slot int) {
	if w := &b.warps[slot]; b.signals[w.scheduler].Hazard>>w.bit&1 != 0 {
		b.look(slot)
	}
}

// Reserve notes an instruction that has issued and has something on its way:
// results for registers, or what it does itself, as a branch. It goes before the
// Next of the one behind it.
func (b *Board) Reserve(slot int, regs *[4]uint8) {
	w := &b.warps[slot]
	w.results++
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		set, bit := w.of(r)
		set.writes |= bit
	}
}

// ReserveMemory is Reserve for a memory operation, which a fence waits for.
func (b *Board) ReserveMemory(slot int, regs *[4]uint8) {
	b.warps[slot].memory++
	b.Reserve(slot, regs)
}

// Missed notes that the result of a memory operation comes from beyond the L1.
func (b *Board) Missed(slot int, regs *[4]uint8) {
	w := &b.warps[slot]
	for _, r := range regs {
		if r == workload.NoReg {
			break
		}
		set, bit := w.of(r)
		set.long |= bit
	}
	b.settle(slot)
}

// Release notes that what a Reserve was for has arrived, and reports whether
// nothing is on its way for the warp any more.
func (b *Board) Release(slot int, regs *[4]uint8) (idle bool) {
	w := &b.warps[slot]
	w.results--
	for _, r := range regs {
		if r == workload.NoReg {
			break
		}
		set, bit := w.of(r)
		set.writes &^= bit
	}
	b.settle(slot)
	return w.results == 0
}

// ReleaseMemory is Release for a memory operation.
func (b *Board) ReleaseMemory(slot int, regs *[4]uint8) (idle bool) {
	w := &b.warps[slot]
	w.memory--
	for _, r := range regs {
		if r == workload.NoReg {
			break
		}
		set, bit := w.of(r)
		set.long &^= bit
	}
	return b.Release(slot, regs)
}

// Idle reports whether nothing is on its way for the warp of a slot.
func (b *Board) Idle(slot int) bool { return b.warps[slot].results == 0 }
