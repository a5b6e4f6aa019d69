// Package residency holds the thread blocks and warps of an SM. It gives them slots when
// they are placed, takes leaving thread blocks off when nothing of them is in flight, and
// frees the slots of ended warps. It tells the SM, the gates, the barriers and the
// pipeline (Keeper) of each change.
package residency

import (
	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/barrier"
	"cotenant/sm/ews"
	"cotenant/sm/gate"
	"cotenant/sm/hot"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Keeper is the part of an SM that keeps the instructions of its warps: a pipeline.
type Keeper interface {
	// Start: a warp has taken a slot, with the instructions of a context or, for nil,
	// none yet.
	Start(w *Warp, c *protocol.WarpContext)
	// Stop: the thread block of a warp is to leave.
	Stop(w *Warp)
	// Look describes a slot's warp.
	Look(slot int) Flight
	// Save puts the instructions of a quiet thread block's warps into its context, in
	// order of Block.Warps, and takes back the thread block's storage. It returns the
	// bytes of context beside registers and shared memory.
	Save(b *Block, c *protocol.Context) (bytes int)
	// Clear: a warp leaves its slot.
	Clear(w *Warp)
	// Close: the last warp of a thread block has ended.
	Close(b *Block)
	// Oldest is a warp's oldest instruction that has not issued.
	Oldest(w *Warp) *workload.Inst
}

// Flight describes a warp's instructions.
type Flight struct {
	Quiet   bool // no instruction and no acknowledgement of a store is in flight
	Waiting int  // instructions that wait to issue
	Flying  int  // instructions and stores on their way, or 1 for any number of them
	Faulted bool // it waits for a page fault to be served
	Held    bool // an access waits in the TLB for a fault to be served
}

// SM is what the unit tells the SM.
type SM interface {
	// Launched: a tenant's kernel is another from here on.
	Launched(t tenant.ID)
	// Present: a tenant has come to the SM, or has left it.
	Present(t tenant.ID, here bool)
	// Shares: the resident thread blocks take so many bytes of shared memory, now that one
	// has come, to an empty SM or not.
	Shares(bytes int, alone bool)
}

// Parts are what a Unit works with.
type Parts struct {
	SM       SM
	Keeper   Keeper
	Gates    *gate.Set
	Barriers *barrier.Unit
	Clock    workload.Clock // that programs read
	Count    int            // of SMs
}

// Unit is the thread blocks and warps of one SM.
type Unit struct {
	Cycle      uint64 // the last edge that ticked
	Halted     bool   // no warp issues
	Reports    bool   // the SM has something to tell, as Finished and Evicted
	Departing  int    // warps that have ended or are held, and hold their slots yet
	Warps      []Warp
	Schedulers []Scheduler
	Signals    []warps.Signals // between the parts, by scheduler
	Lines      *hot.Lines      // nil: lines are not counted

	// Finished and Evicted are thread blocks that the SM driver and the preemption
	// engine are to be told of.
	Finished []*Block
	Evicted  []*protocol.TBEvicted

	number    int // of the SM
	parts     Parts
	present   []tenant.Account // that have threads on the SM
	seen      []tenant.Account // that have had threads on the SM
	nextAge   uint64
	nextTB    uint64
	blocks    components.Pool[Block]
	residents [tenant.Accounts]resident
	// launches has the number of each tenant's last launch seen here, plus one.
	launches [tenant.Max]uint64
	threads  [tenant.Max]int // of each tenant
	tbs      int             // thread blocks on the SM
	shared   int             // bytes of shared memory that they take

	Stats tally.Stats // last, because it is large
}

// Init makes the slots of an SM of a number, with the schedulers of a name.
func (u *Unit) Init(slots warps.Slots, signals []warps.Signals, scheduler string, sm int) {
	u.number, u.Signals, u.Schedulers, u.Warps = sm, signals, components.Spread[Scheduler](slots.Schedulers, sm), components.Spread[Warp](slots.Count(), sm)
	for i := range u.Schedulers {
		policy, _ := ews.New(scheduler) // validated before
		u.Schedulers[i] = Scheduler{Policy: policy, Signals: &signals[i], Warps: u.Warps[i*slots.Each:][:slots.Each], Number: i, First: i * slots.Each, slotsFree: slots.Each}
	}
	for i := range u.Warps {
		u.Warps[i] = Warp{Slot: uint16(i), Scheduler: uint8(i / slots.Each), Number: uint8(i % slots.Each), Bit: warps.Bit(i % slots.Each)}
	}
}

// Join connects the unit.
func (u *Unit) Join(p Parts) { u.parts = p }

// Charge books n cycles of a scheduler.
func (u *Unit) Charge(cause tally.Cause, a tenant.Account, n uint64) { u.Stats.Charge(cause, a, n) }

// Stall is where a scheduler's cycles without issue go.
type Stall struct {
	tally.Cause
	payer tenant.Account
	line  uint32 // where lines are counted
}

// Blame charges a scheduler's cycle without an issue to the tenant with the oldest warp of a
// mask, and to the warp's line.
func (u *Unit) Blame(p *Scheduler, cause tally.Cause, mask warps.Mask) {
	u.Owe(p, u.StallOf(p, cause, mask), 1)
}

// StallOf is where a scheduler's cycle without an issue goes, see Blame.
func (u *Unit) StallOf(p *Scheduler, cause tally.Cause, mask warps.Mask) Stall {
	s := Stall{Cause: cause, payer: u.Payer(p, cause, mask)}
	if u.Lines != nil {
		s.line = u.Blocking(p, mask)
	}
	return s
}

// Owe charges n cycles of a scheduler. They are counted once they are followed by others, or
// by Pay.
func (u *Unit) Owe(p *Scheduler, s Stall, n uint64) {
	if s != p.Stall {
		u.pay(p)
		p.Stall = s
	}
	p.owed += n
}

// OweAgain charges a scheduler's cycle as the one before.
func (p *Scheduler) OweAgain() { p.owed++ }

// Pay counts all cycles that have been charged.
func (u *Unit) Pay() {
	for i := range u.Schedulers {
		u.pay(&u.Schedulers[i])
	}
}

func (u *Unit) pay(p *Scheduler) {
	s := &p.Stall
	u.Charge(s.Cause, s.payer, p.owed)
	if u.Lines != nil && s.Cause != tally.Idle {
		u.Lines.Charge(s.line, s.Cause, p.owed)
	}
	p.owed = 0
}

// Payer is the account with the oldest warp of a mask, which is not empty unless the
// cause is Idle.
func (u *Unit) Payer(p *Scheduler, cause tally.Cause, mask warps.Mask) tenant.Account {
	if cause == tally.Idle {
		return 0
	}
	if len(u.present) == 1 {
		return u.present[0]
	}
	return p.eldest(mask).Account
}

// ID is the SM's number.
func (u *Unit) ID() int { return u.number }

// Seen lists the accounts that have had threads on the SM.
func (u *Unit) Seen() []tenant.Account { return u.seen }

// Threads is the number of threads of all tenants.
func (u *Unit) Threads() (n int) {
	for k := range u.residents {
		n += u.residents[k].threads
	}
	return n
}
