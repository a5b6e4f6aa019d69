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

// element reads and writes the elements of a type as small whole numbers, which every type and
// every sum holds exactly.
type element struct {
	bytes int
	put   func(v int) uint64
	get   func(v uint64) int
}

func smallElement(f *smallfloat.Format) element {
	return element{f.Bytes(), func(v int) uint64 { return f.Round(float64(v), toNearest, false) }, func(v uint64) int { return int(f.Value(v)) }}
}

var elements = map[string]element{
	"f16": smallElement(smallfloat.F16), "bf16": smallElement(smallfloat.BF16), "tf32": smallElement(smallfloat.TF32),
	"s8":  {1, func(v int) uint64 { return uint64(uint8(v)) }, func(v uint64) int { return int(int8(v)) }},
	"u8":  {1, func(v int) uint64 { return uint64(v & 7) }, func(v uint64) int { return int(uint8(v)) }},
	"s32": {4, func(v int) uint64 { return uint64(uint32(v)) }, func(v uint64) int { return int(int32(v)) }},
	"f32": {4, func(v int) uint64 { return uint64(math.Float32bits(float32(v))) }, func(v uint64) int { return int(math.Float32frombits(uint32(v))) }},
	"f64": {8, func(v int) uint64 { return math.Float64bits(float64(v)) }, func(v uint64) int { return int(math.Float64frombits(v)) }},
}

// matrix is a matrix in memory, by rows or by columns, with room between the lines.
type matrix struct {
	rows, columns, stride int
	layout                string
	e                     element
	data                  []byte
}

func (m *matrix) at(row, column int) []byte {
	line, place := row, column
	if m.layout == "col" {
		line, place = place, line
	}
	return m.data[(line*m.stride+place)*m.e.bytes:]
}

func (m *matrix) value(row, column int) int { return m.e.get(get(m.at(row, column), uint8(m.e.bytes))) }

func newMatrix(rng *rand.Rand, rows, columns int, layout, typ string, padding int) *matrix {
	m := &matrix{rows, columns, columns + padding, layout, elements[typ], nil}
	lines := rows
	if layout == "col" {
		m.stride, lines = rows+padding, columns
	}
	m.data = make([]byte, lines*m.stride*m.e.bytes)
	for row := range rows {
		for column := range columns {
			put(m.at(row, column), uint8(m.e.bytes), m.e.put(rng.IntN(9)-4))
		}
	}
	return m
}

