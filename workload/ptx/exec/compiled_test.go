package exec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

func TestEveryKernelOfTheSamplesCompiles(t *testing.T) {
	for _, name := range []string{"compute.ptx", "memory.ptx", "texture.ptx"} {
		m := compiled(t, name)
		for _, f := range m.Funcs {
			if f.Entry {
				_, err := Compile(m, f.Name)
				require.NoError(t, err)
			}
		}
	}
}

// compiled parses a program of testdata.
func compiled(t *testing.T, name string) *ptx.Module {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata", name))
	require.NoError(t, err)
	m, err := ptx.Parse(name, text)
	require.NoError(t, err)
	return m
}

// sample runs kernels that a compiler made, on 64-bit and 32-bit arrays.
type sample struct {
	t   *testing.T
	m   *ptx.Module
	mem *Memory
}

func newSample(t *testing.T, name string) *sample {
	s := &sample{t: t, m: compiled(t, name), mem: NewMemory()}
	s.mem.Load(s.m)
	return s
}

// run launches the kernel that has name in its mangled name.
func (s *sample) run(name string, cfg LaunchConfig, params []byte) {
	s.t.Helper()
	for _, f := range s.m.Funcs {
		if f.Entry && strings.Contains(f.Name, name) {
			p, err := Compile(s.m, f.Name)
			require.NoError(s.t, err)
			cfg.Mem, cfg.Params = s.mem, params
			require.NoError(s.t, Run(p, &cfg))
			return
		}
	}
	s.t.Fatal("no kernel " + name)
}

func array[T any](s *sample, values []T) uint64 {
	n := binary.Size(values)
	addr := s.mem.Alloc(n, 0)
	b, err := s.mem.Bytes(addr, n)
	require.NoError(s.t, err)
	_, err = binary.Encode(b, binary.LittleEndian, values)
	require.NoError(s.t, err)
	return addr
}

func contents[T any](s *sample, addr uint64, n int) []T {
	values := make([]T, n)
	b, err := s.mem.Bytes(addr, binary.Size(values))
	require.NoError(s.t, err)
	_, err = binary.Decode(b, binary.LittleEndian, values)
	require.NoError(s.t, err)
	return values
}

func line(tbs, threads int) LaunchConfig {
	return LaunchConfig{Grid: workload.Dim3{X: tbs, Y: 1, Z: 1}, Block: workload.Dim3{X: threads, Y: 1, Z: 1}}
}

func TestACompiledSwitchAndLoop(t *testing.T) {
	s := newSample(t, "compute.ptx")
	in := make([]int32, 200)
	for i := range in {
		in[i] = int32(i*i) % 8
	}
	addr := array(s, in)
	s.run("cases", line(2, 100), params(addr))
	want := make([]int32, len(in))
	for k, v := range in {
		i := int32(k)
		switch v {
		case 0:
			v = i
		case 1:
			v *= 7
		case 2:
			v -= i * i
		case 3:
			v = v/(i+1) ^ 0x55
		case 4:
			v ^= 0x55
		case 5:
			for v < 100 {
				if v += i + 1; v == 50 {
					break
				}
			}
		default:
			v = -v
		}
		want[k] = v
	}
	require.Equal(t, want, contents[int32](s, addr, len(in)))
}

func TestCompiledBitOperations(t *testing.T) {
	s := newSample(t, "compute.ptx")
	x, y := make([]uint32, 96), make([]uint64, 96)
	wantX, wantY := make([]uint32, 96), make([]uint64, 96)
	seed := uint64(1)
	for i := range x {
		seed = seed*6364136223846793005 + 1442695040888963407
		x[i], y[i] = uint32(seed>>33), seed*seed
		if i == 5 {
			x[i] = 0
		}
		a := x[i]
		a = bits.RotateLeft32(a, 7) ^ uint32(bits.OnesCount32(a)) ^ uint32(bits.LeadingZeros32(a))
		a = bits.Reverse32(a) + uint32(int32(uint8(a))*int32(int16(a)))
		wantX[i] = a%10 + uint32(uint64(a)*0x12345678>>32)
		wantY[i] = y[i] ^ (uint64(bits.OnesCount64(y[i])) + y[i]>>5&0x3ff)
	}
	ax, ay := array(s, x), array(s, y)
	s.run("bits", line(3, 32), params(ax, ay))
	require.Equal(t, wantX, contents[uint32](s, ax, 96))
	require.Equal(t, wantY, contents[uint64](s, ay, 96))
}

