package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload"
)

// order is the operations of a body after hoisting, each with the number of its
// line.
func order(t *testing.T, registers int, lines ...string) (list []string) {
	t.Helper()
	p, _ := compileText(t, kernel(strings.Join(lines, "\n")))
	first := p.kernel.Insts[3].Line // behind what kernel adds
	p, err := p.Hoisted(registers)
	require.NoError(t, err)
	for _, in := range p.kernel.Insts[3:] {
		if at := in.Line - first; at < len(lines) {
			list = append(list, fmt.Sprint(at, in.Op))
		}
	}
	return list
}

func TestLoadsMoveUpWithWhatTheirAddressesNeed(t *testing.T) {
	require.Equal(t, []string{"0ld", "2add", "3ld", "1add", "4fma"}, order(t, 255,
		"ld.global.f32 %f1, [%mine];",
		"add.f32 %f2, %f1, %f1;",
		"add.u64 %x1, %mine, 64;",
		"ld.global.f32 %f3, [%x1];",
		"fma.rn.f32 %f2, %f3, %f3, %f2;"))
}

func TestALoadFollowsTheLoadThatItsAddressComesFrom(t *testing.T) {
	require.Equal(t, []string{"0ld", "3ld", "1mad", "2ld", "4add"}, order(t, 255,
		"ld.global.u32 %r1, [%mine];",
		"mad.wide.u32 %x1, %r1, 4, %out;",
		"ld.global.u32 %r2, [%x1];",
		"ld.global.u32 %r3, [%mine+4];",
		"add.u32 %r4, %r2, %r3;"))
}

func TestLoadsDoNotPassWhatMayChangeTheirValue(t *testing.T) {
	for _, between := range []string{
		"st.global.u32 [%out+4], %r1;", "st.u32 [%out+4], %r1;", "bar.sync 0;", "membar.gl;", "red.global.add.u32 [%out], %r1;",
		"ld.volatile.global.u32 %r3, [%out];", "mov.u32 %r3, %clock;",
	} {
		got := order(t, 255, "add.u32 %r1, %tid, 1;", between, "ld.global.u32 %r2, [%mine];", "add.u32 %r3, %r2, %r1;")
		require.Equal(t, []string{"0", "1", "2", "3"}, numbers(got), between)
	}
	// Another space, or memory that the kernel does not change.
	require.Equal(t, []string{"2", "0", "1", "3"}, numbers(order(t, 255, ".shared .u32 s; add.u32 %r1, %tid, 1;",
		"st.shared.u32 [s], %r1;", "ld.global.u32 %r2, [%mine];", "add.u32 %r3, %r2, %r1;")))
	require.Equal(t, []string{"2", "0", "1", "3"}, numbers(order(t, 255, "add.u32 %r1, %tid, 1;",
		"st.global.u32 [%out+4], %r1;", "ld.global.nc.u32 %r2, [%mine];", "add.u32 %r3, %r2, %r1;")))
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
		lines = append(lines, fmt.Sprintf("ld.global.u32 %%r%d, [%%mine+%d];", i+1, 4*i), fmt.Sprintf("add.u32 %%r39, %%r39, %%r%d;", i+1))
	}
	p, _ := compileText(t, kernel("mov.u32 %r39, 0;\n"+strings.Join(lines, "\n")+"\nst.global.u32 [%mine], %r39;"))
	alone := p.kernel.MaxLive()
	for _, limit := range []int{0, alone + 3, alone + 7, 255} {
		h, err := p.Hoisted(limit)
		require.NoError(t, err)
		require.LessOrEqual(t, h.kernel.MaxLive(), max(limit, alone))
		longest, run := 0, 0
		for _, in := range h.kernel.Insts {
			if run++; in.Op != "ld" {
				run = 0
			}
			longest = max(longest, run)
		}
		require.Equal(t, map[int]int{0: 1, alone + 3: 4, alone + 7: 8, 255: 16}[limit], longest, "loads in a row")
	}
}

// Whatever a block holds, it computes the same after hoisting.
func TestHoistedCodeComputesTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		reg := func() string { return fmt.Sprintf("%%r%d", rapid.IntRange(1, 6).Draw(r, "register")) }
		at := func() int { return 4 * rapid.IntRange(0, 3).Draw(r, "word") }
		var body strings.Builder
		body.WriteString(".shared .align 4 .b8 s[16];\n")
		for i := range 4 {
			fmt.Fprintf(&body, "st.shared.u32 [s+%d], %d;\nst.global.u32 [%%out+%d], %d;\n", 4*i, i, 4*i, 10*i)
		}
		for i := range 6 {
			fmt.Fprintf(&body, "mov.u32 %%r%d, %d;\n", i+1, i)
		}
		body.WriteString("setp.eq.u32 %p1, %tid, 0;\n")
		for range rapid.IntRange(2, 30).Draw(r, "length") {
			guard := rapid.SampledFrom([]string{"", "", "@%p1 ", "@!%p1 "}).Draw(r, "guard")
			switch rapid.IntRange(0, 7).Draw(r, "kind") {
			case 0, 1:
				fmt.Fprintf(&body, "%sld.global.u32 %s, [%%out+%d];\n", guard, reg(), at())
			case 2:
				fmt.Fprintf(&body, "%sst.global.u32 [%%out+%d], %s;\n", guard, at(), reg())
			case 3:
				fmt.Fprintf(&body, "%sld.shared.u32 %s, [s+%d];\n", guard, reg(), at())
			case 4:
				fmt.Fprintf(&body, "%sst.shared.u32 [s+%d], %s;\n", guard, at(), reg())
			case 5:
				fmt.Fprintf(&body, "setp.lt.u32 %%p1, %s, %s;\n", reg(), reg())
			case 6:
				fmt.Fprintf(&body, "add.cc.u32 %s, %s, %s;\naddc.u32 %s, %s, %s;\n", reg(), reg(), reg(), reg(), reg(), reg())
			default:
				fmt.Fprintf(&body, "%sadd.u32 %s, %s, %s;\n", guard, reg(), reg(), reg())
			}
		}
		for i := range 6 {
			fmt.Fprintf(&body, "st.global.u32 [%%out+%d], %%r%d;\n", 16+4*i, i+1)
		}
		p, m := compileText(t, kernel(body.String()))
		h, err := p.Hoisted(rapid.SampledFrom([]int{0, 10, 255}).Draw(r, "registers"))
		require.NoError(r, err)
		require.Equal(r, words(t, p, m), words(t, h, m), body.String())
	})
}

// words runs a program in one thread and returns what it leaves in its array.
func words(t *testing.T, p *Program, m *Module) []byte {
	memory := NewMemory()
	memory.Load(m)
	addr := memory.Alloc(64, 0)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: one, Params: params(addr), Mem: memory}))
	data, err := memory.Bytes(addr, 64)
	require.NoError(t, err)
	return data
}
