package exec

import (
	"fmt"
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// Checker looks for faults in the accesses that launches make to a memory: reads of what nothing has written,
// and races. A fault is told once for each instruction.
//
// Two accesses race if different threads make them to a byte, at least one writes, they are not both atomic, and
// nothing puts them in order: neither a barrier of the thread block, nor a phase of an mbarrier, nor the end of a launch,
// nor that the threads are of one warp, which executes its instructions one after the other. Volatile accesses, and accesses
// with an order or a scope count as atomic. Two writes do not race if the later one writes what is there. Fences and flags are not understood.
type Checker struct {
	memory *Memory
	tell   func(Finding)
	told   map[finding]bool
	plans  map[*Program]*orderPlan
	launch uint32
	// unwritten has a bit for each byte that nothing has written, by page of global memory; nil if nobody
	// asks. A page without any is nil.
	unwritten []*unwrittenPage
	races     bool
	global    racePages
	shared    map[*TB]racePages
	orders    map[*TB]*phaseOrder // of thread blocks with mbarriers
}

// Finding is a fault.
type Finding struct {
	// Key is the same for the same fault of the same instructions.
	Key string
	// Text is a line that says what is wrong, and where.
	Text string
}

// finding tells faults apart.
type finding struct {
	race        bool
	fn          *ptx.Func
	line, other int
}

const (
	unwrittenShift = 16 // of a page
	raceWords      = 1024
	raceShift      = 2 // of a word
)

type unwrittenPage [1 << unwrittenShift / 64]uint64

// raceCell is what accessed a word last: a write, a read, and a read by another warp.
type raceCell struct{ write, read, other raceTouch }

// raceTouch is an access.
type raceTouch struct {
	tb         uint32 // its thread block's number plus 1; 0 for none
	line       int32
	step       uint32 // of the warp, so that lanes of one instruction are known
	arrivals   uint32 // of the warp at mbarriers, before
	barriers   uint16
	warp, lane uint8
	bytes      uint8 // of the word, a bit each
	atomic     bool
}

// racePage has the accesses of one launch, or of one thread block.
type racePage struct {
	of    uint32
	words [raceWords]raceCell
}

type racePages map[uint64]*racePage

// NewChecker returns a Checker for the launches of a memory that looks for what is asked for, and tells faults.
func NewChecker(m *Memory, uninitialized, races bool, tell func(Finding)) *Checker {
	c := &Checker{memory: m, tell: tell, told: map[finding]bool{}, plans: map[*Program]*orderPlan{}, races: races,
		global: racePages{}, shared: map[*TB]racePages{}, orders: map[*TB]*phaseOrder{}}
	if uninitialized {
		c.unwritten = []*unwrittenPage{}
	}
	return c
}

// begin starts a launch.
func (c *Checker) begin(p *Program) *orderPlan {
	c.launch++
	clear(c.shared)
	clear(c.orders)
	plan := c.plans[p]
	if plan == nil {
		plan = newOrderPlan(p)
		c.plans[p] = plan
	}
	return plan
}

// Allocated says that bytes of memory are new: nothing has written them.
func (c *Checker) Allocated(addr, bytes uint64) { c.mark(addr, bytes, true) }

// Written says that something other than a kernel has written bytes.
func (c *Checker) Written(addr, bytes uint64) { c.mark(addr, bytes, false) }

// Copied says that bytes have been copied within the memory.
func (c *Checker) Copied(to, from, bytes uint64) {
	if c.unwritten == nil {
		return
	}
	for i := range bytes {
		c.mark(to+i, 1, c.isUnwritten(from+i, 1))
	}
}

// mark sets whether bytes are unwritten, up to a word of 64 at a time.
func (c *Checker) mark(addr, n uint64, unwritten bool) {
	if c.unwritten == nil {
		return
	}
	for at, end := addr-globalBase, addr-globalBase+n; at < end; {
		number, in := at>>unwrittenShift, at&(1<<unwrittenShift-1)
		if number >= uint64(len(c.unwritten)) {
			if !unwritten {
				return
			}
			c.unwritten = append(c.unwritten, make([]*unwrittenPage, number+1-uint64(len(c.unwritten)))...)
		}
		count := min(64-in%64, end-at)
		p := c.unwritten[number]
		if p == nil && unwritten {
			p = &unwrittenPage{}
			c.unwritten[number] = p
		}
		if p != nil {
			mask := (^uint64(0) >> (64 - count)) << (in % 64)
			if p[in/64] &^= mask; unwritten {
				p[in/64] |= mask
			}
		}
		at += count
	}
}

// isUnwritten reports whether any of up to 64 bytes is unwritten.
func (c *Checker) isUnwritten(addr, n uint64) bool {
	for at, end := addr-globalBase, addr-globalBase+n; at < end; at++ {
		number := at >> unwrittenShift
		if number >= uint64(len(c.unwritten)) {
			return false
		}
		if p := c.unwritten[number]; p != nil && p[at&(1<<unwrittenShift-1)/64]>>(at%64)&1 != 0 {
			return true
		}
	}
	return false
}

// look looks at an access of the lanes in w.active, which has been located.
func (c *Checker) look(w *Warp, o *op, kind access) {
	size := uint64(o.bytes) * uint64(o.vec)
	reads, writes := kind != accessWrite, kind != accessRead && kind != accessTexture
	switch o.inst.Op {
	case "wmma":
		reads, writes = o.inst.Has("load"), o.inst.Has("store")
	case "tex": // a texel may have a single byte
		size = 1
	}
	strong := o.inst.Op == "atom" || o.inst.Op == "red" || o.inst.Op == "mbarrier" || o.inst.Has("mbarrier")
	for _, order := range []string{"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"} {
		strong = strong || o.inst.Has(order)
	}
	for m := w.active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (lanes - 1)
		addr, space := w.addrs[lane], w.space
		if space == ptx.Generic {
			space = spaceOf(addr)
			addr -= windows[space]
		}
		switch space {
		case ptx.Global:
			a := c.memory.find(addr)
			if a == nil || a.constant {
				continue // the access fails, or reads what does not change
			}
			if c.unwritten != nil {
				if reads && c.isUnwritten(addr, size) {
					c.uninitialized(w, o, lane, addr, a)
				}
				if writes {
					c.mark(addr, size, false)
				}
			}
			if c.races {
				c.race(w, o, lane, space, addr, size, a.data[addr-a.addr:], raceTouch{atomic: strong}, reads, writes)
			}
		case ptx.Shared:
			if c.races && addr < uint64(len(w.tb.shared)) {
				c.race(w, o, lane, space, addr, size, w.tb.shared[addr:], raceTouch{atomic: strong}, reads, writes)
			}
		}
	}
}

