package sass

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

func nowhere(*ptx.Var) (uint64, int) { return 0, 0 }

func TestLatenciesAreThoseOfTheClass(t *testing.T) {
	for text, want := range map[string][2]int{
		"add.s32 %r1, %r2, %r3;":                                 {1, 6},
		"add.f64 %d1, %d2, %d3;":                                 {1, 8},
		"ex2.approx.f32 %f1, %f2;":                               {1, 14},
		"ld.shared.u32 %r1, [sh];":                               {1, 23},
		"ld.const.u32 %r1, [co];":                                {1, 25},
		"ld.global.u32 %r1, [%x1];":                              {1, 207},
		"ld.local.u32 %r1, [lo];":                                {1, 207},
		"st.global.u32 [%x1], %r1;":                              {1, 1},
		"add.s64 %x1, %x2, %x3;":                                 {7, 6},                // two, the second waits for the first
		"div.rn.f32 %f1, %f2, %f3;":                              {14 + 8*6 - 6 + 1, 6}, // SFU, and eight of the ALU
		"popc.b64 %r1, %x2;":                                     {2*14 + 6 - 6 + 1, 6}, // two of the SFU, an ALU instruction
		"rsqrt.approx.f32 %f1, %f2;":                             {1, 14},
		"atom.shared.add.u32 %r1, [sh], 1;":                      {1, 23},
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];": {1, 23},
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};": {1, 25},
	} {
		f := function(t, text)
		c := newLowering(f, Options{}).cost(0, &Maxwell)
		require.Equal(t, want, [2]int{c.Issue, c.Latency}, text)
		require.False(t, c.Free)
	}
	for _, text := range []string{"mov.u32 %r1, %r2;", "ld.param.u64 %x1, [in];", "mov.f32 %f1, 0f3F800000;"} {
		require.True(t, newLowering(function(t, text), Options{}).cost(0, &Maxwell).Free, text)
	}
}

// Rules that are off leave the code as it is.
func TestOptimizationIsSwitchedByItsRules(t *testing.T) {
	text := "ld.shared.u32 %r1, [sh]; add.s32 %r2, %r1, 1; ld.shared.u32 %r3, [sh+4]; add.s32 %r2, %r3, %r2; " +
		"ld.global.u32 %r4, [%x1]; add.s32 %r5, %r4, 1; ld.global.u32 %r6, [%x1+4]; add.s32 %r7, %r6, %r5;"
	f := function(t, text)
	at := func(*ptx.Var) (uint64, int) { return 0, 64 }
	ops := func(rules string) (list []string) {
		for _, in := range Optimize(f, 255, at, &Maxwell, off(t, rules)).Insts {
			list = append(list, in.Op)
			if in.Vec > 1 {
				list[len(list)-1] += ".v"
			}
		}
		return list
	}
	require.Equal(t, []string{"ld", "ld", "ld.v", "add", "add", "add", "add"}, ops("+all"))
	require.Equal(t, []string{"ld.v", "add", "add", "ld", "add", "ld", "add"}, ops("-order"))
	require.Equal(t, []string{"ld", "ld", "ld", "ld", "add", "add", "add", "add"}, ops("-merge"))
	require.Equal(t, []string{"ld", "add", "ld", "add", "ld", "add", "ld", "add"}, ops("-merge,-order"))
}

// A product joins its addition after scheduling as before, and also if its
// operand changes in between, since that is then another register.
func TestFoldsOutliveScheduling(t *testing.T) {
	for _, text := range []string{
		"mul.wide.s32 %x1, %r1, 4; add.s64 %x2, %x3, %x1; add.s32 %r1, %r1, 1; mul.lo.s32 %r2, %r1, %r1; ld.global.u32 %r3, [%x2]; add.s32 %r1, %r1, %r2;",
		"mul.wide.s32 %x1, %r1, 4; add.s32 %r1, %r1, 1; add.s64 %x2, %x3, %x1; mul.lo.s32 %r2, %r1, %r1; ld.global.u32 %r3, [%x2]; add.s32 %r1, %r1, %r2;",
	} {
		f := Optimize(function(t, text), 255, nowhere, &Maxwell, Options{})
		n := 0
		for i := range f.Insts {
			n += len(Lower(f, Options{}).At(i))
		}
		require.Equal(t, 5, n, text)
	}
}

// Kernels for which there are registers enough only for some of the loads that
// could be in flight: how often a warp waits for one, in the text of the
// largest kernel, without scheduling and with it. The loop of sgemm has a load in each step.
func TestFewRegistersAreWellUsed(t *testing.T) {
	for _, k := range []struct {
		name      string
		registers int
		waits     [2]int
	}{{"spmv", 16, [2]int{11, 7}}, {"stencil", 24, [2]int{15, 4}}, {"sgemm", 44, [2]int{18, 18}}} {
		text, err := os.ReadFile("../../kernels/ptx/" + k.name + ".ptx")
		require.NoError(t, err)
		m, err := ptx.Parse(k.name, text)
		require.NoError(t, err)
		var got [2]int
		for i, rules := range []string{"-order", "+all"} {
			f := Optimize(m.Funcs[0], k.registers, nowhere, &Maxwell, off(t, rules))
			require.LessOrEqual(t, flow.MaxLive(f), max(k.registers, flow.MaxLive(m.Funcs[0])))
			got[i] = waits(f)
		}
		require.Equal(t, k.waits, got, k.name)
	}
}

