package exec

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// registerOf is a type that a register for values of a type can have.
func registerOf(typ string) string {
	switch {
	case typ == "f16" || width(typ) == 16:
		return "b16"
	case width(typ) == 8:
		return "b32"
	case typ[0] == 'f':
		return typ
	}
	return "b" + typ[1:]
}

// clampInteger brings a number into the range of an integer type.
func clampInteger(typ string, n *big.Int) *big.Int {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), width(typ))
	if typ[0] == 's' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	switch {
	case n.Cmp(low) < 0:
		return low
	case n.Cmp(high) > 0:
		return high
	}
	return n
}

// roundRat rounds to an integer.
func roundRat(r *big.Rat, mode string) *big.Int {
	floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: the floor, as Denom is positive
	if r.IsInt() {
		return floor
	}
	rest := new(big.Rat).Sub(r, new(big.Rat).SetInt(floor))
	half := rest.Cmp(big.NewRat(1, 2))
	up := false
	switch mode {
	case "rni":
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case "rzi":
		up = r.Sign() < 0
	case "rpi":
		up = true
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

// asRegister is a value of a type as the register of registerOf holds it.
func asRegister(typ string, n *big.Int) uint64 {
	v := low64(n)
	if width(typ) == 8 {
		v = low64(numberOf(typ, v)) & 0xffffffff // extended
	}
	return v
}

func TestConversionsBetweenIntegers(t *testing.T) {
	types := []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}
	for _, to := range types {
		for _, from := range types {
			for _, sat := range []string{"", "sat."} {
				text := "cvt." + sat + to + "." + from + " $d, $a"
				t.Run(text, func(t *testing.T) {
					agree(t, newInstruction(t, text, registerOf(to), registerOf(from)), operandBits(), func(v []uint64) uint64 {
						n := numberOf(from, v[0])
						if sat != "" {
							n = clampInteger(to, n)
						}
						return asRegister(to, numberOf(to, low64(n)))
					})
				})
			}
		}
	}
}

func TestConversionsToARegisterWiderThanTheType(t *testing.T) {
	agree(t, newInstruction(t, "cvt.u32.s8 $d, $a", "b64", "b32"), operandBits(), func(v []uint64) uint64 {
		return uint64(uint32(int32(int8(v[0]))))
	})
	agree(t, newInstruction(t, "cvt.s16.u32 $d, $a", "b64", "b32"), operandBits(), func(v []uint64) uint64 {
		return uint64(int64(int16(v[0])))
	})
}

func TestConversionsFromFloatsClampAndRoundAsTold(t *testing.T) {
	for _, from := range []string{"f16", "f32", "f64"} {
		f := formats[from]
		for _, to := range []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"} {
			for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
				text := fmt.Sprintf("cvt.%s.%s.%s $d, $a", mode, to, from)
				t.Run(text, func(t *testing.T) {
					agree(t, newInstruction(t, text, registerOf(to), registerOf(from)), nearIntegers(f), func(v []uint64) uint64 {
						r, finite := f.decode(v[0])
						if f.isNaN(v[0]) {
							return 0
						}
						n := new(big.Int).Lsh(big.NewInt(1), 100)
						if finite {
							n = roundRat(r, mode)
						} else if f.negative(v[0]) {
							n.Neg(n)
						}
						return asRegister(to, clampInteger(to, n))
					})
				})
			}
		}
	}
}

// nearIntegers draws numbers of a format between 2^-4 and 2^68 half of the time.
func nearIntegers(f format) *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		v := realBits(f).Draw(t, "number")
		if rapid.Bool().Draw(t, "near") {
			e := uint64(min(rapid.IntRange(f.bias()-4, f.bias()+68).Draw(t, "exponent"), 1<<f.exponent-1))
			v = v&^f.infinity() | e<<f.fraction
		}
		return v
	})
}

func TestConversionsToFloatsRoundOnce(t *testing.T) {
	for _, to := range []string{"f16", "f32", "f64"} {
		for _, from := range []string{"u8", "s16", "u32", "s32", "u64", "s64", "f32", "f64"} {
			for _, mode := range []string{"rn", "rz", "rm", "rp"} {
				narrows := from[0] != 'f' || width(to) < width(from)
				if !narrows {
					continue
				}
				text := fmt.Sprintf("cvt.%s.%s.%s $d, $a", mode, to, from)
				t.Run(text, func(t *testing.T) {
					f, gen := formats[to], operandBits()
					if from[0] == 'f' {
						gen = realBits(formats[from])
					}
					agree(t, newInstruction(t, text, registerOf(to), registerOf(from)), gen, func(v []uint64) uint64 {
						return expectedConversion(f, mode, from, v[0])
					})
				})
			}
		}
	}
}

func expectedConversion(f format, mode, from string, v uint64) uint64 {
	var r *big.Rat
	if from[0] != 'f' {
		r = new(big.Rat).SetInt(numberOf(from, v))
		if r.Sign() == 0 {
			return 0
		}
		return f.encode(r, mode)
	}
	r, finite := formats[from].decode(v)
	if !finite || r.Sign() == 0 {
		return f.special(formats[from].toFloat(v))
	}
	return f.encode(r, mode)
}

func TestOtherConversionsBetweenFloats(t *testing.T) {
	f32, f16 := formats["f32"], formats["f16"]
	integral := func(mode string) func(v []uint64) uint64 {
		return func(v []uint64) uint64 {
			r, finite := f32.decode(v[0])
			if !finite {
				return f32.special(f32.toFloat(v[0]))
			}
			n := roundRat(r, mode)
			if n.Sign() == 0 {
				return v[0] & f32.sign()
			}
			return f32.encode(new(big.Rat).SetInt(n), "rn")
		}
	}
	table := []struct {
		text, dst, src string
		f              format
		model          func(v []uint64) uint64
	}{
		{"cvt.f32.f16 $d, $a", "f32", "b16", f16, func(v []uint64) uint64 { return expectedConversion(f32, "rn", "f16", v[0]) }},
		{"cvt.f64.f32 $d, $a", "f64", "f32", f32, func(v []uint64) uint64 { return expectedConversion(formats["f64"], "rn", "f32", v[0]) }},
		{"cvt.rni.f32.f32 $d, $a", "f32", "f32", f32, integral("rni")},
		{"cvt.rzi.f32.f32 $d, $a", "f32", "f32", f32, integral("rzi")},
		{"cvt.rmi.f32.f32 $d, $a", "f32", "f32", f32, integral("rmi")},
		{"cvt.rpi.f32.f32 $d, $a", "f32", "f32", f32, integral("rpi")},
		{"cvt.ftz.f64.f32 $d, $a", "f64", "f32", f32, func(v []uint64) uint64 {
			return expectedConversion(formats["f64"], "rn", "f32", f32.flush(v[0]))
		}},
		{"cvt.sat.f32.f32 $d, $a", "f32", "f32", f32, func(v []uint64) uint64 {
			switch x := f32.toFloat(v[0]); {
			case !(x > 0):
				return 0
			case x > 1:
				return 0x3f800000
			}
			return v[0]
		}},
	}
	for _, c := range table {
		t.Run(c.text, func(t *testing.T) {
			n := newInstruction(t, c.text, c.dst, c.src)
			if strings.HasPrefix(c.dst, "f64") {
				n.same = func(got, want uint64) bool { return formats["f64"].isNaN(got) && formats["f64"].isNaN(want) }
			}
			agree(t, n, nearIntegers(c.f), c.model)
		})
	}
}
