package emulated

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/ptx/sass"
)

const hinted = `
.version 8.7
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<9>;
	.reg .b64 %x<9>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %x1, [out];
	cvta.to.global.u64 %x1, %x1;
	mad.wide.u32 %x2, %r1, 4, %x1;
	createpolicy.fractional.L2::evict_last.b64 %x3;
	createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %x4, 0.25;
	mov.b64 %x5, 0x16F0000000000000;
	createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %x6, [%x1], 4096, 65536;
	createpolicy.range.L2::evict_last.b64 %x8, [%x1+4096], 4096, 65536;
	ld.global.u32 %r2, [%x2];
	ld.global.L2::cache_hint.u32 %r3, [%x2], %x3;
	st.global.L2::cache_hint.u32 [%x2], %r3, %x4;
	atom.global.add.L2::cache_hint.u32 %r4, [%x2], 1, %x5;
	red.global.add.L2::cache_hint.u32 [%x2], 1, %x6;
	ld.global.L2::cache_hint.u32 %r5, [%x2+4096], %x6;
	mul.lo.u32 %r5, %r1, 7;
	and.b32 %r5, %r5, 31;
	mad.wide.u32 %x7, %r5, 4, %x1;
	ld.global.L2::cache_hint.u32 %r6, [%x7], %x6;
	ld.global.L2::cache_hint.u32 %r6, [%x7+4096], %x6;
	ld.global.L2::cache_hint.u32 %r6, [%x7+4096], %x8;
	ld.global.L1::no_allocate.L2::evict_first.v4.u32 {%r5, %r6, %r7, %r8}, [%x1];
	ret;
}
`

// What loads, stores and atomics say to the L2, by policies of each kind and without.
func TestInstructionsSayHowLongTheL2KeepsTheirLines(t *testing.T) {
	app, _ := watched(t, user(t, `
name: hints
ptx: a.ptx
arrays: [{name: out, type: u32, length: 2048}]
kernels: [{name: k, block: [32]}]
steps: [{launch: {kernel: k, grid: [1], args: [out]}}]
`, hinted), sass.Options{KeepOrder: true})
	host, err := app.Start()
	require.NoError(t, err)
	op, _, err := host.Next()
	require.NoError(t, err)
	var said []workload.Eviction
	require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, functional.Observer{Executed: func(_, _ int, inst *workload.Inst) {
		if inst.Class.IsMemory() && inst.Space == workload.Global {
			said = append(said, inst.Eviction())
		}
	}}))
	all := func(p workload.Priority) workload.Eviction { return workload.NewEviction(p, workload.Unchanged, 1) }
	require.Equal(t, []workload.Eviction{0, all(workload.EvictLast), workload.NewEviction(workload.EvictFirst, workload.Unchanged, 0.25),
		all(workload.EvictNormal), all(workload.EvictLast), all(workload.EvictFirst), all(workload.EvictLast), all(workload.EvictFirst),
		all(workload.EvictLast), all(workload.EvictFirst)}, said)
}
