package exec

import (
	"math"
	"math/bits"
)

// Additions, products and logic give the same low bits at every width, so one
// loop on 64 bits serves all types (see slot).

func runAdd(w *Warp, o *op) {
	d, a, b := w.out(o), w.src(o.a), w.src(o.b)
	if vectors {
		addLanes(d, a, b)
	} else {
		each2(d, a, b, func(a, b uint64) uint64 { return a + b })
	}
	w.commit(o)
}

func runSub(w *Warp, o *op) {
	d, a, b := w.out(o), w.src(o.a), w.src(o.b)
	if vectors {
		subLanes(d, a, b)
	} else {
		each2(d, a, b, func(a, b uint64) uint64 { return a - b })
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
	each1(w.out(o), w.src(o.a), func(a uint64) uint64 { return uint64(max(T(a), -T(a))) })
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

// relation is one of these, as its number of bits from the lowest.
func relation[T integer | float32 | float64](x, y T) uint64 {
	return bit(x < y) | bit(x == y)<<1 | bit(x > y)<<2
}

// holding is the lanes in which a predicate of two values holds.
func holding(a, b *slot, predicate func(a, b uint64) uint32) (holds uint32) {
	for i := range a {
		holds |= predicate(a[i], b[i]) & 1 << i
	}
	return holds
}

func runCompare[T integer](w *Warp, o *op) {
	accept := uint32(o.accept)
	w.compared(o, holding(w.src(o.a), w.src(o.b), func(a, b uint64) uint32 { return accept >> relation(T(a), T(b)) }))
}

func runCompare32(w *Warp, o *op) {
	accept, ftz := uint32(o.accept), o.ftz
	w.compared(o, holding(w.src(o.a), w.src(o.b), func(a, b uint64) uint32 {
		return accept >> relation(read32(a, ftz), read32(b, ftz))
	}))
}

func runCompare64(w *Warp, o *op) {
	accept := uint32(o.accept)
	w.compared(o, holding(w.src(o.a), w.src(o.b), func(a, b uint64) uint32 {
		return accept >> relation(math.Float64frombits(a), math.Float64frombits(b))
	}))
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

// Ways of an operation with a carry (op.mode).
const (
	carryReads = 1 << iota
	carryWrites
	carryBorrows // it subtracts
)

// runCarry is add.cc and its kin. The carry is one bit for each lane; subtractions
// keep the borrow in it. Products have f2, and are added to c. Values are computed
// in the upper bits, and o.shift are below them.
func runCarry(w *Warp, o *op) {
	d, a, b, c := &w.regs[o.dst], w.src(o.a), w.src(o.b), w.src(o.c)
	in, out, shift := uint32(0), uint32(0), o.shift&63
	if o.mode&carryReads != 0 {
		in = w.carry
	}
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		x, y := a[i], b[i]
		if o.f2 != nil {
			x, y = o.f2(x, y), c[i]
		}
		x, y, carried := x<<shift, y<<shift, uint64(in>>i&1)<<shift
		var v, first, second uint64
		if o.mode&carryBorrows != 0 {
			v, first = bits.Sub64(x, y, 0)
			v, second = bits.Sub64(v, carried, 0)
		} else {
			v, first = bits.Add64(x, y, 0)
			v, second = bits.Add64(v, carried, 0)
		}
		out |= uint32(first|second) << i
		d[i] = v >> shift
	}
	if o.mode&carryWrites != 0 {
		w.carry = w.carry&^w.active | out
	}
}
