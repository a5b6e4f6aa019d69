package tensor

import "math"

// The fast way: eight columns at a time, with each term cut off on its own as the rules ask, in
// integers of 32 bits. It takes operands that are numbers, normal ones if their
// exponents have 8 bits, and leaves the rest to the general way.

// decoded are the numbers of A or B: significands in [1, 2), less for subnormal numbers, and exponents.
type decoded struct {
	significand [maxRows * maxDepth]float32
	exponent    [maxRows * maxDepth]int32
}

// product is a multiplication for multiplyRows. A is row by row, and so is B.
type product struct {
	a, b *decoded
	c, d *uint64
	// rows of A, steps of each sum, and products of a step by four.
	rows, steps, fours int
	cut                uint64 // the bits of a float64 that a sum keeps
	base               int32  // what a rule keeps below the greatest exponent, with the bias of f32
	least              int32  // exponent of a normal accumulator
	halfC, halfD       bool   // f16
}

// small are the numbers of 8 bits, by pattern; exponent is -none where there is no number.
type small struct {
	significand [256]float32
	exponent    [256]int32
}

var smallNumbers = [...]*small{E4M3: smallOf(E4M3), E5M2: smallOf(E5M2)}

func smallOf(t Type) *small {
	s, f := &small{}, formats[t]
	least := leastExponent(f)
	for p := range s.exponent {
		v := f.Value(uint64(p))
		s.exponent[p] = exponentOf(v, least)
		switch {
		case v-v != 0:
			s.exponent[p] = -none
		case v != 0:
			s.significand[p] = float32(math.Ldexp(v, -int(s.exponent[p])))
		}
	}
	return s
}

// decode takes patterns apart and reports whether all are numbers that the fast way takes.
func (d *decoded) decode(t Type, patterns []uint64) bool {
	switch t {
	case F16:
		return decodeHalves(d, &patterns[0], len(patterns))
	case BF16:
		return decodeSingles(d, &patterns[0], len(patterns), 16, math.MaxUint32)
	case TF32:
		return decodeSingles(d, &patterns[0], len(patterns), 0, math.MaxUint32&^0x1fff)
	}
	numbers, odd := smallNumbers[t], false
	for i, p := range patterns {
		d.significand[i], d.exponent[i] = numbers.significand[p&255], numbers.exponent[p&255]
		odd = odd || d.exponent[i] == -none
	}
	return !odd
}

// fast multiplies, and reports whether it could.
func (s *Shape) fast(t *Tiles, r *rule) bool {
	if !vectors || !t.left.decode(s.TypeA, t.A[:s.M*s.K]) || !t.right.decode(s.TypeB, t.B[:s.K*s.N]) {
		return false
	}
	step := min(r.step, s.K)
	p := product{a: &t.left, b: &t.right, c: &t.C[0], d: &t.D[0], rows: s.M, steps: s.K / step, fours: step / 4,
		base: int32(r.kept) + 127, least: int32(s.leastC()), halfC: s.TypeC == F16, halfD: s.TypeD == F16}
	fraction := r.fraction
	if p.halfD {
		fraction = 23 // and whether more follows
	}
	p.cut = math.MaxUint64 << (52 - fraction)
	return multiplyRows(&p)
}

// integers is a multiplication for multiplyBytes: rows of A, products of each sum, and what becomes
// of sums beyond 32 bits.
type integers struct {
	a, b        *[maxRows * maxDepth]int32
	c, d        *uint64
	rows, depth int
	saturate    bool
}

// fastIntegers multiplies eight columns at a time.
func (s *Shape) fastIntegers(t *Tiles) {
	decodeBytes(&t.left.exponent, &t.A[0], s.M*s.K, s.TypeA == S8)
	decodeBytes(&t.right.exponent, &t.B[0], s.K*s.N, s.TypeB == S8)
	multiplyBytes(&integers{&t.left.exponent, &t.right.exponent, &t.C[0], &t.D[0], s.M, s.K, s.Saturate})
}
