package sm

import (
	"cotenant/components/occupancy"
	"cotenant/sm/barrier"
	"cotenant/sm/ews"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// warp is one warp slot: what issuing it takes comes first.
type warp struct {
	stream workload.Stream
	inst   workload.Inst // the next instruction to issue

	bit       warps.Mask // the slot's in its scheduler's masks
	slot      uint16     // number on the SM
	scheduler uint8
	unit      warps.Unit // that the next instruction needs
	account   tenant.Account
	inUse     bool
	ended     bool // the stream has ended
	left      bool // and the warp the barriers
	held      bool // its thread block is leaving

	age uint64 // order of placement over the SM's life
	tb  *residentTB
}

// residentTB is one thread block on the SM.
type residentTB struct {
	tb       *workload.TB
	demand   occupancy.Demand
	account  tenant.Account
	left     int // warps not done
	warps    []int32
	serial   uint64
	number   uint64 // order of placement over the SM's life
	code     uint64 // first address of the kernel's instructions
	leaving  bool   // it issues nothing and waits for what is in flight
	barriers barrier.Block
	slot     int // of the operand log
	faulted  int // warps that have faulted
	blocked  bool
}

// scheduler is one warp scheduler: its issue port and its warp slots.
type scheduler struct {
	policy  ews.Scheduler
	signals *warps.Signals
	number  int
	first   int // number of its first warp slot
	// slotsFree is the number of warp slots that no warp holds.
	slotsFree int
	slots     [tenant.Max]warps.Mask // by whose warps hold them
	freeAt    [warps.NumUnits]uint64 // first cycle at which a pipe takes an instruction
	busy      uint8                  // units whose freeAt may be to come, one bit each
	groups    ews.Groups             // of its slots; not used unless SM.grouped

	// charged is what its cycles go to while the SM sleeps.
	charged Cause
	payer   tenant.Account
}
