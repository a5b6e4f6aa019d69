// Package frontend models an SM's fetch and its warps' instruction buffers. A fetch
// unit, of each scheduler or of the SM, serves one warp a cycle, in turn, among the
// warps with room in their buffers or with empty buffers. A taken branch empties its
// warp's buffer, and fetch for the warp begins again once the branch has resolved. With
// an instruction cache, a miss holds up the fetch of its warp alone.
//
// The front end drives the signal Empty.
package frontend

import (
	"cotenant/sm/icache"
	"cotenant/sm/warps"
)

// Unit is the front end of an SM.
type Unit struct {
	wanted  [warps.MaxSchedulers]warps.Mask // slots to be fetched for, by scheduler
	next    [warps.MaxSchedulers]uint8      // where a scheduler's round robin over them goes on
	coming  uint16                          // cycles, modulo MaxFetchLatency, at which groups arrive
	latency uint8
	width   uint8
	depth   uint8
	below   uint8    // a warp that has, or will have, fewer instructions is fetched for
	simple  bool     // each scheduler has a fetch unit, and every fetch hits
	each    int      // slots of a scheduler
	arrive  []group  // by cycle, modulo MaxFetchLatency, and scheduler
	buffers []buffer // by warp slot
	signals []warps.Signals

	spec    Spec
	turn    int           // of the shared fetch unit, see shared.go
	cache   *icache.Cache // nil if every fetch hits
	missing []missing     // by warp slot; nil without a cache
	program Program
}

// buffer is a warp's instruction buffer. What the instructions are, the warp's
// stream knows: here they are counted.
type buffer struct {
	scheduler uint8
	bit       uint8 // number of the slot's bit
	filled    uint8 // instructions in the buffer
	all       uint8 // instructions in the buffer or on their way
	epoch     uint8 // grows with whatever makes fetches on their way void
	closed    uint8 // why nothing is fetched; 0: it is
}

// The reasons for which nothing is fetched for a warp.
const (
	branching uint8 = 1 << iota // before a branch resolves
	stopped                     // any more
	waiting                     // before a line of code arrives
)

// group is what one fetch brings to a warp's buffer; without instructions there is none.
type group struct{ count, bit, epoch uint8 }

// New makes the front end of an SM with the given slots, and drives their signals. The
// Spec must be valid. Without an instruction cache program is not used; only an
// instruction cache that misses to memory uses memory.
func New(spec Spec, slots warps.Slots, signals []warps.Signals, program Program, memory icache.Memory) *Unit {
	u := &Unit{spec: spec, below: spec.fetchedBelow(), signals: signals, program: program, each: slots.Each,
		latency: uint8(spec.FetchLatency), width: uint8(spec.FetchWidth), depth: uint8(spec.BufferDepth),
		buffers: make([]buffer, slots.Count()), arrive: make([]group, MaxFetchLatency*slots.Schedulers)}
	for i := range u.buffers {
		u.buffers[i] = buffer{scheduler: uint8(i / slots.Each), bit: uint8(i % slots.Each), closed: stopped}
	}
	if spec.ICache.Sets > 0 {
		u.cache, u.missing = icache.New(spec.ICache, memory), make([]missing, slots.Count())
	}
	u.simple = !spec.PerSM && u.cache == nil
	return u
}

// Start readies a slot for a new warp: its buffer is empty.
func (u *Unit) Start(slot int) {
	b := &u.buffers[slot]
	b.filled, b.all, b.closed = 0, 0, 0
	b.epoch++
	if u.cache != nil {
		u.missing[slot] = missing{}
	}
	u.refresh(b)
}

// Stop ends fetching for a warp that has ended, or is to leave; its buffer counts
// no more.
func (u *Unit) Stop(slot int) {
	b := &u.buffers[slot]
	b.closed |= stopped
	u.refresh(b)
}

// Issue takes a warp's oldest instruction out of its buffer, where one must be:
// the warp is neither stopped nor branching.
func (u *Unit) Issue(slot int) {
	b := &u.buffers[slot]
	b.filled--
	b.all--
	bit := warps.Mask(1) << (b.bit % warps.PerScheduler)
	if b.filled == 0 {
		u.signals[b.scheduler].Empty |= bit
	}
	if b.all < u.below {
		u.wanted[b.scheduler%warps.MaxSchedulers] |= bit
	}
}

