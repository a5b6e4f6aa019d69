package exec

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// operandBits draws bits that are near where results change: powers of two and
// their neighbours, small numbers, patterns, anything.
func operandBits() *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		n := rapid.Uint64().Draw(t, "bits")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return n & 63
		case 1:
			return -(n & 7)
		case 2:
			return 1<<(n>>8&63) + n&3 - 1
		case 3:
			return n & 0xff00ff
		}
		return n
	})
}

// agree compares an instruction with a model of one lane, on random operands
// and lanes. The model's arguments are cut to the widths of the operands.
func agree(t *testing.T, n *testInstruction, gen *rapid.Generator[uint64], model func(v []uint64) uint64) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		pool := rapid.SliceOfN(gen, 12, 12).Draw(rt, "values")
		active := rapid.SampledFrom([]uint32{allLanes, 0x0f0f_00f1, 1 << 31}).Draw(rt, "active")
		seed := rapid.Uint64().Draw(rt, "order")
		var operands [32][]uint64
		for i := range operands {
			for _, s := range n.srcs {
				seed = seed*6364136223846793005 + 1442695040888963407
				v := pool[seed>>40%12]
				operands[i] = append(operands[i], v&(^uint64(0)>>(64-width(s))))
			}
		}
		results := n.run(t, active, &operands)
		mask := ^uint64(0) >> (64 - width(n.dst))
		for i, got := range results {
			want := uint64(unwritten)
			if n.dst == "pred" {
				want = 0
			}
			if active>>i&1 != 0 {
				want = model(operands[i])
			}
			if got&mask != want&mask && (n.same == nil || !n.same(got, want)) {
				rt.Fatalf("%s in lane %d of %#x with %#x: %#x; want %#x", n.text, i, active, operands[i], got&mask, want&mask)
			}
		}
	})
}

// numberOf is the value of bits as a type.
func numberOf(typ string, v uint64) *big.Int {
	w := width(typ)
	n := new(big.Int).SetUint64(v & (^uint64(0) >> (64 - w)))
	if typ[0] == 's' && v>>(w-1)&1 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), w))
	}
	return n
}

// low64 are the lowest bits of a number in two's complement.
func low64(n *big.Int) uint64 {
	m := new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0)))
	return m.Uint64()
}

var integerTypes = []string{"u16", "s16", "u32", "s32", "u64", "s64"}

func TestIntegerArithmeticIsThatOfUnboundedNumbersCut(t *testing.T) {
	models := map[string]func(typ string, a, b, c *big.Int) *big.Int{
		"add": func(_ string, a, b, _ *big.Int) *big.Int { return a.Add(a, b) },
		"sub": func(_ string, a, b, _ *big.Int) *big.Int { return a.Sub(a, b) },
		"min": func(_ string, a, b, _ *big.Int) *big.Int {
			if a.Cmp(b) < 0 {
				return a
			}
			return b
		},
		"max": func(_ string, a, b, _ *big.Int) *big.Int {
			if a.Cmp(b) > 0 {
				return a
			}
			return b
		},
		"mul.lo":   func(_ string, a, b, _ *big.Int) *big.Int { return a.Mul(a, b) },
		"mul.hi":   func(typ string, a, b, _ *big.Int) *big.Int { return a.Rsh(a.Mul(a, b), width(typ)) },
		"mul.wide": func(_ string, a, b, _ *big.Int) *big.Int { return a.Mul(a, b) },
		"mad.lo":   func(_ string, a, b, c *big.Int) *big.Int { return a.Add(a.Mul(a, b), c) },
		"mad.hi":   func(typ string, a, b, c *big.Int) *big.Int { return a.Add(a.Rsh(a.Mul(a, b), width(typ)), c) },
		"mad.wide": func(_ string, a, b, c *big.Int) *big.Int { return a.Add(a.Mul(a, b), c) },
		"sad":      func(_ string, a, b, c *big.Int) *big.Int { return a.Add(a.Abs(a.Sub(a, b)), c) },
		"div": func(_ string, a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(-1)
			}
			return a.Quo(a, b)
		},
		"rem": func(_ string, a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(-1)
			}
			return a.Rem(a, b)
		},
		"abs": func(_ string, a, _, _ *big.Int) *big.Int { return a.Abs(a) },
		"neg": func(_ string, a, _, _ *big.Int) *big.Int { return a.Neg(a) },
	}
	operands := map[string]int{"mad.lo": 3, "mad.hi": 3, "mad.wide": 3, "sad": 3, "abs": 1, "neg": 1}
	for op, model := range models {
		for _, typ := range integerTypes {
			wide := strings.HasSuffix(op, "wide")
			if wide && width(typ) == 64 || (op == "abs" || op == "neg") && typ[0] == 'u' {
				continue
			}
			n := max(operands[op], 1)
			if operands[op] == 0 {
				n = 2
			}
			dst, srcs := typ, []string{typ, typ, typ}[:n]
			if wide {
				dst = fmt.Sprintf("%c%d", typ[0], 2*width(typ))
				if n == 3 {
					srcs = []string{typ, typ, dst}
				}
			}
			text := op + "." + typ + " $d" + []string{"", ", $a", ", $a, $b", ", $a, $b, $c"}[n]
			t.Run(op+"."+typ, func(t *testing.T) {
				agree(t, newInstruction(t, text, dst, srcs...), operandBits(), func(v []uint64) uint64 {
					var args [3]*big.Int
					for i := range v {
						args[i] = numberOf(srcs[i], v[i])
					}
					return low64(model(typ, args[0], args[1], args[2]))
				})
			})
		}
	}
}

