package exec

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/tests/need"
	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
	"cotenant/workload/ptx/sass"
)

// Each thread has this many bytes of its own of global and shared memory.
const own = 64

// generated draws a kernel that leaves all that it computes in an array. Each
// thread keeps to its own memory, but for words that it reads between barriers,
// so that what it computes does not depend on when.
type generated struct {
	*rapid.T
	text   strings.Builder
	exited bool // a lane has, so its registers do not matter
	repeat int  // times that each block comes again
}

func (g *generated) line(format string, values ...any) { fmt.Fprintf(&g.text, format+"\n", values...) }

func (g *generated) reg() string {
	return fmt.Sprintf("%%r%d", rapid.IntRange(1, 8).Draw(g.T, "register"))
}
func (g *generated) wide() string {
	return fmt.Sprintf("%%x%d", rapid.IntRange(1, 4).Draw(g.T, "wide"))
}

// where is an address of the thread's own memory: %m and %n are in global
// memory, %s, %t and %u in shared memory, %n 16 bytes behind %m, %t and %u 8 and
// 16 behind %s.
func (g *generated) where(space string, size int) string {
	base, skip := "%m", 0
	if space == "shared" {
		base = rapid.SampledFrom([]string{"%s", "%t", "%u"}).Draw(g.T, "base")
		skip = map[string]int{"%s": 0, "%t": 8, "%u": 16}[base]
	} else if rapid.Bool().Draw(g.T, "other base") {
		base, skip = "%n", 16
	}
	at := rapid.IntRange(0, 32/size-1).Draw(g.T, "word")*size - skip
	if space == "" && rapid.Bool().Draw(g.T, "generic shared") {
		return fmt.Sprintf("[%%g+%d]", at+skip)
	}
	return fmt.Sprintf("[%s+%d]", base, at)
}

func (g *generated) access() {
	guard := rapid.SampledFrom([]string{"", "", "", "@%p1 ", "@!%p1 "}).Draw(g.T, "guard")
	space := rapid.SampledFrom([]string{"global", "shared", "shared", ""}).Draw(g.T, "space")
	op := rapid.SampledFrom([]string{"ld", "ld", "ld", "st"}).Draw(g.T, "access")
	dot := strings.TrimSuffix("."+space, ".")
	if rapid.IntRange(0, 9).Draw(g.T, "volatile") == 0 {
		dot = ".volatile" + dot
	}
	size, kind, value := 4, rapid.SampledFrom([]string{"u32", "u32", "s32"}).Draw(g.T, "type"), g.reg()
	if rapid.IntRange(0, 3).Draw(g.T, "double") == 0 {
		size, kind, value = 8, "u64", g.wide()
	}
	at := g.where(space, size)
	if op == "ld" {
		g.line("%sld%s.%s %s, %s;", guard, dot, kind, value, at)
	} else {
		g.line("%sst%s.%s %s, %s;", guard, dot, kind, at, value)
	}
}

func (g *generated) instruction() {
	kind := rapid.IntRange(0, 15).Draw(g.T, "kind")
	if kind == 10 && g.exited {
		return
	}
	switch kind {
	case 0, 1, 2, 3, 4:
		g.access()
	case 5:
		g.line("setp.lt.u32 %%p1, %s, %s;", g.reg(), g.reg())
	case 6:
		g.line("add.cc.u32 %s, %s, %s;", g.reg(), g.reg(), g.reg())
		g.line("addc.u32 %s, %s, %s;", g.reg(), g.reg(), g.reg())
	case 7:
		g.line("mul.wide.u32 %s, %s, 4;\nadd.s64 %s, %s, %s;", "%x9", g.reg(), g.wide(), g.wide(), "%x9")
	case 8:
		g.line("mov.u32 %s, %s;", g.reg(), g.reg())
	case 9:
		g.line("mov.u64 %s, %s;", g.wide(), g.wide())
	case 10:
		g.line("shfl.sync.bfly.b32 %s, %s, 1, 31, -1;", g.reg(), g.reg())
	case 11: // what a neighbour has
		g.line("bar.sync 0;\nld.shared.u32 %s, [%%v+%d];\nbar.sync 0;", g.reg(), 4*rapid.IntRange(0, 7).Draw(g.T, "word"))
	case 12:
		g.line("atom.shared.add.u32 %s, %s, %s;", g.reg(), g.where("shared", 4), g.reg())
	case 13:
		g.line("div.u32 %s, %s, 7;", g.reg(), g.reg())
	default:
		guard := rapid.SampledFrom([]string{"", "@%p1 ", "@!%p1 "}).Draw(g.T, "guard")
		g.line("%s%s.u32 %s, %s, %s;", guard, rapid.SampledFrom([]string{"add", "sub", "mul.lo"}).Draw(g.T, "arithmetic"), g.reg(), g.reg(), g.reg())
	}
}

