package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// copied is a kernel that copies from its output array, of which word i is i+1 before.
func copied(t *testing.T, body string) ([]uint32, error) {
	t.Helper()
	return tryOutput(t, kernel(`
	.shared .align 16 .b8 tile[544];
	.reg .b64 %from;
	add.u32 %r1, %tid, 1;
	st.global.u32 [%mine], %r1;
	bar.sync 0;
	mov.u32 %r2, tile;
	mad.lo.u32 %r3, %tid, 16, %r2;
	mad.lo.u32 %r4, %tid, 4, %r2;
	and.b32 %r5, %tid, 7;
	mad.wide.u32 %from, %r5, 16, %out;
	mov.u32 %r7, 0xffffffff;
	st.shared.v4.u32 [%r3], {%r7, %r7, %r7, %r7};
`+body+`
	cp.async.commit_group;
	cp.async.wait_group 0;
	bar.sync 0;
	ld.shared.u32 %r6, [%r4];
	st.global.u32 [%mine], %r6;`), LaunchConfig{Block: workload.Dim3{X: 32, Y: 1, Z: 1}}, 32)
}

func TestAsynchronousCopies(t *testing.T) {
	const all = ^uint32(0)
	ascending := func(n int) (list []uint32) {
		for i := range n {
			list = append(list, uint32(i+1))
		}
		return list
	}
	for text, want := range map[string][]uint32{
		"cp.async.ca.shared.global [%r4], [%mine], 4;":                                         ascending(32),
		"cp.async.cg.shared::cta.global.L2::128B [%r3], [%from], 16;":                          ascending(32),
		"cp.async.ca.shared.global [%r4], [%out+8], 4;":                                        repeated(3, 32),
		"mov.u32 %r8, 6; cp.async.ca.shared.global [%r3], [%from], 16, %r8;":                   {1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 0, 0},
		"mov.u32 %r8, 0; cp.async.ca.shared.global [%r4], [8], 4, %r8;":                        repeated(0, 32),
		"setp.gt.u32 %p1, %tid, 2; cp.async.ca.shared.global [%r4], [%mine], 4, %p1;":          {1, 2, 3, 0, 0},
		"setp.lt.u32 %p1, %tid, 2; @%p1 cp.async.ca.shared.global [tile+128], [%out], 8;":      {all, all, all},
		"setp.lt.u32 %p1, %tid, 2; @%p1 cp.async.ca.shared.global [tile+8], [%out], 8;":        {all, all, 1, 2, all},
		"cp.async.ca.shared.global.L2::cache_hint [%r4], [%mine], 4, %out; cp.async.wait_all;": ascending(32),
	} {
		out, err := copied(t, text)
		require.NoError(t, err, text)
		require.Equal(t, want, out[:len(want)], text)
	}
}

func repeated(v uint32, n int) (list []uint32) {
	for range n {
		list = append(list, v)
	}
	return list
}

func TestFaultsOfAsynchronousCopies(t *testing.T) {
	for text, want := range map[string]string{
		"cp.async.ca.shared.global [%r4], [%out], 16;":                      "in .shared is not a multiple of the 16 bytes copied",
		"cp.async.ca.shared.global [%r3], [%mine], 16;":                     "in .global is not a multiple of the 16 bytes copied",
		"cp.async.ca.shared.global [%r3+48], [%from], 16;":                  "is past the end; valid are the 544 bytes from 0",
		"cp.async.cg.shared.global [%r3], [%from+64], 16;":                  "is not in any array; directly behind the array of 128 bytes at",
		"mov.u32 %r8, 5; cp.async.ca.shared.global [%r4], [%mine], 4, %r8;": "the source has 5 bytes; valid are 0 to 4",
		"mov.u32 %r8, 12; cp.async.ca.shared.global [%r3], [8], 16, %r8;":   "in .global is not a multiple of the 16 bytes copied",
	} {
		_, err := copied(t, text)
		require.ErrorContains(t, err, want, text)
	}
}

// The access that the timing model sees is the read of global memory.
func TestAnAsynchronousCopyReadsWhatItsSourceHas(t *testing.T) {
	p, m := compileText(t, kernel(`.shared .align 16 .b8 tile[128];
	mov.u32 %r1, tile;
	mad.lo.u32 %r1, %tid, 4, %r1;
	setp.gt.u32 %p1, %tid, 3;
	cp.async.ca.shared.global [%r1], [%mine], 4, %p1;`))
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(128, 0)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	w := p.NewTB(&LaunchConfig{Grid: one, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: mem, Params: params(addr)}, 0).Warps[0]
	for {
		in, ok := w.Next()
		require.True(t, ok)
		r, err := w.Step()
		require.NoError(t, err)
		if in.Op == "cp" {
			require.Equal(t, uint32(0xf), r.Active)
			require.Equal(t, Access{Base: addr, Stride: 4, Space: r.Access.Space, Width: 4}, *r.Access)
			return
		}
	}
}

func TestCopiesToOnePlaceDependOnOrder(t *testing.T) {
	watch := func(to string) error {
		p, m := compileText(t, kernel(`.shared .align 16 .b8 tile[512];
	mov.u32 %r1, tile;
	mad.lo.u32 %r2, %tid, 4, %r1;
	cp.async.ca.shared.global [`+to+`], [%mine], 4;`))
		mem := NewMemory()
		mem.Load(m)
		order := NewOrderWatch(mem)
		grid := workload.Dim3{X: 2, Y: 1, Z: 1}
		require.NoError(t, Run(p, &LaunchConfig{Grid: grid, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: mem, Params: params(mem.Alloc(256, 0)), Order: order}))
		return order.Dependence()
	}
	require.NoError(t, watch("%r2")) // of which all thread blocks read the same
	require.ErrorContains(t, watch("%r1"), "it accesses memory that another warp accesses")
}
