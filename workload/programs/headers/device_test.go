package headers

import (
	"encoding/binary"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
	emulator "cotenant/workload/ptx/exec"
)

// The lanes of a warp see each other's values as the programming guide says.
func TestWarpFunctions(t *testing.T) {
	group := func(of func(lane int) int, lane int) (mask uint32) {
		for i := range 32 {
			if of(i) == of(lane) {
				mask |= 1 << i
			}
		}
		return mask
	}
	want := func(lane int) []uint32 {
		l := uint32(lane)
		up, down, next := l-3, l+3, l+1
		if lane < 3 {
			up = l
		}
		if lane%16 >= 13 {
			down = l
		}
		if lane == 31 {
			next = l
		}
		thirds := uint32(0)
		for i := 0; i < 32; i += 3 {
			thirds |= 1 << i
		}
		odd := uint32(0)
		if lane%2 == 1 {
			odd = 0xaaaaaaaa
		}
		all := uint32(math.MaxUint32)
		return []uint32{5, l/8*8 + 1, up, down, l ^ 21, 7, uint32(0.5 * float64(lane^1)), 8, 100 - next,
			thirds, 1, 0, 1, 0, 1, group(func(i int) int { return i / 5 }, lane), group(func(i int) int { return i % 2 }, lane),
			all, 1, 0, 0, 31 * 32 / 2, uint32(0xffffffff - 8), uint32(0xffffffff - 39), all, odd, 1<<l - 1, 7, 0, 1, 64}
	}
	columns := len(want(0))
	p := compile(t, "warp.cu")
	out := p.array(t, 32*columns*4, nil)
	p.run(t, "warp", 1, 32, out, uint32(columns))
	for lane := range 32 {
		require.Equal(t, want(lane), read[uint32](t, p, out+uint64(4*lane*columns), columns), "lane %d", lane)
	}
}

func TestAtomicFunctions(t *testing.T) {
	p := compile(t, "atomic.cu")
	cells := p.array(t, 8*24, []uint64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0xffffffff})
	p.run(t, "atomic", 2, 32, cells)
	sum := uint64(63 * 64 / 2)
	half := func(first, step uint64) (s uint64) { // of 16 numbers
		return 16*first + step*15*16/2
	}
	minus := func(v int32) uint64 { return uint64(uint32(v)) }
	// 64 steps of a counter from 0 to 9 end at 4, downwards at 6; each of 8 bits is turned 8 times.
	require.Equal(t, []uint64{sum, sum << 32, uint64(math.Float32bits(32)), math.Float64bits(16), minus(-64), minus(-63), 63,
		uint64(math.MaxUint64 - 63*1000 + 1), 1 << 63, 0, math.MaxUint64, 0, 4, 6, uint64(math.Float32bits(2.5)), 77, math.Float64bits(96),
		half(0, 2), half(1, 2), half(32, 2), half(33, 2)}, read[uint64](t, p, cells, 21))
}

func TestLoadsStoresAndVectors(t *testing.T) {
	p := compile(t, "memory.cu")
	var in []float32
	for i := range 128 {
		in = append(in, float32(i)+0.5)
	}
	out, sizes := p.array(t, 4*400, nil), p.array(t, 4*18, nil)
	at := p.array(t, 512, in)
	p.run(t, "memory", 1, 32, at, out, sizes)
	raw, err := p.memory.Bytes(at, 512)
	require.NoError(t, err)
	got := read[float32](t, p, out, 352)
	for i := range 32 {
		v := in[4*i : 4*i+4]
		require.Equal(t, []float32{v[3], v[2], v[1], v[0]}, got[4*i:4*i+4])
		require.Equal(t, v[0]+v[1]+v[2], got[128+i])
		require.Equal(t, in[2*i:2*i+2], got[192+2*i:194+2*i])
		b := raw[4*i : 4*i+4]
		require.Equal(t, float32(int(b[0])+int(b[1])+int(b[2])+int(b[3])+int(int8(raw[i]))), got[256+i])
		before := float32(-1000) // the bytes set to zero are smaller, except in 0.5, where the lowest bytes are zero
		require.Equal(t, v[3]+before, got[288+i])
		require.Equal(t, float32(i+32+1+3), got[320+i])
	}
	p.run(t, "spaces", 1, 32, at, out, int32(3))
	for i, x := range read[float32](t, p, out, 32) {
		require.Equal(t, 3*(in[i]+in[i^1])+in[0]+in[1]+in[2], x)
	}
	p.run(t, "pipeline", 1, 32, at, out)
	staged := read[float32](t, p, out, 128)
	for i := range 32 {
		v := append([]float32(nil), in[4*(31-i):4*(32-i)]...)
		if i == 28 {
			v[2], v[3] = 0, 0
		}
		require.Equal(t, v, staged[4*i:4*i+4])
	}
	// Sizes and alignments: programming guide, built-in vector types.
	require.Equal(t, []uint32{3, 8, 12, 4, 8, 16, 24, 16, 16, 16, 4, 4, 24, 32, 12, 2, 1 + 4, 1}, read[uint32](t, p, sizes, 18))
}

