package sass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// body lowers the instructions of a kernel.
func body(t *testing.T, opt Options, text string) (*ptx.Func, *Code) {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(`.version 7.8
.target sm_52
.address_size 64
.entry k() {
	.reg .b16 %h<9>;
	.reg .b32 %r<9>;
	.reg .b64 %x<9>;
	.reg .f32 %f<9>;
	.reg .pred %p<9>;
`+text+"\n}"))
	require.NoError(t, err)
	return m.Funcs[0], Lower(m.Funcs[0], opt)
}

// lengths are the lengths of the instructions' sequences.
func lengths(t *testing.T, opt Options, text string) (list []int) {
	f, c := body(t, opt, text)
	for i := range f.Insts {
		list = append(list, len(c.At(i)))
	}
	return list
}

func TestModifiersArePartOfOtherInstructions(t *testing.T) {
	for text, want := range map[string][2][]int{ // with the rule, without
		"neg.f32 %f1, %f2; fma.rn.f32 %f3, %f4, %f5, %f1;":                    {{0, 1}, {1, 1}},
		"abs.f32 %f1, %f2; add.f32 %f3, %f4, %f1;":                            {{0, 1}, {1, 1}},
		"abs.f32 %f1, %f2; mul.f32 %f3, %f4, %f1;":                            {{1, 1}, {1, 1}}, // FMUL cannot
		"neg.f32 %f1, %f2; st.global.f32 [%x1], %f1;":                         {{1, 1}, {1, 1}},
		"neg.s32 %r1, %r2; add.s32 %r3, %r4, %r1;":                            {{1, 1}, {1, 1}},
		"ld.global.u8 %h1, [%x1]; cvt.u16.u8 %h2, %h1; cvt.u32.u16 %r1, %h2;": {{1, 0, 0}, {1, 1, 1}},
		"ld.global.u8 %h1, [%x1]; cvt.s16.s8 %h2, %h1; cvt.s32.s16 %r1, %h2;": {{1, 1, 1}, {1, 1, 1}}, // the load extends by zeros
		"add.s16 %h1, %h2, %h3; cvt.u32.u16 %r1, %h1;":                        {{1, 1}, {1, 1}},
	} {
		require.Equal(t, want[0], lengths(t, Options{}, text), text)
		require.Equal(t, want[1], lengths(t, Options{KeepModifiers: true}, text), text)
	}
}

// What reads a folded result waits for the operand it was made from.
func TestAbsorbedResultsKeepTheirDependence(t *testing.T) {
	for _, text := range []string{
		"ld.global.f32 %f2, [%x1]; neg.f32 %f1, %f2; add.f32 %f3, %f4, %f1;",
		"ld.global.u16 %h1, [%x1]; cvt.u32.u16 %r1, %h1; add.s32 %r2, %r3, %r1;",
	} {
		_, c := body(t, Options{}, text)
		loaded := c.At(0)[0].Dst[0]
		require.NotEqual(t, uint8(workload.NoReg), loaded)
		require.Contains(t, c.At(2)[0].Src, loaded, text)
	}
}
