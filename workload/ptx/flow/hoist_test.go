package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

// order is the operations of a body after hoisting, each with the number of its
// line.
func order(t *testing.T, registers int, lines ...string) (list []string) {
	t.Helper()
	f := function(t, "ld.param.u64 %rd8, [in];\n"+strings.Join(lines, "\n"))
	first := f.Insts[1].Line
	for _, in := range Hoist(f, registers).Insts[1:] {
		list = append(list, fmt.Sprint(in.Line-first, in.Op))
	}
	return list
}

func TestLoadsMoveUpWithWhatTheirAddressesNeed(t *testing.T) {
	require.Equal(t, []string{"0ld", "2add", "3ld", "1add", "4fma"}, order(t, 255,
		"ld.global.f32 %f1, [%rd8];",
		"add.f32 %f2, %f1, %f1;",
		"add.u64 %rd1, %rd8, 64;",
		"ld.global.f32 %f3, [%rd1];",
		"fma.rn.f32 %f2, %f3, %f3, %f2;"))
}

func TestALoadFollowsTheLoadThatItsAddressComesFrom(t *testing.T) {
	require.Equal(t, []string{"0ld", "3ld", "1mad", "2ld", "4add"}, order(t, 255,
		"ld.global.u32 %r1, [%rd8];",
		"mad.wide.u32 %rd1, %r1, 4, %rd7;",
		"ld.global.u32 %r2, [%rd1];",
		"ld.global.u32 %r3, [%rd8+4];",
		"add.u32 %r4, %r2, %r3;"))
}

func TestLoadsDoNotPassWhatMayChangeTheirValue(t *testing.T) {
	for _, between := range []string{
		"st.global.u32 [%rd7+4], %r1;", "st.u32 [%rd7+4], %r1;", "bar.sync 0;", "membar.gl;", "red.global.add.u32 [%rd7], %r1;",
		"ld.volatile.global.u32 %r3, [%rd7];", "mov.u32 %r3, %clock;",
	} {
		got := order(t, 255, "add.u32 %r1, %r10, 1;", between, "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;")
		require.Equal(t, []string{"0", "1", "2", "3"}, numbers(got), between)
	}
	// Another space, or memory that the kernel does not change.
	require.Equal(t, []string{"2", "0", "1", "3"}, numbers(order(t, 255, ".shared .u32 s; add.u32 %r1, %r10, 1;",
		"st.shared.u32 [s], %r1;", "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;")))
	require.Equal(t, []string{"2", "0", "1", "3"}, numbers(order(t, 255, "add.u32 %r1, %r10, 1;",
		"st.global.u32 [%rd7+4], %r1;", "ld.global.nc.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;")))
}

func numbers(list []string) (n []string) {
	for _, s := range list {
		n = append(n, s[:1])
	}
	return n
}

func TestHoistingKeepsToTheRegisters(t *testing.T) {
	// Sixteen sums of a loaded value and the one before.
	var lines []string
	for i := range 16 {
		lines = append(lines, fmt.Sprintf("ld.global.u32 %%r%d, [%%rd8+%d];", i+1, 4*i), fmt.Sprintf("add.u32 %%r39, %%r39, %%r%d;", i+1))
	}
	f := function(t, "ld.param.u64 %rd8, [in];\nmov.u32 %r39, 0;\n"+strings.Join(lines, "\n")+"\nst.global.u32 [%rd8], %r39;")
	alone := MaxLive(f)
	for _, limit := range []int{0, alone + 3, alone + 7, 255} {
		h := Hoist(f, limit)
		require.LessOrEqual(t, MaxLive(h), max(limit, alone))
		longest, run := 0, 0
		for _, in := range h.Insts {
			if run++; in.Op != "ld" || in.Space != ptx.Global {
				run = 0
			}
			longest = max(longest, run)
		}
		require.Equal(t, map[int]int{0: 1, alone + 3: 4, alone + 7: 8, 255: 16}[limit], longest, "loads in a row")
	}
}
