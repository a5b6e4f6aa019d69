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
	warps   []warp  // by slot
	upper   []upper // by slot
	signals []warps.Signals
}

// low is the number of registers that a warp's own word of each set holds. Few
// kernels have more.
const low = 64

// warp is the state of one warp slot: what nearly every instruction looks at,
// within a line of the processor's cache.
type warp struct {
	need   uint64 // registers of the next instruction, below low
	writes uint64 // with a result on its way
	long   uint64 // of those, from beyond the L1
	next   *workload.Inst

	results   uint16 // on their way, of memory operations and branches too
	memory    uint16 // of those, memory operations
	scheduler uint8
	bit       uint8    // number of the slot's bit
	fence     bool     // the next instruction is one
	known     bool     // need is that of the next instruction
	wide      bool     // it has registers from low on
	_         [16]byte // makes it a whole line
}

// upper has the same sets of the registers from low on.
type upper struct{ need, writes, long set }

// set is a set of register numbers from low on.
type set [(workload.NoReg+1)/low - 1]uint64

func (s *set) meets(o *set) bool { return s[0]&o[0]|s[1]&o[1]|s[2]&o[2] != 0 }
func (s *set) add(r uint8)       { s[r/low-1] |= 1 << (r % low) }
func (s *set) remove(r uint8)    { s[r/low-1] &^= 1 << (r % low) }

// New makes the scoreboard of an SM with the given slots, and drives their signals.
func New(slots warps.Slots, signals []warps.Signals) *Board {
	b := &Board{warps: make([]warp, slots.Count()), upper: make([]upper, slots.Count()), signals: signals}
	for i := range b.warps {
		b.warps[i].scheduler, b.warps[i].bit = uint8(i/slots.Each), uint8(i%slots.Each)
	}
	return b
}

// Next tells the board which instruction the warp of a slot issues next. It must
// stay as it is, in its place, until it has issued or the warp is gone.
func (b *Board) Next(slot int, inst *workload.Inst) {
	w := &b.warps[slot]
	w.next, w.known, w.fence = inst, false, inst.Class == workload.Fence
	if w.results == 0 { // nothing to wait for
		s, bit := &b.signals[w.scheduler], warps.Mask(1)<<w.bit
		s.Hazard &^= bit
		s.Long &^= bit
		return
	}
	b.look(slot)
}

// look compares the next instruction with what is in flight.
func (b *Board) look(slot int) {
	w := &b.warps[slot]
	if !w.known {
		b.learn(slot)
	}
	hazard, long := w.need&w.writes != 0, w.need&w.long != 0
	if w.wide {
		u := &b.upper[slot]
		hazard, long = hazard || u.need.meets(&u.writes), long || u.need.meets(&u.long)
	}
	if w.fence {
		hazard = w.memory > 0
		long = hazard
	}
	s, bit := &b.signals[w.scheduler], warps.Mask(1)<<w.bit
	warps.Assign(&s.Hazard, bit, hazard)
	warps.Assign(&s.Long, bit, long)
}

// learn finds the registers of the next instruction.
func (b *Board) learn(slot int) {
	w := &b.warps[slot]
	w.need, w.known, w.wide = 0, true, false
	for _, r := range w.next.Dst {
		if r == workload.NoReg {
			break
		}
		b.wants(w, slot, r)
	}
	for _, r := range w.next.Src {
		if r == workload.NoReg {
			break
		}
		b.wants(w, slot, r)
	}
}

func (b *Board) wants(w *warp, slot int, r uint8) {
	if r < low {
		w.need |= 1 << r
		return
	}
	if !w.wide {
		w.wide = true
		b.upper[slot].need = set{}
	}
	b.upper[slot].need.add(r)
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
		if r < low {
			w.writes |= 1 << r
		} else {
			b.upper[slot].writes.add(r)
		}
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
		if r < low {
			w.long |= 1 << r
		} else {
			b.upper[slot].long.add(r)
		}
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
		if r < low {
			w.writes &^= 1 << r
		} else {
			b.upper[slot].writes.remove(r)
		}
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
		if r < low {
			w.long &^= 1 << r
		} else {
			b.upper[slot].long.remove(r)
		}
	}
	return b.Release(slot, regs)
}

// Idle reports whether nothing is on its way for the warp of a slot.
func (b *Board) Idle(slot int) bool { return b.warps[slot].results == 0 }
