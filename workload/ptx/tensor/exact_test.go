package tensor

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload/ptx/smallfloat"
)

// term is a number n * 2^unit, and the exponent that it counts with.
type term struct {
	n              *big.Int
	unit, exponent int
}

// termOf takes a finite pattern of a format apart.
func termOf(pattern uint64, exponent, fraction int) term {
	n := int64(pattern & (1<<fraction - 1))
	e := int(pattern >> fraction & (1<<exponent - 1))
	if e == 0 {
		e = 1
	} else {
		n |= 1 << fraction
	}
	if pattern>>(exponent+fraction)&1 != 0 {
		n = -n
	}
	e -= 1<<(exponent-1) - 1
	return term{big.NewInt(n), e - fraction, e}
}

// modelOf is one element of D for finite operands, in steps, by integers of any size, apart from the
// code under test.
func modelOf(s *Shape, r rule, a, b []uint64, c uint64) uint64 {
	exponent, fraction := formats[s.TypeA].Bits()
	below := 0
	if s.TypeA == TF32 {
		below = 13
	}
	for k := 0; k < len(a); k += r.step {
		terms := []term{termOf(c, 8, 23)}
		if s.TypeC == F16 {
			terms[0] = termOf(c, 5, 10)
		}
		for i := k; i < min(k+r.step, len(a)); i++ {
			x, y := termOf(a[i]>>below, exponent, fraction), termOf(b[i]>>below, exponent, fraction)
			terms = append(terms, term{x.n.Mul(x.n, y.n), x.unit + y.unit, x.exponent + y.exponent})
		}
		top, zero := 0, true
		for _, x := range terms {
			if x.n.Sign() != 0 && (zero || x.exponent > top) {
				top, zero = x.exponent, false
			}
		}
		sum := new(big.Int)
		for _, x := range terms {
			shift := x.unit - (top - r.kept)
			if shift >= 0 {
				x.n.Lsh(x.n, uint(shift))
			} else {
				x.n.Quo(x.n, new(big.Int).Lsh(big.NewInt(1), uint(-shift))) // toward zero
			}
			sum.Add(sum, x.n)
		}
		c = nearOrCut(s, r, new(big.Float).SetPrec(400).SetMantExp(new(big.Float).SetPrec(400).SetInt(sum), top-r.kept))
		if s.TypeD == F16 && c&0x7c00 == 0x7c00 {
			return c // infinity stays
		}
	}
	return c
}

// column has the elements of a column of B.
func column(t *Tiles, k, j int) (list []uint64) {
	for i := range k {
		list = append(list, t.B[8*i+j])
	}
	return list
}

// nearOrCut gives the sum of a step its form.
func nearOrCut(s *Shape, r rule, v *big.Float) uint64 {
	if s.TypeD == F16 {
		x, _ := v.Float64() // exact
		return smallfloat.F16.Round(x, smallfloat.ToNearest, false)
	}
	x, _ := v.SetMode(big.ToZero).Float32()
	limit := new(big.Float).SetPrec(400).SetFloat64(math.Abs(float64(x)))
	pattern := uint64(math.Float32bits(x))
	if limit.Cmp(new(big.Float).Abs(v)) > 0 {
		pattern-- // toward zero
	}
	if pattern&0x7f800000 == 0x7f800000 {
		pattern--
	}
	return pattern >> (23 - r.fraction) << (23 - r.fraction)
}