func TestCompiledCallsPassStructuresAndDoubles(t *testing.T) {
	s := newSample(t, "compute.ptx")
	const n = 50
	out, f := make([]float64, n), make([]float32, 64)
	for i := range n {
		out[i], f[i] = 1+float64(i)/100, 2
	}
	wantOut, wantF := make([]float64, n), append([]float32(nil), f...)
	power := func(x float64, n int) float64 {
		r := 1.0
		for ; n != 0; n >>= 1 {
			if n&1 != 0 {
				r *= x
			}
			x *= x
		}
		return r
	}
	for i := range n {
		b := power(out[i], 3)
		wantOut[i] = b + power(b, i)
	}
	// The threads of the first warp read f[0] before any of them writes it.
	for i := range n {
		wantF[i] = f[i] * 2
		if i >= 32 {
			wantF[i] = f[i]
		}
	}
	ao, af := array(s, out), array(s, f)
	s.run("calls", line(1, 64), append(params(ao, af), n, 0, 0, 0))
	got := contents[float64](s, ao, n)
	for i := range got {
		require.InEpsilon(t, wantOut[i], got[i], 1e-12)
	}
	require.Equal(t, float32(4), contents[float32](s, af, 1)[0])
	require.Equal(t, wantF[1:32], contents[float32](s, af, 32)[1:])
	require.Equal(t, f[n:], contents[float32](s, af, 64)[n:], "threads beyond the end returned")
}

func TestACompiledReductionInStaticAndDynamicSharedMemory(t *testing.T) {
	s := newSample(t, "memory.ptx")
	in := make([]float32, 384)
	want := make([]float32, 6)
	for i := range in {
		in[i] = float32(i%17) - 3
		want[i/128] += in[i]
		want[3+i/128] += 2 * in[i]
	}
	out, ain := array(s, make([]float32, 6)), array(s, in)
	cfg := line(3, 128)
	cfg.DynamicShared = 512
	s.run("reduce", cfg, params(out, ain))
	require.Equal(t, want, contents[float32](s, out, 6), "sums of small whole numbers are exact")
	totals, n, err := s.mem.Symbol(s.m, "totals")
	require.NoError(t, err)
	require.Equal(t, 128, n)
	require.Equal(t, float64(want[2]), contents[float64](s, totals, 3)[2])
}

func TestCompiledTablesAndLocalArrays(t *testing.T) {
	s := newSample(t, "memory.ptx")
	in := make([]int32, 1000)
	for i := range in {
		in[i] = int32(i * i * 3)
	}
	ain, out := array(s, in), array(s, make([]int32, 16*32))
	s.run("localArray", line(1, 32), append(params(out, ain), 0xe8, 3, 0, 0))
	want := make([]int32, 16*32)
	for tid := range 32 {
		var histogram [16]int32
		for i := range histogram {
			histogram[i] = int32(i)
		}
		for i := tid; i < len(in); i += 32 {
			histogram[in[i]&15]++
		}
		for i := range histogram {
			want[tid*16+i] = histogram[i*5&15]
		}
	}
	require.Equal(t, want, contents[int32](s, out, len(want)))

	const n = 40
	lo, hi := [3]float32{1, 2, 4}, [3]float32{3, 5, 7}
	aout := array(s, make([]float32, n))
	block := binary.LittleEndian.AppendUint32(params(aout), n)
	for _, f := range append(lo[:], hi[:]...) {
		block = binary.LittleEndian.AppendUint32(block, math.Float32bits(f))
	}
	block = append(block, 6, 0, 0, 0, 0xff, 0xff, 4, 0) // n, flags -1, tag 4
	s.run("tables", line(1, 64), block)
	weights := [5]float32{0.25, 0.5, -1, 2, 1e-3}
	grid := [2][3]float32{{1, 2, 3}, {4, 5, 6}}
	for i, got := range contents[float32](s, aout, n) {
		sum := float32(0)
		for k := range 5 {
			sum += weights[(k+i)%5] * lo[k%3]
		}
		require.InDelta(t, sum+grid[i&1][i%3]+7+hi[i%3]*6-1-4, got, 1e-4)
	}
}
