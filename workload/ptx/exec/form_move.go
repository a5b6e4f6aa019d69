package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// accepts are the relations for which each comparison holds.
var accepts = map[string]uint8{
	"eq": isEqual, "ne": isLess | isGreater, "lt": isLess, "le": isLess | isEqual, "gt": isGreater, "ge": isGreater | isEqual,
	"lo": isLess, "ls": isLess | isEqual, "hi": isGreater, "hs": isGreater | isEqual,
	"equ": isUnordered | isEqual, "neu": isUnordered | isLess | isGreater,
	"ltu": isUnordered | isLess, "leu": isUnordered | isLess | isEqual,
	"gtu": isUnordered | isGreater, "geu": isUnordered | isGreater | isEqual,
	"num": isLess | isEqual | isGreater, "nan": isUnordered,
}

// combinations are the ways to combine a comparison with a predicate.
var combinations = map[string]uint8{"and": combineAnd, "or": combineOr, "xor": combineXor}

// comparison builds setp and the part of set that is the same.
func (b *builder) comparison(t ptx.Type) {
	b.o.accept, b.o.mode = chosen(b, accepts), chosen(b, combinations)
	switch t {
	case ptx.F32:
		b.o.run = runCompare32
	case ptx.F64:
		b.o.run = runCompare64
	case ptx.F16, ptx.BF16, ptx.F16x2, ptx.BF16x2:
		b.compareSmall(t)
	default:
		b.o.run = integers[t].compare
	}
}

func buildSet(b *builder) {
	to, from := b.types()
	b.comparison(from)
	b.o.imm = ^uint64(0)
	if s := smallTypes[to]; s != nil {
		b.o.imm = s.both(s.format.One())
	} else if to == ptx.F32 {
		b.o.imm = uint64(math.Float32bits(1))
	}
}

func runSelect(w *Warp, o *op) {
	d, a, b := w.out(o), w.src(o.a), w.src(o.b)
	p := w.preds[o.p] ^ o.pFlip
	for i := range d {
		v := b[i]
		if p>>i&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
	w.commit(o)
}

// buildSlct selects by the sign of a number; that of a NaN counts as negative.
func buildSlct(b *builder) {
	ftz := b.o.ftz
	positive := func(c uint64) bool { return int32(c) >= 0 }
	if b.kind() == ptx.F32 {
		positive = func(c uint64) bool { return value32(c, ftz) >= 0 }
	}
	b.lane3(func(x, y, c uint64) uint64 {
		if positive(c) {
			return x
		}
		return y
	})
}

func buildMov(b *builder) {
	n := len(b.o.list) // parts of the other operand
	if n > 0 {
		b.o.shift = uint8(64 - b.bits()/uint64(n))
	}
	switch {
	case b.kind() == ptx.Pred && b.in.Src[0].Kind == ptx.Special:
		b.o.run = runIsExplicit
	case b.kind() == ptx.Pred:
		b.o.mode, b.o.run = combineAnd, runPredicates
	case n == 0:
		b.o.run = runMove
	case b.in.Src[0].Kind == ptx.Vector:
		b.o.run = runPack
	default:
		b.o.run = runUnpack
	}
}

func runMove(w *Warp, o *op) {
	if w.active == allLanes {
		w.regs[o.dst] = *w.src(o.a)
		return
	}
	w.merge(&w.regs[o.dst], w.src(o.a))
}

func runUnpack(w *Warp, o *op) {
	// The source may be a destination too.
	w.addrs = *w.src(o.a)
	for k, d := range o.list {
		for i := range w.scratch {
			w.scratch[i] = w.addrs[i] >> (uint(k) * uint(64-o.shift) & 63)
		}
		w.merge(&w.regs[d], &w.scratch)
	}
}

func runPack(w *Warp, o *op) {
	w.scratch = slot{}
	for k, s := range o.list {
		v := w.src(s)
		for i := range w.scratch {
			w.scratch[i] |= v[i] << (o.shift & 63) >> (o.shift & 63) << (uint(k) * uint(64-o.shift) & 63)
		}
	}
	w.merge(&w.regs[o.dst], &w.scratch)
}

func buildCvt(b *builder) {
	to, from := b.types()
	s, round := b.style(), chosen(b, integral)
	if b.in.Has("pack") {
		b.lane3(packSaturated(b.in.Mods[2]))
		return
	}
	if to == ptx.TF32 || to.IsPair() {
		b.convertPair(to, from, s)
		return
	}
	wider := b.in.Dst[0].Kind == ptx.Register && b.f.Regs[b.in.Dst[0].Reg].Size() > to.Size()
	switch {
	case isInteger(to) && isInteger(from) && !s.sat && (!wider || to.Size() <= from.Size()):
		narrow := from
		if to.Size() <= from.Size() {
			narrow = to
		}
		b.o.shift, b.o.signed, b.o.run = cut(narrow), narrow.IsSigned(), runExtend
	case isInteger(to) && isInteger(from):
		b.lane1(convertInteger(to, from, s.sat))
	case isInteger(to) && from.IsFloat():
		b.lane1(floatToInteger(to, from, round, s.ftz))
	case to == ptx.F32 && from == ptx.S32 && s.round == toNearest && !s.sat:
		b.o.run = runSignedToFloat32
	case to.IsFloat() && isInteger(from):
		b.lane1(integerToFloat(to, from, s))
	case to.IsFloat() && from.IsFloat():
		b.lane1(floatToFloat(to, from, round, s))
	}
}