// uninitialized tells of a read.
func (c *Checker) uninitialized(w *Warp, o *op, lane int, addr uint64, a *allocation) {
	key := finding{fn: o.fn, line: o.inst.Line}
	if c.told[key] {
		return
	}
	c.told[key] = true
	c.tell(Finding{Key: fmt.Sprintf("%s:%d uninitialized", o.fn.File, o.inst.Line),
		Text: fmt.Sprintf("%s: reads address %#x, which nothing has written: byte %d of the array of %s at %#x", c.where(w, o, lane), addr, addr-a.addr,
			workload.Count(len(a.data), "byte"), a.addr)})
}

// where names an instruction and the thread that executes it.
func (c *Checker) where(w *Warp, o *op, lane int) string {
	return fmt.Sprintf("%s:%d: %s in kernel %s, thread %v of thread block %v", o.fn.File, o.inst.Line, o.inst.Opcode(), w.program.kernel.Name,
		w.thread(lane), w.tb.position)
}

// race enters one lane's access and reports an earlier access if the two race. there is the
// content of memory.
func (c *Checker) race(w *Warp, o *op, lane int, space ptx.Space, addr, size uint64, there []byte, t raceTouch, reads, writes bool) {
	t.tb, t.line, t.step = uint32(w.tb.ID)+1, int32(o.inst.Line), uint32(w.steps)
	t.barriers, t.warp, t.lane = w.barriers, uint8(w.index), uint8(lane)
	pages, of := c.global, c.launch
	if space == ptx.Shared {
		if pages, of = c.shared[w.tb], t.tb; pages == nil {
			pages = racePages{}
			c.shared[w.tb] = pages
		}
	}
	order := c.orders[w.tb]
	t.arrivals = order.arrivals(w)
	races := func(r *raceTouch) bool { return r.races(&t) && !(r.tb == t.tb && order.knows(w, r)) }
	same := writes && !reads && o.list != nil && uint64(len(there)) >= size && w.storesWhatIsThere(o, lane, there[:size])
	for word := addr >> raceShift; word <= (addr+size-1)>>raceShift; word++ {
		p := pages[word/raceWords]
		if p == nil {
			p = &racePage{}
			pages[word/raceWords] = p
		}
		if p.of != of {
			*p = racePage{of: of}
		}
		cell := &p.words[word%raceWords]
		first, end := max(addr, word<<raceShift), min(addr+size, (word+1)<<raceShift)
		t.bytes = 1<<(end-word<<raceShift) - 1<<(first-word<<raceShift)
		if races(&cell.write) && !same && (cell.write.tb != t.tb || cell.write.warp != t.warp || !w.storeTheSame(o, lane, int(cell.write.lane))) {
			c.racing(w, o, lane, addr, &cell.write, "writes")
		}
		if writes {
			for _, r := range []*raceTouch{&cell.read, &cell.other} {
				if races(r) {
					c.racing(w, o, lane, addr, r, "reads")
				}
			}
		}
		if writes {
			cell.write = t
		}
		if reads {
			if cell.read.tb != 0 && (cell.read.tb != t.tb || cell.read.warp != t.warp) {
				cell.other = cell.read
			}
			cell.read = t
		}
	}
}

