package exec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

func TestWhatAKernelDeclaresIsBounded(t *testing.T) {
	for text, want := range map[string]string{
		".entry k(.param .b8 p[32764]) { ret; }":                                                                "",
		".entry k(.param .b8 p[32765]) { ret; }":                                                                "32765 bytes of parameters; valid is up to 32764",
		".entry k() { .reg .u64 a; .local .b8 l[524288]; mov.u64 a, l; ret; }":                                  "",
		".entry k() { .reg .u64 a; .local .b8 l[524273]; .local .b8 m[16]; mov.u64 a, l; mov.u64 a, m; ret; }":  "524304 bytes of local memory for a thread, with arguments of calls; valid is up to 524288",
		".func f(.param .b8 p[8589934592]) { ret; } .entry k() { .param .b8 q[8589934592]; call f, (q); ret; }": "17179869184 bytes of local memory for a thread, with arguments of calls; valid is up to 524288",
		".entry k() { .reg .u64 a; .shared .b8 s[1048576]; mov.u64 a, s; ret; }":                                "",
		".shared .b8 s[1048577]; .entry k() { .reg .u64 a; mov.u64 a, s; ret; }":                                "1048577 bytes of shared memory; valid is up to 1048576",
		".shared .b8 s[1048577]; .entry k() { ret; }":                                                           "", // not its
	} {
		m, err := ptx.Parse("t.ptx", []byte(preamble+text))
		require.NoError(t, err, text)
		_, err = Compile(m, "k")
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.EqualError(t, err, "t.ptx:4: kernel k takes "+want, text)
	}
}

// What threads leave in their local memory the next thread block does not see,
// and what they do not reach of it is not touched: it may be large.
func TestLocalMemoryIsZeroAgainAndOtherwiseUntouched(t *testing.T) {
	p, m := compileText(t, `
.func f(.param .align 4 .b8 p[64]) { .reg .u32 %r; ld.param.u32 %r, [p]; ret; }
`+kernel(`
	.local .align 8 .b8 stack[400000];
	.param .align 4 .b8 q[64];
	.reg .pred %odd;
	and.b32 %r9, %tid, 1;
	setp.eq.u32 %odd, %r9, 1;
	mov.u32 %r8, 7;
	ld.local.u32 %r1, [stack+200000];
	ld.local.u32 %r2, [stack+200996];
	ld.param.u32 %r3, [q+60];
	add.u32 %r1, %r1, %r2;
	add.u32 %r1, %r1, %r3;
	st.global.u32 [%mine], %r1;
	mov.u64 %x1, stack;
	cvta.local.u64 %x2, %x1;
	@%odd st.u32 [%x2+200996], %r8;
	@!%odd st.local.u32 [stack+200000], %r8;
	st.param.u32 [q+60], %r8;
	call f, (q);
`))
	mem := NewMemory()
	mem.Load(m)
	out := mem.Alloc(4*40, 0)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 3, Y: 1, Z: 1}, Block: workload.Dim3{X: 40, Y: 1, Z: 1}, Mem: mem, Params: params(out)}
	tb := p.NewTB(cfg, 0)
	for id := range 3 {
		if id > 0 {
			tb.Reset(id)
		}
		for _, w := range tb.Warps {
			for _, b := range w.local {
				if b != 0 {
					t.Fatalf("thread block %d sees what another left", id)
				}
			}
			for {
				if _, ok := w.Next(); !ok {
					break
				}
				_, err := w.Step()
				require.NoError(t, err)
			}
			assert.Equal(t, [2]uint64{200000, 400128}, w.used, "from the stack's first use to the end of the arguments")
		}
		got, err := mem.Bytes(out, 4*40)
		require.NoError(t, err)
		assert.Equal(t, make([]byte, 4*40), got, "what is read before it is written is zero")
	}
}

// The bound counts what threads have ever reached, of all thread blocks that run at a
// time, and names the first instruction that would reach more.
func TestLocalMemoryThatALaunchReachesIsBounded(t *testing.T) {
	p, m := compileText(t, kernel(`
	.local .align 8 .b8 stack[400000];
	mov.u32 %r8, 7;
	st.local.u32 [stack+1000], %r8;
	ld.local.u32 %r1, [stack+1996];
`))
	mem := NewMemory()
	mem.Load(m)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 9, Y: 1, Z: 1}, Block: workload.Dim3{X: 40, Y: 1, Z: 1}, Mem: mem, Params: params(mem.Alloc(4*40, 0))}
	require.NoError(t, p.Bind(cfg))
	const each = 2 * lanes * 1000 // two warps
	cfg.bound.maxLocal = 3 * each
	finish := func(tb *TB) (err error) {
		for _, w := range tb.Warps {
			for {
				if _, ok := w.Next(); !ok || err != nil {
					break
				}
				_, err = w.Step()
			}
		}
		return err
	}
	var blocks []*TB
	for id := range 3 {
		blocks = append(blocks, p.NewTB(cfg, id))
		require.NoError(t, finish(blocks[id]))
		assert.EqualValues(t, each*(id+1), cfg.bound.local)
	}
	for _, tb := range blocks { // takes no more
		tb.Reset(3)
		require.NoError(t, finish(tb))
	}
	err := finish(p.NewTB(cfg, 4))
	assert.ErrorContains(t, err, "the thread blocks that run at a time take more than 192000 bytes of local memory, of which a thread declares 400000; valid is up to that")
	assert.Regexp(t, `^test.ptx:\d+: st.local.u32 in kernel k, thread \(0,0,0\) of thread block \(4,0,0\): `, err)
}
