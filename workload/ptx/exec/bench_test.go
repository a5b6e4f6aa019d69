package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// loop is the inner loop of a matrix product: loads, fused products, addresses.
const loop = `.visible .entry k(.param .u64 a)
{
	.reg .b64 %x<4>;
	.reg .b32 %r<4>;
	.reg .f32 %f<8>;
	.reg .pred %p;
	ld.param.u64 %x1, [a];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %x2, %r1, 4;
	add.s64 %x1, %x1, %x2;
	mov.u32 %r2, 0;
	mov.f32 %f1, 0f00000000;
$again:
	ld.global.f32 %f2, [%x1];
	ld.global.f32 %f3, [%x1+256];
	fma.rn.f32 %f1, %f2, %f3, %f1;
	ld.global.f32 %f4, [%x1+512];
	fma.rn.f32 %f1, %f4, %f3, %f1;
	fma.rn.f32 %f5, %f4, %f2, %f5;
	add.s64 %x3, %x1, 4;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p, %r2, 1000;
	@%p bra $again;
	st.global.f32 [%x1], %f1;
	ret;
}
`

// BenchmarkEmulate reports warp instructions per second on one core.
func BenchmarkEmulate(b *testing.B) {
	p, _ := compileText(b, loop)
	m := NewMemory()
	addr := m.Alloc(1<<16, 0)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: m, Params: params(addr)}
	tb := p.NewTB(cfg, 0)
	w := tb.Warps[0]
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, ok := w.Next(); !ok {
			tb.Reset(0)
		}
		if _, err := w.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
}

func TestAnInstructionAllocatesNothing(t *testing.T) {
	p, _ := compileText(t, loop)
	m := NewMemory()
	addr := m.Alloc(1<<16, 0)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: m, Params: params(addr)}
	w := p.NewTB(cfg, 0).Warps[0]
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		w.Next()
		_, _ = w.Step()
	}))
}

// products is a loop of products of matrices of normal numbers; each lane draws its own.
const products = `.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<9>;
	.reg .f32 %f<5>;
	.reg .pred %p;
	mov.u32 %r1, %tid.x;
	mad.lo.u32 %r1, %r1, 1664525, 1013904223;
	and.b32 %r2, %r1, 0x07ff87ff; or.b32 %r2, %r2, 0x38003800;
	mad.lo.u32 %r1, %r1, 1664525, 1013904223;
	and.b32 %r3, %r1, 0x87ff07ff; or.b32 %r3, %r3, 0x34003400;
	mad.lo.u32 %r1, %r1, 1664525, 1013904223;
	and.b32 %r4, %r1, 0x07ff87ff; or.b32 %r4, %r4, 0x38003400;
	mad.lo.u32 %r1, %r1, 1664525, 1013904223;
	and.b32 %r5, %r1, 0x87ff87ff; or.b32 %r5, %r5, 0x30003800;
	mad.lo.u32 %r1, %r1, 1664525, 1013904223;
	and.b32 %r6, %r1, 0x87ff87ff; or.b32 %r6, %r6, 0x30003800;
	mad.lo.u32 %r1, %r1, 1664525, 1013904223;
	and.b32 %r7, %r1, 0x87ff07ff; or.b32 %r7, %r7, 0x34003400;
	mov.u32 %r8, 0;
	mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000; mov.f32 %f4, 0f00000000;
$again:
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r3, %r4, %r5}, {%r6, %r7}, {%f1, %f2, %f3, %f4};
	add.u32 %r8, %r8, 1;
	setp.lt.u32 %p, %r8, 1000;
	@%p bra $again;
	ret;
}
`

// BenchmarkProduct is an m16n8k16 of a warp, with three instructions of a loop.
func BenchmarkProduct(b *testing.B) {
	p, _ := compileText(b, products)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: NewMemory(), Params: params(0)}
	tb := p.NewTB(cfg, 0)
	w := tb.Warps[0]
	b.ReportAllocs()
	b.ResetTimer()
	for range (b.N + 999) / 1000 {
		tb.Reset(0)
		for w.mask != 0 {
			if _, _, err := w.sprint(turnSteps); err != nil {
				b.Fatal(err)
			}
		}
	}
	if tb.tiles.Slow > 0 {
		b.Fatal("a product of normal numbers went the slow way")
	}
}
