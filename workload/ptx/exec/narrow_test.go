package exec

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/tensor"
)

// narrow is a matrix of numbers of 4 bits or 1 bit: lines along k of A's rows or B's columns.
type narrow struct {
	bits   int
	signed bool
	lines  [][]int
}

func newNarrow(rng *rand.Rand, typ string, lines, depth int) *narrow {
	m := &narrow{bits: 4, signed: typ == "s4"}
	if typ == "b1" {
		m.bits = 1
	}
	for range lines {
		line := make([]int, depth)
		for k := range line {
			if line[k] = rng.IntN(1 << m.bits); m.signed {
				line[k] -= 8
			}
		}
		m.lines = append(m.lines, line)
	}
	return m
}

// pack is the bits of the numbers from k on that a register holds.
func (m *narrow) pack(line, k int) (word uint32) {
	for e := range 32 / m.bits {
		word |= uint32(m.lines[line][k+e]) & (1<<m.bits - 1) << (e * m.bits)
	}
	return word
}

// image is the matrix in memory, line by line.
func (m *narrow) image() (out []byte) {
	for i := range m.lines {
		for k := 0; k < len(m.lines[i]); k += 32 / m.bits {
			out = binary.LittleEndian.AppendUint32(out, m.pack(i, k))
		}
	}
	return out
}

// dot multiplies two lines; the product of bits is and, or exclusive or.
func (m *narrow) dot(b *narrow, i, j int, xor bool) (sum int) {
	for k, x := range m.lines[i] {
		y := b.lines[j][k]
		if xor {
			sum += x ^ y
			continue
		}
		sum += x * y
	}
	return sum
}

// Elements of 4 bits and of 1 bit are multiplied as the tables of fragments in the PTX ISA lay them out: with
// p elements in a register, register r of A holds row g + 8 (r odd) from k = p(t + 4(r/2)) on.
func TestProductsOfElementsBelowAByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, form := range []struct {
		text, a, b string
		m, k       int
	}{
		{"m16n8k64.row.col.s32.s4.u4.s32", "s4", "u4", 16, 64}, {"m16n8k32.row.col.s32.u4.s4.s32", "u4", "s4", 16, 32}, {"m8n8k32.row.col.s32.s4.s4.s32", "s4", "s4", 8, 32},
		{"m16n8k64.row.col.satfinite.s32.u4.u4.s32", "u4", "u4", 16, 64}, {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", "b1", "b1", 16, 256},
		{"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "b1", "b1", 16, 256}, {"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "b1", "b1", 16, 128},
		{"m8n8k128.row.col.s32.b1.b1.s32.and.popc", "b1", "b1", 8, 128},
	} {
		a, b := newNarrow(rng, form.a, form.m, form.k), newNarrow(rng, form.b, 8, form.k)
		per, down := 32/a.bits, form.m/8
		wordsA, wordsB, wordsC := down*form.k/(4*per), form.k/(4*per), form.m/4
		c := make([]int32, form.m*8)
		for i := range c {
			if c[i] = int32(rng.Uint32()); i%2 == 0 {
				c[i] = 1<<31 - 1 - int32(rng.IntN(100)) // near the greatest
			}
		}
		place := func(lane, i int) int { return (lane/4+8*(i/2))*8 + 2*(lane%4) + i%2 }
		var in []byte
		for lane := range lanes {
			g, q := lane/4, lane%4
			for r := range wordsA {
				in = binary.LittleEndian.AppendUint32(in, a.pack(g+8*(r%down), per*(q+4*(r/down))))
			}
			for r := range wordsB {
				in = binary.LittleEndian.AppendUint32(in, b.pack(g, per*(q+4*r)))
			}
			for i := range wordsC {
				in = binary.LittleEndian.AppendUint32(in, uint32(c[place(lane, i)]))
			}
		}
		var load, store strings.Builder
		at := 0
		group := func(name string, n int, loaded bool) string {
			var list []string
			for i := range n {
				r := fmt.Sprintf("%%%s%d", name, i)
				if list = append(list, r); loaded {
					fmt.Fprintf(&load, "ld.global.b32 %s, [%%in+%d];\n", r, at)
					at += 4
				} else {
					fmt.Fprintf(&store, "st.global.b32 [%%out+%d], %s;\n", 8*i, r)
				}
			}
			return "{" + strings.Join(list, ", ") + "}"
		}
		text := "mma.sync.aligned." + form.text + " " + strings.Join([]string{group("d", wordsC, false), group("a", wordsA, true), group("b", wordsB, true), group("c", wordsC, true)}, ", ") + ";\n"
		out := fragments(t, ".reg .b32 %a<4>, %b<2>, %c<4>, %d<4>;", load.String(), text, store.String(), tensor.Ampere, in, wordsC)
		for lane := range lanes {
			for i := range wordsC {
				at := place(lane, i)
				sum := int64(c[at]) + int64(a.dot(b, at/8, at%8, strings.Contains(form.text, "xor")))
				if strings.Contains(form.text, "satfinite") {
					sum = min(sum, 1<<31-1)
				}
				require.Equal(t, uint32(sum), binary.LittleEndian.Uint32(out[8*(lane*wordsC+i):]), "%s, lane %d, element %d", form.text, lane, i)
			}
		}
	}
}

