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
	lanes   []lane // by scheduler
	coming  uint16 // cycles, modulo MaxFetchLatency, at which groups arrive
	latency uint8
	width   uint8
	depth   uint8
	below   uint8 // a warp that has, or will have, fewer instructions is fetched for
	simple  bool  // each scheduler has a fetch unit, and every fetch hits

	spec    Spec
	each    int           // slots of a scheduler
	turn    int           // of the shared fetch unit, see shared.go
	cache   *icache.Cache // nil if every fetch hits
	missing [][]missing   // by scheduler and slot; nil without a cache
	program Program
}

// lane is what the front end keeps for a scheduler.
type lane struct {
	wanted  warps.Mask // slots to be fetched for
	signals *warps.Signals
	next    uint8                  // where the round robin over wanted goes on
	arrive  [MaxFetchLatency]group // by cycle
	buffers [warps.PerScheduler]buffer
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

// group is what one fetch brings to a warp's buffer; without instructions there is none.
type group struct{ count, bit, epoch uint8 }

// New makes the front end of an SM with the given slots, and drives their signals. The
// Spec must be valid. Without an instruction cache program is not used; only an
// instruction cache that misses to memory uses memory.
func New(spec Spec, slots warps.Slots, signals []warps.Signals, program Program, memory icache.Memory) *Unit {
	u := &Unit{spec: spec, below: spec.fetchedBelow(), program: program, each: slots.Each, lanes: make([]lane, slots.Schedulers),
		latency: uint8(spec.FetchLatency), width: uint8(spec.FetchWidth), depth: uint8(spec.BufferDepth)}
	for i := range u.lanes {
		u.lanes[i].signals = &signals[i]
		for bit := range u.lanes[i].buffers {
			u.lanes[i].buffers[bit].closed = stopped
		}
	}
	if spec.ICache.Sets > 0 {
		u.cache = icache.New(spec.ICache, memory)
		for range u.lanes {
			u.missing = append(u.missing, make([]missing, slots.Each))
		}
	}
	u.simple = !spec.PerSM && u.cache == nil
	return u
}

// Start readies a scheduler's slot for a new warp: its buffer is empty.
func (u *Unit) Start(scheduler, bit int) {
	l := &u.lanes[scheduler]
	b := l.buffer(bit)
	b.filled, b.all, b.closed = 0, 0, 0
	b.epoch++
	if u.cache != nil {
		u.missing[scheduler][bit] = missing{}
	}
	u.refresh(l, bit)
}

// Stop ends fetching for a warp that has ended, or is to leave; its buffer counts
// no more.
func (u *Unit) Stop(scheduler, bit int) {
	l := &u.lanes[scheduler]
	l.buffer(bit).closed |= stopped
	u.refresh(l, bit)
}

// Issue takes a warp's oldest instruction out of its buffer, where one must be:
// the warp is neither stopped nor branching.
func (u *Unit) Issue(scheduler, bit int) {
	l := &u.lanes[scheduler]
	b := l.buffer(bit)
	b.filled--
	b.all--
	if b.filled == 0 {
		l.signals.Empty |= warps.Bit(bit)
	}
	if b.all < u.below {
		l.wanted |= warps.Bit(bit)
	}
}

// Branch empties the buffer of a warp that has issued a taken branch. Nothing is
// fetched before Resolve.
func (u *Unit) Branch(scheduler, bit int) {
	l := &u.lanes[scheduler]
	b := l.buffer(bit)
	b.filled, b.all = 0, 0
	b.closed |= branching
	b.epoch++
	u.refresh(l, bit)
}

// Resolve lets fetch go on behind a branch.
func (u *Unit) Resolve(scheduler, bit int) {
	l := &u.lanes[scheduler]
	l.buffer(bit).closed &^= branching
	u.refresh(l, bit)
}

func (l *lane) buffer(bit int) *buffer { return &l.buffers[bit&(warps.PerScheduler-1)] }

// refresh brings a warp's bits up to date.
func (u *Unit) refresh(l *lane, bit int) {
	b := l.buffer(bit)
	warps.Assign(&l.signals.Empty, warps.Bit(bit), b.filled == 0 && b.closed&stopped == 0)
	warps.Assign(&l.wanted, warps.Bit(bit), b.closed == 0 && b.all < u.below)
}

// Arrive puts what fetch brings at a cycle into the buffers, and reports whether
// there was anything.
func (u *Unit) Arrive(cycle uint64) (moved bool) {
	at := cycle % MaxFetchLatency
	if u.coming>>at&1 == 0 {
		return false
	}
	u.coming &^= 1 << at
	lanes := u.lanes
	for i := range lanes {
		l := &lanes[i]
		g := l.arrive[at]
		if g.count == 0 {
			continue
		}
		l.arrive[at].count = 0
		if b := l.buffer(int(g.bit)); b.epoch == g.epoch {
			b.filled += g.count
			l.signals.Empty &^= warps.Bit(int(g.bit))
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
	lanes := u.lanes
	for i := range lanes {
		if l := &lanes[i]; l.wanted != 0 {
			u.start(l, l.choose(), cycle)
			moved = true
		}
	}
	return moved
}

// choose is the wanted slot that has its turn; there is one at least.
func (l *lane) choose() (bit int) {
	bit = warps.First(l.wanted, int(l.next))
	l.next = uint8(bit+1) % warps.PerScheduler
	return bit
}

// fetchOtherwise is Fetch with one fetch unit for the SM, or an instruction
// cache.
func (u *Unit) fetchOtherwise(cycle uint64) (moved bool) {
	moved = u.cache != nil && u.fill(cycle)
	if u.spec.PerSM {
		return u.fetchShared(cycle) || moved
	}
	for i := range u.lanes {
		if l := &u.lanes[i]; l.wanted != 0 {
			u.serve(i, l.choose(), cycle)
			moved = true
		}
	}
	return moved
}

// serve fetches for the warp of a scheduler's slot if its instructions are there.
func (u *Unit) serve(scheduler, bit int, cycle uint64) {
	if u.cache == nil || u.present(scheduler, bit, cycle) {
		u.start(&u.lanes[scheduler], bit, cycle)
	}
}

// start fetches for the warp of a slot.
func (u *Unit) start(l *lane, bit int, cycle uint64) {
	b := l.buffer(bit)
	count := min(u.width, u.depth-b.all)
	b.all += count
	at := (cycle + uint64(u.latency)) % MaxFetchLatency
	l.arrive[at] = group{count, uint8(bit), b.epoch}
	u.coming |= 1 << at
	if b.all >= u.below {
		l.wanted &^= warps.Bit(bit)
	}
}

// Coming reports whether a fetch is on its way.
func (u *Unit) Coming() bool { return u.coming != 0 }
