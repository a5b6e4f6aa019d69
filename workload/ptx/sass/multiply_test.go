package sass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// TestMultiplicationsAreMarked writes a letter for each instruction: m multiplies,
// a adds to the product too, . neither.
func TestMultiplicationsAreMarked(t *testing.T) {
	for _, c := range []struct{ text, change, want string }{
		{"mul.lo.s32 %r1, %r2, %r3;", "+all", "m"},
		{"mul.hi.u32 %r1, %r2, %r3;", "+all", "m"},
		{"mul.lo.s16 %h1, %h2, %h3;", "+all", "m"},
		{"mul24.lo.s32 %r1, %r2, %r3;", "+all", "m"},
		{"mul.wide.s32 %x1, %r1, %r2;", "+all", "m"},
		{"mad.lo.s32 %r1, %r2, %r3, %r4;", "+all", "a"},
		{"mad24.lo.s32 %r1, %r2, %r3, %r4;", "+all", "a"},
		{"mad.wide.u32 %x1, %r2, %r3, %x4;", "+all", "a"},
		{"dp4a.s32.s32 %r1, %r2, %r3, %r4;", "+all", "a"},
		{"mul.lo.s64 %x1, %x2, %x3;", "+all", "aaa."},
		{"mul.hi.s64 %x1, %x2, %x3;", "+all", "aaaa...."},
		{"mul.lo.s64 %x1, %x2, %x3;", "-wide", "m"},
		{"mul.wide.s32 %x1, %r1, 4; add.s64 %x2, %x3, %x1;", "+all", "a"},
		{"shl.b32 %r1, %r2, 2; add.s32 %r3, %r1, %r4;", "+all", "."},
		{"add.s32 %r1, %r2, %r3;", "+all", "."},
		{"mul.f32 %f1, %f2, %f3;", "+all", "."},
		{"fma.rn.f64 %d1, %d2, %d3, %d4;", "+all", "."},
		{"mad.rn.f32 %f1, %f2, %f3, %f4;", "+all", "."},
	} {
		f := function(t, c.text)
		code, got := Lower(f, off(t, c.change)), ""
		for _, inst := range code.list {
			switch inst.Flags {
			case workload.Multiply:
				got += "m"
			case workload.MultiplyAdd:
				got += "a"
			default:
				require.Zero(t, inst.Flags)
				got += "."
			}
		}
		require.Equal(t, c.want, got, c.text)
	}
}
