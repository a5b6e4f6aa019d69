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
	"cotenant/workload/ptx/tensor"
)

// fragments is a kernel in which each lane loads registers from its row of an array, of so many
// words, executes text, and stores others to its row of another.
func fragments(t *testing.T, declare, load, text, store string, numerics tensor.Numerics, in []byte, outWords int) []byte {
	t.Helper()
	p, m := compileText(t, `.visible .entry k(.param .u64 input, .param .u64 output)
{
	.reg .b64 %in, %out; .reg .b32 %tid, %x;
	.shared .align 16 .b8 tile[4096];
`+declare+fmt.Sprintf(`
	ld.param.u64 %%in, [input];
	ld.param.u64 %%out, [output];
	mov.u32 %%tid, %%tid.x;
	mad.wide.u32 %%in, %%tid, %d, %%in;
	mad.wide.u32 %%out, %%tid, %d, %%out;
`, len(in)/lanes, 8*outWords)+load+text+store+"\n\tret;\n}\n")
	mem := NewMemory()
	mem.Load(m)
	from, to := mem.Alloc(len(in), 0), mem.Alloc(lanes*8*outWords, 0)
	data, err := mem.Bytes(from, len(in))
	require.NoError(t, err)
	copy(data, in)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: workload.Dim3{X: lanes, Y: 1, Z: 1}, Mem: mem, Params: params(from, to), Numerics: numerics}))
	data, err = mem.Bytes(to, lanes*8*outWords)
	require.NoError(t, err)
	return data
}

