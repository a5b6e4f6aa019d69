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

// Unit is the front end of an SM. What every edge asks comes first, and by cycle and
// scheduler, so that it lies in few lines of the processor's cache.
type Unit struct {
	coming  uint16 // cycles, modulo MaxFetchLatency, at which groups arrive
	latency uint8
	width   uint8
	depth   uint8
	below   uint8                           // a warp that has, or will have, fewer instructions is fetched for
	simple  bool                            // each scheduler has a fetch unit, and every fetch hits
	next    [warps.MaxSchedulers]uint8      // where the round robin over wanted goes on
	wanted  [warps.MaxSchedulers]warps.Mask // slots to be fetched for
	arrive  [MaxFetchLatency][warps.MaxSchedulers]group
	signals []warps.Signals // by scheduler
	buffers [warps.MaxSchedulers][warps.PerScheduler]buffer

	spec    Spec
	each    int           // slots of a scheduler
	turn    int           // of the shared fetch unit, see shared.go
	cache   *icache.Cache // nil if every fetch hits
	missing [][]missing   // by scheduler and slot; nil without a cache
	program Program
}

// buffer is a warp's instruction buffer. What the instructions are, the warp's
// stream knows: here they are counted.
type buffer struct {
	filled uint8 // instructions in the buffer
	all    uint8 // instructions in the buffer or on their way
	epoch  uint8 // grows with whatever makes fetches on their way void
	closed uint8 // why nothing is fetched; 0: it is
}

// The reasons for which nothing is fetched for a warp.
const (
	branching uint8 = 1 << iota // before a branch resolves
	stopped                     // any more
	waiting                     // before a line of code arrives
)

// group is what one fetch brings to a warp's buffer: from the low byte on, the number of
// instructions, the slot's bit, and the buffer's epoch. 0: there is none.
type group uint32

// New makes the front end of an SM with the given slots, and drives their signals. The
// Spec must be valid. Without an instruction cache program is not used; only an
// instruction cache that misses to memory uses memory.
func New(spec Spec, slots warps.Slots, signals []warps.Signals, program Program, memory icache.Memory) *Unit {
	u := &Unit{spec: spec, below: spec.fetchedBelow(), program: program, each: slots.Each, signals: signals[:slots.Schedulers],
		latency: uint8(spec.FetchLatency), width: uint8(spec.FetchWidth), depth: uint8(spec.BufferDepth)}
	for i := range u.buffers {
		for bit := range u.buffers[i] {
			u.buffers[i][bit].closed = stopped
		}
	}
	if spec.ICache.Sets > 0 {
		u.cache = icache.New(spec.ICache, memory)
		for range u.signals {
			u.missing = append(u.missing, make([]missing, slots.Each))
		}
	}
	u.simple = !spec.PerSM && u.cache == nil
	return u
}

// Start readies a scheduler's slot for a new warp: its buffer is empty.
func (u *Unit) Start(scheduler, bit int) {
	b := u.buffer(scheduler, bit)
	b.filled, b.all, b.closed = 0, 0, 0
	b.epoch++
	if u.cache != nil {
		u.missing[scheduler][bit] = missing{}
	}
	u.refresh(scheduler, bit)
}

// Stop ends fetching for a warp that has ended, or is to leave; its buffer counts
// no more.
func (u *Unit) Stop(scheduler, bit int) {
	u.buffer(scheduler, bit).closed |= stopped
	u.refresh(scheduler, bit)
}

// Issue takes a warp's oldest instruction out of its buffer, where one must be:
// the warp is neither stopped nor branching.
func (u *Unit) Issue(scheduler, bit int) {
	b := u.buffer(scheduler, bit)
	b.filled--
	b.all--
	if b.filled == 0 {
		u.signals[scheduler].Empty |= warps.Bit(bit) // of a warp that issues: the scheduler is not Still
	}
	if b.all < u.below {
		u.wanted[scheduler&(warps.MaxSchedulers-1)] |= warps.Bit(bit)
	}
}

// Branch empties the buffer of a warp that has issued a taken branch. Nothing is
// fetched before Resolve.
func (u *Unit) Branch(scheduler, bit int) {
	b := u.buffer(scheduler, bit)
	b.filled, b.all = 0, 0
	b.closed |= branching
	b.epoch++
	u.refresh(scheduler, bit)
}

// Resolve lets fetch go on behind a branch.
func (u *Unit) Resolve(scheduler, bit int) {
	u.buffer(scheduler, bit).closed &^= branching
	u.refresh(scheduler, bit)
}

func (u *Unit) buffer(scheduler, bit int) *buffer {
	return &u.buffers[scheduler&(warps.MaxSchedulers-1)][bit&(warps.PerScheduler-1)]
}

// refresh brings a warp's bits up to date.
func (u *Unit) refresh(scheduler, bit int) {
	b := u.buffer(scheduler, bit)
	g := &u.signals[scheduler]
	warps.Assign(&g.Empty, warps.Bit(bit), b.filled == 0 && b.closed&stopped == 0)
	g.Still = 0
	warps.Assign(&u.wanted[scheduler], warps.Bit(bit), b.closed == 0 && b.all < u.below)
}

// Arrive puts what fetch brings at a cycle into the buffers, and reports whether
// there was anything.
func (u *Unit) Arrive(cycle uint64) (moved bool) {
	at := cycle % MaxFetchLatency
	if u.coming>>at&1 == 0 {
		return false
	}
	u.coming &^= 1 << at
	groups := &u.arrive[at]
	for i := range u.signals {
		g := groups[i&(warps.MaxSchedulers-1)]
		if g == 0 {
			continue
		}
		groups[i&(warps.MaxSchedulers-1)] = 0
		bit := int(g >> 8)
		if b := u.buffer(i, bit); b.epoch == uint8(g>>16) {
			b.filled += uint8(g)
			s := &u.signals[i]
			s.Empty, s.Still = s.Empty&^warps.Bit(bit), warps.Unless(s.Still, s.Empty&warps.Bit(bit))
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
	for i, wanted := range u.wanted[:len(u.signals)] {
		if wanted != 0 {
			u.start(i, u.choose(i), cycle)
			moved = true
		}
	}
	return moved
}

// choose is the wanted slot of a scheduler that has its turn; there is one at least.
func (u *Unit) choose(scheduler int) (bit int) {
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

// start fetches for the warp of a slot.
func (u *Unit) start(scheduler, bit int, cycle uint64) {
	b := u.buffer(scheduler, bit)
	count := min(u.width, u.depth-b.all)
	b.all += count
	at := (cycle + uint64(u.latency)) % MaxFetchLatency
	u.arrive[at][scheduler&(warps.MaxSchedulers-1)] = group(count) | group(uint8(bit))<<8 | group(b.epoch)<<16
	u.coming |= 1 << at
	if b.all >= u.below {
		u.wanted[scheduler&(warps.MaxSchedulers-1)] &^= warps.Bit(bit)
	}
}

// Coming reports whether a fetch is on its way.
func (u *Unit) Coming() bool { return u.coming != 0 }
