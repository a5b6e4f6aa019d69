package exec

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// spaceOf is the space of a generic address; no space has the numbers above
// the last window.
func spaceOf(addr uint64) ptx.Space {
	switch addr >> windowShift {
	case 0:
		return ptx.Global
	case sharedWindow >> windowShift:
		return ptx.Shared
	case localWindow >> windowShift:
		return ptx.Local
	case paramWindow >> windowShift:
		return ptx.Param
	}
	return ptx.Generic
}

// locate computes the lanes' addresses. Generic addresses become addresses of
// their space, if all active lanes' lie in the same.
func (w *Warp) locate(o *op) {
	a, d := w.src(o.a), &w.addrs
	mask, offset := o.addrMask, o.imm
	for i := range d {
		d[i] = (a[i] + offset) & mask
	}
	w.space = o.space
	if o.space != ptx.Generic {
		return
	}
	window := d[bits.TrailingZeros32(w.active)&(lanes-1)] >> windowShift
	for m := w.active; m != 0; m &= m - 1 {
		if d[bits.TrailingZeros32(m)&(lanes-1)]>>windowShift != window {
			return
		}
	}
	if w.space = spaceOf(window << windowShift); w.space != ptx.Generic {
		for i := range d {
			d[i] -= window << windowShift
		}
	}
}

// accessed is what an op that has run has accessed.
func (w *Warp) accessed(o *op) *Access {
	a := &w.access
	a.Space, a.Width = w.space, o.bytes*o.vec
	a.Rows, a.MBarrier = 0, 0
	if w.rowsOf > 0 {
		a.Rows, a.MBarrier = w.rowsOf, w.tells
		a.Width, w.rowsOf = w.units, 0
	}
	if w.texel > 0 {
		a.Width, w.texel = w.texel, 0
	}
	if !w.affine {
		var ok bool
		a.Lanes = nil
		if a.Base, a.Stride, ok = workload.Affine(&w.addrs, w.active); !ok {
			a.Base, a.Lanes = 0, &w.addrs
		}
	}
	if o.hints && a.Rows == 0 {
		a.MBarrier = uint8(w.eviction(o))
	}
	return a
}

// view is a stretch of memory that lanes access: data[addr-base] for addresses
// that are less than limit above base.
type view struct {
	data        []byte
	base, limit uint64
}

// reach finds the memory of lane i's access of n bytes. It is asked again for
// each address that is not in the view it gave, which a local one never is.
// The view has no data after a fault.
func (w *Warp) reach(o *op, i int, addr, n uint64) (v view) {
	if addr&(n-1) != 0 {
		w.failAccess(o, MisalignedAddress, i, addr, fmt.Sprintf("is not a multiple of the %d bytes accessed", n))
		return view{}
	}
	space := w.space
	if space == ptx.Generic {
		space = spaceOf(addr)
		addr -= windows[space]
	}
	switch space {
	case ptx.Shared:
		v = view{data: w.tb.shared}
	case ptx.Param:
		v = view{data: w.params}
	case ptx.Local:
		size := uint64(w.localBytes)
		v = view{data: w.local[uint64(i)*size : uint64(i+1)*size]}
	case ptx.Global, ptx.Const:
		if a := w.memory.find(addr); a != nil {
			v = a.view(o.writes)
		}
	}
	size := uint64(len(v.data))
	if space == ptx.Shared && addr >= size {
		if there := w.tb.mapped(addr); there != nil {
			v = view{data: there.shared, base: addr &^ mappedOffset}
		}
	}
	if n > size || addr-v.base > size-n {
		if !o.writes && space == ptx.Global && w.memory.OutsideIsZero {
			if data := w.memory.around(addr, n); data != nil {
				return view{data: data, base: w.addrs[i], limit: 1}
			}
		}
		w.failOutside(o, i, space, addr, size)
		return view{}
	}
	v.base += w.addrs[i] - addr // generic again if the lanes' spaces differ
	if space == ptx.Local {
		if w.useLocal(addr, n); w.launch.local > w.launch.maxLocal {
			w.fail(o, LaunchFailure, i, fmt.Sprintf("the thread blocks that run at a time take more than %d bytes of local memory, of which a thread declares %d; valid is up to that",
				w.launch.maxLocal, w.program.localBytes))
			return view{}
		}
	} else {
		v.limit = size - n + 1
	}
	return v
}

// has reports whether an access of n bytes is in the view.
func (v *view) has(addr, n uint64) bool { return addr-v.base < v.limit && addr&(n-1) == 0 }

// at is where an access in the view starts.
func (v *view) at(addr uint64) []byte { return v.data[addr-v.base:] }

func runLoad(w *Warp, o *op) {
	w.locate(o)
	bytes, n := uint64(o.bytes), uint64(o.bytes)*uint64(o.vec)
	var v view
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		addr := w.addrs[i]
		if !v.has(addr, n) {
			if v = w.reach(o, i, addr, n); v.data == nil {
				return
			}
		}
		at := v.at(addr)
		for _, d := range o.list {
			w.regs[d][i] = extend(get(at, o.bytes), o.shift, o.signed)
			at = at[bytes:]
		}
	}
}

func runStore(w *Warp, o *op) {
	w.locate(o)
	bytes, n := uint64(o.bytes), uint64(o.bytes)*uint64(o.vec)
	var v view
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		addr := w.addrs[i]
		if !v.has(addr, n) {
			if v = w.reach(o, i, addr, n); v.data == nil {
				return
			}
		}
		at := v.at(addr)
		for _, s := range o.list {
			put(at, o.bytes, w.src(s)[i])
			at = at[bytes:]
		}
	}
}

// runLoadParam reads a parameter of the kernel: the same for all lanes.
func runLoadParam(w *Warp, o *op) {
	at := w.src(o.a)[0]
	n := uint64(o.bytes)
	if at+n*uint64(o.vec) > uint64(len(w.params)) {
		w.failOutside(o, bits.TrailingZeros32(w.active), ptx.Param, at, uint64(len(w.params)))
		return
	}
	for _, d := range o.list {
		value := extend(get(w.params[at:], o.bytes), o.shift, o.signed)
		at += n
		for i := range w.scratch {
			w.scratch[i] = value
		}
		w.merge(&w.regs[d], &w.scratch)
	}
}

func get(at []byte, bytes uint8) uint64 {
	switch bytes {
	case 1:
		return uint64(at[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(at))
	case 4:
		return uint64(binary.LittleEndian.Uint32(at))
	}
	return binary.LittleEndian.Uint64(at)
}

func put(at []byte, bytes uint8, v uint64) {
	switch bytes {
	case 1:
		at[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(at, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(at, uint32(v))
	default:
		binary.LittleEndian.PutUint64(at, v)
	}
}
