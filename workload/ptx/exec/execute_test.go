package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// exchange has warps hand values to each other through shared memory at barriers, with a loop.
const exchange = `.visible .entry k(.param .u64 a)
{
	.reg .b64 %x<4>;
	.reg .b32 %r<12>;
	.reg .pred %p;
	.shared .align 4 .b8 s[512];
	ld.param.u64 %x1, [a];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r10, %ntid.x;
	mad.lo.s32 %r3, %r2, %r10, %r1;
	mul.wide.u32 %x2, %r3, 4;
	add.s64 %x1, %x1, %x2;
	shl.b32 %r4, %r1, 2;
	mov.u32 %r5, s;
	add.s32 %r4, %r5, %r4;
	xor.b32 %r6, %r1, 33;
	shl.b32 %r6, %r6, 2;
	add.s32 %r6, %r5, %r6;
	mov.u32 %r7, 0;
	mov.u32 %r8, %r3;
$again:
	st.shared.u32 [%r4], %r8;
	bar.sync 0;
	ld.shared.u32 %r9, [%r6];
	mad.lo.s32 %r8, %r8, 3, %r9;
	bar.sync 0;
	add.s32 %r7, %r7, 1;
	setp.lt.u32 %p, %r7, 20;
	@%p bra $again;
	st.global.u32 [%x1], %r8;
	ret;
}
`

func TestExecuteComputesWhatRunDoes(t *testing.T) {
	p, _ := compileText(t, exchange)
	output := func(run func(cfg *LaunchConfig)) []byte {
		m := NewMemory()
		addr := m.Alloc(4*7*128, 0)
		run(&LaunchConfig{Grid: workload.Dim3{X: 7, Y: 1, Z: 1}, Block: workload.Dim3{X: 128, Y: 1, Z: 1}, Mem: m, Params: params(addr)})
		b, err := m.Bytes(addr, 4*7*128)
		require.NoError(t, err)
		return b
	}
	want := output(func(cfg *LaunchConfig) { require.NoError(t, Run(p, cfg)) })
	for _, resident := range []int{0, 1, 3, 100} {
		got := output(func(cfg *LaunchConfig) {
			n, err := Execute(t.Context(), p, cfg, resident)
			require.NoError(t, err)
			require.Equal(t, uint64(7*4*(15+20*8+2)), n, "each warp's instructions")
		})
		require.Equal(t, want, got)
	}
}

// The first thread block waits in a loop for the last one, which must be resident with it.
func TestExecuteLetsResidentThreadBlocksWaitForEachOther(t *testing.T) {
	p, _ := compileText(t, `.visible .entry k(.param .u64 a)
{
	.reg .b64 %x<4>;
	.reg .b32 %r<4>;
	.reg .pred %p, %q;
	ld.param.u64 %x1, [a];
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p, %r1, 0;
	@!%p bra $other;
$wait:
	ld.volatile.global.u32 %r2, [%x1];
	setp.ne.u32 %q, %r2, 3;
	@%q bra $wait;
	ret;
$other:
	atom.global.add.u32 %r2, [%x1], 1;
	ret;
}
`)
	m := NewMemory()
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 4, Y: 1, Z: 1}, Block: workload.Dim3{X: 1, Y: 1, Z: 1}, Mem: m, Params: params(m.Alloc(4, 0))}
	_, err := Execute(t.Context(), p, cfg, 4)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Execute(ctx, p, cfg, 4)
	require.ErrorIs(t, err, context.Canceled)
}

func TestExecuteReportsWarpsThatWaitForEver(t *testing.T) {
	p, _ := compileText(t, ".visible .entry k(.param .u64 a)\n{\n\tbar.sync 1, 96;\n\tret;\n}\n")
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: NewMemory(), Params: params(0)}
	_, err := Execute(t.Context(), p, cfg, 1)
	require.ErrorContains(t, err, "waits at barrier 1 for warps that never come")
}
