package emulated

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each thread sleeps for as many nanoseconds as its number in the warp says, by a guard
// only the lower half of the lanes; the warp sleeps as long as the last of them.
const sleeper = `
.visible .entry k(.param .u64 out)
{
	.reg .b64 %x<4>;
	.reg .b32 %r<8>;
	.reg .pred %p<2>;
	ld.param.u64 %x1, [out];
	mov.u32 %r1, %tid.x;
	mad.lo.u32 %r2, %r1, 100, 1000;
	setp.lt.u32 %p1, %r1, 16;
	mov.u32 %r3, %clock;
	@%p1 nanosleep.u32 %r2;
	mov.u32 %r4, %clock;
	sub.u32 %r5, %r4, %r3;
	mad.wide.u32 %x1, %r1, 4, %x1;
	st.global.u32 [%x1], %r5;
	ret;
}
`

func TestNanosleepTakesTheTimeOfItsLastLane(t *testing.T) {
	out := words(t, `
name: sleeper
ptx: a.ptx
arrays: [{name: out, type: u32, length: 32}]
kernels: [{name: k, block: [32]}]
steps: [{launch: {kernel: k, grid: [1], args: [out]}}]
`, sleeper)
	const slept = 2500 * 1.216 // core cycles of 1000 + 15 x 100 ns
	for _, cycles := range out {
		require.InDelta(t, slept, float64(cycles), 25)
	}
}
