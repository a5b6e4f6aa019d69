package exec

import (
	"fmt"
	"math/bits"
)

// Operations between the lanes of a warp. Their .sync forms name the lanes that
// are meant to take part.

// members checks that the lanes named have come: a warp here does not wait for
// them as later hardware does, and going on without them would be wrong. If the
// instruction names none, the active lanes take part.
func (w *Warp) members(o *op, s int32) (m uint32) {
	lane := bits.TrailingZeros32(w.active) & (lanes - 1)
	named := uint32(w.src(s)[lane])
	if missing := named & w.alive &^ w.active; missing != 0 {
		w.fail(o, LaunchFailure, lane, fmt.Sprintf("member mask %#x names the lanes %#x, which are not here", named, missing))
	}
	if named == 0 {
		return w.active
	}
	return w.active & named
}

// byMask runs an operation once for each member mask that active lanes name: the tiles of a warp name
// their own lanes in one instruction.
func (w *Warp) byMask(o *op, s int32, run func(w *Warp, o *op, members uint32)) {
	if s < 0 { // a constant
		run(w, o, w.members(o, s))
		return
	}
	active, masks := w.active, w.src(s)
	for rest := active; rest != 0; rest &^= w.active {
		named := uint32(masks[bits.TrailingZeros32(rest)&(lanes-1)])
		w.active = 0
		for m := rest; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			w.active |= uint32(bit(uint32(masks[i]) == named)) << i
		}
		run(w, o, w.members(o, s))
	}
	w.active = active
}

// Modes of shfl (op.mode).
const (
	shuffleUp = iota
	shuffleDown
	shuffleButterfly
	shuffleIndex
)

var shuffles = map[string]uint8{"up": shuffleUp, "down": shuffleDown, "bfly": shuffleButterfly, "idx": shuffleIndex}

func buildShfl(b *builder) {
	if len(b.o.list) == 0 { // without .sync
		b.o.list = []int32{b.constant(0)}
	}
	b.o.mode, b.o.run = chosen(b, shuffles), runShfl
}

func runShfl(w *Warp, o *op) {
	a, b, c := w.src(o.a), w.src(o.b), w.src(o.c)
	w.members(o, o.list[0])
	var inRange uint32
	for i := range w.scratch {
		by, clamp, segment := int(b[i]&31), int(c[i]&31), int(c[i]>>8&31)
		low := i & segment
		high := low | clamp&^segment
		from, ok := i, false
		switch o.mode {
		case shuffleUp:
			from = i - by
			ok = from >= high
		case shuffleDown:
			from = i + by
			ok = from <= high
		case shuffleButterfly:
			from = i ^ by
			ok = from <= high
		default:
			from = low | by&^segment
			ok = from <= high
		}
		if !ok {
			from = i
		}
		inRange |= uint32(bit(ok)) << i
		w.scratch[i] = a[from]
	}
	w.merge(&w.regs[o.dst], &w.scratch)
	w.setPred(o.pdst, inRange)
}

// Modes of vote and match (op.mode).
const (
	voteAll = iota
	voteAny
	voteUniform
	voteBallot
)

var votes = map[string]uint8{"all": voteAll, "any": voteAny, "uni": voteUniform, "ballot": voteBallot}

func buildVote(b *builder) {
	b.o.mode, b.o.run = chosen(b, votes), runVote
}

func runVote(w *Warp, o *op) { w.byMask(o, o.a, vote) }

func vote(w *Warp, o *op, members uint32) {
	votes := (w.preds[o.p] ^ o.pFlip) & members
	outcome := votes == members
	switch o.mode {
	case voteBallot:
		w.spread(o.dst, uint64(votes))
		return
	case voteAny:
		outcome = votes != 0
	case voteUniform:
		outcome = outcome || votes == 0
	}
	w.setPred(o.pdst, uint32(-bit(outcome)))
}

// spread writes one value to the active lanes of a register.
func (w *Warp) spread(dst int32, v uint64) {
	d := &w.regs[dst]
	for m := w.active; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&(lanes-1)] = v
	}
}

func runActivemask(w *Warp, o *op) { w.spread(o.dst, uint64(w.active)) }

func buildMatch(b *builder) {
	b.o.shift = cut(b.kind())
	b.o.mode, b.o.run = chosen(b, votes), runMatch
}

func runMatch(w *Warp, o *op) { w.byMask(o, o.b, match) }

func match(w *Warp, o *op, members uint32) {
	a := *w.src(o.a)
	d := &w.regs[o.dst]
	everywhere := uint32(0)
	for m := members; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		same := uint32(0)
		for k := range a {
			same |= uint32(bit(extend(a[k]^a[i], o.shift, false) == 0)) << k
		}
		same &= members
		if o.mode == voteAll {
			if same != members {
				same = 0
			} else {
				everywhere = allLanes
			}
		}
		d[i] = uint64(same)
	}
	w.setPred(o.pdst, everywhere)
}

// buildRedux joins the values of the lanes that take part by an operation that
// atomics have too.
func buildRedux(b *builder) {
	b.o.f3, b.o.run = b.atomic(), runRedux
	if b.in.Has("abs") {
		b.o.imm = signBit(b.kind())
	}
}

func runRedux(w *Warp, o *op) { w.byMask(o, o.b, redux) }

func redux(w *Warp, o *op, m uint32) {
	a := w.src(o.a)
	if m == 0 {
		return
	}
	sum := a[bits.TrailingZeros32(m)&(lanes-1)] &^ o.imm
	for m &= m - 1; m != 0; m &= m - 1 {
		sum = o.f3(sum, a[bits.TrailingZeros32(m)&(lanes-1)]&^o.imm, 0)
	}
	w.spread(o.dst, sum)
}