func (g *generated) block() {
	start := g.text.Len()
	for range rapid.IntRange(2, 25).Draw(g.T, "length") {
		g.instruction()
	}
	g.text.WriteString(strings.Repeat(g.text.String()[start:], g.repeat))
}

func (g *generated) kernel() string {
	g.line(".version 7.8\n.target sm_70\n.address_size 64\n.shared .align 8 .b8 first[8];\n.shared .align 8 .b8 mem[%d];", 64*own)
	g.line(".visible .entry k(.param .u64 output) {\n.reg .b64 %%out, %%m, %%n, %%g, %%x<10>;\n.reg .b32 %%tid, %%s, %%t, %%u, %%v, %%w, %%count, %%r<20>;\n.reg .pred %%p<4>;")
	g.line("ld.param.u64 %%out, [output];\nmov.u32 %%tid, %%tid.x;\nmad.wide.u32 %%m, %%tid, %d, %%out;\nadd.u64 %%n, %%m, 16;", own)
	// The first variable moves the second off what its loads may be a multiple of.
	if rapid.Bool().Draw(g.T, "misplaced") {
		g.line("st.shared.u32 [first], 1;")
	}
	g.line("mov.u32 %%w, mem;\nmad.lo.u32 %%s, %%tid, %d, %%w;\nadd.u32 %%t, %%s, 8;\nadd.u32 %%u, %%s, 16;", own)
	g.line("xor.b32 %%v, %%tid, 33;\nmad.lo.u32 %%v, %%v, %d, %%w;\ncvt.u64.u32 %%g, %%s;\ncvta.shared.u64 %%g, %%g;", own)
	for i := range own / 4 {
		g.line("mad.lo.u32 %%r1, %%tid, 7, %d;\nst.shared.u32 [%%s+%d], %%r1;\nst.global.u32 [%%m+%d], %%r1;", i, 4*i, 4*i)
	}
	for i := range 8 {
		g.line("add.u32 %%r%d, %%tid, %d;", i+1, i)
	}
	g.line("mov.u64 %%x1, 1;\nmov.u64 %%x2, 2;\nmov.u64 %%x3, %%x2;\nmov.u64 %%x4, 4;\nsetp.gt.u32 %%p1, %%tid, 20;\nmov.u32 %%count, 0;")
	g.block()
	if rapid.Bool().Draw(g.T, "loop") {
		g.line("H:")
		g.block()
		g.line("add.u32 %%count, %%count, 1;\nsetp.lt.u32 %%p2, %%count, 3;\n@%%p2 bra H;")
	}
	if rapid.Bool().Draw(g.T, "branch") {
		g.line("setp.eq.u32 %%p3, %%tid, 3;\n@%%p3 bra E;")
		for range 4 {
			g.access()
		}
		g.line("E:")
	}
	if rapid.Bool().Draw(g.T, "exit") {
		g.line("setp.eq.u32 %%p3, %%tid, 7;\n@%%p3 exit;")
		g.exited = true
	}
	g.block()
	for i := range 8 {
		g.line("st.global.u32 [%%m+%d], %%r%d;", 32+4*i, i+1)
	}
	g.line("ret;\n}")
	return g.text.String()
}

