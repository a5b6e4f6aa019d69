package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// dependence runs a kernel of tbs thread blocks of 64 threads, with an array of
// 4 KB, and returns what a watch finds.
func dependence(t *testing.T, body string, tbs int) error {
	t.Helper()
	p, m := compileText(t, ".shared .align 8 .b8 scratch[1024];\n.const .align 4 .b8 table[64];\n"+kernel(`
	.reg .b64 %all, %s;
	.reg .b32 %g, %warp, %tb;
	mov.u32 %tb, %ctaid.x;
	mad.lo.u32 %g, %tb, 64, %tid;
	mad.wide.u32 %all, %g, 4, %out;
	shr.u32 %warp, %tid, 5;
	mul.wide.u32 %s, %tid, 4;
	mov.u64 %x19, scratch;
	add.s64 %s, %s, %x19;
`+body))
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(4096, 0)
	w := NewOrderWatch(mem)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: tbs, Y: 1, Z: 1}, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: mem, Params: params(addr), Order: w}
	require.NoError(t, Run(p, cfg))
	return w.Dependence()
}

const (
	others  = "accesses memory that another warp accesses"
	another = "writes another value"
)

func TestWatchTellsWhatDependsOnTheOrderOfExecution(t *testing.T) {
	for _, c := range []struct {
		name, body string
		tbs        int
		why        string // "" if it does not
	}{
		{"each thread has its own word", "ld.global.u32 %r1, [%all]; add.u32 %r1, %r1, 1; st.global.u32 [%all], %r1;", 4, ""},
		{"all read what one writes", "ld.global.u32 %r1, [%out]; st.global.u32 [%all], %r1;", 1, others},
		{"all read one and write others", "ld.global.u32 %r1, [%out+2048]; st.global.u32 [%all], %r1;", 4, ""},
		{"another thread block's word", "st.global.u32 [%all], %tid; ld.global.u32 %r1, [%out];", 2, others},
		{"a word of the next thread", "st.global.u32 [%all], %tid; ld.global.u32 %r1, [%all+4];", 1, others},
		{"a word of another lane", "st.global.u32 [%mine], %tid; xor.b32 %r1, %tid, 1; mad.wide.u32 %x1, %r1, 4, %out; ld.global.u32 %r2, [%x1];", 1, ""},
		{"write after read", "ld.global.u32 %r1, [%out+128]; st.global.u32 [%mine], %tid;", 1, others},

		{"other warp's shared word behind a barrier", "st.shared.u32 [%s], %tid; bar.sync 0; ld.shared.u32 %r1, [scratch+128];", 2, ""},
		{"without", "st.shared.u32 [%s], %tid; ld.shared.u32 %r1, [scratch+128];", 1, others},
		{"reused without a second barrier", "st.shared.u32 [%s], %tid; bar.sync 0; ld.shared.u32 %r1, [scratch+128]; st.shared.u32 [%s], %r1;", 1, others},
		{"reused behind a second barrier", "st.shared.u32 [%s], %tid; bar.sync 0; ld.shared.u32 %r1, [scratch+128]; bar.sync 0; st.shared.u32 [%s], %r1;", 2, ""},
		{"through a generic address", "cvta.shared.u64 %x1, %s; st.u32 [%x1], %tid; ld.shared.u32 %r1, [scratch+128];", 1, others},
		{"a barrier does not order thread blocks", "st.global.u32 [%all], %tid; bar.sync 0; ld.global.u32 %r1, [%out];", 2, others},

		{"all write the same value", "st.global.u32 [%out], 7;", 4, ""},
		{"all write different values", "st.global.u32 [%out], %tb;", 4, another},
		{"warps write different values", "st.shared.u32 [scratch], %warp;", 1, another},
		{"the same value, which is then read", "st.shared.u32 [scratch], 7; bar.sync 0; ld.shared.u32 %r1, [scratch];", 1, ""},
		{"the same value, read too early", "st.shared.u32 [scratch], 7; ld.shared.u32 %r1, [scratch];", 1, others},
		{"the same value first, then others", "st.global.u32 [%out], 7; st.global.u32 [%out], %warp;", 1, another},

		{"sum whose terms nobody reads", "red.global.add.u32 [%out], %tid;", 4, ""},
		{"sum with unused results", "atom.global.add.u32 %r1, [%out], %tid;", 4, ""},
		{"sum with unwanted results", "atom.global.add.u32 _, [%out], %tid;", 4, ""},
		{"sum with used results", "atom.global.add.u32 %r1, [%out], 1; st.shared.u32 [%s], %r1;", 4, others},
		{"the same within a warp", "setp.ne.u32 %p1, %warp, 0; @%p1 bra $end; atom.shared.add.u32 %r1, [scratch], 1; st.global.u32 [%all], %r1; $end:", 4, ""},
		{"two sums of one word", "red.global.add.u32 [%out], 1; red.global.max.u32 [%out], 1;", 1, others},
		{"signed and unsigned maximum", "setp.ne.u32 %p1, %warp, 0; @%p1 red.global.max.u32 [%out], 1; @!%p1 red.global.max.s32 [%out], 1;", 1, others},
		{"sum of real numbers", "red.global.add.f32 [%out], 0f3f800000;", 1, others},
		{"exchange", "atom.global.exch.b32 %r1, [%out], %tid;", 1, others},
		{"counter that wraps", "red.global.inc.u32 [%out], 9;", 1, others},
		{"sum that is read behind a barrier", "red.shared.add.u32 [scratch], 1; bar.sync 0; ld.shared.u32 %r1, [scratch];", 2, ""},
		{"sum that is read at once", "red.shared.add.u32 [scratch], 1; ld.shared.u32 %r1, [scratch];", 1, others},

		{"neighbouring bytes", "cvt.u64.u32 %x1, %g; add.s64 %x1, %x1, %out; st.global.u8 [%x1], %tid;", 4, ""},
		{"halves of one word", "mul.wide.u32 %x1, %warp, 2; add.s64 %x1, %x1, %out; st.global.u16 [%x1], %tid;", 1, ""},
		{"byte of another's word", "mul.wide.u32 %x1, %warp, 2; add.s64 %x1, %x1, %out; st.global.u16 [%x1], 3; ld.global.u8 %r1, [%out+3];", 1, others},
		{"vectors that overlap", "shl.b32 %r1, %warp, 3; cvt.u64.u32 %x1, %r1; add.s64 %x1, %x1, %out; st.global.v2.u32 [%x1], {%tid, %warp}; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out];", 1, others},

		{"constants", "ld.const.u32 %r1, [table];", 4, ""},
		{"the clock", "mov.u32 %r1, %clock;", 1, "reads %clock"},
		{"the number of the SM", "mov.u32 %r1, %smid;", 1, "reads %smid"},
		{"how many SMs there are", "mov.u32 %r1, %nsmid;", 1, "reads %nsmid"},
		{"barriers in turn", "st.shared.u32 [%s], %tid; bar.sync 1; ld.shared.u32 %r1, [scratch+128]; bar.sync 2, 64; st.shared.u32 [%s], %r1;", 2, ""},
		{"a barrier of all threads by number", "st.shared.u32 [%s], %tid; bar.sync 3, 64; ld.shared.u32 %r1, [scratch+128];", 2, ""},
		{"a barrier of one warp", "setp.ne.u32 %p1, %warp, 0; @%p1 bra $end; bar.sync 1, 32; $end:", 1, "not all warps wait"},
		{"a warp that goes on", "setp.ne.u32 %p1, %warp, 0; @%p1 bra $wait; bar.arrive 1, 64; bra $end; $wait: bar.sync 1, 64; $end:", 1, "not all warps wait"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := dependence(t, c.body, c.tbs)
			if c.why == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.why)
			require.ErrorContains(t, err, "kernel k depends on the order of execution")
		})
	}
}

// What one launch wrote another may read.
func TestLaunchesAreInOrder(t *testing.T) {
	p, m := compileText(t, kernel("mov.u32 %r1, %ctaid.x; st.global.u32 [%out], 1; @!%p1 mul.wide.u32 %x1, %r1, 4;"))
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(4096, 0)
	read, m2 := compileText(t, kernel("ld.global.u32 %r1, [%out];"))
	mem.Load(m2)
	w := NewOrderWatch(mem)
	for _, program := range []*Program{p, read, p} {
		cfg := &LaunchConfig{Grid: workload.Dim3{X: 3, Y: 1, Z: 1}, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: mem, Params: params(addr), Order: w}
		require.NoError(t, Run(program, cfg))
	}
	require.NoError(t, w.Dependence())
}