// finite draws a pattern of a format: of all exponents, or of a few around 1 so that terms
// meet, or a small whole number, or a number near the subnormal ones with few bits.
func finite(rt *rapid.T, typ Type, kind int) uint64 {
	if typ == F32 {
		for {
			v := rapid.Uint32().Draw(rt, "c")
			switch kind {
			case 1:
				v = v&0x80ffffff | (120+v>>24&15)<<23
			case 2:
				v = math.Float32bits(float32(int8(v)))
			case 3:
				v = math.Float32bits(float32(math.Ldexp(float64(int8(v)%4), -int(v>>24&63))))
			}
			if v&0x7f800000 != 0x7f800000 {
				return uint64(v)
			}
		}
	}
	f := formats[typ]
	exponent, fraction := f.Bits()
	for {
		v := uint64(rapid.Uint32().Draw(rt, "element"))
		bias := uint64(1)<<(exponent-1) - 1
		switch kind {
		case 1:
			v = v&(1<<fraction-1) | (bias-4+v>>24&7)<<fraction | v>>31<<(exponent+fraction)
		case 2:
			return f.Round(float64(int8(v)%16), smallfloat.ToZero, true)
		case 3:
			v = v>>30&1<<(exponent+fraction) | v>>28&3<<fraction | 1<<(v>>24&15%uint64(fraction))
		}
		v &= 1<<(exponent+fraction+1) - 1
		if typ == TF32 {
			v <<= 13
		}
		if x := f.Value(v); x-x == 0 {
			return v
		}
	}
}

func TestMultiplicationAgreesWithIntegersOfAnySize(t *testing.T) {
	for _, typ := range []Type{F16, BF16, TF32, E4M3, E5M2} {
		for _, out := range []Type{F32, F16} {
			for n := range architectures {
				k := map[Type]int{F16: 16, BF16: 16, TF32: 8, E4M3: 32, E5M2: 32}[typ]
				s, tiles := NewShape(16, k, typ, typ, out, out), &Tiles{}
				if out == F16 && typ != F16 && typ != E4M3 && typ != E5M2 {
					continue
				}
				t.Run(fmt.Sprint(n, typ, out), func(t *testing.T) {
					rapid.Check(t, func(rt *rapid.T) {
						kind := rapid.IntRange(0, 3).Draw(rt, "kind")
						for i := range tiles.A[:s.M*k] {
							tiles.A[i] = 0
						}
						for i := range k {
							tiles.A[3*k+i] = finite(rt, typ, kind)
							tiles.B[8*i+5] = finite(rt, typ, kind)
						}
						clear(tiles.C[:])
						tiles.C[3*8+5] = finite(rt, out, kind)
						s.Multiply(tiles, n)
						want := modelOf(s, ruleOf(n, typ), tiles.A[3*k:4*k], column(tiles, k, 5), tiles.C[3*8+5])
						got := tiles.D[3*8+5]
						if got != want && (got|want)&0x7fffffff != 0 {
							rt.Fatalf("%x, want %x", got, want)
						}
					})
				})
			}
		}
	}
}

// Eight columns at a time give what one element after the other gives: of numbers whose terms meet, of
// small ones, of numbers of all exponents, and of all patterns, infinity and NaN among them.
func TestVectorsAgreeWithTheGeneralWay(t *testing.T) {
	if !vectors {
		t.Skip("the processor has no vector instructions, or the build leaves them out")
	}
	for _, typ := range []Type{F16, BF16, TF32, E4M3, E5M2} {
		for _, forms := range [][2]Type{{F32, F32}, {F16, F16}, {F16, F32}, {F32, F16}} {
			if typ != F16 && forms[0] != forms[1] || (typ == BF16 || typ == TF32) && forms[0] == F16 {
				continue
			}
			k := map[Type]int{F16: 16, BF16: 16, TF32: 8, E4M3: 32, E5M2: 32}[typ]
			s, tiles, taken := NewShape(16, k, typ, typ, forms[0], forms[1]), &Tiles{}, 0
			rapid.Check(t, func(rt *rapid.T) {
				n := Numerics(rapid.IntRange(0, int(architectures)-1).Draw(rt, "numerics"))
				kind := rapid.IntRange(0, 5).Draw(rt, "kind")
				seed := rapid.Uint64().Draw(rt, "seed")
				rng := rand.New(rand.NewPCG(seed, uint64(kind)))
				fill := func(list []uint64, typ Type) {
					for i := range list {
						list[i] = elementOf(rng, typ, kind)
					}
				}
				fill(tiles.A[:s.M*k], typ)
				fill(tiles.B[:s.N*k], typ)
				fill(tiles.C[:s.M*s.N], s.TypeC)
				r := ruleOf(n, typ)
				if kind == 0 && s.TypeC == F32 && s.TypeD == F32 {
					if !s.fast(tiles, &r) {
						rt.Fatal("normal numbers went the general way")
					}
				} else if !s.fast(tiles, &r) {
					return
				}
				taken++
				got := tiles.D
				s.general(tiles, &r)
				for i, want := range tiles.D[:s.M*s.N] {
					if got[i] != want {
						rt.Fatalf("%v of %v %v: element %d is %x, want %x", n, typ, forms, i, got[i], want)
					}
				}
			})
			require.NotZero(t, taken)
		}
	}
}

