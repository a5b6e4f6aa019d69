package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx/smallfloat"
	"cotenant/workload/ptx/tensor"
)

// placed says where the byte along k of line i is (or, flipped, the byte along the line of line k), and the
// bits of the descriptor but the address. The formulas are those of the tables of shared memory layouts in
// the PTX ISA, with the exclusive or of line and row numbers.
type placed struct {
	name string
	// at has the place of element e (along k) of row i, of n bytes.
	at      func(i, e, n int) int
	bits    uint64
	flipped bool
}

// layouts are the ways to store rows of k elements of n bytes, at most 128 bytes of k.
func layouts(n, rows int) (list []placed) {
	swizzled := func(span int) placed {
		code := map[int]uint64{128: 1, 64: 2, 32: 3}[span]
		return placed{fmt.Sprint("k-major ", span), func(i, e, n int) int {
			b := e * n
			line := b/16%(span/16) ^ i%8*span/128%(span/16)
			return b/span*rows*span + i*span + line*16 + b%16
		}, code<<62 | uint64(8*span/16)<<32 | 1<<16, false}
	}
	flipped := func(span int) placed {
		code := map[int]uint64{128: 1, 64: 2, 32: 3}[span]
		return placed{fmt.Sprint("mn-major ", span), func(i, e, n int) int {
			b := i * n
			line := b/16%(span/16) ^ e%8*span/128%(span/16)
			return b/span*(16*span) + e/8*(8*span) + e%8*span + line*16 + b%16
		}, code<<62 | uint64(8*span/16)<<32 | uint64(16*span/16)<<16, true}
	}
	list = append(list, swizzled(128), swizzled(64), swizzled(32),
		placed{"k-major", func(i, e, n int) int { return e*n/16*(rows*16) + i*16 + e*n%16 }, uint64(128/16)<<32 | uint64(rows)<<16, false})
	if n == 2 {
		list = append(list, placed{"mn-major", func(i, e, n int) int { return i*n/16*256 + e/8*128 + e%8*16 + i*n%16 }, uint64(256/16)<<32 | uint64(128/16)<<16, true})
		for _, span := range []int{128, 64, 32} {
			if rows*2%span == 0 {
				list = append(list, flipped(span))
			}
		}
	}
	return list
}

// warpgroup multiplies images of A and B, and returns D by thread and register. a is nil for A in registers,
// which are the words of each thread.
func warpgroup(t *testing.T, text string, results int, a, b []byte, descA, descB uint64, registers []uint32, c []uint32) []uint32 {
	t.Helper()
	var list, loads, stores []string
	for i := range results {
		list = append(list, fmt.Sprintf("%%d%d", i))
		loads = append(loads, fmt.Sprintf("ld.global.b32 %%d%d, [%%out+%d];", i, 4*i))
		stores = append(stores, fmt.Sprintf("st.global.b32 [%%out+%d], %%d%d;", 4*i, i))
	}
	first := "%da"
	if registers != nil {
		first = "{%a0, %a1, %a2, %a3}"
	}
	p, m := compileText(t, fmt.Sprintf(`.extern .shared .align 1024 .b8 tile[];
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 da, .param .u64 db, .param .u64 regs)
{
	.reg .b64 %%in, %%out, %%da, %%db, %%regs; .reg .b32 %%tid, %%a<4>, %%at; .reg .b32 %%d<%d>; .reg .pred %%p, %%first; .shared .align 8 .b64 bar;
	ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u64 %%da, [da]; ld.param.u64 %%db, [db]; ld.param.u64 %%regs, [regs];
	mov.u32 %%tid, %%tid.x;
	mov.u32 %%at, tile;
	{ .reg .b64 %%x; cvt.u64.u32 %%x, %%at; shr.u64 %%x, %%x, 4; add.u64 %%da, %%da, %%x; add.u64 %%db, %%db, %%x; }
	mad.wide.u32 %%out, %%tid, %d, %%out;
	mad.wide.u32 %%regs, %%tid, 16, %%regs;
	setp.eq.u32 %%first, %%tid, 0;
	@%%first mbarrier.init.shared.b64 [bar], 1;
	@%%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;
	@%%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%at], [%%in], %d, [bar];
	bar.sync 0;
again:
	mbarrier.try_wait.parity.shared.b64 %%p, [bar], 0;
	@!%%p bra again;
	ld.global.v4.b32 {%%a0, %%a1, %%a2, %%a3}, [%%regs];
	%s
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.%s {%s}, %s, %%db, %s;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	%s
	ret;
}
`, results, 4*results, len(a)+len(b), len(a)+len(b), strings.Join(loads, "\n"), strings.Split(text, " ")[0], strings.Join(list, ", "), first,
		strings.Join(strings.Split(text, " ")[1:], " "), strings.Join(stores, "\n")))
	mem := NewMemory()
	mem.Load(m)
	from, to, regs := mem.Alloc(len(a)+len(b), 0), mem.Alloc(128*4*results, 0), mem.Alloc(128*16, 0)
	data, err := mem.Bytes(from, len(a)+len(b))
	require.NoError(t, err)
	copy(data[copy(data, a):], b)
	data, err = mem.Bytes(regs, 128*16)
	require.NoError(t, err)
	for i, r := range registers {
		binary.LittleEndian.PutUint32(data[4*i:], r)
	}
	data, err = mem.Bytes(to, 128*4*results)
	require.NoError(t, err)
	for i, r := range c {
		binary.LittleEndian.PutUint32(data[4*i:], r)
	}
	descB += uint64(len(a) / 16)
	require.NoError(t, Run(p, &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 128, Y: 1, Z: 1},
		DynamicShared: len(a) + len(b), Mem: mem, Params: params(from, to, descA, descB, regs)}))
	out := make([]uint32, 128*results)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return out
}

