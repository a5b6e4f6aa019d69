package tensor

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/smallfloat"
)

// dot is one element of a product, by m16n8k16.
func dot(n Numerics, d Type, a, b []uint64, c uint64) uint64 {
	s, t := NewShape(16, 16, F16, F16, d, d), &Tiles{}
	copy(t.A[:], a)
	for k, v := range b {
		t.B[8*k] = v
	}
	t.C[0] = c
	s.Multiply(t, n)
	return t.D[0]
}

func half(v float64) uint64   { return smallfloat.F16.Round(v, smallfloat.ToNearest, false) }
func single(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }

func repeat(v float64) (list []uint64) {
	for range 16 {
		list = append(list, half(v))
	}
	return list
}

func of(values ...float64) []uint64 {
	list := repeat(0)
	for i, v := range values {
		list[i] = half(v)
	}
	return list
}

// The results were computed apart, by integers and rationals.
func TestSumsAreCutOffAsEachArchitectureDoes(t *testing.T) {
	for _, c := range []struct {
		a, b                  []uint64
		c                     float64
		volta, ampere, hopper uint64
	}{
		{repeat(1), repeat(1), 1 << 24, 0x4b800000, 0x4b800008, 0x4b800008},
		{repeat(0x1p-12), repeat(0x1p-12), 1, 0x3f800000, 0x3f800008, 0x3f800008},
		{repeat(0x1p-13), repeat(0x1p-12), 1, 0x3f800000, 0x3f800000, 0x3f800004},
		{repeat(-0x1p-12), repeat(0x1p-12), -1, 0xbf800000, 0xbf800008, 0xbf800008},
		{of(32, 32, 0x1p-14), of(32, -32, 1), 0, 0, 0x38800000, 0x38800000},
		{[]uint64{1}, of(1), 0, 0x33800000, 0x33800000, 0x33800000},
		{repeat(65504), repeat(65504), 0, 0x517fc002, 0x517fc004, 0x517fc004},
		{[]uint64{0xb12c, 0xbaba, 0xbfa8, 0x3d67, 0x333a, 0x388e, 0xbd07, 0x3fe1, 0x3dc2, 0xbe11, 0xb95b, 0x3b16, 0x3ac2, 0x3efc, 0xb4fc, 0x3d48},
			[]uint64{0x3973, 0xba4b, 0x359b, 0x3e1f, 0x3d8a, 0x2569, 0x35b2, 0xbf73, 0xbc1e, 0x3cc2, 0xb57c, 0xbd3b, 0x323f, 0x3a7f, 0x3995, 0xb802},
			float64(math.Float32frombits(0xbdfa035f)), 0xc0af39cd, 0xc0af39cc, 0xc0af39cc},
	} {
		for n, want := range map[Numerics]uint64{Volta: c.volta, Ampere: c.ampere, Turing: c.ampere, Ada: c.ampere, Hopper: c.hopper} {
			require.Equal(t, fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", dot(n, F32, c.a, c.b, single(c.c))), "%v %v", n, c)
		}
	}
}

func TestInfinityAndNaNAreDecidedAsInOrdinaryArithmetic(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b []uint64
		c    float64
		want uint64
	}{
		{of(inf), of(1), 0, 0x7f800000}, {of(inf), of(0), 0, 0x7fffffff}, {of(inf, 1), of(-1, 5), 3, 0xff800000},
		{of(inf, -inf), of(1, 1), 0, 0x7fffffff}, {of(1), of(1), nan, 0x7fffffff}, {of(nan), of(0), 0, 0x7fffffff},
		{of(inf), of(1), -inf, 0x7fffffff}, {of(0, 0, 0, 0, 0, 0, 0, 0, 0, inf), of(0, 0, 0, 0, 0, 0, 0, 0, 0, 2), 1, 0x7f800000},
	} {
		for _, n := range []Numerics{Volta, Ampere, Hopper} {
			require.Equal(t, fmt.Sprintf("%08x", c.want), fmt.Sprintf("%08x", dot(n, F32, c.a, c.b, single(c.c))), "%v", c)
		}
	}
	require.Equal(t, uint64(0x7c00), dot(Ampere, F16, repeat(65504), repeat(1), 0))
	require.Equal(t, uint64(0x7fff), dot(Ampere, F16, repeat(65504), of(1, 1, 0, 0, 0, 0, 0, 0, math.Inf(-1)), 0))
	require.Zero(t, dot(Ampere, F32, of(-1), of(0), single(math.Copysign(0, -1))))
}

// drawn draws elements from the upper half of a linear congruential generator, in eight
// binades around 1.
type drawn uint32

func (d *drawn) next(exponent, fraction int) uint64 {
	*d = 1664525**d + 1013904223
	u := uint64(*d >> 16)
	bias := uint64(1)<<(exponent-1) - 1
	field := bias - 4 + u>>13
	if exponent == 4 {
		field = bias - 3 + u>>13&3
	}
	return u>>12&1<<(exponent+fraction) | field<<fraction | u&0xfff>>(12-fraction)
}