func TestEveryMultiplicationOfFragmentsInMemory(t *testing.T) {
	type form struct {
		shape            string
		d, a, c          string
		nA, nB, nC, nD   int
		fragment, result string // types of registers
	}
	var forms []form
	for i, shape := range []string{"m16n16k16", "m32n8k16", "m8n32k16"} {
		a, b := []int{4, 8, 2}[i], []int{4, 2, 8}[i]
		count := map[string]int{"f16": 4, "f32": 8}
		for _, d := range []string{"f16", "f32"} {
			for _, c := range []string{"f16", "f32"} {
				forms = append(forms, form{shape, d, "f16", c, 8, 8, count[c], count[d], "b32", "b32"})
			}
		}
		forms = append(forms, form{shape, "f32", "bf16", "f32", a, b, 8, 8, "b32", "f32"},
			form{shape, "s32", "s8", "s32", a / 2, b / 2, 8, 8, "b32", "b32"}, form{shape, "s32", "u8", "s32", a / 2, b / 2, 8, 8, "b32", "b32"})
	}
	forms = append(forms, form{"m16n16k8", "f32", "tf32", "f32", 4, 4, 8, 8, "b32", "f32"}, form{"m8n8k4", "f64", "f64", "f64", 1, 1, 2, 2, "f64", "f64"})
	spaces := []string{".global", ".shared", ""}
	rng := rand.New(rand.NewPCG(1, 2))
	for number, f := range forms {
		var rows, columns, depth int
		_, err := fmt.Sscanf(f.shape, "m%dn%dk%d", &rows, &columns, &depth)
		require.NoError(t, err)
		for combination := range 8 {
			layout := func(bit int) string { return []string{"row", "col"}[combination>>bit&1] }
			space, padding := spaces[(combination+number)%3], 8*(combination%2)
			a := newMatrix(rng, rows, depth, layout(0), f.a, padding)
			b := newMatrix(rng, depth, columns, layout(1), f.a, padding)
			c := newMatrix(rng, rows, columns, layout(2), f.c, padding)
			d := newMatrix(rng, rows, columns, layout(2), f.d, padding)
			types := f.d + "." + f.c
			if f.a != "f16" {
				types = f.d + "." + f.a + "." + f.a + "." + f.c
			}
			group := func(name string, n int) string {
				var list []string
				for i := range n {
					list = append(list, fmt.Sprintf("%%%s%d", name, i))
				}
				return "{" + strings.Join(list, ", ") + "}"
			}
			stride := func(m *matrix) string {
				if m.stride == m.rows && m.layout == "col" || m.stride == m.columns && m.layout == "row" {
					return "" // the default
				}
				return fmt.Sprintf(", %d", m.stride)
			}
			// In shared memory all is copied to the front and back by all lanes.
			all := append(append(append(append([]byte(nil), a.data...), b.data...), c.data...), d.data...)
			pointer, move, shared := "%in", "", fmt.Sprintf(".shared .align 16 .b8 tile[%d];", len(all))
			const loop = `
	mov.u32 %%i, 0;
%[1]s:
	mad.wide.u32 %%p, %%i, 4, %%in;
	add.u32 %%q, %%i, 0;
	mov.u32 %%s, tile;
	mad.lo.u32 %%s, %%q, 4, %%s;
	%[2]s
	add.u32 %%i, %%i, 1;
	setp.lt.u32 %%more, %%i, %[3]d;
	@%%more bra %[1]s;
`
			if space == ".shared" {
				pointer, move = "%base", fmt.Sprintf(loop, "$in", "ld.global.b32 %v, [%p]; st.shared.b32 [%s], %v;", len(all)/4)+"\tmov.u32 %base, tile;\n"
			}
			text := fmt.Sprintf(`.visible .entry k(.param .u64 input)
{
	.reg .b64 %%in, %%p; .reg .b32 %%base, %%i, %%q, %%s, %%v; .reg .pred %%more;
	.reg .%s %%a<9>; .reg .%s %%b<9>; .reg .%s %%c<9>; .reg .%s %%d<9>;
	%s
	ld.param.u64 %%in, [input];
	%s
	wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%s]%s;
	wmma.load.b.sync.aligned.%s.%s%s.%s %s, [%s+%d]%s;
	wmma.load.c.sync.aligned.%s.%s%s.%s %s, [%s+%d]%s;
	wmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;
	wmma.store.d.sync.aligned.%s.%s%s.%s [%s+%d], %s%s;
	%s
	ret;
}`, f.fragment, f.fragment, f.result, f.result, shared, move,
				a.layout, f.shape, space, f.a, group("a", f.nA), pointer, stride(a),
				b.layout, f.shape, space, f.a, group("b", f.nB), pointer, len(a.data), stride(b),
				c.layout, f.shape, space, f.c, group("c", f.nC), pointer, len(a.data)+len(b.data), stride(c),
				a.layout, b.layout, f.shape, types, group("d", f.nD), group("a", f.nA), group("b", f.nB), group("c", f.nC),
				d.layout, f.shape, space, f.d, pointer, len(a.data)+len(b.data)+len(c.data), group("d", f.nD), stride(d),
				map[bool]string{true: fmt.Sprintf(loop, "$out", "ld.shared.b32 %v, [%s]; st.global.b32 [%p], %v;", len(all)/4)}[space == ".shared"])
			p, m := compileText(t, text)
			mem := NewMemory()
			mem.Load(m)
			addr := mem.Alloc(len(all), 0)
			memory, err := mem.Bytes(addr, len(all))
			require.NoError(t, err)
			copy(memory, all)
			one := workload.Dim3{X: 1, Y: 1, Z: 1}
			require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: workload.Dim3{X: lanes, Y: 1, Z: 1}, Mem: mem, Params: binary.LittleEndian.AppendUint64(nil, addr)}))
			d.data = memory[len(all)-len(d.data):]
			for row := range rows {
				for column := range columns {
					want := c.value(row, column)
					for k := range depth {
						want += a.value(row, k) * b.value(k, column)
					}
					if got := d.value(row, column); got != want {
						t.Fatalf("%s %s%s %s %s %s: (%d, %d) is %d, not %d", f.shape, types, space, a.layout, b.layout, c.layout, row, column, got, want)
					}
				}
			}
		}
	}
}

