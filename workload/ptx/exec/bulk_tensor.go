package exec

import (
	"fmt"
	"math/bits"

	"cotenant/workload/ptx"
)

// boxCopy is a bulk copy of a box that a tensor map describes.
type boxCopy struct {
	shared, tensor, barrier place
	coordinates             []int32 // slots
	load                    bool
	mask                    int32
	masked                  bool
	reduction               string // "" for none
	// source is the instruction as a load, target as a store.
	source, target op
}

// reductionNames are the operations of cp.reduce.async.bulk.tensor.
var reductionNames = []string{"add", "min", "max", "inc", "dec", "and", "or", "xor"}

func buildBox(b *builder) {
	o, in := &b.o, b.in
	k := &boxCopy{load: in.Has("mbarrier::complete_tx::bytes")}
	shared, tensor := in.Src[0], in.Src[1]
	if !k.load {
		shared, tensor = tensor, shared
	}
	for _, x := range tensor.Elems {
		k.coordinates = append(k.coordinates, b.value(x))
	}
	in2 := *in
	in2.Space = ptx.Generic // a tensor map may be a parameter
	whole := b.in
	b.in = &in2
	k.tensor = b.placeOf(tensor)
	if tensor.Var != nil && b.isKernelParam(tensor.Var) {
		k.tensor.offset += paramWindow
	}
	b.in = whole
	k.shared = b.placeOf(shared)
	if k.load {
		k.barrier = b.placeOf(in.Src[2])
	}
	for _, x := range in.Src[2:] {
		if x.Type == ptx.U16 {
			k.mask, k.masked = b.value(x), true
		}
	}
	for _, name := range reductionNames {
		if in.Has(name) {
			k.reduction = name
		}
	}
	o.bytes, o.memory, o.addressed, o.space = bulkBytes, true, allLanes, ptx.Global
	k.source, k.target = *o, *o
	k.target.writes = true
	o.run = func(w *Warp, o *op) {
		active := w.active
		for m := active; m != 0 && w.fault == nil; m &= m - 1 {
			k.lane(w, o, bits.TrailingZeros32(m)&(lanes-1))
		}
	}
}

// lane makes the copy of one lane.
func (k *boxCopy) lane(w *Warp, o *op, i int) {
	m, ok := k.described(w, o, i)
	if !ok {
		return
	}
	size, at := uint64(m.bytes()), k.shared.at(w, i)
	if k.masked {
		for _, rank := range w.receivers(o, i, w.src(k.mask)[i]) {
			k.move(w, o, i, &m, w.tb.addressIn(rank, at), w.tb.addressIn(rank, k.barrier.at(w, i)))
		}
	} else {
		barrier := uint64(0)
		if k.load {
			barrier = k.barrier.at(w, i)
		}
		k.move(w, o, i, &m, at, barrier)
	}
	w.spansBox(&m, k.corner(w, i), size)
	w.standFor(size, uint64(m.moved(0)*m.Type.Size()))
}

// move makes the copy to or from an address of shared memory, and tells an mbarrier of a load.
func (k *boxCopy) move(w *Warp, o *op, i int, m *TensorMap, at, barrier uint64) {
	if w.fault != nil {
		return
	}
	there := w.tb
	if other := w.elsewhere(at); other != nil {
		there = other
	}
	offset, size, n := at&mappedOffset, uint64(m.bytes()), uint64(len(there.shared))
	switch {
	case offset%128 != 0:
		w.space = ptx.Shared
		w.failAccess(o, MisalignedAddress, i, at, "is not a multiple of 128 bytes")
		return
	case at > mappedOffset && w.tb.mapped(at) == nil, size > n, offset > n-size:
		w.failOutside(o, i, ptx.Shared, at, n)
		return
	}
	k.elements(w, o, i, m, there.shared, offset)
	if k.load && w.fault == nil {
		w.finished(o, i, barrier, int64(size))
	}
}

// corner is the coordinates of the box.
func (k *boxCopy) corner(w *Warp, i int) (at [maxRank]int64) {
	for d, slot := range k.coordinates {
		at[d] = int64(int32(w.src(slot)[i]))
	}
	return at
}

