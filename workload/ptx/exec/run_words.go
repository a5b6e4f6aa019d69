package exec

import (
	"encoding/binary"
	"math/bits"

	"cotenant/workload/ptx"
)

// Loads of 32-bit words, alone or in vectors, are most of what kernels do to
// memory. If all lanes access one stretch of memory, as they nearly always do,
// it is looked for once, and the lanes are a plain loop; most often they are the
// same distance apart, too, so that the first and the last are enough to look
// at. Anything else, faults among it, is left to runLoad and runStore.

// evenly finds the memory that all lanes access, n bytes each, if all are
// active and their addresses are the same distance apart. It sets the access;
// the first is to v.data[at:].
func (w *Warp) evenly(o *op, n uint64) (v view, at uint64, stride int, ok bool) {
	if w.active != allLanes || o.space == ptx.Generic {
		return v, 0, 0, false
	}
	a := w.src(o.a)
	step := a[1] - a[0]
	var differ uint64
	for i := 2; i < len(a); i++ {
		differ |= a[i] - a[i-1] ^ step
	}
	if differ&o.addrMask != 0 {
		return v, 0, 0, false
	}
	stride = int(step)
	if o.addrMask != ^uint64(0) {
		stride = int(int32(step))
	}
	w.space = o.space
	first := (a[0] + o.imm) & o.addrMask
	if v, ok = w.memoryAt(o, first, n); !ok || stride != int(int32(stride)) {
		return v, 0, 0, false
	}
	last := first + uint64(stride)*(lanes-1)
	if first-v.base >= v.limit || last-v.base >= v.limit || (first|uint64(stride))&(n-1) != 0 {
		return v, 0, 0, false
	}
	w.affine = true
	w.access = Access{Base: first, Stride: int32(stride)}
	return v, first - v.base, stride, true
}

// memoryAt is the memory around an address in w.space, for an op's accesses of n
// bytes.
func (w *Warp) memoryAt(o *op, addr, n uint64) (v view, ok bool) {
	switch w.space {
	case ptx.Shared:
		v.data = w.tb.shared
	case ptx.Global, ptx.Const:
		a := w.memory.find(addr)
		if a == nil {
			return v, false
		}
		v = a.view(o.writes)
	default:
		return v, false
	}
	if uint64(len(v.data)) < n {
		return v, false
	}
	v.limit = uint64(len(v.data)) - n + 1
	return v, true
}

// oneView finds the memory that all active lanes access, n bytes each.
func (w *Warp) oneView(o *op, n uint64) (v view, ok bool) {
	first := w.addrs[bits.TrailingZeros32(w.active)&(lanes-1)]
	if v, ok = w.memoryAt(o, first, n); !ok {
		return v, false
	}
	if w.active == allLanes {
		for _, addr := range &w.addrs {
			if addr-v.base >= v.limit || addr&(n-1) != 0 {
				return v, false
			}
		}
		return v, true
	}
	for m := w.active; m != 0; m &= m - 1 {
		addr := w.addrs[bits.TrailingZeros32(m)&(lanes-1)]
		if addr-v.base >= v.limit || addr&(n-1) != 0 {
			return v, false
		}
	}
	return v, true
}

func runLoadWords(w *Warp, o *op) {
	v, at, stride, evenly := w.evenly(o, 4*uint64(o.vec))
	if !evenly {
		w.locate(o)
		var ok bool
		if v, ok = w.oneView(o, 4*uint64(o.vec)); !ok {
			runLoad(w, o)
			return
		}
	}
	for k, slot := range o.list {
		d, data, base, at := &w.regs[slot], v.data, v.base-4*uint64(k), at+4*uint64(k)
		switch {
		case evenly && stride == 0:
			*d = broadcast(uint64(binary.LittleEndian.Uint32(data[at:])))
		case evenly:
			for i := range d {
				d[i] = uint64(binary.LittleEndian.Uint32(data[at:]))
				at += uint64(stride)
			}
		case w.active == allLanes:
			for i, addr := range &w.addrs {
				d[i] = uint64(binary.LittleEndian.Uint32(data[addr-base:]))
			}
		default:
			for m := w.active; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & (lanes - 1)
				d[i] = uint64(binary.LittleEndian.Uint32(data[w.addrs[i]-base:]))
			}
		}
		for m := w.active; o.signed && m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			d[i] = uint64(int32(d[i]))
		}
	}
}

func runStoreWords(w *Warp, o *op) {
	if v, at, stride, ok := w.evenly(o, 4*uint64(o.vec)); ok {
		for k, slot := range o.list {
			s, at := w.src(slot), at+4*uint64(k)
			for _, value := range s {
				binary.LittleEndian.PutUint32(v.data[at:], uint32(value))
				at += uint64(stride)
			}
		}
		return
	}
	w.locate(o)
	v, ok := w.oneView(o, 4*uint64(o.vec))
	if !ok {
		runStore(w, o)
		return
	}
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		at := w.addrs[i] - v.base
		for _, slot := range o.list {
			binary.LittleEndian.PutUint32(v.data[at:], uint32(w.src(slot)[i]))
			at += 4
		}
	}
}
