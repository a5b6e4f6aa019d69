package exec

import "cotenant/workload/ptx"

// access is how memory is accessed.
type access uint8

const (
	accessNone access = iota
	accessRead
	accessWrite
	accessMixed   // several ways, or a way that never agrees with another
	accessTexture // a read, of any width
	firstUpdate   // the commutative updates, two for each operation: 4 and 8 bytes
)

// cell remembers the accesses of a launch to a few bytes.
type cell struct {
	// owner is the thread block that made them, plus one, or everyone.
	owner uint32
	// barriers is how many the last of the owner's warps to come here had passed.
	barriers uint16
	// warp is the only warp that came since, or anyWarp.
	warp uint8
	// all sums up every access of the launch, now those since the barrier.
	all, now access
}

const (
	everyone = ^uint32(0)
	anyWarp  = ^uint8(0)
	// maxBarriers is as many as a cell can count.
	maxBarriers = 1<<16 - 1
)

// verdict is what an access to a cell means.
type verdict uint8

const (
	ordered       verdict = iota // with all before, or in agreement with them
	conflicting                  // with one before
	sameValueOnly                // fine if it writes what is there; then share is to be called
)

// touch enters an access.
func (c *cell) touch(tb uint32, barriers uint16, warp uint8, kind access) verdict {
	owner := tb + 1
	if c.owner == owner && c.barriers == barriers && c.warp == warp && c.now == kind && c.all == kind {
		return ordered
	}
	before := c.all // what the access is in no order with
	switch {
	case c.owner == 0:
		*c = cell{owner: owner, barriers: barriers, warp: warp, all: kind, now: kind}
		return ordered
	case c.owner != owner || barriers < c.barriers:
	case barriers > c.barriers:
		c.barriers, c.warp, c.now = barriers, warp, kind
		c.all = c.all.and(kind)
		return ordered
	case c.warp == warp:
		c.now, c.all = c.now.and(kind), c.all.and(kind)
		return ordered
	default:
		before = c.now
	}
	switch {
	case before != kind || kind == accessMixed:
		return conflicting
	case kind == accessWrite:
		return sameValueOnly
	}
	c.share(tb, barriers)
	return ordered
}

// share enters an access that agrees with all accesses in no order with it.
func (c *cell) share(tb uint32, barriers uint16) {
	if c.owner != tb+1 || barriers < c.barriers {
		c.owner = everyone
	}
	c.warp = anyWarp
}

// and sums up two accesses.
func (a access) and(b access) access {
	switch a {
	case accessNone, b:
		return b
	}
	return accessMixed
}

// shadow is the cells of one allocation, or of a thread block's shared memory, in
// pages that are made when they are first touched.
type shadow []*shadowPage

const shadowPageCells = 1024

// shadowPage has the accesses of one launch, or of one thread block, by its number.
type shadowPage struct {
	of    uint32
	cells [shadowPageCells]cell
}

// shadowView is the cells of the bytes from base on.
type shadowView struct {
	space      ptx.Space
	base, size uint64
	data       []byte
	constant   bool
	of         uint32
	shadow     shadow
}

// noSpace is the space of a view of nothing.
const noSpace ptx.Space = 255

// view finds the cells of the memory around an address.
func (h *OrderWatch) view(tb *TB, space ptx.Space, addr uint64) shadowView {
	v := shadowView{space: space, data: tb.shared, of: uint32(tb.ID) + 1}
	s := &tb.shadow
	if space == ptx.Global {
		index, ok := h.memory.index(addr)
		if !ok {
			return shadowView{space: noSpace}
		}
		for len(h.shadow) <= index {
			h.shadow = append(h.shadow, nil)
		}
		a := &h.memory.allocs[index]
		v = shadowView{space: space, base: a.addr, data: a.data, constant: a.constant, of: h.launch}
		s = &h.shadow[index]
	}
	if v.size = uint64(len(v.data)); addr-v.base >= v.size {
		return shadowView{space: noSpace}
	}
	if *s == nil {
		// As many as are needed if every byte has a cell.
		*s = make(shadow, len(v.data)/shadowPageCells+1)
	}
	v.shadow = *s
	return v
}

// cell is the one with a number, counted from the view's base; nil if it is
// outside.
func (v *shadowView) cell(n uint64) *cell {
	if n/shadowPageCells >= uint64(len(v.shadow)) {
		return nil
	}
	p := &v.shadow[n/shadowPageCells]
	if *p == nil {
		*p = &shadowPage{of: v.of}
	}
	if (*p).of != v.of {
		**p = shadowPage{of: v.of}
	}
	return &(*p).cells[n%shadowPageCells]
}
