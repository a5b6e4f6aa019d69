package sm

import (
	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// registerSet is a set of register numbers.
type registerSet [4]uint64

func (s *registerSet) has(r uint8) bool { return s[r>>6]>>(r&63)&1 != 0 }

// hasAny reports whether a register list has a member in the set.
func (s *registerSet) hasAny(regs []uint8) bool {
	for _, r := range regs {
		if r == workload.NoReg {
			return false
		}
		if s.has(r) {
			return true
		}
	}
	return false
}

func (s *registerSet) add(regs *[4]uint8) {
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		s[r>>6] |= 1 << (r & 63)
	}
}

func (s *registerSet) remove(regs *[4]uint8) {
	for _, r := range regs {
		if r == workload.NoReg {
			return
		}
		s[r>>6] &^= 1 << (r & 63)
	}
}

// warp is one warp slot.
type warp struct {
	stream workload.Stream
	inst   workload.Inst // the next instruction to issue

	// Scoreboard: registers with a result on its way, and those of them that
	// wait for a load beyond the L1.
	pending, long registerSet

	age      uint64 // order of placement over the SM's life
	tb       *residentTB
	port     *port
	bit      uint64 // the warp's bit in its port's masks
	inFlight int    // results on their way, memory operations included
	memory   int    // memory operations on their way
	buffered int    // instructions in the buffer
	fetching int    // instructions on their way to the buffer
	epoch    uint8  // counts flushes, so that fetches from before one are dropped
	tenant   tenant.ID
	slot     uint8 // in its port
	unit     unit  // that the next instruction needs
	barrier  uint8 // that the warp waits at, if it does
	turn     uint8 // of that barrier

	inUse     bool
	ended     bool // the stream has ended
	atBarrier bool
	held      bool // its thread block is leaving
	branching bool // fetch waits for a branch to resolve
}

// residentTB is one thread block on the SM.
type residentTB struct {
	tb      *workload.TB
	demand  occupancy.Demand
	tenant  tenant.ID
	opening bool // a barrier opens at the end of this cycle
	live    int  // warps whose stream has not ended
	left    int  // warps not done
	warps   []int32
	serial  uint64
	leaving bool // it issues nothing and waits for what is in flight

	barriers [workload.Barriers]protocol.Barrier
	arrivals uint16 // barriers at which warps have arrived, one bit each
}
