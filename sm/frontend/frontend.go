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
	buffers []buffer // by warp slot
	fetch   []fetch  // by scheduler
	signals []warps.Signals
	below   uint8 // a warp that has, or will have, fewer instructions is fetched for
	simple  bool  // each scheduler has a fetch unit, and every fetch hits
	spec    Spec
	turn    int           // of the shared fetch unit, see shared.go
	cache   *icache.Cache // nil if every fetch hits
	program Program
}

// buffer is a warp's instruction buffer. What the instructions are, the warp's
// stream knows: here they are counted.
type buffer struct {
	scheduler uint8
	bit       uint8 // number of the slot's bit
	filled    uint8 // instructions in the buffer
	coming    uint8 // instructions on their way
	epoch     uint8 // grows with whatever makes fetches on their way void
	branching bool  // nothing is fetched before a branch resolves
	stopped   bool  // nothing is fetched any more
	// missing is the MSHR of the line that the warp waits for in the instruction cache,
	// plus one; 0: none.
	missing uint16
	brought bool // the line that the warp has waited for has arrived
}

// fetch is one scheduler's fetch unit.
type fetch struct {
	first  int        // slot of the scheduler
	wanted warps.Mask // slots to be fetched for
	next   int        // where the round robin over wanted goes on
	coming int        // groups that arrive yet
	arrive [MaxFetchLatency]group
}

// group is what one fetch brings to a warp's buffer.
type group struct{ count, bit, epoch uint8 }

// New makes the front end of an SM with the given slots, and drives their signals. The
// Spec must be valid. Without an instruction cache program is not used; only an
// instruction cache that misses to memory uses memory.
func New(spec Spec, slots warps.Slots, signals []warps.Signals, program Program, memory icache.Memory) *Unit {
	u := &Unit{spec: spec, below: spec.fetchedBelow(), signals: signals, program: program, buffers: make([]buffer, slots.Count()), fetch: make([]fetch, slots.Schedulers)}
	for i := range u.buffers {
		u.buffers[i] = buffer{scheduler: uint8(i / slots.Each), bit: uint8(i % slots.Each), stopped: true}
	}
	for i := range u.fetch {
		u.fetch[i].first = i * slots.Each
	}
	if spec.ICache.Sets > 0 {
		u.cache = icache.New(spec.ICache, memory)
	}
	u.simple = !spec.PerSM && u.cache == nil
	return u
}

// Start readies a slot for a new warp: its buffer is empty.
func (u *Unit) Start(slot int) {
	b := &u.buffers[slot]
	b.filled, b.coming, b.branching, b.stopped, b.missing, b.brought = 0, 0, false, false, 0, false
	b.epoch++
	u.refresh(b)
}

// Stop ends fetching for a warp that has ended, or is to leave; its buffer counts
// no more.
func (u *Unit) Stop(slot int) {
	b := &u.buffers[slot]
	b.stopped = true
	u.refresh(b)
}

// Issue takes a warp's oldest instruction out of its buffer, where one must be:
// the warp is neither stopped nor branching.
func (u *Unit) Issue(slot int) {
	b := &u.buffers[slot]
	b.filled--
	if b.filled == 0 {
		u.signals[b.scheduler].Empty |= 1 << b.bit
	}
	if b.filled+b.coming < u.below {
		u.fetch[b.scheduler].wanted |= 1 << b.bit
	}
}

// Branch empties the buffer of a warp that has issued a taken branch. Nothing is
// fetched before Resolve.
func (u *Unit) Branch(slot int) {
	b := &u.buffers[slot]
	b.filled, b.coming, b.branching = 0, 0, true
	b.epoch++
	u.refresh(b)
}

// Resolve lets fetch go on behind a branch.
func (u *Unit) Resolve(slot int) {
	b := &u.buffers[slot]
	b.branching = false
	u.refresh(b)
}

// refresh brings a warp's bits up to date.
func (u *Unit) refresh(b *buffer) {
	bit := warps.Mask(1) << b.bit
	warps.Assign(&u.signals[b.scheduler].Empty, bit, b.filled == 0 && !b.stopped)
	warps.Assign(&u.fetch[b.scheduler].wanted, bit, !b.stopped && !b.branching && b.filled+b.coming < u.below)
}

// Arrive puts what fetch brings at a cycle into the buffers, and reports whether
// there was anything.
func (u *Unit) Arrive(cycle uint64) (moved bool) {
	for i := range u.fetch {
		f := &u.fetch[i]
		if f.coming == 0 {
			continue
		}
		g := &f.arrive[cycle%MaxFetchLatency]
		if g.count == 0 {
			continue
		}
		b := &u.buffers[f.first+int(g.bit)]
		if b.epoch == g.epoch {
			b.coming -= g.count
			b.filled += g.count
			u.signals[i].Empty &^= 1 << g.bit
		}
		g.count = 0
		f.coming--
		moved = true
	}
	return moved
}

// Fetch starts one fetch for each scheduler, or one for the SM, and reports
// whether there was one.
func (u *Unit) Fetch(cycle uint64) (moved bool) {
	if !u.simple {
		return u.fetchOtherwise(cycle)
	}
	for i := range u.fetch {
		f := &u.fetch[i]
		if f.wanted == 0 {
			continue
		}
		bit := warps.First(f.wanted, f.next)
		f.next = (bit + 1) % warps.PerScheduler
		u.start(f, bit, cycle)
		moved = true
	}
	return moved
}

// fetchOtherwise is Fetch with one fetch unit for the SM, or an instruction
// cache.
func (u *Unit) fetchOtherwise(cycle uint64) (moved bool) {
	moved = u.cache != nil && u.fill(cycle)
	if u.spec.PerSM {
		return u.fetchShared(cycle) || moved
	}
	for i := range u.fetch {
		if f := &u.fetch[i]; f.wanted != 0 {
			bit := warps.First(f.wanted, f.next)
			f.next = (bit + 1) % warps.PerScheduler
			u.serve(f, bit, cycle)
			moved = true
		}
	}
	return moved
}

// serve fetches for the warp of a scheduler's slot if its instructions are there.
func (u *Unit) serve(f *fetch, bit int, cycle uint64) {
	if u.cache == nil || u.present(f, bit, cycle) {
		u.start(f, bit, cycle)
	}
}

// start fetches for the warp of a scheduler's slot.
func (u *Unit) start(f *fetch, bit int, cycle uint64) {
	b := &u.buffers[f.first+bit]
	count := uint8(min(u.spec.FetchWidth, u.spec.BufferDepth-int(b.filled)-int(b.coming)))
	b.coming += count
	f.arrive[(cycle+uint64(u.spec.FetchLatency))%MaxFetchLatency] = group{count, uint8(bit), b.epoch}
	f.coming++
	if b.filled+b.coming >= u.below {
		f.wanted &^= 1 << bit
	}
}

// Coming reports whether a fetch is on its way.
func (u *Unit) Coming() bool {
	for i := range u.fetch {
		if u.fetch[i].coming > 0 {
			return true
		}
	}
	return false
}