// elementOf draws a pattern: normal numbers around 1 (0), of all exponents (1), near the subnormal ones
// (2), zero among whole numbers (3), near the greatest ones (4), or any (5).
func elementOf(rng *rand.Rand, typ Type, kind int) uint64 {
	exponent, fraction, below := 8, 23, 0
	if f := formats[typ]; f != nil {
		exponent, fraction = f.Bits()
	}
	if typ == TF32 {
		below = 13
	}
	v, bias, top := rng.Uint64(), uint64(1)<<(exponent-1)-1, uint64(1)<<exponent-1
	field := v >> 32 & top
	switch kind {
	case 0:
		field = bias - 3 + v>>32%6
	case 1:
		field = max(field, 1)
		field = min(field, top-1)
	case 2:
		field %= 3
	case 3:
		if v>>40&1 == 0 {
			return 0
		}
		field = bias + v>>32%3
		v &^= 1<<(fraction-2) - 1
	case 4:
		field = top - 1 - v>>32%3
	}
	return (v&(1<<fraction-1) | field<<fraction | v>>63<<(exponent+fraction)) << below
}

// Both ways give the same where the fast one may be taken.
func TestSumsInAnyOrderAgreeWithSteps(t *testing.T) {
	s, tiles := NewShape(16, 16, F16, F16, F32, F32), &Tiles{}
	for round := range 200 {
		x := uint32(round)
		draw := func(most int32) float64 {
			x = 1664525*x + 1013904223
			return float64(int32(x>>8)%most) / 4
		}
		for i := range tiles.A[:256] {
			tiles.A[i], tiles.B[i/2] = half(draw(64)), half(draw(64))
		}
		for i := range tiles.C {
			tiles.C[i] = single(draw(1 << 14))
		}
		before := tiles.Fast
		s.Multiply(tiles, Numerics(round)%architectures)
		require.Equal(t, before+1, tiles.Fast)
		for i := range 16 {
			for j := range 8 {
				want := modelOf(s, ruleOf(Numerics(round)%architectures, F16), tiles.A[16*i:16*i+16], column(tiles, 16, j), tiles.C[8*i+j])
				require.Equal(t, want, tiles.D[8*i+j])
			}
		}
	}
}

func TestIntegersEightColumnsAtATimeAgree(t *testing.T) {
	if !vectors {
		t.Skip("the processor has no vector instructions, or the build leaves them out")
	}
	for _, shape := range [][2]int{{16, 32}, {16, 16}, {8, 16}} {
		for _, types := range [][2]Type{{S8, S8}, {U8, S8}, {S8, U8}, {U8, U8}} {
			s, tiles := NewShape(shape[0], shape[1], types[0], types[1], S32, S32), &Tiles{}
			rng := rand.New(rand.NewPCG(7, uint64(types[0])))
			for round := range 200 {
				s.Saturate = round%2 == 0
				for i := range tiles.A {
					tiles.A[i] = rng.Uint64() & 0xff
				}
				for i := range tiles.B {
					tiles.B[i] = rng.Uint64() & 0xff
				}
				for i := range tiles.C {
					tiles.C[i] = rng.Uint64() & 0xffffffff
					if round%3 == 0 { // near the limits
						tiles.C[i] = uint64(uint32(math.MaxInt32 - int32(rng.IntN(1<<20))))
						if i%2 == 0 {
							tiles.C[i] = uint64(uint32(math.MinInt32 + int32(rng.IntN(1<<20))))
						}
					}
				}
				s.fastIntegers(tiles)
				got := tiles.D
				s.multiplyIntegers(tiles)
				require.Equal(t, tiles.D[:s.M*s.N], got[:s.M*s.N])
			}
		}
	}
}