// Fragments of such elements in memory, with a stride in elements.
func TestFragmentsOfElementsBelowAByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, form := range []struct {
		typ, op, types string
		k              int
	}{{"s4", "mma", "s32.s4.s4.s32", 32}, {"u4", "mma", "s32.u4.u4.s32", 32}, {"b1", "mma.xor.popc", "s32.b1.b1.s32", 128}, {"b1", "mma.and.popc", "s32.b1.b1.s32", 128}} {
		a, b := newNarrow(rng, form.typ, 8, 2*form.k), newNarrow(rng, form.typ, 8, 2*form.k)
		in := append(a.image(), b.image()...)
		c := make([]int32, 64)
		for i := range c {
			c[i] = int32(rng.IntN(1000)) - 500
			in = binary.LittleEndian.AppendUint32(in, uint32(c[i]))
		}
		in = append(in, make([]byte, (lanes-len(in)%lanes)%lanes)...)
		size := len(a.image())
		shape := fmt.Sprintf("m8n8k%d", form.k)
		text := fmt.Sprintf(`
	ld.param.u64 %%in, [input];
	ld.param.u64 %%out, [output];
	wmma.load.a.sync.aligned.row.%[1]s.global.%[2]s {%%a}, [%%in], %[3]d;
	wmma.load.b.sync.aligned.col.%[1]s.global.%[2]s {%%b}, [%%in+%[4]d], %[3]d;
	wmma.load.c.sync.aligned.row.%[1]s.global.s32 {%%c0, %%c1}, [%%in+%[5]d], 8;
	wmma.%[6]s.sync.aligned.row.col.%[1]s.%[7]s {%%d0, %%d1}, {%%a}, {%%b}, {%%c0, %%c1};
	wmma.store.d.sync.aligned.col.%[1]s.global.s32 [%%out], {%%d0, %%d1}, 8;
`, shape, form.typ, 2*form.k, size, 2*size, form.op, form.types)
		out := fragments(t, ".reg .b32 %a, %b, %c<2>, %d<2>;", "", text, "", tensor.Turing, in, 2)
		for m := range []*narrow{a, b} { // the upper half of a line in memory is not multiplied
			for i := range 8 {
				[]*narrow{a, b}[m].lines[i] = []*narrow{a, b}[m].lines[i][:form.k]
			}
		}
		for row := range 8 {
			for column := range 8 {
				want := c[8*row+column] + int32(a.dot(b, row, column, strings.Contains(form.op, "xor")))
				require.Equal(t, want, int32(binary.LittleEndian.Uint32(out[4*(8*column+row):])), "%s %s (%d, %d)", form.op, form.typ, row, column)
			}
		}
	}
}

// wgmma multiplies single bits out of shared memory, or A out of registers.
func TestProductsOfBitsByFourWarps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n, k = 16, 256
	a, b := newNarrow(rng, "b1", 64, k), newNarrow(rng, "b1", n, k)
	image := func(m *narrow) []byte { // without swizzle: cores of 8 lines of 16 bytes, all lines' first halves before the second ones
		bytes := make([]byte, max(1024, len(m.lines)*32))
		for i := range m.lines {
			for at := 0; at < 32; at += 4 {
				binary.LittleEndian.PutUint32(bytes[at/16*len(m.lines)*16+i*16+at%16:], m.pack(i, 8*at))
			}
		}
		return bytes
	}
	descriptor := func(lines int) uint64 { return uint64(128/16)<<32 | uint64(lines)<<16 }
	c := make([]uint32, 128*n/2)
	for i := range c {
		c[i] = rng.Uint32()
	}
	var registers []uint32
	for thread := range 128 {
		for r := range 4 {
			registers = append(registers, a.pack(thread/32*16+thread%32/4+8*(r%2), 32*(thread%4+4*(r/2))))
		}
	}
	for _, r := range [][]uint32{nil, registers} {
		out := warpgroup(t, "m64n16k256.s32.b1.b1.and.popc 1", n/2, image(a), image(b), descriptor(64), descriptor(n), r, c)
		for thread := range 128 {
			for i := range n / 2 {
				row, column := 16*(thread/32)+thread%32/4+8*(i/2%2), 8*(i/4)+2*(thread%4)+i%2
				require.Equal(t, c[thread*n/2+i]+uint32(a.dot(b, row, column, false)), out[thread*n/2+i], "thread %d, register %d", thread, i)
			}
		}
	}
}
