package sass

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// function is a kernel with a body, in which registers of every type are
// declared.
func function(t *testing.T, body string) *ptx.Func {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(".version 7.8\n.target sm_70\n.address_size 64\n"+
		".func (.param .b32 r) fun(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }\n"+
		".global .texref tex; .shared .b32 sh[4]; .const .b32 co[4];\n"+
		".entry k(.param .b64 in, .param .b32 n) { .reg .b64 %x<9>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;\n"+
		".reg .pred %p<9>; .local .b32 lo[4];\n"+body+"\n}\n"))
	require.NoError(t, err, body)
	return m.Funcs[1]
}

// classes writes the lowered form of each instruction: its classes with how
// often each comes, or - if it costs nothing.
func classes(c *Code, f *ptx.Func) string {
	var out []string
	for i := range f.Insts {
		var list []string
		seq := c.At(i)
		for len(seq) > 0 {
			n := 1
			for n < len(seq) && seq[n].Class == seq[0].Class {
				n++
			}
			text := seq[0].Class.String()
			if n > 1 {
				text += "*" + string(rune('0'+n/10)) + string(rune('0'+n%10))
			}
			list = append(list, text)
			seq = seq[n:]
		}
		if list == nil {
			list = []string{"-"}
		}
		out = append(out, strings.Join(list, "+"))
	}
	return strings.Join(out, " ")
}

func off(t *testing.T, list string) Options {
	t.Helper()
	o, err := ParseOptions(list, Options{})
	require.NoError(t, err)
	return o
}

// A rule's row: what a text becomes with the rule and without.
type row struct{ text, with, without string }

func check(t *testing.T, rule string, rows []row) {
	t.Helper()
	for _, r := range rows {
		f := function(t, r.text)
		require.Equal(t, r.with, classes(Lower(f, Options{}), f), r.text)
		require.Equal(t, r.without, classes(Lower(f, off(t, "-"+rule)), f), r.text+" without "+rule)
	}
}

func TestParametersAreOperands(t *testing.T) {
	check(t, "params", []row{
		{"ld.param.u64 %x1, [in];", "-", "constant"},
		{"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), fun, (a); ld.param.b32 %r2, [r]; }",
			"- branch -", "int branch int"},
	})
}

func TestMovesCostNothing(t *testing.T) {
	check(t, "moves", []row{
		{"mov.u32 %r1, %r2;", "-", "int"},
		{"mov.f32 %f1, 0f3F800000;", "-", "int"},
		{"mov.f64 %d1, %d2;", "-", "int*02"},
		{"mov.b64 {%r1, %r2}, %x1;", "-", "int*02"},
		{"cvta.to.global.u64 %x1, %x2;", "-", "int*02"},
		{"mov.u32 %r1, sh;", "-", "int"},
		{"mov.u32 %r1, %tid.x;", "int", "int"}, // S2R
	})
}

func TestCopiesShareARegister(t *testing.T) {
	f := function(t, "add.s32 %r1, %r2, 1; mov.u32 %r3, %r1; add.s32 %r4, %r3, 1;")
	c := Lower(f, Options{})
	require.Equal(t, c.At(0)[0].Dst[0], c.At(2)[0].Src[0])
	c = Lower(f, off(t, "-moves"))
	require.NotEqual(t, c.At(0)[0].Dst[0], c.At(2)[0].Src[0])
	require.Equal(t, c.At(1)[0].Dst[0], c.At(2)[0].Src[0])
}

func TestProductsAndShiftsJoinTheAdditionThatAloneUsesThem(t *testing.T) {
	check(t, "addresses", []row{
		{"mul.wide.s32 %x1, %r1, 4; add.s64 %x2, %x3, %x1;", "- int", "int int*02"},
		{"shl.b64 %x1, %x4, 2; add.s64 %x2, %x3, %x1;", "- int*02", "int*03 int*02"},
		{"shl.b32 %r1, %r2, 2; ld.shared.u32 %r4, [sh]; add.s32 %r3, %r1, %r4;", "- load int", "int load int"},
		// Another use, another width, a redefinition, a guard, a branch target between.
		{"mul.wide.s32 %x1, %r1, 4; add.s64 %x2, %x3, %x1; add.s64 %x4, %x5, %x1;", "int int*02 int*02", "int int*02 int*02"},
		{"mul.wide.s32 %x1, %r1, 4; sub.s64 %x2, %x3, %x1;", "int int*02", "int int*02"},
		{"shl.b32 %r1, %r2, 2; mov.u32 %r2, 5; add.s32 %r3, %r1, %r4;", "int - int", "int - int"},
		{"shl.b32 %r1, %r2, %r5; add.s32 %r3, %r1, %r4;", "int int", "int int"},
		{"shl.b32 %r1, %r2, 2; @%p1 add.s32 %r3, %r1, %r4;", "int int", "int int"},
		{"shl.b32 %r1, %r2, 2; L: add.s32 %r3, %r1, %r4; @%p1 bra L;", "int int branch", "int int branch"},
	})
	f := function(t, "mul.wide.s32 %x1, %r1, 4; add.s64 %x2, %x3, %x1;")
	regs := assign(f, make([]bool, len(f.Insts)), Options{})
	x3 := regs.machine[3]
	require.Equal(t, []string{"%x1", "%r1", "%x2", "%x3"}, f.Names)
	want := workload.NoRegs10
	copy(want[:], []uint8{regs.machine[1], x3, x3 + 1})
	require.Equal(t, want, Lower(f, Options{}).At(1)[0].Src)
}