// Each form of mma multiplies the matrices that the layouts say, by the rules of the launch.
func TestEachProductOfMatrices(t *testing.T) {
	for _, form := range []struct {
		text string
		m, k int
	}{
		{"m16n8k16.row.col.f32.f16.f16.f32", 16, 16}, {"m16n8k16.row.col.f16.f16.f16.f16", 16, 16}, {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8},
		{"m16n8k8.row.col.f16.f16.f16.f16", 16, 8}, {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16}, {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8}, {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4}, {"m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32},
		{"m16n8k16.row.col.f32.e4m3.e5m2.f32", 16, 16}, {"m16n8k16.row.col.f16.e5m2.e4m3.f16", 16, 16}, {"m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e4m3.f32", 16, 32},
		{"m16n8k32.row.col.f16.e5m2.e5m2.f16", 16, 32}, {"m16n8k32.row.col.s32.s8.u8.s32", 16, 32}, {"m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 32},
		{"m16n8k16.row.col.s32.u8.u8.s32", 16, 16}, {"m8n8k16.row.col.s32.u8.s8.s32", 8, 16}, {"m8n8k4.row.col.f64.f64.f64.f64", 8, 4},
		{"m16n8k4.row.col.f64.f64.f64.f64", 16, 4}, {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8}, {"m16n8k16.row.col.f64.f64.f64.f64", 16, 16},
	} {
		var types []tensor.Type
		for _, mod := range strings.Split(form.text, ".") {
			if typ, ok := tensor.TypeOf(mod); ok {
				types = append(types, typ)
			}
		}
		s := tensor.NewShape(form.m, form.k, types[1], types[2], types[3], types[0])
		s.Saturate = strings.Contains(form.text, "satfinite")
		bits := "b32"
		if types[1] == tensor.F64 {
			bits = "b64"
		}
		for _, n := range []tensor.Numerics{tensor.Ampere, tensor.Hopper} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			words := s.A.Words + s.B.Words + s.C.Words
			in := make([]byte, lanes*8*words)
			for at := 0; at < len(in); at += 8 {
				v := rng.Uint64()
				if types[1] == tensor.F64 {
					v = math.Float64bits(rng.NormFloat64())
				} else if types[1] == tensor.TF32 || types[1] == tensor.F16 {
					v &= 0xbfffbfff // numbers
				}
				binary.LittleEndian.PutUint64(in[at:], v)
			}
			want := &tensor.Tiles{}
			take := func(matrix []uint64, l *tensor.Layout, size, first int) {
				for lane := range lanes {
					for e := range l.Words * l.PerWord {
						word := binary.LittleEndian.Uint64(in[8*(lane*words+first+e/l.PerWord):])
						matrix[l.At[lane*l.Words*l.PerWord+e]] = word >> (e % l.PerWord * size) & (math.MaxUint64 >> (64 - size))
					}
				}
			}
			take(want.A[:], s.A, types[1].Bits(), 0)
			take(want.B[:], s.B, types[2].Bits(), s.A.Words)
			take(want.C[:], s.C, types[3].Bits(), s.A.Words+s.B.Words)
			s.Multiply(want, n)

			var declare, load, store strings.Builder
			operand := func(name string, count, first int, loaded bool) string {
				var list []string
				for j := range count {
					r := fmt.Sprintf("%%%s%d", name, j)
					list = append(list, r)
					fmt.Fprintf(&declare, "\t.reg .%s %s;\n", bits, r)
					if loaded {
						fmt.Fprintf(&load, "\tld.global.%s %s, [%%in+%d];\n", bits, r, 8*(first+j))
					} else {
						fmt.Fprintf(&store, "\tst.global.%s [%%out+%d], %s;\n", bits, 8*j, r)
					}
				}
				return "{" + strings.Join(list, ", ") + "}"
			}
			text := "\tmma.sync.aligned." + form.text + " " + operand("d", s.D.Words, 0, false) + ", " + operand("a", s.A.Words, 0, true) + ", " +
				operand("b", s.B.Words, s.A.Words, true) + ", " + operand("c", s.C.Words, s.A.Words+s.B.Words, true) + ";\n"
			out := fragments(t, declare.String(), load.String(), text, store.String(), n, in, s.D.Words)
			for lane := range lanes {
				for e := range s.D.Words * s.D.PerWord {
					size := types[0].Bits()
					word := binary.LittleEndian.Uint64(out[8*(lane*s.D.Words+e/s.D.PerWord):])
					got := word >> (e % s.D.PerWord * size) & (math.MaxUint64 >> (64 - size))
					if expected := want.D[s.D.At[lane*s.D.Words*s.D.PerWord+e]]; got != expected {
						t.Fatalf("%s, lane %d, element %d: %#x, not %#x", form.text, lane, e, got, expected)
					}
				}
			}
		}
	}
}

// movement fills 512 bytes of shared memory with the numbers 0 to 255 as words of 16 bits, each
// lane 16 bytes from its row of the input, and stores four registers.
func movement(t *testing.T, text string, in []byte) (out [lanes][4]uint32) {
	t.Helper()
	data := fragments(t, "\t.reg .b32 %r<8>, %row; .reg .pred %p; .reg .b64 %generic;\n", `
	ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in];
	mov.u32 %x, tile;
	mad.lo.u32 %row, %tid, 16, %x;
`, text, `
	st.global.v4.b32 [%out], {%r4, %r5, %r6, %r7};`, tensor.Ampere, in, 2)
	for lane := range out {
		for k := range out[lane] {
			out[lane][k] = binary.LittleEndian.Uint32(data[16*lane+4*k:])
		}
	}
	return out
}

// numbered is 512 bytes of words of 16 bits.
func numbered() (in []byte) {
	for i := range 256 {
		in = binary.LittleEndian.AppendUint16(in, uint16(i))
	}
	return in
}

func TestMatricesAreLoadedByTheRowsOfEightLanesEach(t *testing.T) {
	// Four matrices, one behind the other, from whole rows of 16 bytes.
	const fill = "st.shared.v4.b32 [%row], {%r0, %r1, %r2, %r3};\n"
	for _, name := range []string{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%row];",
		"ldmatrix.sync.aligned.x4.m8n8.shared::cta.b16 {%r4, %r5, %r6, %r7}, [%row];",
		"cvt.u64.u32 %generic, %row; cvta.shared.u64 %generic, %generic; ldmatrix.sync.aligned.m8n8.x4.b16 {%r4, %r5, %r6, %r7}, [%generic];"} {
		out := movement(t, fill+name, numbered())
		for lane, registers := range out {
			g, pair := lane/4, lane%4
			for q, r := range registers {
				first := uint32(64*q + 8*g + 2*pair)
				require.Equal(t, first|(first+1)<<16, r)
			}
		}
	}
	out := movement(t, fill+"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r5, %r4}, [%row]; mov.u32 %r6, %r0; mov.u32 %r7, 7;", numbered())
	for lane, registers := range out {
		g, pair := lane/4, lane%4
		for q, r := range []uint32{registers[1], registers[0]} {
			require.Equal(t, uint32(64*q+8*2*pair+g)|uint32(64*q+8*(2*pair+1)+g)<<16, r)
		}
	}
	// One matrix: the other lanes' addresses do not matter.
	out = movement(t, fill+`setp.ge.u32 %p, %tid, 8; @%p mov.u32 %row, 0xfffffff1;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%row]; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;`, numbered())
	require.Equal(t, uint32(8*7+6)|(8*7+7)<<16, out[31][0])
}

