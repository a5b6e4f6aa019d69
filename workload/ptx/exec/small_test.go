package exec

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
	"cotenant/workload/ptx/smallfloat"
)

// TestVectorsOfSmallFloats has results that were computed apart, by exact rationals.
func TestVectorsOfSmallFloats(t *testing.T) {
	for _, line := range []string{
		"add.f16 b16 b16 b16: 3c00 1000 = 3c00", "add.f16 b16 b16 b16: 0001 0001 = 0002", "mul.f16 b16 b16 b16: 0400 3800 = 0200",
		"mul.f16 b16 b16 b16: 0400 1400 = 0001", "mul.f16 b16 b16 b16: 0003 3800 = 0002", "add.f16 b16 b16 b16: 7bff 4c00 = 7c00",
		"add.f16 b16 b16 b16: 7bff 4bff = 7bff", "fma.rn.f16 b16 b16 b16 b16: 3c01 3c01 bc02 = 0010",
		"fma.rn.f16 b16 b16 b16 b16: 7bff 4000 fbff = 7bff", "add.f16x2 b32 b32 b32: 7bff3c00 4c001000 = 7c003c00",
		"mul.ftz.f16 b16 b16 b16: 0400 3800 = 0000", "add.ftz.f16 b16 b16 b16: 8001 8001 = 8000", "add.sat.f16 b16 b16 b16: 3c00 3c00 = 3c00",
		"add.sat.f16 b16 b16 b16: 7e01 3c00 = 0000", "add.f16 b16 b16 b16: fe01 3c00 = 7fff",
		"fma.rn.relu.f16x2 b32 b32 b32 b32: 3c00bc00 3c003c00 00000000 = 3c000000", "fma.rn.relu.bf16 b16 b16 b16 b16: 3f80 7fc1 0000 = 7fff",
		"sub.bf16 b16 b16 b16: 3f80 3b80 = 3f7f", "fma.rn.bf16x2 b32 b32 b32 b32: 40004000 40403f80 3f80bf80 = 40e03f80",
		"neg.f16x2 b32 b32: 7e013c00 = fe01bc00", "abs.bf16 b16 b16: ffc1 = 7fc1", "neg.ftz.f16 b16 b16: 0001 = 8000",
		"max.f16 b16 b16 b16: 7e00 3c00 = 3c00", "max.NaN.f16 b16 b16 b16: 7e00 3c00 = 7fff", "max.f16x2 b32 b32 b32: 80003c00 00004000 = 00004000",
		"min.bf16x2 b32 b32 b32: 80003f80 00004000 = 80003f80", "max.xorsign.abs.f16x2 b32 b32 b32: bc003c00 c0004000 = 4000 4000",
		"min.xorsign.abs.f32 b32 b32 b32: bf800000 40000000 = bf800000", "max.xorsign.abs.f32 b32 b32 b32: ffc00000 7fc00000 = 7fffffff",
		"max.xorsign.abs.bf16 b16 b16 b16: ffc0 3f80 = bf80",
		"ex2.approx.f16 b16 b16: 3c00 = 4000", "ex2.approx.f16x2 b32 b32: fc004200 = 00004800", "ex2.approx.ftz.bf16 b16 b16: 4040 = 4100",
		"tanh.approx.f16 b16 b16: 7c00 = 3c00", "tanh.approx.bf16x2 b32 b32: ff800000 = bf800000",
		"set.gt.f16x2.f16x2 b32 b32 b32: 3c003c00 40000000 = 00003c00", "set.le.u32.f16x2 b32 b32 b32: 3c003c00 40000000 = ffff0000",
		"set.eq.bf16.bf16 b16 b16 b16: 3f80 3f80 = 3f80", "set.lt.s32.f16 b32 b16 b16: 0000 0001 = ffffffff", "set.lt.ftz.s32.f16 b32 b16 b16: 0000 0001 = 0",

		"cvt.rn.f16x2.f32 b32 f32 f32: 3f800000 40000000 = 3c004000", "cvt.rn.relu.f16x2.f32 b32 f32 f32: bf800000 40000000 = 00004000",
		"cvt.rz.bf16x2.f32 b32 f32 f32: 3f80ffff 3f818000 = 3f803f81", "cvt.rn.bf16.f32 b16 f32: 3f808000 = 3f80",
		"cvt.rn.bf16.f32 b16 f32: 3f818000 = 3f82", "cvt.rn.bf16.f32 b16 f32: 7f7f0000 = 7f7f", "cvt.rn.bf16.f32 b16 f32: 000116c2 = 0001",
		"cvt.rn.bf16.f32 b16 f32: 7f7fffff = 7f80", "cvt.rn.satfinite.bf16.f32 b16 f32: 7f7fffff = 7f7f", "cvt.f32.bf16 f32 b16: 0001 = 00010000",
		"cvt.rn.bf16.s32 b16 b32: ffffff7f = c301", "cvt.rzi.s32.bf16 b32 b16: c301 = ffffff7f", "cvt.rn.bf16.f16 b16 b16: 3c01 = 3f80",
		"cvt.rn.f16.bf16 b16 b16: 4780 = 7c00",
		"cvt.rna.tf32.f32 b32 f32: 3f800fff = 3f800000", "cvt.rna.tf32.f32 b32 f32: 3f801000 = 3f802000",
		"cvt.rna.tf32.f32 b32 f32: bf801000 = bf802000", "cvt.rna.tf32.f32 b32 f32: 7f7fffff = 7f800000",
		"cvt.rn.tf32.f32 b32 f32: 3f801000 = 3f800000", "cvt.rz.tf32.f32 b32 f32: 3f801fff = 3f800000", "cvt.rn.relu.tf32.f32 b32 f32: bf800000 = 0",
		"cvt.rn.satfinite.e4m3x2.f32 b16 f32 f32: 3f800000 3dcccccd = 381d", "cvt.rn.satfinite.e4m3x2.f32 b16 f32 f32: 43e08000 4e6e6b28 = 7e7e",
		"cvt.rn.satfinite.e4m3x2.f32 b16 f32 f32: 3b000000 3a800000 = 0100", "cvt.rn.satfinite.e4m3x2.f32 b16 f32 f32: 3ac00000 c0533333 = 01c5",
		"cvt.rn.satfinite.e4m3x2.f32 b16 f32 f32: 7fc00000 ff800000 = 7ffe", "cvt.rn.satfinite.e5m2x2.f32 b16 f32 f32: 47800000 3f800000 = 7b3c",
		"cvt.rn.satfinite.e4m3x2.f16x2 b16 b32: 3c00c000 = 38c0", "cvt.rn.f16x2.e4m3x2 b32 b16: 7e01 = 5f001800",
		"cvt.rn.f16x2.e5m2x2 b32 b16: 7f3c = 7fff3c00", "cvt.rn.relu.f16x2.e4m3x2 b32 b16: b838 = 00003c00",
		"cvt.pack.sat.u16.s32 b32 b32 b32: 00012345 ffffffff = ffff0000", "cvt.pack.sat.s8.s32.b32 b32 b32 b32 b32: 00000100 ffffff00 12345678 = 56787f80",
		"cvt.pack.sat.u4.s32.b32 b32 b32 b32 b32: 00000100 00000003 00000012 = 000012f3",
	} {
		head, rest, _ := strings.Cut(line, ": ")
		in, out, _ := strings.Cut(rest, " = ")
		words := strings.Fields(head)
		operands := [][]string{nil, {"$a"}, {"$a", "$b"}, {"$a", "$b", "$c"}}[len(words)-2]
		n := newInstruction(t, words[0]+" $d, "+strings.Join(operands, ", "), words[1], words[2:]...)
		var values [32][]uint64
		for i := range values {
			for _, v := range strings.Fields(in) {
				values[i] = append(values[i], word(t, v))
			}
		}
		mask := uint64(1)<<width(words[1]) - 1
		require.Equal(t, fmt.Sprintf("%x", word(t, strings.ReplaceAll(out, " ", ""))), fmt.Sprintf("%x", n.run(t, allLanes, &values)[7]&mask), line)
	}
}

