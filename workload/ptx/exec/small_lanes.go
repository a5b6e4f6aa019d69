package exec

import (
	"math"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/smallfloat"
)

// Sums, products and fused products of f16 and bf16, rounded to nearest, are most of what
// kernels compute in these formats. All lanes' numbers are widened to float64 first, both of
// a pair, and rounded once at the end.
//
// float64 holds products of both formats, and sums of f16, exactly. A sum of bf16 that it does
// not hold is nowhere near the middle between two numbers; with a fused product it may be, so
// that sum is rounded to odd.

// numbers has the values of a slot: of pairs first all lower halves, then all upper ones.
type numbers = [2 * lanes]float64

// smallOp computes the numbers of a result.
type smallOp func(d, a, b, c []float64)

var smallOps = map[string]smallOp{
	"add": func(d, a, b, _ []float64) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	"sub": func(d, a, b, _ []float64) {
		for i := range d {
			d[i] = a[i] - b[i]
		}
	},
	"mul": func(d, a, b, _ []float64) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	"fma": func(d, a, b, c []float64) {
		for i := range d {
			d[i] = float64(a[i]*b[i]) + c[i]
		}
	},
}

// fusedOdd is the fused product of bf16.
func fusedOdd(d, a, b, c []float64) {
	for i := range d {
		d[i] = oddAdd(a[i]*b[i], c[i])
	}
}

// smallLanes builds a plain operation of smallOps.
func (b *builder) smallLanes(t ptx.Type) {
	compute := smallOps[b.in.Op]
	widen, narrow := widenF16, narrowF16
	if t == ptx.BF16 || t == ptx.BF16x2 {
		widen, narrow = widenBF16, narrowBF16
		if b.in.Op == "fma" {
			compute = fusedOdd
		}
	}
	pair, fused := t.IsPair(), b.in.Op == "fma"
	b.o.run = func(w *Warp, o *op) {
		var x, y, z numbers
		n := lanes
		if pair {
			n = 2 * lanes
		}
		widen(x[:n], w.src(o.a))
		widen(y[:n], w.src(o.b))
		if fused {
			widen(z[:n], w.src(o.c))
		}
		compute(x[:n], x[:n], y[:n], z[:n])
		narrow(w.out(o), x[:n])
		w.commit(o)
	}
}

func widenF16(to []float64, from *slot) {
	for i := range from {
		to[i] = widened16(uint32(from[i]))
	}
	if len(to) > lanes {
		for i := range from {
			to[lanes+i] = widened16(uint32(from[i] >> 16))
		}
	}
}

func narrowF16(to *slot, from []float64) {
	for i := range to {
		to[i] = smallfloat.NearestF16(from[i])
	}
	if len(from) > lanes {
		for i := range to {
			to[i] |= smallfloat.NearestF16(from[lanes+i]) << 16
		}
	}
}

// widened16 is the value of an f16 in the lower bits. Shifted into the fields of a float32 it
// is too small by the difference of the biases, subnormal or not.
func widened16(u uint32) float64 {
	const biases = 0x1p112
	magnitude := math.Float32frombits(u&0x7fff<<13) * biases
	if u&0x7c00 == 0x7c00 {
		magnitude = math.Float32frombits(u&0x7fff<<13 | 0x7f800000)
	}
	return float64(math.Float32frombits(math.Float32bits(magnitude) | u&0x8000<<16))
}

func widenBF16(to []float64, from *slot) {
	for i := range from {
		to[i] = float64(math.Float32frombits(uint32(from[i]) << 16))
	}
	if len(to) > lanes {
		for i := range from {
			to[lanes+i] = float64(math.Float32frombits(uint32(from[i]) & 0xffff0000))
		}
	}
}

func narrowBF16(to *slot, from []float64) {
	for i := range to {
		to[i] = smallfloat.NearestBF16(from[i])
	}
	if len(from) > lanes {
		for i := range to {
			to[i] |= smallfloat.NearestBF16(from[lanes+i]) << 16
		}
	}
}