// rounded is an operation's exact result in a format of some bits, by mode: nearest, to zero, up, down.
func rounded(precision uint, mode int, of func(f *big.Float) *big.Float) *big.Float {
	modes := []big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToPositiveInf, big.ToNegativeInf}
	return of(new(big.Float).SetPrec(precision).SetMode(modes[mode]))
}

// Arithmetic rounds as its name says: to nearest even, towards zero, up and down.
func TestRoundedArithmetic(t *testing.T) {
	const rows, columns = 32, 4*18 + 12
	d := draws(7)
	var in []float64
	for range 3 * rows {
		in = append(in, math.Ldexp(float64(d.next())+float64(d.next())/(1<<32)+1, int(d.next()%8)-36))
	}
	p := compile(t, "rounding.cu")
	out := p.array(t, 8*rows*columns, nil)
	p.run(t, "rounding", 1, rows, p.array(t, 8*len(in), in), out, uint32(columns))
	got := read[float64](t, p, out, rows*columns)
	for i := range rows {
		x, y, z := in[3*i], in[3*i+1], in[3*i+2]
		a, b, c := float64(float32(x)), float64(float32(y)), float64(float32(z))
		n := func(v float64) *big.Float { return big.NewFloat(v) }
		product := func(x, y float64) *big.Float { return new(big.Float).SetPrec(200).Mul(n(x), n(y)) }
		row := got[i*columns:]
		for mode := range 4 {
			for k, v := range []struct {
				precision uint
				of        func(f *big.Float) *big.Float
			}{
				{24, func(f *big.Float) *big.Float { return f.Add(n(a), n(b)) }},
				{24, func(f *big.Float) *big.Float { return f.Sub(n(a), n(b)) }},
				{24, func(f *big.Float) *big.Float { return f.Mul(n(a), n(b)) }},
				{24, func(f *big.Float) *big.Float { return f.Add(product(a, b), n(c)) }},
				{24, func(f *big.Float) *big.Float { return f.Quo(n(a), n(b)) }},
				{24, func(f *big.Float) *big.Float { return f.Quo(n(1), n(a)) }},
				{24, func(f *big.Float) *big.Float { return f.Set(new(big.Float).SetPrec(300).Sqrt(n(a))) }},
				{24, func(f *big.Float) *big.Float { return f.Set(n(x)) }},
				{0, func(*big.Float) *big.Float { return integral(a, mode) }},
				{0, func(*big.Float) *big.Float { return integral(x, mode) }},
				{24, func(f *big.Float) *big.Float { return f.Set(integral(x*1e8, 1)) }},
				{53, func(f *big.Float) *big.Float { return f.Add(n(x), n(y)) }},
				{53, func(f *big.Float) *big.Float { return f.Sub(n(x), n(y)) }},
				{53, func(f *big.Float) *big.Float { return f.Mul(n(x), n(y)) }},
				{53, func(f *big.Float) *big.Float { return f.Add(product(x, y), n(z)) }},
				{53, func(f *big.Float) *big.Float { return f.Quo(n(x), n(y)) }},
				{53, func(f *big.Float) *big.Float { return f.Quo(n(1), n(x)) }},
				{53, func(f *big.Float) *big.Float { return f.Set(new(big.Float).SetPrec(300).Sqrt(n(x))) }},
			} {
				want, _ := rounded(v.precision, mode, v.of).Float64()
				require.Equal(t, want, row[4*k+mode], "operation %d, mode %d of %v, %v, %v", k, mode, x, y, z)
			}
		}
		row = row[4*18:]
		root := new(big.Float).SetPrec(300).Sqrt(n(a))
		reciprocal, _ := rounded(24, 0, func(f *big.Float) *big.Float { return f.Quo(n(1), root) }).Float64()
		require.Equal(t, []float64{reciprocal, min(a, 1), x, a}, row[:4])
		// The approximations are of the special-function unit: within 2^-20 here.
		for k, want := range []float64{a / b, math.Sin(a), math.Cos(a), math.Exp(a), math.Log(a), math.Pow(a, b)} {
			require.InDelta(t, want, row[4+k], math.Ldexp(max(1, math.Abs(want)), -20), "approximation %d of %v, %v", k, a, b)
		}
		xy := x * y
		require.Equal(t, []float64{float64(float32(a*b) + float32(c)), xy + z}, row[10:12], "nothing is fused")
	}
}