func word(t *testing.T, s string) (v uint64) {
	_, err := fmt.Sscanf(s, "%x", &v)
	require.NoError(t, err)
	return v
}

// pairs has a model of one number applied to both of pairs.
func pairs(model func(v []uint64) uint64) func(v []uint64) uint64 {
	return func(v []uint64) uint64 {
		var low, high []uint64
		for _, x := range v {
			low, high = append(low, x&0xffff), append(high, x>>16&0xffff)
		}
		return model(low) | model(high)<<16
	}
}

func TestHalfPrecisionRoundsTheExactResultOnce(t *testing.T) {
	for _, op := range []string{"add", "sub", "mul", "fma"} {
		m := realModels[op]
		for _, typ := range []string{"f16", "bf16"} {
			f := formats[typ]
			model := func(v []uint64) uint64 { return m.expected(f, "rn", v) }
			operands := "$a, $b, $c"[:4*m.operands-2]
			t.Run(op+"."+typ, func(t *testing.T) {
				agree(t, newInstruction(t, op+".rn."+typ+" $d, "+operands, "b16", []string{"b16", "b16", "b16"}[:m.operands]...), realBits(f), model)
			})
			t.Run(op+"."+typ+"x2", func(t *testing.T) {
				two := realBits(formats["f32"]) // any bits
				if typ == "f16" {
					two = operandBits()
				}
				agree(t, newInstruction(t, op+".rn."+typ+"x2 $d, "+operands, "b32", []string{"b32", "b32", "b32"}[:m.operands]...), two, pairs(model))
			})
		}
	}
}

