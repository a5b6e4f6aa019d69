package exec

import (
	"fmt"
	"math/bits"

	"cotenant/workload/ptx"
)

// Bulk copies (cp.async.bulk) are made when they are issued, like other asynchronous copies, and tell
// their mbarrier at once. So groups of them, and waiting for groups, do nothing.

// A bulk copy moves whole lines of 16 bytes.
const bulkBytes = 16

// bulk is a bulk copy. A place is a slot of addresses, what is added to them, and the bits that they have.
type bulk struct {
	to, from, barrier place
	toShared          bool
	size              int32 // slot of the bytes
	signals           bool  // to an mbarrier
	// mask is the slot of the thread blocks of the cluster that get the copy, -1 without one.
	mask   int32
	masked bool
	// combine is how the copy changes what is there, element by element, nil to replace it.
	combine func(there, with, _ uint64) uint64
	element uint8 // bytes
	// source is the instruction as a load, target as a store.
	source, target op
}

type place struct {
	slot   int32
	offset uint64
	mask   uint64
}

// at is where the address of a lane is.
func (p *place) at(w *Warp, lane int) uint64 { return (w.src(p.slot)[lane] + p.offset) & p.mask }

// placeOf takes the address of an operand.
func (b *builder) placeOf(x ptx.Operand) place {
	o := &b.o
	o.imm, o.addrMask = 0, ^uint64(0)
	b.address(x)
	p := place{o.a, o.imm, o.addrMask}
	o.imm, o.addrMask = 0, ^uint64(0)
	return p
}

// buildAsync builds cp.async in all its forms.
func buildAsync(b *builder) {
	in := b.in
	switch {
	case in.Has("mbarrier"):
		buildCopyArrival(b)
	case in.Has("prefetch"), in.Has("bulk") && (in.Has("commit_group") || in.Has("wait_group")):
		b.o.run = runNothing
	case in.Has("commit_group"), in.Has("wait_group"), in.Has("wait_all"):
		buildGroups(b)
	case in.Has("tensor"):
		buildBox(b)
	case in.Has("bulk"):
		buildBulk(b)
	default:
		buildCopy(b)
	}
}

func buildBulk(b *builder) {
	o, in := &b.o, b.in
	k := &bulk{to: b.placeOf(in.Src[0]), from: b.placeOf(in.Src[1]), size: b.value(in.Src[2])}
	k.toShared = in.Has("mbarrier::complete_tx::bytes")
	if k.toShared {
		k.barrier, k.signals = b.placeOf(in.Src[3]), true
	}
	for _, x := range in.Src[3:] {
		if x.Type == ptx.U16 {
			k.mask, k.masked = b.value(x), true
		}
	}
	if in.Has("reduce") {
		k.combine, k.element = b.atomic(), uint8(b.kind().Size())
	}
	o.bytes, o.memory, o.addressed = bulkBytes, true, allLanes
	o.space = ptx.Global
	fromShared := !in.Has("global")
	k.source, k.target = *o, *o
	k.target.writes = true
	o.run = func(w *Warp, o *op) {
		active := w.active
		for m := active; m != 0 && w.fault == nil; m &= m - 1 {
			k.lane(w, o, bits.TrailingZeros32(m)&(lanes-1), fromShared || !k.toShared)
		}
	}
}

// lane makes the copy of one lane. The access of the instruction is that of the last one.
func (k *bulk) lane(w *Warp, o *op, i int, fromShared bool) {
	size := w.src(k.size)[i] & 0xffffffff
	if size%bulkBytes != 0 {
		w.fail(o, IllegalInstruction, i, fmt.Sprintf("%d bytes; valid are multiples of %d", size, bulkBytes))
		return
	}
	from := w.stretch(&k.source, i, k.from.at(w, i), size, fromShared)
	if k.masked && w.fault == nil {
		for _, rank := range w.receivers(o, i, w.src(k.mask)[i]) {
			k.move(w, o, i, from, w.tb.addressIn(rank, k.to.at(w, i)), w.tb.addressIn(rank, k.barrier.at(w, i)))
		}
	} else if w.fault == nil {
		k.move(w, o, i, from, k.to.at(w, i), k.barrier.at(w, i))
	}
	if w.fault != nil {
		return
	}
	global := k.from.at(w, i)
	if !k.toShared {
		global = k.to.at(w, i)
	}
	w.spans(global, size)
	w.standFor(size, size)
}

// move copies to an address, and tells an mbarrier.
func (k *bulk) move(w *Warp, o *op, i int, from []byte, addr, barrier uint64) {
	to := w.stretch(&k.target, i, addr, uint64(len(from)), k.toShared)
	if w.fault != nil {
		return
	}
	if k.combine == nil {
		copy(to, from)
	} else {
		for at := 0; at < len(to); at += int(k.element) {
			put(to[at:], k.element, k.combine(get(to[at:], k.element), get(from[at:], k.element), 0))
		}
	}
	if k.signals {
		w.finished(o, i, barrier, int64(len(from)))
	}
}

// standFor says what each lane of an access stands for, of a copy of so many bytes in rows. What
// is more than lanes can stand for is left out.
func (w *Warp) standFor(size, row uint64) {
	const most, some = 255, 128
	of, units := max(size/bulkBytes/lanes, 1), max(row/bulkBytes, 1)
	if of > most {
		units = min(some, units)
	}
	units = min(of, units, most)
	w.units, w.rowsOf = uint8(units), uint8(min(of/units, most))
}

// stretch is memory of a lane's copy, nil if it is none or after a fault.
func (w *Warp) stretch(o *op, i int, addr, size uint64, shared bool) []byte {
	w.space = ptx.Global
	if shared {
		w.space = ptx.Shared
	}
	w.addrs[i] = addr
	if addr%bulkBytes != 0 {
		w.failAccess(o, MisalignedAddress, i, addr, fmt.Sprintf("is not a multiple of %d bytes", bulkBytes))
		return nil
	}
	if size == 0 {
		return nil
	}
	v := w.reach(o, i, addr, 1)
	if v.data == nil {
		return nil
	}
	if at := addr - v.base; size <= uint64(len(v.data))-at {
		return v.data[at : at+size]
	}
	w.reach(o, i, addr+size-1, 1)
	if w.fault == nil {
		w.failAccess(o, IllegalAddress, i, addr, fmt.Sprintf("has fewer than %d bytes behind it", size))
	}
	return nil
}

// spans makes the access of the instruction: of lines of a stretch of global memory, as many as a warp
// has lanes, evenly distributed.
func (w *Warp) spans(addr, size uint64) {
	lines := size / bulkBytes
	n := min(lines, lanes)
	w.space, w.active = ptx.Global, uint32(1<<n-1)
	for i := range n {
		w.addrs[i] = addr + i*lines/n*bulkBytes
	}
}
