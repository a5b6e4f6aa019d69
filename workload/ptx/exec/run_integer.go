package exec

import "math/bits"

// Additions, products and logic give the same low bits at every width, so one
// loop on 64 bits serves all types (see slot).

func runAdd(w *Warp, o *op) {
	d, a, b := w.out(o), w.src(o.a), w.src(o.b)
	if vectors {
		addLanes(d, a, b)
		w.commit(o)
		return
	}
	for i := range d {
		d[i] = a[i] + b[i]
	}
	w.commit(o)
}

func runSub(w *Warp, o *op) {
	d, a, b := w.out(o), w.src(o.a), w.src(o.b)
	if vectors {
		subLanes(d, a, b)
		w.commit(o)
		return
	}
	for i := range d {
		d[i] = a[i] - b[i]
	}
	w.commit(o)
}

func runMul(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return a * b })
	w.commit(o)
}

func runMad(w *Warp, o *op) {
	each3(w.out(o), w.src(o.a), w.src(o.b), w.src(o.c), func(a, b, c uint64) uint64 { return a*b + c })
	w.commit(o)
}

func runAnd(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return a & b })
	w.commit(o)
}

func runOr(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return a | b })
	w.commit(o)
}

func runXor(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return a ^ b })
	w.commit(o)
}

func runNot(w *Warp, o *op) {
	each1(w.out(o), w.src(o.a), func(a uint64) uint64 { return ^a })
	w.commit(o)
}

func runNeg(w *Warp, o *op) {
	each1(w.out(o), w.src(o.a), func(a uint64) uint64 { return -a })
	w.commit(o)
}

// runShl also serves narrow registers: bits shifted past their width are cut.
func runShl(w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return a << uint32(b) })
	w.commit(o)
}

type integer interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

func runShr[T integer](w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return uint64(T(a) >> uint32(b)) })
	w.commit(o)
}

func runMin[T integer](w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return uint64(min(T(a), T(b))) })
	w.commit(o)
}

func runMax[T integer](w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return uint64(max(T(a), T(b))) })
	w.commit(o)
}

func runAbs[T integer](w *Warp, o *op) {
	d, a := w.out(o), w.src(o.a)
	for i := range d {
		v := T(a[i])
		d[i] = uint64(max(v, -v))
	}
	w.commit(o)
}

func runMadWide[T integer](w *Warp, o *op) {
	each3(w.out(o), w.src(o.a), w.src(o.b), w.src(o.c), func(a, b, c uint64) uint64 { return uint64(T(a))*uint64(T(b)) + c })
	w.commit(o)
}

func runMulWide[T integer](w *Warp, o *op) {
	each2(w.out(o), w.src(o.a), w.src(o.b), func(a, b uint64) uint64 { return uint64(T(a)) * uint64(T(b)) })
	w.commit(o)
}

// Relations of two values, as bits of op.accept: unordered is none of them.
const (
	isUnordered = 1 << 0
	isLess      = 1 << 1
	isEqual     = 1 << 2
	isGreater   = 1 << 4
)

func runCompare[T integer](w *Warp, o *op) {
	a, b := w.src(o.a), w.src(o.b)
	var holds uint32
	accept := uint32(o.accept)
	for i := range a {
		x, y := T(a[i]), T(b[i])
		relation := bit(x < y) | bit(x == y)<<1 | bit(x > y)<<2
		holds |= accept >> relation & 1 << i
	}
	w.compared(o, holds)
}

// compared ends a comparison: it combines the outcome with the predicate that
// the instruction names and writes it to predicates (setp) or as a number (set).
func (w *Warp) compared(o *op, holds uint32) {
	fails := ^holds
	if o.mode != combineNone {
		c := w.preds[o.p] ^ o.pFlip
		holds, fails = combine(o.mode, holds, c), combine(o.mode, fails, c)
	}
	if o.imm == 0 {
		w.setPred(o.pdst, holds)
		if o.pdst2 != unwanted {
			w.setPred(o.pdst2, fails)
		}
		return
	}
	d := &w.regs[o.dst]
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		d[i] = -uint64(holds>>i&1) & o.imm
	}
}

// Ways to combine a comparison with a predicate (op.mode).
const (
	combineNone = iota
	combineAnd
	combineOr
	combineXor
)

func combine(mode uint8, a, b uint32) uint32 {
	switch mode {
	case combineAnd:
		return a & b
	case combineOr:
		return a | b
	default:
		return a ^ b
	}
}

// The carry of add.cc and its kin is one bit for each lane; subtractions keep
// the borrow in it.

func carryAdd[T integer](w *Warp, o *op) {
	d, a, b := &w.regs[o.dst], w.src(o.a), w.src(o.b)
	in, out := w.carryIn(o), uint32(0)
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		x, y, c := T(a[i]), T(b[i]), T(in>>i&1)
		sum := x + y + c
		out |= uint32(bit(sum < x || c != 0 && sum == x)) << i
		d[i] = uint64(sum)
	}
	w.carryOut(o, out)
}

func carrySub[T integer](w *Warp, o *op) {
	d, a, b := &w.regs[o.dst], w.src(o.a), w.src(o.b)
	in, out := w.carryIn(o), uint32(0)
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		x, y, c := T(a[i]), T(b[i]), T(in>>i&1)
		out |= uint32(bit(x < y || c != 0 && x == y)) << i
		d[i] = uint64(x - y - c)
	}
	w.carryOut(o, out)
}

// carryMad adds the product (its low or high half, by f2) to c.
func carryMad[T integer](w *Warp, o *op) {
	d, a, b, c := &w.regs[o.dst], w.src(o.a), w.src(o.b), w.src(o.c)
	in, out := w.carryIn(o), uint32(0)
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		x, y, k := T(o.f2(a[i], b[i])), T(c[i]), T(in>>i&1)
		sum := x + y + k
		out |= uint32(bit(sum < x || k != 0 && sum == x)) << i
		d[i] = uint64(sum)
	}
	w.carryOut(o, out)
}

// Bits of op.mode in instructions with a carry.
const (
	carryReads = 1 << iota
	carryWrites
)

func (w *Warp) carryIn(o *op) uint32 {
	if o.mode&carryReads != 0 {
		return w.carry
	}
	return 0
}

func (w *Warp) carryOut(o *op, out uint32) {
	if o.mode&carryWrites != 0 {
		w.carry = w.carry&^w.active | out
	}
}
