package sass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// crowded is a kernel of which a loop holds a number of values at once, with a parameter and
// some predicates that live as long, and steps of products in one accumulator.
func crowded(t *testing.T, values, predicates int) *ptx.Func {
	t.Helper()
	var b strings.Builder
	b.WriteString("ld.param.u64 %p, [in];\nld.param.u32 %n, [n];\nmov.u32 %a0, %tid.x;\n")
	for i := range values {
		fmt.Fprintf(&b, "mad.lo.s32 %%v%d, %%a0, %d, %%a0;\n", i, i+3)
	}
	for i := range predicates {
		fmt.Fprintf(&b, "setp.gt.s32 %%q%d, %%a0, %d;\n", i, i)
	}
	b.WriteString("L:\n")
	for range 3 {
		b.WriteString("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%v0, %v1}, {%v2}, {%f0, %f1, %f2, %f3};\n")
	}
	for i := range values {
		fmt.Fprintf(&b, "xor.b32 %%v%d, %%v%d, %%v%d;\n", i, i, (i+1)%values)
	}
	for i := range predicates {
		fmt.Fprintf(&b, "@%%q%d add.s32 %%v%d, %%v%d, %%n;\n", i, i, i)
	}
	b.WriteString("setp.ne.s32 %q9, %v0, %n;\n@%q9 bra L;\nst.global.v4.f32 [%p], {%f0, %f1, %f2, %f3};\n")
	m, err := ptx.Parse("t.ptx", []byte(".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .b64 in, .param .b32 n) {\n"+
		".reg .b64 %p; .reg .b32 %n; .reg .b32 %a<1>; .reg .b32 %v<260>; .reg .f32 %f<4>; .reg .pred %q<10>;\n"+b.String()+"}\n"))
	require.NoError(t, err)
	return m.Funcs[0]
}

// As many values as a machine has registers get one each: parameters and predicates take none
// of them where they are short. One more shares a register with another.
func TestValuesShareRegistersOnlyIfThereAreTooFew(t *testing.T) {
	for _, c := range []struct{ values, doubled int }{{100, 0}, {workload.NoReg - 4, 0}, {workload.NoReg - 3, 1}} {
		require.Equal(t, c.doubled, doubled(crowded(t, c.values, 5), Options{}), c.values)
	}
	r := assign(crowded(t, workload.NoReg-4, 5), make([]bool, 9999), Options{})
	require.Equal(t, uint8(workload.NoReg), r.machine[0], "a parameter is no register then")
}

// A step of a product adds to its accumulator in place, as in machine code, under whatever
// name the sum goes on.
func TestSumsTakeThePlaceOfTheirAccumulators(t *testing.T) {
	step := "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, {%%r1, %%r2}, {%%r3}, {%%f%d, %%f%d, %%f%d, %%f%d};\n"
	f := function(t, "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%x1];\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%x2];\n"+fmt.Sprintf(step, 4, 5, 6, 7, 0, 1, 2, 3)+
		"st.global.v4.f32 [%x1], {%f4, %f5, %f6, %f7};")
	c := Lower(f, Options{})
	product := c.At(2)[0]
	require.Equal(t, product.Src[3:7], product.Dst[:])
}