// tile draws the matrices of a shape.
func (d *drawn) tile(s *Shape, t *Tiles) {
	f := formats[s.TypeA]
	exponent, fraction := f.Bits()
	below := 0
	if s.TypeA == TF32 {
		below = 13
	}
	for i := range t.A[:s.M*s.K] {
		t.A[i] = d.next(exponent, fraction) << below
	}
	for k := range s.K {
		for j := range s.N {
			t.B[k*s.N+j] = d.next(exponent, fraction) << below
		}
	}
	for i := range t.C[:s.M*s.N] {
		t.C[i] = d.next(5, 10)
		if s.TypeC == F32 {
			t.C[i] = single(smallfloat.F16.Value(t.C[i]))
		}
	}
}

// The hashes were computed apart, by integers and rationals; they are FNV-1a of D by rows.
func TestWholeTiles(t *testing.T) {
	for _, c := range []struct {
		k                     int
		in, out               Type
		volta, ampere, hopper uint64
		first                 [4]uint64
	}{
		{16, F16, F32, 0x0c89ed6c30a32f9b, 0x1d91fcb3a2f068f8, 0x9522d44732d0c77a, [4]uint64{0xc1ab166b, 0xc1b59cb3, 0xc293afe8, 0x427f5eb9}},
		{8, F16, F32, 0x18a80187ae88e43c, 0x37d4a942d550f128, 0xdc4120697acb0722, [4]uint64{0x3f6a56a6, 0x415695c5, 0xc14cc05e, 0xc0cde13e}},
		{16, F16, F16, 0x0101694eb48f4a16, 0xb2a67962f6169e42, 0x42440971326767af, [4]uint64{0xcd59, 0xcdad, 0xd49d, 0x53fb}},
		{16, BF16, F32, 0, 0x647224f6e971d3dc, 0x1cd278612035a35a, [4]uint64{0xc1aac86a, 0xc1b47ea3, 0xc292f88a, 0x427e0060}},
		{8, BF16, F32, 0, 0xfd31b1aa5e7d4760, 0xc364d308ea5fe846, [4]uint64{0x3f641d90, 0x4155ee1d, 0xc14c5482, 0xc0cd5833}},
		{8, TF32, F32, 0, 0x2b0325f529f9952e, 0xdc4120697acb0722, [4]uint64{0x3f6a56a6, 0x415695c4, 0xc14cc05e, 0xc0cde13d}},
		{4, TF32, F32, 0, 0x206990a57fc7cdf2, 0x9abc33d5419777ee, [4]uint64{0xc1a01b85, 0x3fe37e18, 0xc0a5f403, 0x416e6d6f}},
	} {
		for n, want := range map[Numerics]uint64{Volta: c.volta, Ampere: c.ampere, Hopper: c.hopper} {
			s, tiles, d := NewShape(16, c.k, c.in, c.in, c.out, c.out), &Tiles{}, drawn(12345)
			d.tile(s, tiles)
			s.Multiply(tiles, n)
			hash := fnv.New64a()
			for _, v := range tiles.D[:s.M*s.N] {
				var word [4]byte
				binary.LittleEndian.PutUint32(word[:], uint32(v))
				hash.Write(word[:c.out.Bits()/8])
			}
			if want != 0 {
				require.Equal(t, fmt.Sprintf("%016x", want), fmt.Sprintf("%016x", hash.Sum64()), "%v %v", n, c)
			}
			if n == Ampere {
				require.Equal(t, c.first[:], tiles.D[:4])
			}
		}
	}
}

// Sums of 8-bit numbers keep 13 bits below the greatest exponent, and 13 in the result.
func TestSumsOfBytesAreShort(t *testing.T) {
	sum := func(n Numerics, first, second, c float64) float64 {
		s, tiles := NewShape(16, 32, E5M2, E5M2, F32, F32), &Tiles{}
		for k := range 32 {
			tiles.B[8*k] = smallfloat.E5M2.One()
			if k < 16 {
				tiles.A[k], tiles.B[8*k] = smallfloat.E5M2.Round(first, 0, false), smallfloat.E5M2.Round(first, 0, false)
			}
		}
		tiles.A[16] = smallfloat.E5M2.Round(second, 0, false)
		tiles.C[0] = single(c)
		s.Multiply(tiles, n)
		return float64(math.Float32frombits(uint32(tiles.D[0])))
	}
	for n := range architectures {
		require.Equal(t, 8192.0+16, sum(n, 1, 0, 8192), n)
		require.Equal(t, 16384.0, sum(n, 1, 0, 16384), n)
		require.Equal(t, 8192.0, sum(n, 0, 0.5, 8192), n)
	}
	// Sixteen products of 2^-14 count if they make a step by themselves.
	require.Equal(t, 1+0x1p-10, sum(Ada, 0x1p-7, 1, 0))
	require.Equal(t, 1.0, sum(Hopper, 0x1p-7, 1, 0))
}