// run64 runs a program in one thread block of 64 threads and returns what it
// leaves in its array.
func run64(t require.TestingT, p *Program, m *ptx.Module) []byte {
	memory := NewMemory()
	memory.Load(m)
	addr := memory.Alloc(64*own, 0)
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	params := binary.LittleEndian.AppendUint64(nil, addr)
	require.NoError(t, Run(p, &LaunchConfig{Grid: one, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Params: params, Mem: memory}))
	data, err := memory.Bytes(addr, 64*own)
	require.NoError(t, err)
	return data
}

// Whatever a kernel does, it computes the same after optimization, in no more
// registers.
func TestOptimizedCodeComputesTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := &generated{T: r}
		text := g.kernel()
		m, err := ptx.Parse("t.ptx", []byte(text))
		require.NoError(r, err, text)
		p, err := Compile(m, "k")
		require.NoError(r, err)
		want := run64(r, p, m)
		registers := rapid.SampledFrom([]int{0, 16, 24, 255}).Draw(r, "registers")
		for _, rules := range []sass.Options{{}, {KeepOrder: true}, {KeepLoads: true}, {KeepMoves: true, KeepAddresses: true}} {
			f := sass.Optimize(m.Funcs[0], registers, p.Place, &sass.Maxwell, rules)
			require.LessOrEqual(r, flow.MaxLive(f), max(registers, flow.MaxLive(m.Funcs[0])))
			q, err := p.With(f)
			require.NoError(r, err)
			got := run64(r, q, m)
			for i, b := range want {
				require.Equal(r, b, got[i], "byte %d of thread %d with %+v in %d registers:\n%s", i%own, i/own, rules, registers, text)
			}
		}
	})
}

// So does a kernel with long blocks, which are optimized in pieces.
func TestOptimizedLongCodeComputesTheSame(t *testing.T) {
	kernels := rapid.Custom(func(r *rapid.T) string {
		g := &generated{T: r, repeat: 300}
		return g.kernel()
	})
	longest := 0
	seeds := 2
	if need.Slow() {
		seeds = 4
	}
	for seed := range seeds {
		text := kernels.Example(seed)
		m, err := ptx.Parse("t.ptx", []byte(text))
		require.NoError(t, err)
		p, err := Compile(m, "k")
		require.NoError(t, err)
		want := run64(t, p, m)
		longest = max(longest, len(m.Funcs[0].Insts))
		for _, registers := range []int{16, 255} {
			f := sass.Optimize(m.Funcs[0], registers, p.Place, &sass.Maxwell, sass.Options{})
			require.LessOrEqual(t, flow.MaxLive(f), max(registers, flow.MaxLive(m.Funcs[0])))
			require.Less(t, len(f.Regs), 8000)
			require.NotEqual(t, m.Funcs[0].Insts, f.Insts)
			q, err := p.With(f)
			require.NoError(t, err)
			require.Equal(t, want, run64(t, q, m), "seed %d in %d registers", seed, registers)
		}
	}
	require.Greater(t, longest, 10_000)
}

// What is proved of a variable's place holds in the other form.
func TestSharedVariablesStayAtTheirPlaces(t *testing.T) {
	p, m := compileText(t, ".shared .align 4 .b8 a[8];\n.shared .align 4 .b8 b[64];\n.extern .shared .align 8 .b8 d[];\n"+
		kernel("st.shared.u32 [a], 1;\nst.shared.u32 [b], 1;\nst.shared.u32 [d], 1;"))
	other := *m.Funcs[0]
	other.Insts = slices.Clone(other.Insts)
	slices.Reverse(other.Insts[3:5])
	q, err := p.With(&other)
	require.NoError(t, err)
	for i, want := range [][2]int{{0, 64}, {8, 64}, {0, 3}} {
		for _, program := range []*Program{p, q} {
			address, known := program.Place(m.Vars[i])
			require.Equal(t, want, [2]int{int(address), known}, m.Vars[i].Name)
		}
	}
	require.Equal(t, p.SharedBytes(), q.SharedBytes())
}