// special16 has the patterns of f16 that most often round wrong, of both signs.
func special16() (list []uint64) {
	for _, v := range []uint64{0, 1, 2, 3, 0x3ff, 0x400, 0x401, 0x7ff, 0x800, 0x1000, 0x13ff, 0x1400, 0x1401, 0x2c00, 0x3400, 0x37ff, 0x3800, 0x3801,
		0x3bff, 0x3c00, 0x3c01, 0x3c02, 0x3c03, 0x3fff, 0x4000, 0x4bff, 0x4c00, 0x4c01, 0x7bfe, 0x7bff, 0x7c00, 0x7e01} {
		list = append(list, v, v|0x8000)
	}
	return list
}

// Every 61st pattern meets each of 64, in CI every 13th, and with SLOW=1 every one.
func TestHalfPrecisionAgainstExactRationals(t *testing.T) {
	special, step := special16(), uint64(61)
	require.Len(t, special, 64)
	switch {
	case need.Slow():
		step = 1
	case need.CI():
		step = 13
	}
	f := formats["f16"]
	numbers := make([]float64, f.infinity()+1) // by pattern; infinity as if there were one number more
	for p := range numbers {
		numbers[p] = f.toFloat(uint64(p))
	}
	numbers[f.infinity()] = 65536
	floats := make([]float64, 1<<16) // by pattern
	for p := range floats {
		floats[p] = f.toFloat(uint64(p))
	}
	// Sums and products of two are exact in float64.
	exact := map[string]func(a, b float64) float64{
		"add": func(a, b float64) float64 { return a + b },
		"sub": func(a, b float64) float64 { return a - b },
		"mul": func(a, b float64) float64 { return a * b },
	}
	for op, result := range exact {
		n := newInstruction(t, op+".f16 $d, $a, $b", "b16", "b16", "b16")
		for p := uint64(0); p < 1<<16; p += step {
			for half := range 2 {
				var operands [32][]uint64
				for i := range operands {
					operands[i] = []uint64{p, special[32*half+i]}
				}
				for i, got := range n.run(t, allLanes, &operands) {
					v := result(floats[p], floats[operands[i][1]])
					if want := nearestOf(numbers, v); got&0xffff != want {
						t.Fatalf("%s of %#x is %#x, not %#x", op, operands[i], got&0xffff, want)
					}
				}
			}
		}
	}
}

