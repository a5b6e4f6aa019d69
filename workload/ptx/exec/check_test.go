package exec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// faults runs a kernel of tbs thread blocks of 64 threads, with an array of 4 KB of which the first 2 KB have
// been written, and returns what a Checker tells.
func faults(t *testing.T, body string, tbs int) (told []string) {
	t.Helper()
	p, m := compileText(t, ".shared .align 8 .b8 scratch[1024];\n"+kernel(`
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
	c := NewChecker(mem, true, true, func(f Finding) { told = append(told, f.Text) })
	c.Allocated(addr, 4096)
	c.Written(addr, 2048)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: tbs, Y: 1, Z: 1}, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: mem, Params: params(addr), Check: c}
	for range 2 { // a launch is in order with the one before
		require.NoError(t, Run(p, cfg))
		cfg.bound = nil
	}
	return told
}

func TestCheckerTellsRacesAndReadsOfWhatNothingHasWritten(t *testing.T) {
	const (
		phase  = "setp.ne.u32 %p1, %tid, 0; @!%p1 mbarrier.init.shared.b64 [scratch+512], 64; bar.sync 0; "
		arrive = "mbarrier.arrive.shared.b64 %x1, [scratch+512]; "
		wait   = "wait: mbarrier.test_wait.parity.shared.b64 %p1, [scratch+512], 0; @!%p1 bra wait; "
	)
	for _, c := range []struct {
		name, body string
		tbs        int
		told       string // "" for nothing
	}{
		{"own words", "ld.global.u32 %r1, [%all]; add.u32 %r1, %r1, 1; st.global.u32 [%all], %r1;", 4, ""},
		{"written by the host", "ld.global.u32 %r1, [%out+2044];", 1, ""},
		{"never written", "ld.global.u32 %r1, [%out+2048];", 1, `ld\.global\.u32 in kernel k, thread \(0,0,0\) of thread block \(0,0,0\): reads address 0x10000[0-9a-f]+, which nothing has written: byte 2048 of the array of 4096 bytes`},
		{"partly written", "add.s64 %x1, %out, 2046; ld.global.u16 %r1, [%x1]; ld.global.v2.u32 {%r2, %r3}, [%out+2048];", 1, "byte 2048 of"},
		{"written by the kernel", "st.global.u32 [%all+2048], %tid; ld.global.u32 %r1, [%all+2048];", 1, ""},
		{"a byte too few", "st.global.u8 [%out+2048], %tid; ld.global.u16 %r1, [%out+2048];", 1, "which nothing has written"},
		{"added to by atomics", "red.global.add.u32 [%out+2048], 1;", 2, "which nothing has written"},

		{"another thread block's word", "st.global.u32 [%all], %tid; ld.global.u32 %r1, [%out];", 2, `reads address 0x[0-9a-f]+ of the array of 4096 bytes at 0x[0-9a-f]+, which thread \(0,0,0\) of thread block \(0,0,0\) writes at line \d+, and nothing puts them in order`},
		{"a word of the next warp", "st.global.u32 [%all], %tid; ld.global.u32 %r1, [%out+128];", 1, `thread \(32,0,0\) of thread block \(0,0,0\)`},
		{"behind a barrier", "st.global.u32 [%all], %tid; bar.sync 0; ld.global.u32 %r1, [%out+128];", 1, ""},
		{"a barrier does not order thread blocks", "st.global.u32 [%all], %tid; bar.sync 0; ld.global.u32 %r1, [%out];", 2, "in order"},
		{"write after read", "ld.global.u32 %r1, [%out+128]; st.global.u32 [%all], %g;", 1, "in order"},
		{"write after the reads of many", "ld.global.u32 %r1, [%out]; bar.sync 0; ld.global.u32 %r1, [%out]; setp.ne.u32 %p1, %tid, 0; @!%p1 st.global.u32 [%out], 9;", 1, "reads at line"},
		{"other lanes of the warp", "setp.ne.u32 %p1, %warp, 0; @!%p1 st.global.u32 [%all], %tid; @!%p1 ld.global.u32 %r1, [%out+4];", 1, ""},
		{"lanes of one instruction", "setp.ne.u32 %p1, %warp, 0; @!%p1 st.global.u32 [%out], %tid;", 1, "writes"},
		{"the same value", "st.global.u32 [%out], 7;", 4, ""},
		{"the same value, which others read", "ld.global.u32 %r1, [%out]; st.global.u32 [%out], %r1;", 2, "reads at line"},
		{"different values", "st.global.u32 [%out], %tb;", 4, "writes"},
		{"atomics", "atom.global.add.u32 %r1, [%out], 1; red.global.max.u32 [%out], %g;", 4, ""},
		{"atomics and a plain write", "red.global.add.u32 [%out], 1; st.global.u32 [%out], %g;", 2, "writes"},
		{"volatile", "st.volatile.global.u32 [%out], %g; ld.volatile.global.u32 %r1, [%out];", 4, ""},

		{"shared memory behind a barrier", "st.shared.u32 [%s], %tid; bar.sync 0; ld.shared.u32 %r1, [scratch+128];", 2, ""},
		{"without", "st.shared.u32 [%s], %tid; ld.shared.u32 %r1, [scratch+128];", 1, `of shared memory, which`},
		{"reused without a second barrier", "st.shared.u32 [%s], %tid; bar.sync 0; ld.shared.u32 %r1, [scratch+128]; add.u32 %r1, %r1, 500; st.shared.u32 [%s], %r1;", 1, "shared memory"},
		{"through a generic address", "cvta.shared.u64 %x1, %s; st.u32 [%x1], %tid; ld.shared.u32 %r1, [scratch+128];", 1, "shared memory"},
		{"behind a phase of an mbarrier", phase + "st.shared.u32 [%s], %tid; " + arrive + wait + "ld.shared.u32 %r1, [scratch+128]; ld.shared.u32 %r1, [scratch+4];", 2, ""},
		{"arrived, and did not wait", phase + "st.shared.u32 [%s], %tid; " + arrive + "ld.shared.u32 %r1, [scratch+128];", 1, "reads address 0x80 of shared memory"},
		{"written after the arrival", phase + arrive + "st.shared.u32 [%s], %tid; " + wait + "ld.shared.u32 %r1, [scratch+128];", 1, "reads address 0x80 of shared memory"},
		{"an asynchronous copy that an mbarrier waits for", phase + "cp.async.ca.shared.global [%s], [%all], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [scratch+512]; " + wait + "ld.shared.u32 %r1, [scratch+128];", 1, ""},
		{"bytes of a word", "cvt.u64.u32 %x1, %tid; add.s64 %x1, %x1, %out; st.global.u8 [%x1], %tid; bar.sync 0; ld.global.u8 %r1, [%x1];", 1, ""},
		{"a byte of another's word", "st.global.u32 [%all], %tid; ld.global.u8 %r1, [%out+130];", 1, "reads address"},
		{"neighbouring words", "mul.wide.u32 %x1, %g, 4; add.s64 %x1, %x1, %out; st.global.u32 [%x1], %tid;", 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := faults(t, c.body, c.tbs)
			if c.told == "" {
				require.Empty(t, told)
				return
			}
			require.NotEmpty(t, told)
			require.Regexp(t, c.told, strings.Join(told, "\n"))
			require.Regexp(t, `^test\.ptx:\d+: `, told[0])
		})
	}
}