// described is the tensor map of a lane.
func (k *boxCopy) described(w *Warp, o *op, i int) (m TensorMap, ok bool) {
	addr := k.tensor.at(w, i)
	w.space, w.addrs[i] = ptx.Generic, addr
	v := w.reach(&k.source, i, addr, 1)
	if v.data == nil {
		return m, false
	}
	data := v.data[addr-v.base:]
	if len(data) >= TensorMapBytes {
		m, ok = tensorMapOf(data[:TensorMapBytes])
	}
	switch {
	case !ok:
		w.fail(o, LaunchFailure, i, fmt.Sprintf("there is no tensor map at %#x; valid is one that the host has made", addr))
	case len(m.Dims) != len(k.coordinates):
		w.fail(o, LaunchFailure, i, fmt.Sprintf("the tensor map has %d dimensions and the instruction %d; valid are as many", len(m.Dims), len(k.coordinates)))
	default:
		return m, true
	}
	return m, false
}

// elements moves the elements of a box between shared memory, from an offset on, and the array. Those outside
// the array are zero, and are not written to it.
func (k *boxCopy) elements(w *Warp, o *op, i int, m *TensorMap, memory []byte, shared uint64) {
	size := m.Type.Size()
	var combine func(old, x, y uint64) uint64
	if k.reduction != "" {
		if combine = combination(k.reduction, m.Type); combine == nil {
			w.fail(o, LaunchFailure, i, fmt.Sprintf(".%s of elements of .%v; valid is an operation that they have", k.reduction, m.Type))
			return
		}
	}
	access, piece := &k.source, bulkBytes // what lies together in both memories
	if !k.load {
		access = &k.target
	}
	step := uint64(size * m.ElementStrides[0])
	if combine != nil || m.ElementStrides[0] > 1 {
		piece = size
	}
	corner := k.corner(w, i)
	var v view
	m.rows(&corner, func(offset int, addr uint64, first, end int) {
		here := func(at int) []byte { return memory[m.Swizzle.place(shared+uint64(offset+at)):] }
		if k.load {
			for e := range m.moved(0) {
				if e < first || e >= end {
					put(here(e*size), uint8(size), 0)
				}
			}
		}
		if first == end || w.fault != nil {
			return
		}
		w.space = ptx.Global
		for _, e := range [...]int{first, end - 1} {
			if w.addrs[i] = addr + uint64(e)*step; !v.has(w.addrs[i], uint64(size)) {
				if v = w.reach(access, i, w.addrs[i], uint64(size)); v.data == nil {
					return
				}
			}
		}
		if !v.has(addr+uint64(first)*step, uint64(size)) {
			w.failAccess(o, IllegalAddress, i, addr, "begins a row that does not lie in one array")
			return
		}
		for at := first * size; at < end*size; {
			n := min(piece-at%piece, end*size-at)
			there := v.at(addr + uint64(at/size)*step)
			switch {
			case k.load:
				copy(here(at)[:n], there)
			case combine != nil:
				put(there, uint8(size), combine(get(there, uint8(size)), get(here(at), uint8(size)), 0))
			default:
				copy(there[:n], here(at))
			}
			at += n
		}
	})
}

// spansBox makes the access of the instruction: lines of the rows of the box, evenly distributed.
func (w *Warp) spansBox(m *TensorMap, at [maxRank]int64, size uint64) {
	if w.fault != nil {
		return
	}
	row := uint64(m.moved(0) * m.Type.Size())
	lines := max(size/bulkBytes, 1)
	n := min(lines, lanes)
	w.space, w.active = ptx.Global, 0
	for i := range n {
		offset := i * lines / n * bulkBytes
		addr, rest := m.Addr, offset/row
		inside := true
		for d := range m.Dims {
			x, step := at[d], uint64(m.Type.Size())
			if d > 0 {
				x += int64(rest%uint64(m.moved(d))) * int64(m.ElementStrides[d])
				rest /= uint64(m.moved(d))
				step = uint64(m.Strides[d-1])
			} else {
				x += int64(offset%row) / int64(step) * int64(m.ElementStrides[0])
			}
			inside = inside && x >= 0 && x < int64(m.Dims[d])
			addr += uint64(x) * step
		}
		if inside {
			w.addrs[i] = addr
			w.active |= 1 << i
		}
	}
}
