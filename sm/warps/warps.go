// Package warps holds what the parts of an SM share: the numbers of warp
// slots, the kinds of pipes, and the signals between the parts.
package warps

import "math/bits"

const (
	// MaxSchedulers is the number of schedulers that an SM can have.
	MaxSchedulers = 8
	// PerScheduler is the number of warp slots that one scheduler can have: one bit
	// each of a Mask.
	PerScheduler = 64
)

// Mask is a set of one scheduler's warp slots.
type Mask = uint64

// Bit is the mask of one slot, by the number of its bit.
func Bit(bit int) Mask { return 1 << (bit & (PerScheduler - 1)) }

// Unit is the kind of pipe that an instruction needs.
type Unit uint8

// The units. Exits need no pipe and are Control's. So are branches and barriers,
// unless the SM limits how often a scheduler issues them.
const (
	Control Unit = iota
	ALU          // single precision, and integers where they have no pipes of their own
	FP64         // double precision
	SFU          // special functions
	Tensor       // matrix multiply
	Int          // integers, where they have pipes of their own
	Extra        // an execution unit that is registered (pipes.Unit)
	LSU          // load-store unit
	Branch       // branch unit
	Barrier      // barrier unit
	NumUnits
)

// Signals are the wires of one scheduler: for each of its warp slots one bit in
// each. Every signal has one part that drives it, named here; the issue stage
// reads them all.
type Signals struct {
	// Still: the issue stage has found no warp that can issue, and neither has a signal changed
	// since then nor is what ready warps wait for there: not 0. The issue stage sets it, and
	// clears it for its ready warps; whoever changes a signal, Needs aside, clears it.
	Still Mask
	// Live: the slot's warp has instructions left. The SM.
	Live Mask
	// Empty: its instruction buffer is. The front end.
	Empty Mask
	// Held: its thread block is leaving. The SM.
	Held Mask
	// Waits: it is at a barrier. The barriers.
	Waits Mask
	// Asleep: it sleeps for a time (workload.Time). The issue stage.
	Asleep Mask
	// Hazard: its next instruction waits for a register, or is a fence that waits for
	// memory. The scoreboard.
	Hazard Mask
	// Copies: its next instruction waits for groups of asynchronous copies. Their unit,
	// sm/async.
	Copies Mask
	// Phases: that instruction of a slot in Copies waits for a phase of an mbarrier. Their unit drives it
	// with Copies; without Copies it says nothing.
	Phases Mask
	// Gated: a gate lets it issue nothing; GatedMemory: no instruction of global
	// memory. The gates.
	Gated, GatedMemory Mask
	// Global: its next instruction is a load, store or atomic of global memory. It
	// is kept while gates are active only. The SM.
	Global Mask
	// Long: its next instruction waits for a register with a result from beyond the L1. The
	// scoreboard.
	Long Mask
	// Needs has the slots by the unit of their next instruction. The SM.
	Needs [NumUnits]Mask
}

// Ready are the slots that could issue if their pipe were free.
func (s *Signals) Ready() Mask {
	return s.Live &^ (s.Held | s.Empty | s.Waits | s.Asleep | s.Hazard | s.Copies | s.Gated | s.GatedMemory&s.Global)
}

// Clear takes a slot out of every signal but Needs, which Next keeps.
func (s *Signals) Clear(slot Mask) {
	s.Still = 0
	s.Live &^= slot
	s.Held &^= slot
	s.Empty &^= slot
	s.Waits &^= slot
	s.Asleep &^= slot
	s.Hazard &^= slot
	s.Long &^= slot
	s.Copies &^= slot
	s.Global &^= slot
}

// Slots says which scheduler a warp slot belongs to. The slots of an SM are numbered
// through: first the slots of the first scheduler, then the slots of the second.
type Slots struct{ Schedulers, Each int }

// Count is the number of slots of the SM.
func (s Slots) Count() int { return s.Schedulers * s.Each }

// First is the lowest slot of a mask that is not empty, counting from a start
// and wrapping round.
func First(m Mask, start int) int {
	return (bits.TrailingZeros64(bits.RotateLeft64(m, -start)) + start) % PerScheduler
}

// Unless is a mask if another one is empty, else it is empty.
func Unless(m, other Mask) Mask { return m &^ Mask(int64(other|-other)>>63) }

// Assign puts a slot into a mask or takes it out.
func Assign(m *Mask, slot Mask, in bool) {
	v := *m &^ slot
	if in { // without a jump, which could not be foretold
		v |= slot
	}
	*m = v
}