// Branch empties the buffer of a warp that has issued a taken branch. Nothing is
// fetched before Resolve.
func (u *Unit) Branch(slot int) {
	b := &u.buffers[slot]
	b.filled, b.all = 0, 0
	b.closed |= branching
	b.epoch++
	u.refresh(b)
}

// Resolve lets fetch go on behind a branch.
func (u *Unit) Resolve(slot int) {
	b := &u.buffers[slot]
	b.closed &^= branching
	u.refresh(b)
}

// refresh brings a warp's bits up to date.
func (u *Unit) refresh(b *buffer) {
	bit := warps.Mask(1) << b.bit
	warps.Assign(&u.signals[b.scheduler].Empty, bit, b.filled == 0 && b.closed&stopped == 0)
	warps.Assign(&u.wanted[b.scheduler], bit, b.closed == 0 && b.all < u.below)
}

// Arrive puts what fetch brings at a cycle into the buffers, and reports whether
// there was anything.
func (u *Unit) Arrive(cycle uint64) (moved bool) {
	at := cycle % MaxFetchLatency
	if u.coming>>at&1 == 0 {
		return false
	}
	u.coming &^= 1 << at
	signals := u.signals
	groups := u.arrive[int(at)*len(signals):][:len(signals)]
	for i := range groups {
		g := groups[i]
		if g.count == 0 {
			continue
		}
		groups[i].count = 0
		if b := &u.buffers[i*u.each+int(g.bit)]; b.epoch == g.epoch {
			b.filled += g.count
			signals[i].Empty &^= 1 << (g.bit % warps.PerScheduler)
		}
	}
	return true
}

// Fetch starts one fetch for each scheduler, or one for the SM, and reports
// whether there was one.
func (u *Unit) Fetch(cycle uint64) (moved bool) {
	if !u.simple {
		return u.fetchOtherwise(cycle)
	}
	for i := range u.signals {
		if u.wanted[i%warps.MaxSchedulers] != 0 {
			u.start(i, u.choose(i), cycle)
			moved = true
		}
	}
	return moved
}

// choose is the number of the slot that has its turn among the wanted slots of a
// scheduler, of which there is one at least.
func (u *Unit) choose(scheduler int) (bit int) {
	scheduler %= warps.MaxSchedulers
	bit = warps.First(u.wanted[scheduler], int(u.next[scheduler]))
	u.next[scheduler] = uint8(bit+1) % warps.PerScheduler
	return bit
}

// fetchOtherwise is Fetch with one fetch unit for the SM, or an instruction
// cache.
func (u *Unit) fetchOtherwise(cycle uint64) (moved bool) {
	moved = u.cache != nil && u.fill(cycle)
	if u.spec.PerSM {
		return u.fetchShared(cycle) || moved
	}
	for i := range u.signals {
		if u.wanted[i] != 0 {
			u.serve(i, u.choose(i), cycle)
			moved = true
		}
	}
	return moved
}

// serve fetches for the warp of a scheduler's slot if its instructions are there.
func (u *Unit) serve(scheduler, bit int, cycle uint64) {
	if u.cache == nil || u.present(scheduler, bit, cycle) {
		u.start(scheduler, bit, cycle)
	}
}

// start fetches for the warp of a scheduler's slot.
func (u *Unit) start(scheduler, bit int, cycle uint64) {
	b := &u.buffers[scheduler*u.each+bit]
	count := min(u.width, u.depth-b.all)
	b.all += count
	at := (cycle + uint64(u.latency)) % MaxFetchLatency
	u.arrive[int(at)*len(u.signals)+scheduler] = group{count, uint8(bit), b.epoch}
	u.coming |= 1 << at
	if b.all >= u.below {
		u.wanted[scheduler%warps.MaxSchedulers] &^= 1 << (bit % warps.PerScheduler)
	}
}

// Coming reports whether a fetch is on its way.
func (u *Unit) Coming() bool { return u.coming != 0 }
