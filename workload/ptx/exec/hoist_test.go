package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

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
func words(t *testing.T, p *Program, m *ptx.Module) []byte {
	memory := NewMemory()
	memory.Load(m)
	addr := memory.Alloc(64, 0)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: one, Params: params(addr), Mem: memory}))
	data, err := memory.Bytes(addr, 64)
	require.NoError(t, err)
	return data
}