func TestMatricesAreStoredAndTransposed(t *testing.T) {
	const back = "\nld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%row];"
	plain := movement(t, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row], {%r0, %r1, %r2, %r3};"+back, numbered())
	transposed := movement(t, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%row], {%r0, %r1, %r2, %r3};"+back, numbered())
	for row := range lanes {
		q, r := row/8, row%8
		for column := range 8 {
			at := func(lane int) uint32 { return uint32(8*lane + 2*q) } // the lower half of register q
			want := at(4*r+column/2) + uint32(column%2)
			require.Equal(t, want, plain[row][column/2]>>(16*(column%2))&0xffff)
			want = at(4*column+r/2) + uint32(r%2)
			require.Equal(t, want, transposed[row][column/2]>>(16*(column%2))&0xffff)
		}
	}
	twice := movement(t, `movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r1;
	movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r4;
	stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r1};
	ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r6}, [%row];
	mov.u32 %r7, %r1;`, numbered())
	for _, r := range twice {
		require.Equal(t, r[3], r[1])
		require.Equal(t, r[2], r[0])
	}
}

func TestMatricesTakeAllLanesAndRowsInSharedMemory(t *testing.T) {
	run := func(body string) error {
		_, err := tryOutput(t, kernel(".shared .align 16 .b8 tile[64];\n"+body), LaunchConfig{Block: workload.Dim3{X: 32, Y: 1, Z: 1}}, 32)
		return err
	}
	require.ErrorContains(t, run("setp.lt.u32 %p1, %tid, 31; @%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"),
		"the lanes 0x7fffffff execute it; valid are all 32 of a warp")
	require.ErrorContains(t, run("mov.u32 %r1, tile; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+8];"), "is not a multiple of the 16 bytes accessed")
	require.ErrorContains(t, run("mov.u32 %r1, tile; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+64];"), "is past the end; valid are the 64 bytes from 0")
	require.ErrorContains(t, run("ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%mine];"), "its addresses are not all in shared memory")
}

func TestMatricesThatAnotherWarpWritesDependOnOrder(t *testing.T) {
	watch := func(first, between string) error {
		p, m := compileText(t, kernel(`.shared .align 16 .b8 tile[256];
	setp.ge.u32 %p1, %tid, 32;
	and.b32 %r4, %tid, 31;
	setp.eq.and.u32 %p3, %r4, 0, %p1;
	@%p3 st.shared.u32 [tile+128], %tid;
	@%p1 bra $load;
	and.b32 %r1, %tid, 7;
	mov.u32 %r2, tile;
	mad.lo.u32 %r1, %r1, 16, %r2;
	setp.ge.u32 %p2, %tid, 8;
	@%p2 add.u32 %r1, %r2, 128; // no row, and the other warp writes there
	`+first+`
$load:
	`+between+`
	@!%p1 bra $end;
	and.b32 %r1, %tid, 7;
	mov.u32 %r2, tile;
	mad.lo.u32 %r1, %r1, 16, %r2;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];
$end:`))
		mem := NewMemory()
		mem.Load(m)
		order := NewOrderWatch(mem)
		one := workload.Dim3{X: 1, Y: 1, Z: 1}
		require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: mem, Params: params(mem.Alloc(256, 0)), Order: order}))
		return order.Dependence()
	}
	const store, load = "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r3};", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1];"
	require.NoError(t, watch(store, "bar.sync 0;"))
	require.NoError(t, watch(load, ""))
	require.ErrorContains(t, watch(store, ""), "it accesses memory that another warp accesses")
}
