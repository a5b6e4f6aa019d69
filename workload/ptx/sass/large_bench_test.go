package sass

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// largeRegisters are close to the limit of a function, which has predicates, too.
const largeRegisters = 20_000

// largeFunction is the text of a kernel of about n instructions: loads, arithmetic on
// recent values and on the 32 first ones, and stores. Nearly every value has a register
// of its own, as compilers write PTX. With branches every tenth instruction jumps over the next nine; otherwise the
// function is one block.
func largeFunction(n int, branches bool) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	fmt.Fprintf(&b, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry large(.param .u64 p)\n{\n")
	fmt.Fprintf(&b, ".reg .f32 %%f<%d>;\n.reg .b64 %%rd<2>;\n.reg .pred %%q<1000>;\n", largeRegisters)
	fmt.Fprintf(&b, "ld.param.u64 %%rd0, [p];\ncvta.to.global.u64 %%rd1, %%rd0;\n")
	for i := range 32 {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rd1+%d];\n", i, 4*i)
	}
	first, value := 0, 0 // that the next instructions can be sure of, and the next one
	register := func(value int) int { return 32 + value%(largeRegisters-32) }
	recent := func() int { return register(value - 1 - rng.IntN(min(30, value-first))) }
	for i := range n {
		if i == 0 || branches && i%10 == 2 {
			fmt.Fprintf(&b, "mov.f32 %%f%d, 0f3F800000;\n", register(value))
			first, value = value, value+1
		}
		switch at := i % 10; {
		case branches && at == 0:
			fmt.Fprintf(&b, "L%d:\nsetp.lt.f32 %%q%d, %%f%d, 0f3F800000;\n", i, i%1000, rng.IntN(32))
		case branches && at == 1:
			fmt.Fprintf(&b, "@%%q%d bra L%d;\n", (i-1)%1000, i+9)
		case at == 2:
			fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rd1+%d];\n", register(value), 4*rng.IntN(1<<16))
			value++
		case at == 9:
			fmt.Fprintf(&b, "st.global.f32 [%%rd1+%d], %%f%d;\n", 4*rng.IntN(1<<16), recent())
		default:
			fmt.Fprintf(&b, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", register(value), recent(), recent(), rng.IntN(32))
			value++
		}
	}
	fmt.Fprintf(&b, "L%d:\nret;\n}\n", (n+9)/10*10)
	return b.String()
}

// BenchmarkLarge lowers functions of 100,000 instructions: in one block, and in many. The
// time of a pass that looks at every two instructions, or has a set of all registers for
// each register, would grow with the square.
func BenchmarkLarge(b *testing.B) {
	for _, branches := range []bool{false, true} {
		m, err := ptx.Parse("large", []byte(largeFunction(100_000, branches)))
		require.NoError(b, err)
		b.Run(map[bool]string{false: "straight", true: "branches"}[branches], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := exec.Compile(m, "large")
				require.NoError(b, err)
				Lower(Optimize(m.Funcs[0], 32, p.Place, &Maxwell, Options{}), Options{})
			}
		})
	}
}
