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

// comparison builds the part that setp and set share.
func (b *builder) comparison(t ptx.Type) {
	in := b.in
	b.o.a, b.o.b = b.value(in.Src[0], t), b.value(in.Src[1], t)
	b.o.ftz = in.Has("ftz")
	for _, m := range in.Mods {
		if a, ok := accepts[m]; ok {
			b.o.accept = a
		}
	}
	switch {
	case in.Has("and"):
		b.o.mode = combineAnd
	case in.Has("or"):
		b.o.mode = combineOr
	case in.Has("xor"):
		b.o.mode = combineXor
	}
	if b.o.mode != combineNone {
		b.o.q, b.o.qFlip = b.predicate(in.Src[2])
	}
	switch t {
	case ptx.F32:
		b.o.run = runCompare32
	case ptx.F64:
		b.o.run = runCompare64
	default:
		b.o.run = integers[t].compare
	}
}

func buildSetp(b *builder) {
	b.comparison(b.kind())
	holds, fails := b.results()
	b.o.pdst = b.predicateResult(holds)
	if fails != nil {
		b.o.pdst2 = b.predicateResult(*fails)
	}
}

func buildSet(b *builder) {
	to, from := b.types()
	b.comparison(from)
	b.o.dst = b.result(b.in.Dst[0])
	b.o.imm = ^uint64(0)
	if to == ptx.F32 {
		b.o.imm = uint64(math.Float32bits(1))
	}
}

func runCompare32(w *Warp, o *op) {
	a, b, ftz := w.src(o.a), w.src(o.b), o.ftz
	var holds uint32
	accept := uint32(o.accept)
	for i := range a {
		x, y := read32(a[i], ftz), read32(b[i], ftz)
		relation := bit(x < y) | bit(x == y)<<1 | bit(x > y)<<2
		holds |= accept >> relation & 1 << i
	}
	w.compared(o, holds)
}

func runCompare64(w *Warp, o *op) {
	a, b := w.src(o.a), w.src(o.b)
	var holds uint32
	accept := uint32(o.accept)
	for i := range a {
		x, y := math.Float64frombits(a[i]), math.Float64frombits(b[i])
		relation := bit(x < y) | bit(x == y)<<1 | bit(x > y)<<2
		holds |= accept >> relation & 1 << i
	}
	w.compared(o, holds)
}

func buildSelp(b *builder) {
	t := b.kind()
	b.o.dst = b.result(b.in.Dst[0])
	b.o.a, b.o.b = b.value(b.in.Src[0], t), b.value(b.in.Src[1], t)
	b.o.p, b.o.pFlip = b.predicate(b.in.Src[2])
	b.o.run = runSelect
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
	t, by := b.types()
	b.o.dst = b.result(b.in.Dst[0])
	b.sources(t, t, by)
	if by == ptx.F32 {
		ftz := b.in.Has("ftz")
		b.lane3(func(x, y, c uint64) uint64 {
			if value32(c, ftz) >= 0 {
				return x
			}
			return y
		})
		return
	}
	b.lane3(func(x, y, c uint64) uint64 {
		if int32(c) >= 0 {
			return x
		}
		return y
	})
}

func buildMov(b *builder) {
	t := b.kind()
	d, s := b.in.Dst[0], b.in.Src[0]
	switch {
	case t == ptx.Pred:
		b.predicateLogic()
	case d.Kind == ptx.Vector:
		b.o.a = b.value(s, t)
		b.part(t, d.Elems)
		for _, e := range d.Elems {
			b.o.list = append(b.o.list, b.result(e))
		}
		b.o.run = runUnpack
	case s.Kind == ptx.Vector:
		b.o.dst = b.result(d)
		part := b.part(t, s.Elems)
		for _, e := range s.Elems {
			b.o.list = append(b.o.list, b.value(e, part))
		}
		b.o.run = runPack
	default:
		b.operands(t)
		b.o.run = runMove
	}
}

// part sets how many bits of t each of some elements has, and gives a type of
// that size.
func (b *builder) part(t ptx.Type, elems []ptx.Operand) ptx.Type {
	n := t.Size() / len(elems)
	b.o.shift = uint8(64 - 8*n)
	for p := ptx.B8; p <= ptx.B64; p++ {
		if p.Size() == n {
			return p
		}
	}
	return ptx.NoType
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
	b.o.dst = b.result(b.in.Dst[0])
	b.o.a = b.value(b.in.Src[0], from)
	if b.err != nil {
		return
	}
	s := b.style()
	var round func(float64) float64
	for _, m := range b.in.Mods {
		if f, ok := integral[m]; ok {
			round = f
		}
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