// storeTheSame reports whether two lanes store the same.
func (w *Warp) storeTheSame(o *op, a, b int) bool {
	var x, y [8]byte
	for _, s := range o.list {
		put(x[:], o.bytes, w.src(s)[a])
		put(y[:], o.bytes, w.src(s)[b])
		if x != y {
			return false
		}
	}
	return o.inst.Op == "st"
}

// races reports whether nothing puts an earlier access and another one in order.
func (r *raceTouch) races(t *raceTouch) bool {
	switch {
	case r.tb == 0 || r.atomic && t.atomic || r.bytes&t.bytes == 0:
		return false
	case r.tb != t.tb:
		return true
	case r.warp == t.warp:
		return r.step == t.step && r.lane != t.lane
	}
	return r.barriers == t.barriers
}

// racing tells of a race.
func (c *Checker) racing(w *Warp, o *op, lane int, addr uint64, with *raceTouch, does string) {
	line, other := o.inst.Line, int(with.line)
	key := finding{race: true, fn: o.fn, line: min(line, other), other: max(line, other)}
	if c.told[key] {
		return
	}
	c.told[key] = true
	space, own := "shared memory", "accesses"
	if w.space != ptx.Shared {
		space = "memory"
		if a := c.memory.find(addr); a != nil {
			space = fmt.Sprintf("the array of %s at %#x", workload.Count(len(a.data), "byte"), a.addr)
		}
	}
	switch o.inst.Op {
	case "ld", "ldu", "tex":
		own = "reads"
	case "st":
		own = "writes"
	}
	l := w.launch
	c.tell(Finding{Key: fmt.Sprintf("%s:%d:%d race", o.fn.File, key.line, key.other),
		Text: fmt.Sprintf("%s: %s address %#x of %s, which thread %v of thread block %v %s at line %d, and nothing puts them in order", c.where(w, o, lane), own, addr, space,
			placeIn(l.block, int(with.warp)*lanes+int(with.lane)), placeIn(l.grid, int(with.tb)-1), does, with.line)})
}
