package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// isInteger covers the untyped bits too, which count as unsigned.
func isInteger(t ptx.Type) bool { return t >= ptx.B8 && t <= ptx.S64 }

// value reads a floating-point number of any type.
func value(t ptx.Type, v uint64, ftz bool) float64 {
	switch t {
	case ptx.F16, ptx.BF16:
		return smallTypes[t].format.Value(v)
	case ptx.F32:
		return value32(v, ftz)
	default:
		return math.Float64frombits(v)
	}
}

// finish writes a number that is exact, or rounded to odd, as a type.
func finish(t ptx.Type, v float64, s style) uint64 {
	if s.sat {
		v = saturate(v)
	}
	if s.relu {
		v = rectify(v)
	}
	switch t {
	case ptx.F16, ptx.BF16:
		return smallTypes[t].format.Round(v, s.round, s.bounded)
	case ptx.F32:
		return finish32(v, s.round, s.ftz, false)
	default:
		return math.Float64bits(v)
	}
}

// runExtend widens integers: it keeps the low 64-shift bits.
func runExtend(w *Warp, o *op) {
	d, a, shift := w.out(o), w.src(o.a), o.shift&63
	if o.signed {
		for i := range d {
			d[i] = uint64(int64(a[i]<<shift) >> shift)
		}
	} else {
		for i := range d {
			d[i] = a[i] << shift >> shift
		}
	}
	w.commit(o)
}

// convertInteger is cvt.sat between integers, and any conversion to a register
// wider than the type: the value is cut to from, clamped, and cut to to.
func convertInteger(to, from ptx.Type, sat bool) func(a uint64) uint64 {
	cutFrom, cutTo := cut(from), cut(to)
	low, high := integerRange(to)
	return func(a uint64) uint64 {
		v := extend(a, cutFrom, from.IsSigned())
		if sat {
			switch {
			case from.IsSigned() && int64(v) < low:
				v = uint64(low)
			case (!from.IsSigned() || int64(v) > 0) && v > high:
				v = high
			}
		}
		return extend(v, cutTo, to.IsSigned())
	}
}

// cut is the shift of extend that keeps a type's bits.
func cut(t ptx.Type) uint8 { return uint8(64 - 8*t.Size()) }

func integerRange(t ptx.Type) (low int64, high uint64) {
	n := 8 * t.Size()
	if t.IsSigned() {
		return -1 << (n - 1), 1<<(n-1) - 1
	}
	return 0, ^uint64(0) >> (64 - n)
}

func integerToFloat(to, from ptx.Type, s style) func(a uint64) uint64 {
	shift, signed := cut(from), from.IsSigned()
	return func(a uint64) uint64 {
		v := extend(a, shift, signed)
		negative := signed && int64(v) < 0
		if negative {
			v = -v
		}
		if to == ptx.F64 && !s.sat {
			return round64Integer(v, negative, s.round)
		}
		f := oddInteger(v)
		if negative {
			f = -f
		}
		return finish(to, f, s)
	}
}

// runSignedToFloat32 is the most frequent case, cvt.rn.f32.s32.
func runSignedToFloat32(w *Warp, o *op) {
	each1(w.out(o), w.src(o.a), func(a uint64) uint64 { return uint64(math.Float32bits(float32(int32(a)))) })
	w.commit(o)
}

// integral are the roundings to an integer.
var integral = map[string]func(float64) float64{
	"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
}

func floatToInteger(to, from ptx.Type, round func(float64) float64, ftz bool) func(a uint64) uint64 {
	low, high := integerRange(to)
	// The bounds are compared as powers of two, which are exact.
	lowest, over := float64(low), math.Ldexp(1, 8*to.Size())
	if to.IsSigned() {
		over /= 2
	}
	return func(a uint64) uint64 {
		v := round(value(from, a, ftz))
		switch {
		case v != v:
			return 0
		case v <= lowest:
			return uint64(low)
		case v >= over:
			return high
		case v < 0:
			return uint64(int64(v))
		}
		return uint64(v)
	}
}

func floatToFloat(to, from ptx.Type, round func(float64) float64, s style) func(a uint64) uint64 {
	if to == from && round == nil && !s.ftz && !s.sat {
		return func(a uint64) uint64 { return a }
	}
	return func(a uint64) uint64 {
		v := value(from, a, s.ftz)
		if round != nil {
			v = round(v)
		}
		return finish(to, v, s)
	}
}