func TestWideIntegersAreSequences(t *testing.T) {
	check(t, "wide", []row{
		{"add.s64 %x1, %x2, %x3;", "int*02", "int"},
		{"and.b64 %x1, %x2, %x3;", "int*02", "int"},
		{"setp.lt.u64 %p1, %x1, %x2;", "int*02", "int"},
		{"shr.u64 %x1, %x2, 3;", "int*03", "int"},
		{"mul.lo.s64 %x1, %x2, %x3;", "int*04", "int"},
		{"mul.hi.u64 %x1, %x2, %x3;", "int*08", "int"},
		{"max.s64 %x1, %x2, %x3;", "int*04", "int"},
		{"popc.b64 %r1, %x2;", "sfu*02+int", "sfu"},
		{"mul.wide.s32 %x1, %r1, %r2;", "int", "int"},
		{"add.s32 %r1, %r2, %r3;", "int", "int"},
	})
}

func TestDivisionsAndRootsAreSequences(t *testing.T) {
	check(t, "div", []row{
		{"div.s32 %r1, %r2, %r3;", "sfu*03+int*15", "int"},
		{"rem.u32 %r1, %r2, %r3;", "sfu*03+int*15", "int"},
		{"div.u64 %x1, %x2, %x3;", "sfu*04+int*66", "int"},
		{"div.rn.f32 %f1, %f2, %f3;", "sfu+fp32*08", "fp32"},
		{"div.rn.f64 %d1, %d2, %d3;", "sfu+fp64*10", "fp64"},
		{"div.approx.f32 %f1, %f2, %f3;", "sfu+fp32", "fp32"},
		{"sqrt.rn.f32 %f1, %f2;", "sfu+fp32*07", "sfu"},
		{"sqrt.rn.f64 %d1, %d2;", "sfu+fp64*10", "fp64"},
		{"sqrt.approx.f32 %f1, %f2;", "sfu+fp32", "sfu"},
		{"rcp.rn.f32 %f1, %f2;", "sfu+fp32*04", "sfu"},
		{"rcp.approx.f32 %f1, %f2;", "sfu", "sfu"},
		{"rsqrt.approx.f32 %f1, %f2;", "sfu", "sfu"},
	})
}

func TestShortForwardBranchesArePredication(t *testing.T) {
	seven := strings.Repeat("add.s32 %r1, %r1, 1; ", 7)
	check(t, "branches", []row{
		{"@%p1 bra L; add.s32 %r1, %r1, 1; st.global.u32 [%x1], %r1; L: ret;", "- int store exit", "branch int store exit"},
		{"@%p1 bra L; " + seven + "L: ret;", "- int int int int int int int exit", "branch int int int int int int int exit"},
		// Too long, not conditional, backward, control flow inside, entered from elsewhere.
		{"@%p1 bra L; add.s32 %r2, %r2, 1; " + seven + "L: ret;",
			"branch int int int int int int int int exit", "branch int int int int int int int int exit"},
		{"bra L; add.s32 %r1, %r1, 1; L: ret;", "branch int exit", "branch int exit"},
		{"L: add.s32 %r1, %r1, 1; @%p1 bra L;", "int branch", "int branch"},
		{"@%p1 bra L; bar.sync 0; L: ret;", "branch barrier exit", "branch barrier exit"},
		{"@%p1 bra L; M: add.s32 %r1, %r1, 1; L: @%p2 bra M;", "branch int branch", "branch int branch"},
	})
	f := function(t, "setp.lt.s32 %p1, %r1, 5; @%p1 bra L; add.s32 %r2, %r1, 1; @%p2 mov.u32 %r3, 1; L: add.s32 %r4, %r1, 1;")
	c := Lower(f, Options{})
	holds := c.At(0)[0].Dst[0]
	require.Contains(t, c.At(2)[0].Src, holds, "what the branch jumps over waits for its predicate")
	require.NotContains(t, c.At(4)[0].Src, holds)
	require.Equal(t, c.At(2), c.Skipped(1), "and is issued in vain when all lanes jump")
	require.Nil(t, c.Skipped(2))
	require.Nil(t, Lower(f, off(t, "-branches")).Skipped(1))
}