// nearestOf is the pattern of the number of a list that is nearest to another.
func nearestOf(numbers []float64, v float64) uint64 {
	if v != v {
		return 0x7fff
	}
	low, high, magnitude := 0, len(numbers)-1, math.Abs(v)
	for high-low > 1 {
		if middle := (low + high) / 2; numbers[middle] <= magnitude {
			low = middle
		} else {
			high = middle
		}
	}
	at := uint64(low)
	if half := (numbers[low] + numbers[high]) / 2; magnitude > half || magnitude == half && low&1 != 0 {
		at = uint64(high)
	}
	if math.Signbit(v) {
		at |= 0x8000
	}
	return at
}

// The triples are of the linear congruential generator that the vectors of tensor cores are
// of, too.
func TestFusedHalfPrecisionAgainstExactRationals(t *testing.T) {
	rounds := 1 << 7
	switch {
	case need.Slow():
		rounds = 1 << 15
	case need.CI():
		rounds = 1 << 10
	}
	n := newInstruction(t, "fma.rn.f16 $d, $a, $b, $c", "b16", "b16", "b16", "b16")
	f, m, x := formats["f16"], realModels["fma"], uint32(12345)
	for range rounds {
		var operands [32][]uint64
		for i := range operands {
			for range 3 {
				x = 1664525*x + 1013904223
				operands[i] = append(operands[i], uint64(x>>16))
			}
		}
		for i, got := range n.run(t, allLanes, &operands) {
			require.Equal(t, m.expected(f, "rn", operands[i]), got&0xffff, "%#x", operands[i])
		}
	}
}

func TestComparisonsOfPairsGiveAPredicateForEachHalf(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.b32 %r1, 0x3c004000;
	mov.b32 %r2, 0x40003c00;
	setp.gt.f16x2 %p1|%p2, %r1, %r2;
	selp.u32 %r3, 1, 0, %p1;
	selp.u32 %r4, 2, 0, %p2;
	add.u32 %r3, %r3, %r4;
	setp.lt.and.bf16x2 %p1|%p2, %r1, %r2, !%p1;
	selp.u32 %r5, 4, 0, %p1;
	selp.u32 %r6, 8, 0, %p2;
	add.u32 %r3, %r3, %r5;
	add.u32 %r3, %r3, %r6;
	mov.b16 %h1, 0x7e00;
	setp.nan.f16 %p3, %h1, %h1;
	@%p3 add.u32 %r3, %r3, 16;
	setp.lt.and.f16x2 %p4|%p5, %r1, %r2, %p3;
	@%p4 add.u32 %r3, %r3, 32;
	@%p5 add.u32 %r3, %r3, 64;
	st.global.u32 [%mine], %r3;`), 32, 32)
	require.Equal(t, uint32(1+16+64), out[3])
}

// The narrowing of whole slots agrees with the rounding that all conversions have.
func TestFastNarrowingAgreesWithRounding(t *testing.T) {
	for p := uint64(0); p < 1<<16; p++ {
		for _, c := range []struct {
			f      *smallfloat.Format
			widen  func(to []float64, from *slot)
			narrow func(v float64) uint64
		}{{smallfloat.F16, widenF16, smallfloat.NearestF16}, {smallfloat.BF16, widenBF16, smallfloat.NearestBF16}} {
			v := c.f.Value(p)
			var got [lanes]float64
			c.widen(got[:], &slot{p | 0xabcd0000})
			require.True(t, got[0] == v && math.Signbit(got[0]) == math.Signbit(v) || v != v && got[0] != got[0], "%#x", p)
			next := c.f.Value(p + 1)
			for _, x := range []float64{v, (v + next) / 2, math.Nextafter((v+next)/2, v), math.Nextafter((v+next)/2, next), v * 0x1.23p-9, v * 1e5, v * 1e-300} {
				if got, want := c.narrow(x), c.f.Round(x, toNearest, false); got != want {
					t.Fatalf("%v of %#x is %#x, not %#x", x, p, got, want)
				}
			}
		}
	}
}
