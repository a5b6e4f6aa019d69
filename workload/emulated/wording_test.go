package emulated

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// scaled stores three times its index plus one, with accesses worded as Triton writes them:
// a single value in braces, and modifiers in another order than PTX ISA has.
const scaled = `
.visible .entry k(.param .u64 out)
{
	.reg .b64 %x<4>;
	.reg .b32 %r<4>;
	ld.param.u64 %x1, [out];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %x1, %r1, 4, %x1;
	mul.lo.u32 %r1, %r1, 3;
	st.global.b32 [%x1], { %r1 };
	ld.global.volatile.b32 { %r2 }, [%x1+0];
	add.u32 %r2, %r2, 1;
	st.cs.global.b32 [%x1], {%r2};
	ret;
}
`

func TestKernelsRunAsTritonWordsThem(t *testing.T) {
	out := words(t, `
name: scaled
ptx: a.ptx
arrays: [{name: out, type: u32, length: 64}]
kernels: [{name: k, block: [64]}]
steps: [{launch: {kernel: k, grid: [1], args: [out]}}]
`, scaled)
	for i, got := range out {
		require.EqualValues(t, 3*i+1, got)
	}
}
