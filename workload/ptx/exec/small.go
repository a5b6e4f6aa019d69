package exec

import (
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/smallfloat"
)

// smallType is a floating-point type of at most 16 bits, or a pair of such numbers.
type smallType struct {
	format *smallfloat.Format
	pair   bool
}

// smallTypes are by type, nil for any other.
var smallTypes = [numTypes]*smallType{
	ptx.F16: {smallfloat.F16, false}, ptx.F16x2: {smallfloat.F16, true},
	ptx.BF16: {smallfloat.BF16, false}, ptx.BF16x2: {smallfloat.BF16, true},
	ptx.E4M3x2: {smallfloat.E4M3, true}, ptx.E5M2x2: {smallfloat.E5M2, true},
}

// bits is the size of a number.
func (t *smallType) bits() int { return 8 * t.format.Bytes() }

// both repeats a pattern for each number.
func (t *smallType) both(pattern uint64) uint64 {
	if t.pair {
		return pattern | pattern<<t.bits()
	}
	return pattern
}

// each makes a function of one number a function of each of a pair. The results have no bits
// above a number's.
func (t *smallType) each(f func(a, b, c uint64) uint64) func(a, b, c uint64) uint64 {
	if !t.pair {
		return f
	}
	n := t.bits()
	return func(a, b, c uint64) uint64 {
		return f(a, b, c)&(1<<n-1) | f(a>>n, b>>n, c>>n)&(1<<n-1)<<n
	}
}

// lane makes a lane's function of a real one.
func (t *smallType) lane(f real, s style) func(a, b, c uint64) uint64 {
	format := t.format
	if !s.ftz && !s.sat && !s.relu {
		return t.each(func(a, b, c uint64) uint64 {
			return format.Round(f(format.Value(a), format.Value(b), format.Value(c)), s.round, false)
		})
	}
	read := format.Value
	if s.ftz {
		read = func(a uint64) float64 { return format.Value(format.Flush(a)) }
	}
	return t.each(func(a, b, c uint64) uint64 {
		v := f(read(a), read(b), read(c))
		if s.sat {
			v = saturate(v)
		}
		if s.relu {
			v = rectify(v)
		}
		pattern := format.Round(v, s.round, false)
		if s.ftz {
			return format.Flush(pattern)
		}
		return pattern
	})
}

// rectify replaces what is below 0, and -0, by 0.
func rectify(v float64) float64 {
	if v <= 0 {
		return 0
	}
	return v
}

// compareSmall builds the comparison of setp and set. Of a pair, setp writes a predicate for
// each half.
func (b *builder) compareSmall(t ptx.Type) {
	small, ftz, accept := smallTypes[t], b.o.ftz, uint32(b.o.accept)
	read := small.format.Value
	if ftz {
		read = func(a uint64) float64 { return small.format.Value(small.format.Flush(a)) }
	}
	holds := func(a, b uint64) uint32 { return accept >> relation(read(a), read(b)) }
	if !small.pair {
		b.o.run = func(w *Warp, o *op) { w.compared(o, holding(w.src(o.a), w.src(o.b), holds)) }
		return
	}
	b.o.run = func(w *Warp, o *op) {
		x, y := w.src(o.a), w.src(o.b)
		low := holding(x, y, holds)
		high := holding(x, y, func(a, b uint64) uint32 { return holds(a>>16, b>>16) })
		w.comparedPair(o, low, high)
	}
}

// comparedPair is compared for the halves of pairs.
func (w *Warp) comparedPair(o *op, low, high uint32) {
	if o.mode != combineNone {
		c := w.preds[o.p] ^ o.pFlip
		low, high = combine(o.mode, low, c), combine(o.mode, high, c)
	}
	if o.imm == 0 {
		w.setPred(o.pdst, low)
		if o.pdst2 != unwanted {
			w.setPred(o.pdst2, high)
		}
		return
	}
	for i := range w.scratch {
		mask := -uint64(low>>i&1)&0xffff | -uint64(high>>i&1)&0xffff<<16
		w.scratch[i] = o.imm & mask
	}
	w.merge(&w.regs[o.dst], &w.scratch)
}

// convertPair builds conversions to pairs and to tf32. Of two operands the first is the
// upper number.
func (b *builder) convertPair(to, from ptx.Type, s style) {
	if to == ptx.TF32 {
		b.lane1(func(a uint64) uint64 { return s.small(smallfloat.TF32, value32(a, s.ftz)) })
		return
	}
	target := smallTypes[to]
	n := target.bits()
	if from == ptx.F32 {
		b.lane2(func(upper, lower uint64) uint64 {
			return s.small(target.format, value32(upper, s.ftz))<<n | s.small(target.format, value32(lower, s.ftz))
		})
		return
	}
	source := smallTypes[from]
	width := source.bits()
	b.lane1(func(a uint64) uint64 {
		return s.small(target.format, source.format.Value(a>>width))<<n | s.small(target.format, source.format.Value(a))
	})
}

// small rounds a number to a format.
func (s *style) small(f *smallfloat.Format, v float64) uint64 {
	if s.relu {
		v = rectify(v)
	}
	return f.Round(v, s.round, s.bounded)
}

// packWidths are the bits of the numbers that cvt.pack makes.
var packWidths = map[string]int{"u16": 16, "s16": 16, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "u2": 2, "s2": 2}

// packSaturated converts two integers to a type, the second below the first, and puts them
// below what the third operand holds.
func packSaturated(typ string) func(a, b, c uint64) uint64 {
	n := packWidths[typ]
	low, high := int32(0), int32(1)<<n-1
	if typ[0] == 's' {
		low, high = -1<<(n-1), 1<<(n-1)-1
	}
	clamp := func(v uint64) uint64 { return uint64(min(max(int32(v), low), high)) & (1<<n - 1) }
	return func(a, b, c uint64) uint64 { return clamp(b) | clamp(a)<<n | c<<(2*n) }
}