// integral is a number rounded to an integer.
func integral(v float64, mode int) *big.Float {
	return big.NewFloat([]func(float64) float64{math.RoundToEven, math.Trunc, math.Ceil, math.Floor}[mode](v))
}

// Both sides of a program with launches, templates, printf and assert compile; its kernels are
// accepted.
func TestPrintAssertAndLaunches(t *testing.T) {
	hostsCompile(t, "print.cu", "integer.cu", "warp.cu", "atomic.cu", "memory.cu", "rounding.cu", "texture.cu")
	p := compile(t, "print.cu")
	var names []string
	for _, f := range p.module.Funcs {
		if f.Entry {
			names = append(names, f.Name)
		}
	}
	require.ElementsMatch(t, []string{"_Z5printIdEvPT_i", "_Z5printIfEvPT_i", "_Z5plainPi"}, names)
	data := p.array(t, 4*64, nil)
	p.run(t, "_Z5printIfEvPT_i", 4, 16, data, uint32(64))
	for i, v := range read[float32](t, p, data, 64) {
		require.Equal(t, float32(i+min(i, 3)), v)
	}
}

func TestTextures(t *testing.T) {
	p := compile(t, "texture.cu")
	var numbers, pairs []byte
	for i := range 64 {
		numbers = binary.LittleEndian.AppendUint32(numbers, math.Float32bits(float32(i)+0.25))
		pairs = binary.LittleEndian.AppendUint64(pairs, math.Float64bits(1.5*float64(i)))
	}
	texels := make([]byte, 32*4*2)
	for i := range texels {
		texels[i] = byte(i)
	}
	line := emulator.Texture{Addr: p.array(t, 256, numbers), Width: 64, Height: 1, Channels: 1, Type: ptx.F32}
	cfg := emulator.LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1},
		Textures: map[string]emulator.Texture{
			"line":  line,
			"image": {Addr: p.array(t, len(texels), texels), Width: 32, Height: 2, Channels: 4, Type: ptx.U8},
			"pairs": {Addr: p.array(t, 512, pairs), Width: 64, Height: 1, Channels: 2, Type: ptx.S32},
		},
		TextureObjects: []emulator.Texture{line}}
	out := p.array(t, 4*4*32, nil)
	p.launch(t, "sample", cfg, out, uint64(1))
	got := read[float32](t, p, out, 4*32)
	for i := range 32 {
		first := 128 + 4*i // row 1
		require.InDelta(t, float64(first+10*(first+3)), got[4*i+1], 1e-3)
		require.Equal(t, []float32{float32(i) + 0.25, 1.5 * float32(i), float32(2*i) + 1.5}, []float32{got[4*i], got[4*i+2], got[4*i+3]})
	}
}

// A fetch writes nothing, so the compiler need not load again what it has.
func TestFetchesAreNoReasonToLoadAgain(t *testing.T) {
	text := string(clang(t, filepath.Join("testdata", "texture.cu"), "--cuda-device-only", "-S"))
	_, kernel, found := strings.Cut(text, ".entry twice")
	require.True(t, found)
	require.Equal(t, 1, strings.Count(kernel, "ld.shared"))
}

// fastOptions are what nvcc's -use_fast_math means for clang.
var fastOptions = []string{"-D__USE_FAST_MATH__=1", "-fgpu-flush-denormals-to-zero", "-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"}

// Fast mathematics are the special-function unit's instructions, in single precision alone.
func TestFastMathematics(t *testing.T) {
	body := func(text, kernel string) string {
		_, rest, found := strings.Cut(text, ".entry "+kernel+"(")
		require.True(t, found, kernel)
		rest, _, _ = strings.Cut(rest, "\n}")
		return rest
	}
	text := string(clang(t, "testdata/math.cu", append([]string{"--cuda-device-only", "-S"}, fastOptions...)...))
	for kernel, instruction := range map[string]string{"single_sin": "sin.approx", "single_cos": "cos.approx", "single_exp": "ex2.approx",
		"single_log": "lg2.approx", "single_pow": "ex2.approx", "single_rsqrt": "rsqrt.approx"} {
		require.Contains(t, body(text, kernel), instruction)
		require.NotContains(t, body(text, kernel), "fma", kernel)
	}
	require.NotContains(t, body(text, "double_sin"), "sin.approx")

	p := compile(t, "math.cu", fastOptions...)
	in := []float32{0.5, 1, 1.5, 2, 2.5, 3, 0.25, 0.75}
	out, at := p.array(t, 32, nil), p.array(t, 32, in)
	for kernel, of := range map[string]func(float64) float64{"single_sin": math.Sin, "single_exp": math.Exp, "single_log": math.Log} {
		p.run(t, kernel, 1, 8, at, out)
		for i, v := range read[float32](t, p, out, 8) {
			require.InEpsilon(t, 1+of(float64(in[i])), 1+float64(v), 1e-6, kernel)
		}
	}
}