func TestOtherInstructionsHaveTheClassOfTheirPipe(t *testing.T) {
	for text, want := range map[string]string{
		"ld.global.f32 %f1, [%x1];":                             "load",
		"ld.const.b32 %r1, [co];":                               "constant",
		"tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [tex, {%r5}];": "load",
		"st.shared.u32 [sh], %r1;":                              "store",
		"atom.global.add.u32 %r1, [%x1], 1;":                    "atomic",
		"red.global.add.u32 [%x1], 1;":                          "reduction",
		"bar.sync 0;":                                           "barrier",
		"bar.arrive 1, 64;":                                     "barrier",
		"bar.warp.sync -1;":                                     "nop",
		"membar.gl;":                                            "fence",
		"ret;":                                                  "exit",
		"prefetch.global.L2 [%x1];":                             "-",
		"fma.rn.f32 %f1, %f2, %f3, %f4;":                        "fp32",
		"fma.rn.f64 %d1, %d2, %d3, %d4;":                        "fp64",
		"ex2.approx.f32 %f1, %f2;":                              "sfu",
		"sin.approx.f32 %f1, %f2;":                              "fp32+sfu",
		"cvt.rn.f32.s32 %f1, %r1;":                              "sfu",
		"cvt.rmi.f32.f32 %f1, %f2;":                             "sfu",
		"cvt.f64.f32 %d1, %f1;":                                 "fp64",
		"cvt.u32.u64 %r1, %x1;":                                 "int",
		"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;":               "sfu",
		"selp.f64 %d1, %d2, %d3, %p1;":                          "int*02",
		"setp.lt.f64 %p1, %d2, %d3;":                            "fp64",
		"popc.b32 %r1, %r2;":                                    "sfu",
	} {
		f := function(t, text)
		require.Equal(t, want, classes(Lower(f, Options{}), f), text)
	}
}

func TestReturnsOfFunctionsAreBranches(t *testing.T) {
	m, err := ptx.Parse("t.ptx", []byte(".version 7.8\n.target sm_70\n.address_size 64\n.func f() { ret; }"))
	require.NoError(t, err)
	require.Equal(t, "branch", classes(Lower(m.Funcs[0], Options{}), m.Funcs[0]))
}

func TestStepsOfASequenceDependOnOneAnother(t *testing.T) {
	f := function(t, "@%p1 add.s64 %x1, %x2, %x3;")
	seq := Lower(f, Options{}).At(0)
	regs := assign(f, make([]bool, len(f.Insts)), Options{})
	require.Equal(t, regs.machine[f.Insts[0].Guard], seq[0].Src[0], "the guard is a source")
	require.Equal(t, seq[0].Dst[0], seq[1].Src[0])
	require.Equal(t, uint32(pcStep), seq[1].PC-seq[0].PC)
}

func TestOptionsSwitchRulesOffAndOn(t *testing.T) {
	require.Equal(t, Options{KeepDivisions: true, KeepMoves: true}, off(t, "-div,-moves"))
	require.Equal(t, Options{KeepParams: true, KeepMoves: true, KeepAddresses: true, KeepDivisions: true, KeepModifiers: true, KeepLoads: true, KeepOrder: true, KeepBranches: true, PackRegisters: true}, off(t, "-all,+wide"))
	require.Equal(t, Options{}, off(t, "-all,+all"))
	var each []string
	for _, name := range strings.Split(RuleNames(), ", ") {
		require.NotEqual(t, Options{}, off(t, "-"+name))
		each = append(each, "-"+name)
	}
	require.Equal(t, off(t, "-all"), off(t, strings.Join(each, ",")))
	for _, bad := range []string{"", "div", "-", "-bogus", "-div,", "--div", "-+div"} {
		_, err := ParseOptions(bad, Options{})
		require.ErrorContains(t, err, "is no change of a lowering rule; valid: - (off) or + (on) before all, params, moves, addresses, wide, div, modifiers, merge, order, branches, registers", bad)
	}
}

// Handed out in turn, a register is written again late; packed, as soon as it is free.
func TestRegistersArePackedOrHandedOutInTurn(t *testing.T) {
	f := function(t, "ld.param.u64 %x1, [in]; add.s32 %r1, %r8, 1; add.s32 %r2, %r1, 2; add.s32 %r3, %r2, 3; st.global.u32 [%x1], %r3;")
	number := func(o Options) (list []uint8) {
		regs := assign(f, make([]bool, len(f.Insts)), o)
		for _, name := range []string{"%r1", "%r2", "%r3"} {
			list = append(list, regs.machine[slices.Index(f.Names, name)])
		}
		return list
	}
	turns, packed := number(Options{}), number(off(t, "-registers"))
	require.NotEqual(t, turns[0], turns[1])
	require.NotEqual(t, turns[0], turns[2])
	require.NotEqual(t, turns[1], turns[2])
	// What a value is read from last is free for the result.
	require.Equal(t, packed[0], packed[1])
	require.Equal(t, packed[1], packed[2])
	x1 := assign(f, make([]bool, len(f.Insts)), off(t, "-registers")).machine[slices.Index(f.Names, "%x1")]
	require.NotContains(t, []uint8{x1, x1 + 1}, packed[2], "they hold values at the same time")
}