// Each type, shape and layout of A and B gives the exact product of small whole numbers.
func TestProductsOfFourWarps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		types  string
		in     tensor.Type
		k, n   int
		format *smallfloat.Format
	}{
		{"f32.f16.f16", tensor.F16, 16, 8, smallfloat.F16}, {"f32.f16.f16", tensor.F16, 16, 64, smallfloat.F16}, {"f32.bf16.bf16", tensor.BF16, 16, 256, smallfloat.BF16},
		{"f16.f16.f16", tensor.F16, 16, 128, smallfloat.F16}, {"f32.tf32.tf32", tensor.TF32, 8, 24, smallfloat.TF32},
		{"f32.e4m3.e5m2", tensor.E4M3, 32, 32, smallfloat.E4M3}, {"s32.s8.u8", tensor.S8, 32, 64, nil},
	} {
		size := c.in.Bits() / 8
		half := strings.HasPrefix(c.types, "f16")
		a, b, d := make([]int, 64*c.k), make([]int, c.n*c.k), make([]int, 64*c.n)
		for i := range a {
			a[i] = rng.IntN(7) - 3
		}
		for i := range b {
			b[i] = rng.IntN(4)
		}
		for i := range d {
			d[i] = rng.IntN(9) - 4
		}
		pattern := func(v int, second bool) uint64 {
			switch {
			case c.format == nil:
				return uint64(uint8(v))
			case second && c.in == tensor.E4M3:
				return smallfloat.E5M2.Round(float64(v), smallfloat.ToNearest, false)
			case c.in == tensor.TF32:
				return uint64(math.Float32bits(float32(v)))
			}
			return c.format.Round(float64(v), smallfloat.ToNearest, false)
		}
		image := func(values []int, rows int, l placed, second bool) []byte {
			bytes := make([]byte, max(1024, (rows*32+1023)/1024*1024*4))
			for i := range rows {
				for e := range c.k {
					put(bytes[l.at(i, e, size):], uint8(size), pattern(values[i*c.k+e], second))
				}
			}
			return bytes
		}
		results := c.n / 2
		if half {
			results = c.n / 4
		}
		// The elements of D of a thread, by the formula of the PTX ISA.
		place := func(thread, i int) (row, column int) {
			w, g, q := thread/32, thread%32/4, thread%4
			return 16*w + g + 8*(i/2%2), 8*(i/4) + 2*q + i%2
		}
		element := func(v int) uint32 {
			switch {
			case c.format == nil:
				return uint32(int32(v))
			case half:
				return uint32(smallfloat.F16.Round(float64(v), smallfloat.ToNearest, false))
			}
			return math.Float32bits(float32(v))
		}
		fragment := func(values []int) (out []uint32) {
			for thread := range 128 {
				for r := range results {
					if half {
						row, column := place(thread, 2*r)
						out = append(out, element(values[row*c.n+column])|element(values[row*c.n+column+1])<<16)
						continue
					}
					row, column := place(thread, r)
					out = append(out, element(values[row*c.n+column]))
				}
			}
			return out
		}
		product := func(adds, signA, signB int) []int {
			out := make([]int, len(d))
			for i := range 64 {
				for j := range c.n {
					sum := adds * d[i*c.n+j]
					for e := range c.k {
						sum += signA * signB * a[i*c.k+e] * b[j*c.k+e]
					}
					out[i*c.n+j] = sum
				}
			}
			return out
		}
		// A in registers, as m16n8k16 has it.
		var registers []uint32
		per := 4 / size
		for thread := range 128 {
			w, g, q := thread/32, thread%32/4, thread%4
			for r := range 4 {
				word := uint32(0)
				for e := range per {
					word |= uint32(pattern(a[(16*w+g+8*(r%2))*c.k+per*(q+4*(r/2))+e], false)) << (e * c.in.Bits() % 32)
				}
				registers = append(registers, word)
			}
		}
		for _, la := range layouts(size, 64) {
			for _, lb := range layouts(size, c.n) {
				flag := func(flipped bool) string {
					if size != 2 {
						return ""
					}
					return fmt.Sprintf(", %d", bit(flipped))
				}
				text := fmt.Sprintf("m64n%dk%d.%s ", c.n, c.k, c.types)
				scales := ", -1, 1"
				signA := -1
				if c.format == nil {
					scales, signA = "", 1
				}
				got := warpgroup(t, text+"1"+scales+flag(la.flipped)+flag(lb.flipped), results, image(a, 64, la, false), image(b, c.n, lb, true), la.bits, lb.bits, nil, fragment(d))
				require.Equal(t, fragment(product(1, signA, 1)), got, "%s, %s, %s", text, la.name, lb.name)
			}
		}
		lb := layouts(size, c.n)[0]
		scales, flag := ", 1, -1", ""
		signB := -1
		if c.format == nil {
			scales, signB = "", 1
		}
		if size == 2 {
			flag = ", 0"
		}
		got := warpgroup(t, fmt.Sprintf("m64n%dk%d.%s 0%s%s", c.n, c.k, c.types, scales, flag), results, nil, image(b, c.n, lb, true), 0, lb.bits, registers, fragment(d))
		require.Equal(t, fragment(product(0, 1, signB)), got, c.types)
	}
}
