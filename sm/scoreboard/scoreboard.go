// Package scoreboard keeps warps from issuing instructions whose registers are
// not settled: for each warp the registers with a result on its way, those of
// them that wait for memory beyond the L1, and those that instructions in flight
// have yet to read. A warp's next instruction waits for the first two with all its
// registers, and for the third with those that it writes. A fence waits for the
// warp's memory operations.
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

// set is a set of register numbers.
type set [4]uint64

func (s *set) meets(o *set) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3] != 0
}

func (s *set) add(regs []uint8) {
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		s[r>>6] |= 1 << (r & 63)
	}
}

func (s *set) remove(regs []uint8) {
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		s[r>>6] &^= 1 << (r & 63)
	}
}

// warp is the state of one warp slot.
type warp struct {
	need   set // registers of the next instruction
	writes set // with a result on its way
	long   set // of those, from beyond the L1

	results   uint16 // on their way, of memory operations too
	memory    uint16 // of those, memory operations
	scheduler uint8
	bit       uint8 // number of the slot's bit
	fence     bool  // the next instruction is one
	known     bool  // need is that of the next instruction
	next      *workload.Inst
	reads     *reads // nil unless instructions have held their sources
}

// New makes a scoreboard for an SM of the given slots, whose signals it drives.
func New(slots warps.Slots, signals []warps.Signals) *Board {
	b := &Board{warps: make([]warp, slots.Count()), signals: signals}
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
	if w.results == 0 && w.reads == nil { // nothing to wait for
		s, bit := &b.signals[w.scheduler], warps.Mask(1)<<w.bit
		s.Hazard &^= bit
		s.Long &^= bit
		return
	}
	b.look(w)
}

// look compares the next instruction with what is in flight.
func (b *Board) look(w *warp) {
	if !w.known {
		w.need = set{}
		w.need.add(w.next.Dst[:])
		w.need.add(w.next.Src[:])
		w.known = true
	}
	hazard, long := false, false
	switch {
	case w.fence:
		hazard = w.memory > 0
		long = hazard
	case w.writes.meets(&w.need):
		hazard = true
		long = w.memory > 0 && w.long.meets(&w.need)
	case w.reads != nil:
		hazard = w.reads.holds(w.next.Dst[:])
	}
	s, bit := &b.signals[w.scheduler], warps.Mask(1)<<w.bit
	warps.Assign(&s.Hazard, bit, hazard)
	warps.Assign(&s.Long, bit, long)
}

// settle looks again at a warp whose next instruction waits, once something has
// arrived.
func (b *Board) settle(w *warp) {
	if b.signals[w.scheduler].Hazard>>w.bit&1 != 0 {
		b.look(w)
	}
}

// Reserve notes registers whose result is on its way, after their instruction
// has issued and before Next.
func (b *Board) Reserve(slot int, regs *[4]uint8) {
	w := &b.warps[slot]
	w.results++
	w.writes.add(regs[:])
}

// ReserveMemory is Reserve for a memory operation, which a fence waits for and
// which may write no register.
func (b *Board) ReserveMemory(slot int, regs *[4]uint8) {
	b.warps[slot].memory++
	b.Reserve(slot, regs)
}

// Missed notes that the result of a memory operation comes from beyond the L1.
func (b *Board) Missed(slot int, regs *[4]uint8) {
	w := &b.warps[slot]
	w.long.add(regs[:])
	b.settle(w)
}

// Release notes that a result has arrived.
func (b *Board) Release(slot int, regs *[4]uint8) {
	w := &b.warps[slot]
	w.results--
	w.writes.remove(regs[:])
	b.settle(w)
}

// ReleaseMemory is Release for a memory operation.
func (b *Board) ReleaseMemory(slot int, regs *[4]uint8) {
	w := &b.warps[slot]
	w.memory--
	w.long.remove(regs[:])
	b.Release(slot, regs)
}

// Results is the number of results that are on their way for the warp of a slot.
func (b *Board) Results(slot int) int { return int(b.warps[slot].results) }
