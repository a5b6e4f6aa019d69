package exec

import "math"

// sin.approx and cos.approx for float32: quadrants off, then the polynomials of
// the Cephes library (sin.c), in float64. That is exact to float32 but for
// results within 1e-13 of the middle between two.
const (
	// quarterTurn is the upper part of pi/2, with zeros behind, so that its
	// multiples up to 2^17 are exact; quarterRest is the rest.
	quarterTurn = 1.57079631090164184570
	quarterRest = math.Pi/2 - quarterTurn
	// toInteger, added and subtracted, rounds to an integer, which is in the low
	// bits in between.
	toInteger = 3 << 51
	// farTurn is from where math.Sin and math.Cos are asked.
	farTurn = 1 << 16

	sin0, cos0 = 1.58962301576546568060e-10, -1.13585365213876817300e-11
	sin1, cos1 = -2.50507477628578072866e-8, 2.08757008419747316778e-9
	sin2, cos2 = 2.75573136213857245213e-6, -2.75573141792967388112e-7
	sin3, cos3 = -1.98412698295895385996e-4, 2.48015872888517045348e-5
	sin4, cos4 = 8.33333333332211858878e-3, -1.38888888888730564116e-3
	sin5, cos5 = -1.66666666666666307295e-1, 4.16666666666665929218e-2
)

// sineConstants are what sineLanes needs, in its order.
var sineConstants = [22]float64{
	2 / math.Pi, toInteger, quarterTurn, quarterRest, farTurn,
	math.Float64frombits(1<<63 - 1), math.Float64frombits(1 << 63), math.Float64frombits(1), 0.5, 1,
	sin0, sin1, sin2, sin3, sin4, sin5,
	cos0, cos1, cos2, cos3, cos4, cos5,
}

func runSin32(w *Warp, o *op) {
	*w.out(o) = w.sines(o).sin
	w.commit(o)
}

func runCos32(w *Warp, o *op) {
	*w.out(o) = w.sines(o).cos
	w.commit(o)
}

// sines are the sine and cosine of the lanes' numbers. A program that asks for
// the sine often asks for the cosine next, or the other way round.
type sines struct {
	of       slot
	ftz      bool
	known    bool
	sin, cos slot
}

// sines finds the sines and cosines of an op's operand.
func (w *Warp) sines(o *op) *sines {
	s, a := &w.tb.sines, w.src(o.a)
	if !s.known || s.ftz != o.ftz || s.of != *a {
		s.known, s.ftz, s.of = true, o.ftz, *a
		s.compute()
	}
	return s
}

func (s *sines) compute() {
	if vectors && !s.ftz && sineLanes(&s.sin, &s.cos, &s.of, &sineConstants) {
		return
	}
	s.loop()
}

// loop computes them one after another.
func (s *sines) loop() {
	for i := range s.of {
		x := float64(read32(s.of[i], s.ftz))
		if !(math.Abs(x) < farTurn) || x == 0 {
			s.sin[i] = finish32(math.Sin(x), toNearest, s.ftz, false)
			s.cos[i] = finish32(math.Cos(x), toNearest, s.ftz, false)
			continue
		}
		turns := x*(2/math.Pi) + toInteger
		quadrant := math.Float64bits(turns)
		turns -= toInteger
		x = (x - turns*quarterTurn) - turns*quarterRest
		z := x * x
		sin := x + x*z*(((((sin0*z+sin1)*z+sin2)*z+sin3)*z+sin4)*z+sin5)
		cos := 1 - 0.5*z + z*z*(((((cos0*z+cos1)*z+cos2)*z+cos3)*z+cos4)*z+cos5)
		// Which of the two is which, and its sign, follow from the quadrant, without
		// branches, which would be guessed wrong half the time.
		swap := (math.Float64bits(sin) ^ math.Float64bits(cos)) & -(quadrant & 1)
		s.sin[i] = s.finish(math.Float64bits(sin)^swap, quadrant)
		s.cos[i] = s.finish(math.Float64bits(cos)^swap, quadrant+1)
	}
}

// finish makes float32 bits of a result, which is negative in the upper two
// quadrants.
func (s *sines) finish(y, quadrant uint64) uint64 {
	u := math.Float32bits(float32(math.Float64frombits(y ^ quadrant<<62&(1<<63))))
	if s.ftz {
		u = flush32(u)
	}
	return uint64(u)
}