// Sums are made in the order of the depth, which decides how they round: those of a Volta by four.
func TestFragmentsAreSummedInTheOrderOfTheirDepth(t *testing.T) {
	p, m := compileText(t, `.visible .entry k(.param .u64 input)
{
	.reg .b64 %in; .reg .b32 %a<8>, %b<8>; .reg .f32 %d<8>;
	ld.param.u64 %in, [input];
	wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%in];
	wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [%in+512];
	wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, [%in+1024];
	wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7},
		{%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7};
	wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%in+1024], {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7};
	ret;
}`)
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(2048, 0)
	memory, err := mem.Bytes(addr, 2048)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	s, left, right := tensor.NewShape(16, 16, tensor.F16, tensor.F16, tensor.F32, tensor.F32), &tensor.Tiles{}, &tensor.Tiles{}
	for i := range 512 {
		v := uint16(rng.Uint32()) & 0xbfff // a number
		binary.LittleEndian.PutUint16(memory[2*i:], v)
		switch row, column := i/16%16, i%16; {
		case i < 256:
			left.A[i], right.A[i] = uint64(v), uint64(v)
		case column < 8:
			left.B[8*row+column] = uint64(v)
		default:
			right.B[8*row+column-8] = uint64(v)
		}
	}
	s.Multiply(left, tensor.Volta)
	s.Multiply(right, tensor.Volta)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: workload.Dim3{X: lanes, Y: 1, Z: 1}, Mem: mem, Params: params(addr), Numerics: tensor.Volta}))
	for i := range 256 {
		half, column := left, i%16
		if column >= 8 {
			half, column = right, column-8
		}
		require.Equal(t, uint32(half.D[8*(i/16)+column]), binary.LittleEndian.Uint32(memory[1024+4*i:]), "row %d, column %d", i/16, i%16)
	}
}

// The result may be in registers of any operand.
func TestAProductMayReplaceItsOperands(t *testing.T) {
	const load = `.reg .b32 %a<8>; .reg .b32 %b<8>; .reg .b32 %c<8>; .reg .b32 %e<8>;
	wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%out];
	wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [%out+512];
	wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%out];`
	const operands = ", {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};"
	run := func(result string) []uint32 {
		p, m := compileText(t, kernel(load+"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "+result+operands+
			"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out+1024], "+result+";"))
		mem := NewMemory()
		mem.Load(m)
		addr := mem.Alloc(2048, 0)
		data, err := mem.Bytes(addr, 2048)
		require.NoError(t, err)
		for i := range 512 {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(0x3c00+i%64))
		}
		one := workload.Dim3{X: 1, Y: 1, Z: 1}
		require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: mem, Params: params(addr)}))
		var out []uint32
		for i := range 256 {
			out = append(out, binary.LittleEndian.Uint32(data[1024+4*i:]))
		}
		return out
	}
	want := run("{%e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7}")
	for _, result := range []string{"{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}", "{%c7, %c6, %c5, %c4, %c3, %c2, %c1, %c0}",
		"{%a0, %a1, %a2, %a3, %b0, %b1, %b2, %b3}", "{%b2, %b3, %a0, %a1, %e0, %e1, %e2, %e3}"} {
		require.Equal(t, want, run(result), result)
	}
}
