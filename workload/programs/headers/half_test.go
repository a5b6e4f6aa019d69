package headers

import (
	"math"
	"math/big"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// small is a format of 16 bits: digits of the significand and the least exponent.
type small struct {
	digits, least, fields int
}

var (
	halfFormat   = small{11, -14, 10}
	bfloatFormat = small{8, -126, 7}
)

// bits rounds an exact number to the format.
func (s small) bits(v *big.Float, mode big.RoundingMode) uint16 {
	sign := uint16(0)
	if v.Signbit() {
		sign = 0x8000
	}
	if v.Sign() == 0 {
		return sign
	}
	exponent := max(v.MantExp(nil)-1, s.least)
	// In units of the last place the number is rounded to an integer.
	scaled := new(big.Float).SetMantExp(v, -(exponent - s.digits + 1))
	f, _ := new(big.Float).SetPrec(60).Set(scaled).Float64()
	switch mode {
	case big.ToNearestEven:
		f = math.RoundToEven(f)
	case big.ToZero:
		f = math.Trunc(f)
	case big.ToPositiveInf:
		f = math.Ceil(f)
	}
	m := uint32(math.Abs(f))
	return sign | uint16(uint32(exponent-s.least)<<s.fields+m)
}

func (s small) value(b uint16) float64 {
	m, e := float64(b&(1<<s.fields-1)), int(b&0x7fff)>>s.fields
	if e > 0 {
		m += float64(int(1) << s.fields)
	} else {
		e = 1
	}
	v := math.Ldexp(m, e-1+s.least-s.fields)
	if b&0x8000 != 0 {
		return -v
	}
	return v
}

// Conversions and arithmetic of half and bfloat16 are the exact results rounded once, whether the
// device has instructions for neither type, for half or for both.
func TestHalfAndBfloat16(t *testing.T) {
	for _, arch := range []string{"sm_50", "sm_70", "sm_80"} {
		t.Run(arch, func(t *testing.T) { smallTypes(t, arch) })
	}
}

func smallTypes(t *testing.T, arch string) {
	const n, columns = 32, 26
	d := draws(11)
	var in []float32
	for i := range 3 * n {
		v := math.Ldexp(float64(int32(d.next())), int(d.next()%16)-38)
		if i == 3 || i == 9 { // subnormal halves
			v = math.Ldexp(v, -12)
		}
		in = append(in, float32(v))
	}
	// 1 + 2^-10 squared less 1 + 2^-9: what a sum of rounded products loses.
	in[0], in[1], in[2] = 1+1./1024, 1+1./1024, -1-2./1024
	p := compile(t, "half.cu", "--no-cuda-gpu-arch=sm_70", "--cuda-gpu-arch="+arch)
	out := p.array(t, 2*n*columns, nil)
	p.run(t, "halves", 1, n, p.array(t, 4*len(in), in), out, uint32(columns))
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	for i := range n {
		x, y, z := float64(in[3*i]), float64(in[3*i+1]), float64(in[3*i+2])
		near := func(s small, v *big.Float) uint16 { return s.bits(v, big.ToNearestEven) }
		round := func(s small, v float64) *big.Float { return exact(s.value(near(s, exact(v)))) }
		h := halfFormat
		a, b, c := round(h, x), round(h, y), round(h, z)
		make := func() *big.Float { return new(big.Float).SetPrec(300) }
		fused := func(a, b, c *big.Float) *big.Float { return make().Add(make().Mul(a, b), c) }
		greater := uint16(6)
		if a.Cmp(b) > 0 {
			greater++
		}
		e := bfloatFormat
		k, l, m := round(e, x), round(e, y), round(e, z)
		most := k
		if l.Cmp(k) > 0 {
			most = l
		}
		larger := a
		if b.Cmp(a) > 0 {
			larger = b
		}
		sum := make().Add(a, b)
		value, _ := sum.Float64() // exact: of numbers of 11 digits
		saturated := exact(min(max(value, 0), 1))
		want := []uint16{near(h, a), h.bits(exact(x), big.ToZero), h.bits(exact(x), big.ToPositiveInf),
			near(h, make().Add(a, b)), near(h, make().Mul(a, b)), near(h, make().Quo(a, b)), near(h, fused(a, b, c)),
			near(h, make().Sqrt(make().Abs(a))), near(h, fused(a, c, b)), near(h, fused(b, c, a)), greater,
			near(h, round(h, float64(in[3*(i^1)]))),
			near(h, sum), near(h, make().Add(a, a)), near(h, make().Mul(a, b)), near(h, larger), near(h, saturated), 1 + 4 + 16,
			near(e, k), near(e, make().Add(k, l)), near(e, fused(k, l, m)), near(e, most), near(e, l), near(h, a), near(e, make().Sub(k, l)), near(e, make().Mul(k, l))}
		require.Equal(t, want, read[uint16](t, p, out+uint64(2*i*columns), columns), "row %d: %v %v %v", i, x, y, z)
	}
	total, list := p.array(t, 4, nil), p.array(t, 4*n, nil)
	b, err := p.memory.Bytes(list, 4*n)
	require.NoError(t, err)
	for i := range n {
		copy(b[4*i:], []byte{0, 0x3c, 0, 0x40}) // 1 and 2
	}
	p.run(t, "add", 1, n, total, list)
	require.Equal(t, []uint16{0x5000, 0x5400}, read[uint16](t, p, total, 2)) // 32 and 64
}

// The samples' helpers compile for both sides, and complex numbers multiply and divide.
func TestHelpersAndComplexNumbers(t *testing.T) {
	hostsCompile(t, "helpers.cu", "half.cu", "random.cu", "groups.cu", "math.cu")
	p := compile(t, "helpers.cu")
	a := p.array(t, 24, []float32{0, 0, 3, 4, -1, 2})
	p.run(t, "multiply", 1, 1, a)
	got := read[float32](t, p, a, 2)
	require.InDelta(t, 3+math.Pi+5, float64(got[0]), 1e-5)
	require.InDelta(t, 4, float64(got[1]), 1e-5)
}

// A product and a sum of a pair are one instruction, and so is a comparison.
func TestArithmeticOfHalfTakesOneInstruction(t *testing.T) {
	text := clang(t, filepath.Join("testdata", "half.cu"), "--cuda-device-only", "-S")
	_, kernel, found := strings.Cut(string(text), ".entry axpy(")
	require.True(t, found)
	half := regexp.MustCompile(`\w+\.[\w.]*f16\w*`).FindAllString(kernel, -1)
	require.Equal(t, []string{"setp.leu.f16", "fma.rn.f16x2"}, half)
}
