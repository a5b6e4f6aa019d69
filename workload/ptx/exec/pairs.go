package exec

import (
	"math"
	"math/bits"

	"cotenant/workload/ptx"
)

// bothHalves makes a function of 16 bits a function of both halves of 32.
func bothHalves(f func(a, b uint64) uint64) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return f(a, b)&0xffff | f(a>>16, b>>16)&0xffff<<16 }
}

// pair32 makes a function of 32 bits a function of both halves of 64.
func pair32(f func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 { return f(a, b, c)&0xffffffff | f(a>>32, b>>32, c>>32)<<32 }
}

// integerLimit builds min and max of pairs, and with .relu, which makes the result 0 if it is
// negative.
func (b *builder) integerLimit(t ptx.Type) {
	least := math.MinInt64
	if b.in.Has("relu") {
		least = 0
	}
	lesser := b.in.Op == "min"
	read := func(a uint64) int { return int(int32(a)) }
	switch t {
	case ptx.S16x2:
		read = func(a uint64) int { return int(int16(a)) }
	case ptx.U16x2:
		read = func(a uint64) int { return int(uint16(a)) }
	}
	f := func(a, b uint64) uint64 {
		x, y := read(a), read(b)
		if lesser {
			return uint64(max(min(x, y), least))
		}
		return uint64(max(x, y, least))
	}
	if t.IsPair() {
		f = bothHalves(f)
	}
	b.lane2(f)
}

// limit is min or max of numbers, or another operation if the instruction is neither.
func (b *builder) limit(otherwise real) real {
	switch nan := b.in.Has("NaN"); {
	case b.in.Has("min") && nan:
		return realMinNaN
	case b.in.Has("min"):
		return realMin
	case b.in.Has("max") && nan:
		return realMaxNaN
	case b.in.Has("max"):
		return realMax
	}
	return otherwise
}

// ofThree builds min and max of three numbers.
func (b *builder) ofThree(number, withNaN real) {
	two := number
	if b.in.Has("NaN") {
		two = withNaN
	}
	three := func(x, y, z float64) float64 { return two(two(x, y, 0), z, 0) }
	f := lane(b.kind(), three, b.style())
	if b.in.Has("abs") {
		sign := signBit(b.kind())
		b.lane3(func(x, y, z uint64) uint64 { return f(x&^sign, y&^sign, z&^sign) })
		return
	}
	b.lane3(f)
}

// buildLookup builds lop3, which may combine whether the result is not 0 with a predicate.
func buildLookup(b *builder) {
	b.lane3(lookup3(b.in.Src[3].Imm))
	mode := uint8(combineNone)
	switch {
	case b.in.Has("or"):
		mode = combineOr
	case b.in.Has("and"):
		mode = combineAnd
	default:
		return
	}
	f := b.o.f3
	b.o.run = func(w *Warp, o *op) {
		x, y, z := w.src(o.a), w.src(o.b), w.src(o.c)
		var holds uint32
		for i := range w.scratch {
			v := f(x[i], y[i], z[i]) & 0xffffffff
			w.scratch[i] = v
			holds |= uint32(bit(v != 0)) << i
		}
		holds = combine(mode, holds, w.preds[o.p]^o.pFlip)
		w.merge(&w.regs[o.dst], &w.scratch)
		w.setPred(o.pdst, holds)
	}
}

// extendFrom is szext: it keeps b bits of a, and copies the highest of them upwards if the
// type has a sign.
func extendFrom(signed, clamp bool) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		n, count := uint32(a), uint32(b)
		if clamp && count >= 32 {
			return uint64(n)
		}
		count &= 31
		mask := ^uint32(0) << count
		if signed && count > 0 && n>>(count-1)&1 != 0 {
			return uint64(n | mask)
		}
		return uint64(n &^ mask)
	}
}

// bitMask is bmsk: b bits from bit a on.
func bitMask(clamp bool) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		start, width := uint64(uint32(a)), uint64(uint32(b))
		if !clamp {
			start, width = start&31, width&31
		}
		if start >= 32 {
			return 0
		}
		return (1<<min(width, 32) - 1) << start & 0xffffffff
	}
}

// findNth is the position of the n-th bit that is set in a mask, counted from a bit on upwards,
// or downwards for a negative n; 0 asks whether that bit is set.
func findNth(mask, base, n uint64) uint64 {
	const nothing = 0xffffffff
	at, step, left := int64(uint32(base)), int64(1), int64(int32(n))
	switch {
	case left == 0 && at < 32 && mask>>at&1 != 0:
		return uint64(at)
	case left == 0:
		return nothing
	case left < 0:
		step, left = -1, -left
	}
	for ; at >= 0 && at < 32; at += step {
		if mask>>at&1 != 0 {
			if left--; left == 0 {
				return uint64(at)
			}
		}
	}
	return nothing
}

// runAtomVector is runAtom for vectors: each element is an atomic operation of its own.
func runAtomVector(w *Warp, o *op) {
	w.locate(o)
	n, bytes := uint64(o.bytes)*uint64(o.vec), uint64(o.bytes)
	results, values := o.list[:len(o.list)-int(o.vec)], o.list[len(o.list)-int(o.vec):]
	change := o.f3
	if o.ftz && w.space != ptx.Shared {
		change = addFlushed32
	}
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
		var old [8]uint64
		for k, s := range values {
			old[k] = get(at, o.bytes)
			put(at, o.bytes, change(old[k], w.src(s)[i], 0))
			at = at[bytes:]
		}
		for k, d := range results {
			w.regs[d][i] = old[k]
		}
	}
}
