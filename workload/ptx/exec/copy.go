package exec

import (
	"fmt"
	"math/bits"

	"cotenant/workload/ptx"
)

// Asynchronous copies from global to shared memory are made when they are issued: what a
// program may observe before it has waited for them is not defined, and what it reads after
// that is the same. Groups of copies, and waiting for them, matter to CheckAsync alone.

// buildCopy builds cp.async. The op's address is the source's; b is the destination's, and c
// the number of bytes that the source has, where it is given.
func buildCopy(b *builder) {
	o, in := &b.o, b.in
	b.address(in.Src[0])
	c := &copying{to: o.a, offset: o.imm, mask: o.addrMask}
	o.imm, o.addrMask = 0, ^uint64(0)
	b.address(in.Src[1])
	o.space = ptx.Global
	o.bytes, o.memory, o.addressed = uint8(in.Src[2].Imm), true, allLanes
	for _, x := range in.Src[3:] {
		switch x.Type {
		case ptx.U32:
			o.c, c.limited = b.value(x), true
		case ptx.Pred:
			o.p, o.pFlip = b.predicate(x)
			c.ignores = true
		}
	}
	o.run = c.run
}

// copying is the destination of a copy: a slot of addresses, what is added to them, and the
// bits that they have.
type copying struct {
	to           int32
	offset, mask uint64
	limited      bool // to the bytes that a register says
	ignores      bool // the source where a predicate holds
}

// run copies. The lanes that read something are active afterwards, and the access is theirs.
func (c *copying) run(w *Warp, o *op) {
	w.locate(o)
	bytes, to, limits := uint64(o.bytes), w.src(c.to), w.src(o.c)
	copies, reads := w.active, w.active
	if c.ignores {
		reads &^= w.preds[o.p] ^ o.pFlip
	}
	var counts slot
	for m := copies; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		if counts[i] = bytes; c.limited {
			counts[i] = limits[i] & 0xffffffff
		}
		if counts[i] > bytes {
			w.fail(o, IllegalInstruction, i, fmt.Sprintf("the source has %d bytes; valid are 0 to %d", counts[i], bytes))
			return
		}
		if reads>>i&1 == 0 || counts[i] == 0 {
			counts[i] = 0
			reads &^= 1 << i
		}
	}
	w.active = reads
	var places slot
	for i, addr := range to {
		places[i] = (addr + c.offset) & c.mask
	}
	c.watch(w, o, copies, &places)
	for m := copies; m != 0 && w.fault == nil; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		if at := w.sharedAt(o, i, places[i], bytes); at != nil {
			w.copied(o, i, places[i], bytes)
			c.lane(w, o, i, at, counts[i])
		}
	}
}

// lane copies count bytes to the place of one lane, and clears the rest.
func (c *copying) lane(w *Warp, o *op, i int, at []byte, count uint64) {
	if count > 0 {
		addr, last := w.addrs[i], w.addrs[i]+count-1
		if addr&uint64(o.bytes-1) != 0 {
			w.failAccess(o, MisalignedAddress, i, addr, fmt.Sprintf("is not a multiple of the %d bytes copied", o.bytes))
			return
		}
		v := w.reach(o, i, addr, 1)
		if v.data == nil {
			return
		}
		if !v.has(last, 1) {
			w.reach(o, i, last, 1)
			return
		}
		copy(at, v.at(addr)[:count])
	}
	clear(at[count:])
}

// sharedAt is n bytes of shared memory for a lane's write; nil after a fault.
func (w *Warp) sharedAt(o *op, i int, addr, n uint64) []byte {
	size := uint64(len(w.tb.shared))
	source := w.space
	w.space = ptx.Shared
	switch {
	case addr&(n-1) != 0:
		w.failAccess(o, MisalignedAddress, i, addr, fmt.Sprintf("is not a multiple of the %d bytes copied", n))
		return nil
	case n > size || addr > size-n:
		w.failOutside(o, i, ptx.Shared, addr, size)
		return nil
	}
	w.space = source
	return w.tb.shared[addr : addr+n]
}

// watch shows both accesses to who watches the launch.
func (c *copying) watch(w *Warp, o *op, copies uint32, places *slot) {
	if !w.launch.watches {
		return
	}
	w.look(o, accessRead)
	sources, reads := w.addrs, w.active
	w.addrs, w.space, w.active = *places, ptx.Shared, copies
	w.look(o, accessMixed)
	w.addrs, w.space, w.active = sources, ptx.Global, reads
}