func clampTo32(n int64) uint64 {
	return uint64(max(min(n, 0x7fffffff), -0x80000000))
}

// field is bits from start of n bits, one by one.
func field(v uint64, start, n int, bitAt func(i int) uint64) (f uint64) {
	for i := range n {
		f |= bitAt(start+i) & 1 << i
	}
	return f
}

func TestIntegerOperationsAgreeWithTheirDefinition(t *testing.T) {
	s24 := func(v uint64) int64 { return int64(v<<40) >> 40 }
	u24 := func(v uint64) uint64 { return v & 0xffffff }
	table := []struct {
		text, dst, srcs string
		model           func(v []uint64) uint64
	}{
		{"add.sat.s32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return clampTo32(int64(int32(v[0])) + int64(int32(v[1]))) }},
		{"sub.sat.s32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return clampTo32(int64(int32(v[0])) - int64(int32(v[1]))) }},
		{"mad.hi.sat.s32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			return clampTo32(int64(int32(v[0]))*int64(int32(v[1]))>>32 + int64(int32(v[2])))
		}},
		{"mul24.lo.s32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return uint64(s24(v[0]) * s24(v[1])) }},
		{"mul24.hi.s32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return uint64(s24(v[0]) * s24(v[1]) >> 16) }},
		{"mul24.hi.u32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return u24(v[0]) * u24(v[1]) >> 16 }},
		{"mad24.lo.u32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return u24(v[0])*u24(v[1]) + v[2] }},
		{"and.b32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return v[0] & v[1] }},
		{"or.b64 $d, $a, $b", "b64", "b64 b64", func(v []uint64) uint64 { return v[0] | v[1] }},
		{"xor.b16 $d, $a, $b", "b16", "b16 b16", func(v []uint64) uint64 { return v[0] ^ v[1] }},
		{"not.b32 $d, $a", "b32", "b32", func(v []uint64) uint64 { return ^v[0] }},
		{"cnot.b32 $d, $a", "b32", "b32", func(v []uint64) uint64 { return bit(v[0] == 0) }},
		{"shl.b32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return uint64(uint32(v[0]) << v[1]) }},
		{"shl.b64 $d, $a, $b", "b64", "b64 b32", func(v []uint64) uint64 { return v[0] << v[1] }},
		{"shl.b16 $d, $a, $b", "b16", "b16 b32", func(v []uint64) uint64 { return uint64(uint16(v[0]) << v[1]) }},
		{"shr.u32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return uint64(uint32(v[0]) >> v[1]) }},
		{"shr.b16 $d, $a, $b", "b16", "b16 b32", func(v []uint64) uint64 { return uint64(uint16(v[0]) >> v[1]) }},
		{"shr.s32 $d, $a, $b", "b32", "b32 b32", func(v []uint64) uint64 { return uint64(int32(v[0]) >> v[1]) }},
		{"shr.s16 $d, $a, $b", "b16", "b16 b32", func(v []uint64) uint64 { return uint64(int16(v[0]) >> v[1]) }},
		{"shr.s64 $d, $a, $b", "b64", "b64 b32", func(v []uint64) uint64 { return uint64(int64(v[0]) >> v[1]) }},
		{"shf.l.wrap.b32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return (v[1]<<32 | v[0]) << (v[2] & 31) >> 32 }},
		{"shf.l.clamp.b32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return (v[1]<<32 | v[0]) << min(v[2], 32) >> 32 }},
		{"shf.r.wrap.b32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return (v[1]<<32 | v[0]) >> (v[2] & 31) }},
		{"shf.r.clamp.b32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return (v[1]<<32 | v[0]) >> min(v[2], 32) }},
		{"lop3.b32 $d, $a, $b, $c, 0xfe", "b32", "b32 b32 b32", func(v []uint64) uint64 { return v[0] | v[1] | v[2] }},
		{"lop3.b32 $d, $a, $b, $c, 0xca", "b32", "b32 b32 b32", func(v []uint64) uint64 { return v[0]&v[1] | ^v[0]&v[2] }},
		{"lop3.b32 $d, $a, $b, $c, 0x40", "b32", "b32 b32 b32", func(v []uint64) uint64 { return v[0] & v[1] &^ v[2] }},
		{"popc.b32 $d, $a", "b32", "b32", func(v []uint64) uint64 { return uint64(bits.OnesCount64(v[0])) }},
		{"popc.b64 $d, $a", "b32", "b64", func(v []uint64) uint64 { return uint64(bits.OnesCount64(v[0])) }},
		{"clz.b32 $d, $a", "b32", "b32", func(v []uint64) uint64 { return uint64(32 - bits.Len64(v[0])) }},
		{"clz.b64 $d, $a", "b32", "b64", func(v []uint64) uint64 { return uint64(64 - bits.Len64(v[0])) }},
		{"brev.b32 $d, $a", "b32", "b32", func(v []uint64) uint64 { return bits.Reverse64(v[0]) >> 32 }},
		{"brev.b64 $d, $a", "b64", "b64", func(v []uint64) uint64 { return bits.Reverse64(v[0]) }},
		{"bfind.u32 $d, $a", "b32", "b32", func(v []uint64) uint64 { return uint64(bits.Len64(v[0])) - 1 }},
		{"bfind.shiftamt.u32 $d, $a", "b32", "b32", func(v []uint64) uint64 {
			if v[0] == 0 {
				return ^uint64(0)
			}
			return uint64(32 - bits.Len64(v[0]))
		}},
		{"bfind.s64 $d, $a", "b32", "b64", func(v []uint64) uint64 { return uint64(bits.Len64(v[0]^uint64(int64(v[0])>>63))) - 1 }},
		{"bfe.u32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			return field(v[0], int(v[1]&255), min(int(v[2]&255), 32), func(i int) uint64 { return v[0] >> i })
		}},
		{"bfe.s32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			start, n := int(v[1]&255), int(v[2]&255)
			if n == 0 {
				return 0
			}
			last := min(start+n-1, 31)
			return field(v[0], start, 32, func(i int) uint64 { return v[0] >> min(i, last) })
		}},
		{"bfe.s64 $d, $a, $b, $c", "b64", "b64 b32 b32", func(v []uint64) uint64 {
			start, n := int(v[1]&255), int(v[2]&255)
			if n == 0 {
				return 0
			}
			last := min(start+n-1, 63)
			return field(v[0], start, 64, func(i int) uint64 { return v[0] >> min(i, last) })
		}},
		{"bfi.b32 $d, $a, $b, $c, $e", "b32", "b32 b32 b32 b32", func(v []uint64) uint64 {
			start, n := int(v[2]&255), int(v[3]&255)
			return field(0, 0, 32, func(i int) uint64 {
				if i >= start && i < start+n {
					return v[0] >> (i - start)
				}
				return v[1] >> i
			})
		}},
		{"bfi.b64 $d, $a, $b, $c, $e", "b64", "b64 b64 b32 b32", func(v []uint64) uint64 {
			start, n := int(v[2]&255), int(v[3]&255)
			return field(0, 0, 64, func(i int) uint64 {
				if i >= start && i < start+n {
					return v[0] >> (i - start)
				}
				return v[1] >> i
			})
		}},
		{"prmt.b32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			source := v[1]<<32 | v[0]
			return field(0, 0, 32, func(i int) uint64 {
				s := v[2] >> (i / 8 * 4)
				if s&8 != 0 {
					return source >> (s&7*8 + 7)
				}
				return source >> (s&7*8 + uint64(i%8))
			})
		}},
		{"prmt.b32.f4e $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return (v[1]<<32 | v[0]) >> (v[2] & 3 * 8) }},
		{"prmt.b32.rc16 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return v[0] >> (v[2] & 1 * 16) & 0xffff * 0x10001 }},
		{"prmt.b32.rc8 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 { return v[0] >> (v[2] & 3 * 8) & 0xff * 0x01010101 }},
		{"dp4a.s32.u32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			return v[2] + uint64(int64(int8(v[0]))*int64(uint8(v[1]))) + uint64(int64(int8(v[0]>>8))*int64(uint8(v[1]>>8))) +
				uint64(int64(int8(v[0]>>16))*int64(uint8(v[1]>>16))) + uint64(int64(int8(v[0]>>24))*int64(uint8(v[1]>>24)))
		}},
		{"dp2a.hi.u32.s32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			return v[2] + uint64(int64(uint16(v[0]))*int64(int8(v[1]>>16))) + uint64(int64(uint16(v[0]>>16))*int64(int8(v[1]>>24)))
		}},
		{"selp.b32 $d, $a, $b, $c", "b32", "b32 b32 pred", func(v []uint64) uint64 {
			if v[2] != 0 {
				return v[0]
			}
			return v[1]
		}},
		{"slct.b32.s32 $d, $a, $b, $c", "b32", "b32 b32 b32", func(v []uint64) uint64 {
			if int32(v[2]) >= 0 {
				return v[0]
			}
			return v[1]
		}},
		{"mov.b64 $d, {$a, $b}", "b64", "b32 b32", func(v []uint64) uint64 { return v[0] | v[1]<<32 }},
		{"mov.b64 {_, $d}, $a", "b32", "b64", func(v []uint64) uint64 { return v[0] >> 32 }},
		{"mov.b32 {$d, _}, $a", "b16", "b32", func(v []uint64) uint64 { return v[0] }},
		{"mov.b64 $d, {$a, $b, $c, $e}", "b64", "b16 b16 b16 b16", func(v []uint64) uint64 { return v[0] | v[1]<<16 | v[2]<<32 | v[3]<<48 }},
		{"and.pred $d, $a, $b", "pred", "pred pred", func(v []uint64) uint64 { return v[0] & v[1] }},
		{"xor.pred $d, $a, $b", "pred", "pred pred", func(v []uint64) uint64 { return v[0] ^ v[1] }},
		{"not.pred $d, $a", "pred", "pred", func(v []uint64) uint64 { return ^v[0] }},
		{"mov.pred $d, $a", "pred", "pred", func(v []uint64) uint64 { return v[0] }},
	}
	for _, c := range table {
		t.Run(c.text, func(t *testing.T) {
			agree(t, newInstruction(t, c.text, c.dst, strings.Fields(c.srcs)...), operandBits(), c.model)
		})
	}
}

func TestComparisonsOfIntegers(t *testing.T) {
	holds := map[string]func(c int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
		"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
		"lo": func(c int) bool { return c < 0 }, "ls": func(c int) bool { return c <= 0 },
		"hi": func(c int) bool { return c > 0 }, "hs": func(c int) bool { return c >= 0 },
	}
	for op, f := range holds {
		for _, typ := range integerTypes {
			if typ[0] == 's' && strings.Contains("lo ls hi hs", op) {
				continue
			}
			compare := func(v []uint64) bool { return f(numberOf(typ, v[0]).Cmp(numberOf(typ, v[1]))) }
			t.Run(op+"."+typ, func(t *testing.T) {
				agree(t, newInstruction(t, "setp."+op+"."+typ+" $d, $a, $b", "pred", typ, typ), operandBits(),
					func(v []uint64) uint64 { return bit(compare(v)) })
			})
		}
		compare := func(v []uint64) bool { return f(numberOf("u32", v[0]).Cmp(numberOf("u32", v[1]))) }
		agree(t, newInstruction(t, "setp."+op+".xor.u32 _|$d, $a, $b, !$c", "pred", "u32", "u32", "pred"), operandBits(),
			func(v []uint64) uint64 { return bit(compare(v) == (v[2] == 0)) })
		agree(t, newInstruction(t, "setp."+op+".and.u32 $d, $a, $b, $c", "pred", "u32", "u32", "pred"), operandBits(),
			func(v []uint64) uint64 { return bit(compare(v) && v[2] != 0) })
		agree(t, newInstruction(t, "set."+op+".u32.u32 $d, $a, $b", "b32", "u32", "u32"), operandBits(),
			func(v []uint64) uint64 { return -bit(compare(v)) })
		agree(t, newInstruction(t, "set."+op+".or.f32.u32 $d, $a, $b, $c", "f32", "u32", "u32", "pred"), operandBits(),
			func(v []uint64) uint64 { return 0x3f800000 * bit(compare(v) || v[2] != 0) })
	}
}

func TestCarriesChainTheHalvesOfLongNumbers(t *testing.T) {
	for _, chain := range []struct {
		text  string
		model func(a, b uint64) uint64
	}{
		{"add.cc.u32 %r5, %r1, %r3;\n addc.cc.u32 %r6, %r2, %r4;\n addc.u32 %r7, 0, 0;", func(a, b uint64) uint64 { return a + b }},
		{"sub.cc.u32 %r5, %r1, %r3;\n subc.cc.u32 %r6, %r2, %r4;\n subc.u32 %r7, 0, 0;", func(a, b uint64) uint64 { return a - b }},
		{"add.cc.s32 %r5, %r1, %r3;\n addc.cc.s32 %r6, %r2, %r4;\n addc.s32 %r7, 0, 0;", func(a, b uint64) uint64 { return a + b }},
		{"sub.cc.s32 %r5, %r1, %r3;\n subc.cc.s32 %r6, %r2, %r4;\n subc.s32 %r7, 0, 0;", func(a, b uint64) uint64 { return a - b }},
		{"mul.lo.u32 %r5, %r1, %r3;\n mul.hi.u32 %r6, %r1, %r3;\n mad.lo.cc.u32 %r6, %r1, %r4, %r6;\n" +
			"madc.lo.u32 %r6, %r2, %r3, %r6;\n mov.u32 %r7, 0;",
			nil},
	} {
		rapid.Check(t, func(rt *rapid.T) {
			a, b := operandBits().Draw(rt, "a"), operandBits().Draw(rt, "b")
			out := outputOf(rt2t{t, rt}, kernel(fmt.Sprintf(`
	mov.u32 %%r1, %d; mov.u32 %%r2, %d; mov.u32 %%r3, %d; mov.u32 %%r4, %d;
	%s
	st.global.u32 [%%out], %%r5; st.global.u32 [%%out+4], %%r6; st.global.u32 [%%out+8], %%r7;`,
				uint32(a), a>>32, uint32(b), b>>32, chain.text)), 1, 3)
			got := uint64(out[0]) | uint64(out[1])<<32
			if chain.model == nil {
				// madc adds the carry of the low product into the high word: a test of
				// that word alone.
				low := a & 0xffffffff * (b >> 32) & 0xffffffff
				high := a & 0xffffffff * (b & 0xffffffff) >> 32
				carry := (low + high) >> 32
				want := low + high + a>>32*(b&0xffffffff) + carry
				require.Equal(rt, uint32(want), out[1])
				return
			}
			require.Equal(rt, chain.model(a, b), got)
			carried := uint32(0)
			if a+b < a && strings.HasPrefix(chain.text, "add") {
				carried = 1
			} else if a < b && strings.HasPrefix(chain.text, "sub") {
				carried = ^uint32(0)
			}
			require.Equal(rt, carried, out[2])
		})
	}
}

// rt2t lets helpers report to a rapid test.
type rt2t struct {
	testing.TB
	rt *rapid.T
}

func (r rt2t) Fatalf(format string, args ...any) { r.rt.Fatalf(format, args...) }
func (r rt2t) FailNow()                          { r.rt.FailNow() }