// Four loads of which each value is stored at once need four registers, or six as one load. A
// compiler takes the six where a thread is given eight anyway.
func TestRegistersOfAUnitAreUsed(t *testing.T) {
	f := function(t, "mov.u32 %r0, 64; bar.sync 0; ld.shared.u32 %r1, [%r0]; st.global.u32 [%x1], %r1; ld.shared.u32 %r2, [%r0+4]; st.global.u32 [%x1+4], %r2; "+
		"ld.shared.u32 %r3, [%r0+8]; st.global.u32 [%x1+8], %r3; ld.shared.u32 %r4, [%r0+12]; st.global.u32 [%x1+12], %r4;")
	loads := func(registers, unit int) (n, live int) {
		opt := Options{Unit: unit}
		g := Optimize(f, registers, nowhere, &Maxwell, opt)
		for i := range g.Insts {
			if in := &g.Insts[i]; in.Op == "ld" && in.Space == ptx.Shared {
				n++
			}
		}
		return n, flow.MaxLive(g)
	}
	for _, c := range []struct{ registers, unit, loads, live int }{
		{0, 0, 4, 4}, {0, 1, 4, 4}, {0, 8, 1, 6}, {0, 6, 1, 6}, {0, 5, 4, 5}, {32, 0, 1, 6},
		{4, 8, 4, 4}, // as the manifest states
	} {
		n, live := loads(c.registers, c.unit)
		require.Equal(t, []int{c.loads, c.live}, []int{n, live}, "%+v", c)
	}
	require.Equal(t, []int{0, 8, 8, 16}, []int{(&Options{Unit: 8}).Units(0), (&Options{Unit: 8}).Units(3), (&Options{Unit: 8}).Units(8), (&Options{Unit: 8}).Units(9)})
	require.Equal(t, 9, (&Options{}).Units(9))
}

// waits is how often, in the order of the text, a warp comes to use a result of
// the loads of global memory since it last did.
func waits(f *ptx.Func) (n int) {
	pending := map[int]bool{}
	for _, in := range f.Insts {
		for _, o := range in.Src {
			if pending[o.Reg] && (o.Kind == ptx.Register || o.Kind == ptx.Address) {
				clear(pending)
				n++
			}
		}
		if in.Op == "ld" && in.Space == ptx.Global {
			pending[in.Dst[0].Reg] = true
		}
	}
	return n
}

func TestCopiesShareUnlessBothChange(t *testing.T) {
	// Sums that start at one value, each in a register of its own.
	f := function(t, "mov.u32 %r1, 0; mov.u32 %r2, %r1; H: add.s32 %r1, %r1, 1; add.s32 %r2, %r2, 2; setp.lt.s32 %p1, %r1, 9; @%p1 bra H; "+
		"st.global.v2.u32 [%x1], {%r1, %r2};")
	c := Lower(f, Options{})
	require.NotEqual(t, c.At(2)[0].Dst[0], c.At(3)[0].Dst[0])
	require.Len(t, c.At(1), 1, "so the copy is an instruction")
	require.Equal(t, workload.Int, c.At(1)[0].Class)
	// Names of one value, both in use.
	f = function(t, "ld.global.u32 %r1, [%x1]; mov.u32 %r2, %r1; mov.u32 %r3, %r1; add.s32 %r4, %r1, %r2; add.s32 %r4, %r4, %r3; st.global.u32 [%x1], %r1;")
	c = Lower(f, Options{})
	require.Empty(t, c.At(1))
	require.Empty(t, c.At(2))
	// The copy is written anew while the first is in use.
	f = function(t, "ld.global.u32 %r1, [%x1]; mov.u32 %r2, %r1; st.global.u32 [%x2], %r2; add.s32 %r2, %r1, 5; st.global.v2.u32 [%x1], {%r1, %r2};")
	require.Len(t, Lower(f, Options{}).At(1), 1)
	// A value that goes on in a loop under another name.
	f = function(t, "mov.u32 %r1, 0; H: add.s32 %r2, %r1, 1; setp.lt.s32 %p1, %r2, 9; mov.u32 %r1, %r2; @%p1 bra H;")
	require.Empty(t, Lower(f, Options{}).At(3))
}

// Registers are handed out again where no value is in the way.
func TestValuesInUseHaveRegistersOfTheirOwn(t *testing.T) {
	text := "ld.global.u64 %x1, [%x2]; "
	for range 120 {
		text += "{ .reg .b64 %y<3>; add.s64 %y1, %x2, 8; add.s64 %y2, %y1, 8; st.global.u64 [%x2], %y2; } "
	}
	f := function(t, text+"st.global.u64 [%x2], %x1;")
	c := Lower(f, Options{})
	kept := c.At(0)[0].Dst[:2]
	for i := 1; i < len(f.Insts)-1; i++ {
		for _, inst := range c.At(i) {
			require.False(t, inst.Dst[0] != workload.NoReg && (slices.Contains(kept, inst.Dst[0]) || slices.Contains(kept, inst.Dst[1])), "instruction %d", i)
		}
	}
	require.Subset(t, c.At(len(f.Insts) - 1)[0].Src[:], kept)
}
