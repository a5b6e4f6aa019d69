package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/smallfloat"
	"cotenant/workload/ptx/tensor"
)

// The four products of mma.m8n8k4 are of small whole numbers, so exact. Each lane's elements are where the
// text of the PTX ISA puts them.
func TestProductsOfQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, layouts := range []string{"row.col", "row.row", "col.col", "col.row"} {
		for _, types := range []string{"f32.f16.f16.f32", "f16.f16.f16.f16", "f32.f16.f16.f16"} {
			var a, b, c [4][64]int
			for q := range 4 {
				for i := range 64 {
					a[q][i], b[q][i], c[q][i] = rng.IntN(9)-4, rng.IntN(9)-4, rng.IntN(9)-4
				}
			}
			of := func(lane int) (q, x, upper int) { return lane % 16 / 4, lane % 4, lane / 16 }
			rowA, rowB := strings.HasPrefix(layouts, "row"), strings.HasSuffix(layouts, "row")
			place := func(half bool, lane, i int) (row, column int) {
				_, x, upper := of(lane)
				if half {
					return x + 4*upper, i
				}
				return x&1 + i&2 + 4*upper, i&4 + lane&2 + i&1
			}
			halfC, halfD := strings.HasSuffix(types, "f16"), strings.HasPrefix(types, "f16")
			wordsC, wordsD := 8, 8
			if halfC {
				wordsC = 4
			}
			if halfD {
				wordsD = 4
			}
			words := 4 + wordsC
			in := make([]byte, lanes*8*words)
			element := func(half bool, v int) uint64 {
				if half {
					return smallfloat.F16.Round(float64(v), smallfloat.ToNearest, false)
				}
				return uint64(math.Float32bits(float32(v)))
			}
			for lane := range lanes {
				q, x, upper := of(lane)
				set := func(word int, v uint64) { binary.LittleEndian.PutUint64(in[8*(lane*words+word):], v) }
				var wa, wb [2]uint64
				for i := range 4 {
					row, column := x+4*upper, i
					if !rowA {
						row, column = i+4*upper, x
					}
					wa[i/2] |= element(true, a[q][row*4+column]) << (16 * (i % 2))
					row, column = x, i+4*upper
					if !rowB {
						row, column = i, x+4*upper
					}
					wb[i/2] |= element(true, b[q][row*8+column]) << (16 * (i % 2))
				}
				set(0, wa[0])
				set(1, wa[1])
				set(2, wb[0])
				set(3, wb[1])
				for i := range 8 {
					row, column := place(halfC, lane, i)
					v := element(halfC, c[q][row*8+column])
					if !halfC {
						set(4+i, v)
					} else if i%2 == 1 {
						row, column = place(halfC, lane, i-1)
						set(4+i/2, v<<16|element(true, c[q][row*8+column]))
					}
				}
			}
			var declare, load, store strings.Builder
			operand := func(name string, count, first int, loaded bool) string {
				var list []string
				for j := range count {
					r := fmt.Sprintf("%%%s%d", name, j)
					list = append(list, r)
					fmt.Fprintf(&declare, "\t.reg .b32 %s;\n", r)
					if loaded {
						fmt.Fprintf(&load, "\tld.global.b32 %s, [%%in+%d];\n", r, 8*(first+j))
					} else {
						fmt.Fprintf(&store, "\tst.global.b32 [%%out+%d], %s;\n", 8*j, r)
					}
				}
				return "{" + strings.Join(list, ", ") + "}"
			}
			text := "\tmma.sync.aligned.m8n8k4." + layouts + "." + types + " " + operand("d", wordsD, 0, false) + ", " + operand("a", 2, 0, true) + ", " +
				operand("b", 2, 2, true) + ", " + operand("c", wordsC, 4, true) + ";\n"
			out := fragments(t, declare.String(), load.String(), text, store.String(), tensor.Volta, in, wordsD)
			for lane := range lanes {
				q, _, _ := of(lane)
				for i := range 8 {
					row, column := place(halfD, lane, i)
					sum := c[q][row*8+column]
					for k := range 4 {
						sum += a[q][row*4+k] * b[q][k*8+column]
					}
					got := binary.LittleEndian.Uint64(out[8*(lane*wordsD+i*wordsD/8):])
					if halfD {
						got = got >> (16 * (i % 2)) & 0xffff
					}
					require.Equal(t, element(halfD, sum), got&0xffffffff, "%s.%s: lane %d, element %d", layouts, types, lane, i)
				}
			}
		}
	}
}
