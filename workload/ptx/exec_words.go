package ptx

import (
	"encoding/binary"
	"math/bits"
)

// Loads of 32-bit words, alone or in vectors, are most of what kernels do to
// memory. If all lanes access one stretch of memory, as they nearly always do,
// it is looked for once, and the lanes are a plain loop; anything else, faults
// among it, is left to runLoad and runStore.

// oneView finds the memory that all active lanes access, n bytes each.
func (w *Warp) oneView(n uint64) (v view, ok bool) {
	first := w.addrs[bits.TrailingZeros32(w.active)&(lanes-1)]
	switch w.space {
	case Shared:
		v.data = w.tb.shared
	case Global, Const:
		a := w.memory.find(first)
		if a == nil {
			return v, false
		}
		v.data, v.base = a.data, a.addr
	default:
		return v, false
	}
	if uint64(len(v.data)) < n {
		return v, false
	}
	v.limit = uint64(len(v.data)) - n + 1
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
	w.locate(o)
	v, ok := w.oneView(4 * uint64(o.vec))
	if !ok {
		runLoad(w, o)
		return
	}
	for k, slot := range o.list {
		d, data, base := &w.regs[slot], v.data, v.base-4*uint64(k)
		if w.active == allLanes {
			for i, addr := range &w.addrs {
				d[i] = uint64(binary.LittleEndian.Uint32(data[addr-base:]))
			}
			continue
		}
		for m := w.active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			d[i] = uint64(binary.LittleEndian.Uint32(data[w.addrs[i]-base:]))
		}
	}
}

func runStoreWords(w *Warp, o *op) {
	w.locate(o)
	v, ok := w.oneView(4 * uint64(o.vec))
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
