package tensor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// places are the formulas of the PTX ISA, one for each fragment, with g = lane/4, t = lane%4 and
// the element's number i.
func TestLayoutsAreThoseOfPTX(t *testing.T) {
	bool8 := func(b bool) int {
		if b {
			return 8
		}
		return 0
	}
	type formula func(g, t, i int) (row, column int)
	c16 := func(g, t, i int) (int, int) { return g + bool8(i >= 2), 2*t + i%2 }
	c8 := func(g, t, i int) (int, int) { return g, 2*t + i }
	wide := func(g, t, i int) (int, int) { return g + 8*(i%2), t + 4*(i/2) }
	for _, l := range []struct {
		m, k       int
		in, out    Type
		a, b, c    formula
		nA, nB, nC int
	}{
		{16, 16, F16, F32, func(g, t, i int) (int, int) { return g + bool8(i/2%2 == 1), 2*t + i%2 + bool8(i >= 4) },
			func(g, t, i int) (int, int) { return 2*t + i%2 + bool8(i >= 2), g }, c16, 8, 4, 4},
		{16, 8, BF16, F32, func(g, t, i int) (int, int) { return g + bool8(i >= 2), 2*t + i%2 },
			func(g, t, i int) (int, int) { return 2*t + i, g }, c16, 4, 2, 4},
		{16, 8, TF32, F32, wide, func(g, t, i int) (int, int) { return t + 4*i, g }, c16, 4, 2, 4},
		{16, 4, TF32, F32, func(g, t, i int) (int, int) { return g + 8*i, t }, func(g, t, _ int) (int, int) { return t, g }, c16, 2, 1, 4},
		{16, 32, S8, S32, func(g, t, i int) (int, int) { return g + bool8(i/4%2 == 1), 4*t + i%4 + 2*bool8(i >= 8) },
			func(g, t, i int) (int, int) { return 4*t + i%4 + 2*bool8(i >= 4), g }, c16, 16, 8, 4},
		{16, 16, U8, S32, func(g, t, i int) (int, int) { return g + bool8(i >= 4), 4*t + i%4 },
			func(g, t, i int) (int, int) { return 4*t + i, g }, c16, 8, 4, 4},
		{8, 16, S8, S32, func(g, t, i int) (int, int) { return g, 4*t + i }, func(g, t, i int) (int, int) { return 4*t + i, g }, c8, 4, 4, 2},
		{8, 4, F64, F64, func(g, t, _ int) (int, int) { return g, t }, func(g, t, _ int) (int, int) { return t, g }, c8, 1, 1, 2},
		{16, 16, F64, F64, wide, func(g, t, i int) (int, int) { return t + 4*i, g }, c16, 8, 4, 4},
		{16, 16, F16, F16, func(g, t, i int) (int, int) { return g + bool8(i/2%2 == 1), 2*t + i%2 + bool8(i >= 4) },
			func(g, t, i int) (int, int) { return 2*t + i%2 + bool8(i >= 2), g }, c16, 8, 4, 4},
	} {
		s := NewShape(l.m, l.k, l.in, l.in, l.out, l.out)
		check := func(layout *Layout, n, rows, columns int, at formula) {
			require.Equal(t, n, layout.Words*layout.PerWord)
			require.Len(t, layout.At, Lanes*n)
			seen := map[uint16]bool{}
			for lane := range Lanes {
				for i := range n {
					row, column := at(lane/4, lane%4, i)
					want := row*columns + column
					require.Equal(t, want, int(layout.At[lane*n+i]))
					seen[layout.At[lane*n+i]] = true
				}
			}
			require.Len(t, seen, rows*columns) // each element once
		}
		check(s.A, l.nA, l.m, l.k, l.a)
		check(s.B, l.nB, l.k, 8, l.b)
		check(s.C, l.nC, l.m, 8, l.c)
		check(s.D, l.nC, l.m, 8, l.c)
	}
}
