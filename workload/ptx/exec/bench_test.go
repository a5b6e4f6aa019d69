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
