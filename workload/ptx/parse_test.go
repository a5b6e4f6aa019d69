package ptx

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const head = ".version 7.8\n.target sm_52\n.address_size 64\n"

// kernelText is a module with a kernel k(.u64 in, .u32 n) that has a body, in
// which registers of every type are declared.
func kernelText(body string) []byte {
	return []byte(head + ".global .texref tx; .extern .shared .align 16 .b8 dyn[]; .shared .b32 sh[4]; .const .f32 cf[2];" +
		".global .u32 gl; .func (.param .b32 r) fun(.param .b32 a) { ret; } .func (.param .b32 r) wide(.param .b8 a[12]) { ret; }\n" +
		".visible .entry k(.param .u64 in, .param .u32 n)\n{ .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>;" +
		".reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .local .align 8 .b8 depot[16];\n" + body + "\n}\n")
}

// parseBody parses the kernel of kernelText.
func parseBody(t testing.TB, body string) (*Func, error) {
	t.Helper()
	m, err := Parse("t.ptx", kernelText(body))
	if err != nil {
		return nil, err
	}
	f := m.Funcs[len(m.Funcs)-1]
	return f, f.Fault
}

// firstFault is the error of a text, or the first fault of its functions.
func firstFault(text string) error {
	m, err := Parse("t.ptx", []byte(text))
	for i := 0; err == nil && i < len(m.Funcs); i++ {
		err = m.Funcs[i].Fault
	}
	return err
}

// oneOfEachKind has instructions in the forms that the parser takes.
var oneOfEachKind = []string{
	"add.s32 %r1, %r2, -5;", "add.sat.s32 %r1, %r2, 0x10;", "add.rn.ftz.sat.f32 %f1, %f2, 0f3F800000;",
	"add.f64 %fd1, %fd2, 1.5;", "add.cc.u32 %r1, %r2, %r3;", "addc.cc.u32 %r1, %r2, %r3;", "subc.u64 %rd1, %rd2, 1;",
	"mul.lo.s32 %r1, %r2, %r3;", "mul.hi.u64 %rd1, %rd2, %rd3;", "mul.wide.s32 %rd1, %r2, 4;", "mul.wide.u16 %r1, %rs1, %rs2;",
	"mul24.lo.u32 %r1, %r2, %r3;", "mad.lo.s32 %r1, %r2, %r3, %r4;", "mad.wide.u32 %rd1, %r1, %r2, %rd2;",
	"mad24.hi.sat.s32 %r1, %r2, %r3, %r4;", "mad.lo.cc.u32 %r1, %r2, %r3, %r4;", "madc.hi.u32 %r1, %r2, %r3, %r4;",
	"fma.rn.f32 %f1, %f2, %f3, %f4;", "mad.rn.f64 %fd1, %fd2, %fd3, %fd4;", "sad.u32 %r1, %r2, %r3, %r4;",
	"div.s32 %r1, %r2, 3;", "rem.u64 %rd1, %rd2, %rd3;", "div.approx.ftz.f32 %f1, %f2, %f3;", "div.full.f32 %f1, %f2, %f3;",
	"div.rn.f64 %fd1, %fd2, %fd3;", "abs.s32 %r1, %r2;", "neg.ftz.f32 %f1, %f2;", "min.u16 %rs1, %rs2, %rs3;",
	"max.NaN.f32 %f1, %f2, %f3;", "sqrt.approx.f32 %f1, %f2;", "sqrt.rn.f64 %fd1, %fd2;", "rcp.rn.f32 %f1, %f2;",
	"rcp.approx.ftz.f64 %fd1, %fd2;", "rsqrt.approx.f32 %f1, %f2;", "sin.approx.ftz.f32 %f1, %f2;", "tanh.approx.f32 %f1, %f2;",
	"ex2.approx.f32 %f1, %f2;", "lg2.approx.f32 %f1, %f2;", "and.b32 %r1, %r2, 0b101;", "xor.pred %p1, %p2, -1;", "not.b64 %rd1, %rd2;",
	"cnot.b32 %r1, %r2;", "shl.b64 %rd1, %rd2, 3;", "shr.s64 %rd1, %rd2, %r1;", "shf.l.wrap.b32 %r1, %r2, %r3, 7;",
	"lop3.b32 %r1, %r2, %r3, %r4, 0x1e;", "bfe.u64 %rd1, %rd2, 3, %r1;", "bfi.b32 %r1, %r2, %r3, 0, 8;",
	"bfind.shiftamt.u64 %r1, %rd1;", "popc.b64 %r1, %rd1;", "clz.b32 %r1, %r2;", "brev.b32 %r1, %r2;", "prmt.b32 %r1, %r2, %r3, 0x5410;",
	"prmt.b32.f4e %r1, %r2, %r3, %r4;", "dp4a.u32.s32 %r1, %r2, %r3, %r4;", "selp.f64 %fd1, %fd2, 0d0000000000000000, %p1;",
	"slct.f32.s32 %f1, %f2, %f3, %r1;", "setp.lt.s32 %p1, %r1, 0;", "setp.geu.ftz.f32 %p1|%p2, %f1, %f2;",
	"setp.eq.and.f64 %p1|_, %fd1, %fd2, !%p3;", "setp.hs.u64 %p1, %rd1, %rd2;", "set.num.u32.f32 %r1, %f1, %f2;",
	"set.gt.or.f32.s32 %f1, %r1, %r2, %p1;", "testp.notanumber.f32 %p1, %f1;", "copysign.f64 %fd1, %fd2, %fd3;",
	"mov.u32 %r1, %tid.x;", "mov.u64 %rd1, %clock64;", "mov.b64 %rd1, {%r1, %r2};", "mov.b64 {%r1, _}, %rd1;",
	"mov.b64 %rd1, {%rs1, %rs2, %rs3, %rs4};", "mov.u64 %rd1, gl+4;", "mov.u32 %r1, sh;", "mov.pred %p1, 0;", "mov.b32 %r1, %f1;",
	"cvt.u32.u64 %r1, %rd1;", "cvt.s16.s8 %rs1, %rs2;", "cvt.u16.u8 %r1, %r2;", "cvt.rzi.s32.f32 %r1, %f1;", "cvt.rn.f32.s32 %f1, %r1;",
	"cvt.sat.f32.f32 %f1, %f2;", "cvt.rmi.f64.f64 %fd1, %fd2;", "cvt.rn.f32.f64 %f1, %fd1;", "cvt.f64.f32 %fd1, %f1;",
	"cvt.rn.f16.f32 %rs1, %f1;", "cvt.f32.f16 %f1, %rs1;", "cvt.u64.u32 %rd1, %ctaid.y;",
	"cvta.to.global.u64 %rd1, %rd2;", "cvta.local.u64 %rd1, depot;", "isspacep.shared %p1, %rd1;",
	"ld.param.u64 %rd1, [in];", "ld.global.f32 %f1, [%rd1+-8];", "ld.volatile.shared.u32 %r1, [sh+4];", "ld.u8 %rs1, [%rd1];",
	"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];", "ld.global.ca.v2.u64 {%rd1, %rd2}, [%rd3];", "ld.const.f32 %f1, [cf+4];",
	"ld.shared.f32 %f1, [%r1+4];", "ld.relaxed.gpu.global.u32 %r1, [%rd1];", "ld.global.L1::evict_last.L2::128B.u32 %r1, [%rd1];",
	"ld.s8 %r1, [%rd1];", "ld.local.v2.b32 {%r1, _}, [depot];", "ld.shared::cta.u32 %r1, [dyn];", "ldu.global.u32 %r1, [%rd1];",
	"st.global.v2.f64 [%rd1], {%fd1, 0d3FF0000000000000};", "st.local.u32 [depot+8], 7;", "st.release.sys.global.u32 [%rd1], %r1;",
	"st.volatile.u8 [%rd1], %rs1;", "st.global.cs.u32 [gl], %r1;", "ld.shared.u32 %r1, [64];",
	"atom.global.add.u32 %r1, [%rd1], 1;", "atom.shared.cas.b32 %r1, [sh], 0, %r2;", "atom.add.f64 %fd1, [%rd1], %fd2;",
	"atom.relaxed.sys.global.max.s64 %rd1, [%rd2], %rd3;", "atom.exch.b64 %rd1, [%rd2], 5;", "atom.global.inc.u32 _, [%rd1], 9;",
	"red.global.add.f32 [%rd1+4], %f1;", "red.shared.or.b32 [%r1], %r2;",
	"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6}];", "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [tx, {%r5}];",
	"tex.1d.v4.s32.f32 {%r1, %r2, %r3, _}, [%rd1, %f1];",
	"prefetch.global.L2 [%rd1];", "prefetchu.L1 [%rd1];",
	"vote.ballot.b32 %r1, %p1;", "vote.sync.any.pred %p1, !%p2, 0xffffffff;", "shfl.bfly.b32 %r1|%p1, %r2, 16, 0x1f;",
	"shfl.sync.idx.b32 %f1, %f2, %r1, 31, -1;", "activemask.b32 %r1;", "match.any.sync.b64 %r1, %rd1, -1;", "match.all.sync.b32 %r1|%p1, %r2, -1;",
	"membar.gl;", "fence.acq_rel.gpu;", "bar.sync 0;", "bar.sync %r1, 64;", "barrier.sync.aligned 1;", "bar.arrive 1, 64;",
	"bar.red.popc.u32 %r1, 0, %p1;", "bar.red.and.pred %p1, 0, 64, !%p2;", "bar.warp.sync -1;", "barrier.cta.red.or.aligned.pred %p1, 1, %p2;",
	"redux.sync.add.s32 %r1, %r2, -1;", "pmevent 7;",
	"exit;", "trap;", "ret;", "nanosleep.u32 100;", "@!%p1 exit;",
}

// OneOfEachKind is a module for each instruction of oneOfEachKind, with a kernel
// k that has it.
func OneOfEachKind() (modules []string) {
	for _, text := range oneOfEachKind {
		modules = append(modules, string(kernelText(text)))
	}
	return modules
}

func TestInstructionsOfEveryKindParse(t *testing.T) {
	for _, text := range oneOfEachKind {
		f, err := parseBody(t, text)
		if assert.NoError(t, err, text) {
			assert.Len(t, f.Insts, 1, text)
		}
	}
}

func TestOperandsAreResolved(t *testing.T) {
	one := func(text string) (*Func, Inst) {
		f, err := parseBody(t, text)
		require.NoError(t, err, text)
		return f, f.Insts[0]
	}
	f, in := one("@!%p3 mad.lo.s32 %r7, %tid.y, -3, %r1;")
	assert.Equal(t, []Type{Pred, B32, B32}, f.Regs, "registers are numbered by first use")
	assert.Equal(t, []string{"%p3", "%r7", "%r1"}, f.Names)
	assert.Equal(t, 0, in.Guard)
	assert.True(t, in.GuardNot)
	assert.Equal(t, "mad", in.Op)
	assert.Equal(t, []string{"lo", "s32"}, in.Mods)
	assert.Equal(t, []Type{S32}, in.Types)
	assert.Equal(t, []Operand{{Kind: Register, Type: S32, Reg: 1}}, in.Dst)
	assert.Equal(t, []Operand{
		{Kind: Special, Type: S32, Reg: -1, Imm: uint64(TidY)},
		{Kind: Immediate, Type: S32, Reg: -1, Imm: math.MaxUint64 - 2},
		{Kind: Register, Type: S32, Reg: 2},
	}, in.Src)

	_, in = one("ld.global.nc.v2.f32 {%f1, _}, [%rd1+-8];")
	assert.Equal(t, Global, in.Space)
	assert.Equal(t, 2, in.Vec)
	assert.True(t, in.Has("nc"))
	assert.Equal(t, Operand{Kind: Vector, Reg: -1, Elems: []Operand{{Kind: Register, Type: F32}, {Kind: Underscore, Type: F32, Reg: -1}}}, in.Dst[0])
	assert.Equal(t, Operand{Kind: Address, Reg: 1, Imm: math.MaxUint64 - 7}, in.Src[0])

	f, in = one("st.local.f64 [depot+8], 0dBFF0000000000000;")
	assert.Empty(t, in.Dst)
	assert.Equal(t, Operand{Kind: Address, Reg: -1, Var: f.Vars[0], Imm: 8}, in.Src[0])
	assert.Equal(t, Operand{Kind: Immediate, Type: F64, Reg: -1, Float: true, Imm: math.Float64bits(-1)}, in.Src[1])

	_, in = one("setp.lt.and.f32 %p1|%p2, %f1, 0f40000000, !%p3;")
	assert.Equal(t, []Operand{{Kind: Register, Type: Pred}, {Kind: Register, Type: Pred, Reg: 1}}, in.Dst)
	assert.Equal(t, math.Float64bits(2), in.Src[1].Imm)
	assert.Equal(t, Operand{Kind: Register, Type: Pred, Reg: 3, Not: true}, in.Src[2])

	_, in = one("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6}];")
	assert.Equal(t, "tx", in.Src[0].Var.Name)
	assert.Nil(t, in.Src[0].Elems)
	assert.Len(t, in.Src[1].Elems, 2)
}

func TestConstantsInEveryNotation(t *testing.T) {
	for text, want := range map[string]uint64{
		"12": 12, "0x1F": 31, "017": 15, "0b101": 5, "7U": 7, "0xFFFFFFFFU": math.MaxUint32, "-1": math.MaxUint64, "+-4": math.MaxUint64 - 3,
		"-1+2": 1, "2*3+4": 10, "2+3*4": 14, "(2+3)*4": 20, "1<<4|3": 19, "~0": math.MaxUint64, "7%4^1": 2, "-8>>1": math.MaxUint64 - 3,
		"WARP_SZ": 32, "18446744073709551615": math.MaxUint64, "0": 0,
	} {
		f, err := parseBody(t, "mov.u64 %rd1, "+text+";")
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, f.Insts[0].Src[0].Imm, text)
			assert.False(t, f.Insts[0].Src[0].Float, text)
		}
	}
	for text, want := range map[string]float64{
		"0f3FC00000": 1.5, "0F3fc00000": 1.5, "0d3FF8000000000000": 1.5, "1.5": 1.5, "-1.5": -1.5, "2e-3": 2e-3, "1.E+2": 100, "0.5": 0.5,
		"0f7F800000": math.Inf(1), "-0f00000000": math.Copysign(0, -1),
	} {
		f, err := parseBody(t, "mov.f64 %fd1, "+text+";")
		if assert.NoError(t, err, text) {
			assert.Equal(t, math.Float64bits(want), f.Insts[0].Src[0].Imm, text)
			assert.True(t, f.Insts[0].Src[0].Float, text)
		}
	}
}

func TestEverySpecialRegisterIsKnown(t *testing.T) {
	for s := TidX; s < numSpecialRegisters; s++ {
		text := "mov.u32 %r1, " + s.String() + ";"
		if s.Type() == U64 {
			text = "mov.u64 %rd1, " + s.String() + ";"
		}
		if s.Type() == Pred {
			text = "mov.pred %p1, " + s.String() + ";"
		}
		f, err := parseBody(t, text)
		if assert.NoError(t, err, text) {
			assert.Equal(t, uint64(s), f.Insts[0].Src[0].Imm, text)
		}
	}
}

func TestNamesInBracesHideThoseOutside(t *testing.T) {
	f, err := parseBody(t, `
		mov.u32 %r1, 1;
		{ .reg .b32 %r1; mov.u32 %r1, 2; bra L; L: ret; }
		{ .reg .b64 %r<3>; mov.u64 %r1, 3; bra L; L: ret; }
		bra L;
		mov.u32 %r1, 4;
		L:`)
	require.NoError(t, err)
	assert.Equal(t, []Type{B32, B32, B64}, f.Regs)
	var written, targets []int
	for _, in := range f.Insts {
		switch in.Op {
		case "mov":
			written = append(written, in.Dst[0].Reg)
		case "bra":
			targets = append(targets, in.Target)
		}
	}
	assert.Equal(t, []int{0, 1, 2, 0}, written)
	assert.Equal(t, []int{3, 6, len(f.Insts)}, targets)
}

func TestRegistersMayHaveTheNamesOfSpecialOnes(t *testing.T) {
	f, err := parseBody(t, ".reg .b32 %tid, %laneid; mov.u32 %tid, %tid.x; mov.u32 %laneid, %tid;")
	require.NoError(t, err)
	assert.Equal(t, []string{"%tid", "%laneid"}, f.Names)
	assert.Equal(t, Special, f.Insts[0].Src[0].Kind)
	assert.Equal(t, Register, f.Insts[1].Src[0].Kind)
}

func TestBrxTakesItsTargetsFromTheList(t *testing.T) {
	f, err := parseBody(t, `
		L_list: .branchtargets A, B, A;
		brx.idx.uni %r1, L_list;
		A: ret;
		B: exit;`)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 1}, f.Insts[0].Targets)
	assert.Equal(t, -1, f.Insts[0].Target)
}

func TestCallsPassParamVariables(t *testing.T) {
	f, err := parseBody(t, `{
		.param .b32 p0; st.param.b32 [p0+0], %r1;
		.param .b32 r0;
		call.uni (r0),
		fun,
		(
		p0
		);
		ld.param.b32 %r2, [r0+0];
		}`)
	require.NoError(t, err)
	in := f.Insts[1]
	assert.Equal(t, "r0", in.Dst[0].Var.Name)
	assert.Equal(t, FuncName, in.Src[0].Kind)
	assert.Equal(t, "fun", in.Src[0].Func.Name)
	assert.Equal(t, Operand{Kind: Address, Reg: -1, Var: f.Vars[1]}, in.Src[1])
	assert.Equal(t, "p0", f.Vars[1].Name)
}

// A compiler writes such loads and stores for parameters in memory.
func TestParametersInRegistersAreLoadedAndStored(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+`
		.func (.reg .f32 %r) f (.reg .u32 %a, .param .b64 b) {
			.reg .pred p;
			@p ret;
			mov.b32 %r, %a;
		}
		.entry k() {
			.reg .u32 %x; .reg .f32 %y; .reg .pred p;
			.param .b64 b;
			@!p call (%y), f, (%x, b);
			call (%y), f, (7, 8);
		}`))
	require.NoError(t, err)
	text := func(f *Func) (list []string) {
		for _, in := range f.Insts {
			guard := ""
			if in.Guard >= 0 {
				guard = f.Names[in.Guard] + " "
			}
			list = append(list, guard+in.Opcode())
		}
		return list
	}
	f, k := m.Funcs[0], m.Funcs[1]
	assert.Equal(t, []string{"ld.param.u32", "p st.param.f32", "p ret", "mov.b32", "st.param.f32"}, text(f))
	assert.Equal(t, []string{"p st.param.u32", "p call", "p ld.param.f32",
		"st.param.u32", "st.param.b64", "call", "ld.param.f32"}, text(k))
	assert.True(t, k.Insts[0].GuardNot)
	call := k.Insts[1]
	assert.Equal(t, k.Insts[0].Src[0].Var, call.Src[1].Var)
	assert.Equal(t, k.Insts[2].Src[0].Var, call.Dst[0].Var)
	assert.Equal(t, "b", call.Src[2].Var.Name)
	assert.Equal(t, uint64(8), k.Insts[4].Src[1].Imm)
}

func TestAliasesAreTheFunctionsThatTheyName(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+`
		.visible .func a(); .func f() { ret; }
		.entry k() { call a; }
		.alias a, f;`))
	require.NoError(t, err)
	assert.Same(t, m.Funcs[0], m.Funcs[1].Insts[0].Src[0].Func)
	assert.NoError(t, m.Funcs[1].Fault)
	for text, want := range map[string]string{
		".alias a, f;":                                       `alias "a"; valid is a .func that is declared and has no body`,
		".func f() { } .alias f, f;":                         `alias "f"; valid is a .func that is declared`,
		".func a(); .alias a, f;":                            `alias of "f"; valid is a .func with a body`,
		".func a(); .entry f() { } .alias a, f;":             `alias of "f"; valid is a .func with a body`,
		".func a(); .func f(.param .b32 x) { } .alias a, f;": `function "a" is not as line 4 declares it`,
		".func a(); .func f() { } .alias a, f; .alias a, f;": `second alias "a"`,
		".alias a f;":                                        `"f" in an alias; valid is ","`,
	} {
		assert.ErrorContains(t, firstFault(head+text), want, text)
	}
}

func TestTextsMayHaveAByteOrderMarkAndATrailingZero(t *testing.T) {
	m, err := Parse("t.ptx", []byte("\ufeff"+head+".entry k() { ret; }\n\x00"))
	require.NoError(t, err)
	assert.Equal(t, 4, m.Funcs[0].Line)
	for _, text := range []string{"\x00" + head, head + "\ufeff.entry k() { ret; }", head + "\x00.entry k() { ret; }"} {
		_, err = Parse("t.ptx", []byte(text))
		assert.ErrorContains(t, err, "character", "%q", text)
	}
}

func TestPrintfAndFailedAssertionsAreReplaced(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+`
		.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
		.extern .func __assertfail (.param .b64 a) .noreturn;
		.extern .func __assert_fail (.param .b64 a);
		.entry k() {
			.reg .pred p;
			.param .b64 a; .param .b64 b; .param .b32 r;
			call (r), vprintf, (a, b);
			call vprintf, (a, b);
			@!p call __assertfail, (a);
			call __assert_fail, (a);
		}`))
	require.NoError(t, err)
	in := m.Funcs[0].Insts
	require.Len(t, in, 3)
	assert.Equal(t, "st", in[0].Op)
	assert.Equal(t, "r", in[0].Src[0].Var.Name)
	assert.Equal(t, "a", in[0].Prints.Format.Name)
	assert.Equal(t, "b", in[0].Prints.Values.Name)
	assert.Equal(t, "trap", in[1].Op)
	assert.True(t, in[1].GuardNot)
	assert.Equal(t, "trap", in[2].Op)
}

func TestModuleDirectivesThatServeOthersAreSkipped(t *testing.T) {
	m, err := Parse("t.ptx", []byte(`//
.version 8.3
.target sm_90, debug
.address_size 64
.file	1 "/a/b.cu", 12, 34
.visible .func (.param .align 8 .b8 ret[16]) f(.param .b64 .ptr .global .align 4 p, .param .align 4 .b8 q[12]) .noreturn;
.weak .entry k(
	.param .u64 .ptr .shared k_0
)
.maxntid 256, 1, 1
.minnctapersm 2 .maxnreg 32
.pragma "nounroll";
{
	.loc	1 5 3, function_name $L__info, inlined_at 1 2 3
$L__tmp0:
	/* over
	lines */ ret;
}
.section	.debug_abbrev
{
.b8 1 // comment
.b32 $L__tmp0+4
}
.section .debug_loc { }
`))
	require.NoError(t, err)
	assert.Equal(t, "8.3", m.Version)
	assert.Equal(t, "sm_90", m.Target)
	require.Len(t, m.Funcs, 1, "a function without body is none")
	k := m.Funcs[0]
	assert.True(t, k.Entry)
	assert.Equal(t, "k", k.Name)
	assert.Equal(t, 7, k.Line)
	assert.Equal(t, 17, k.Insts[0].Line)
	assert.Equal(t, 8, k.Params[0].Bytes)
}

func TestHeaderNamesAVersionAndAnArchitectureThatThereAre(t *testing.T) {
	for _, version := range []string{"2.0", "2.3", "4.3", "5.0", "6.5", "7.8", "8.8", "9.1"} {
		_, err := Parse("t.ptx", []byte(".version "+version+"\n.target sm_52\n.address_size 64\n"))
		require.NoError(t, err, version)
	}
	for _, version := range []string{"1.4", "2.4", "5.1", "6.6", "7.9", "9.01", "9.2x", "7", "7.80", "07.8", "x"} {
		_, err := Parse("t.ptx", []byte(".version "+version+"\n.target sm_52\n"))
		require.ErrorContains(t, err, "t.ptx:1: version ")
		require.ErrorContains(t, err, "valid are 2.0 to 2.3, 3.0 to 3.2, 4.0 to 4.3, 5.0, 6.0 to 6.5, 7.0 to 7.8, 8.0 to 8.8, 9.0 to 9.1 and later")
	}
	for _, version := range []string{"9.2", "10.0"} {
		m, err := Parse("t.ptx", []byte(".version "+version+"\n.target sm_52\n"))
		require.NoError(t, err, version)
		require.Equal(t, []string{"t.ptx:1: PTX version " + version + " is newer than 9.1, the last that is known here; what is new in it is refused"}, m.Notes)
	}
	for _, target := range []string{"sm_20", "sm_52", "sm_90", "sm_90a", "sm_100f", "sm_121a"} {
		_, err := Parse("t.ptx", []byte(".version 7.8\n.target "+target+"\n"))
		require.NoError(t, err, target)
	}
	for _, target := range []string{"sm_999", "sm_52a", "sm_90f", "sm_", "sm_051", "compute_52", "nonsense"} {
		_, err := Parse("t.ptx", []byte(".version 7.8\n.target "+target+"\n"))
		require.ErrorContains(t, err, "t.ptx:2: target \""+target+"\"; valid is sm_ and one of 10, 11, 12, ")
	}
}

// Compilers and people write these, and ptxas takes them.
func TestMemoryAccessesInOtherWordings(t *testing.T) {
	for text, same := range map[string]string{
		"ld.global.b32 { %r1 }, [%rd1+0];":                       "ld.global.b32 %r1, [%rd1+0];",
		"@%p1 ld.global.L1::evict_last.b32 { %r1 }, [%rd1];":     "@%p1 ld.global.L1::evict_last.b32 %r1, [%rd1];",
		"ldu.global.b32 {%r1}, [%rd1];":                          "ldu.global.b32 %r1, [%rd1];",
		"st.global.b32 [%rd1+0], { %r1 };":                       "st.global.b32 [%rd1+0], %r1;",
		"st.shared.f32 [%rd1], {0f3F800000};":                    "st.shared.f32 [%rd1], 0f3F800000;",
		"st.global.volatile.u32 [%rd1], %r1;":                    "st.volatile.global.u32 [%rd1], %r1;",
		"ld.global.acquire.gpu.b32 %r1, [%rd1];":                 "ld.acquire.gpu.global.b32 %r1, [%rd1];",
		"ld.global.gpu.acquire.b32 {%r1}, [%rd1];":               "ld.acquire.gpu.global.b32 %r1, [%rd1];",
		"st.cs.global.v2.b32 [%rd1], {%r1, %r2};":                "st.global.cs.v2.b32 [%rd1], {%r1, %r2};",
		"ld.nc.global.b32 %r1, [%rd1];":                          "ld.global.nc.b32 %r1, [%rd1];",
		"atom.add.global.u32 %r1, [%rd1], %r2;":                  "atom.global.add.u32 %r1, [%rd1], %r2;",
		"atom.global.acq_rel.gpu.cas.b32 %r1, [%rd1], %r2, %r1;": "atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], %r2, %r1;",
		"red.add.global.u32 [%rd1], %r2;":                        "red.global.add.u32 [%rd1], %r2;",
	} {
		parsed := func(text string) Inst {
			m, err := Parse("t.ptx", []byte(head+".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p<2>; "+text+" }"))
			require.NoError(t, err, text)
			require.NoError(t, m.Funcs[0].Fault, text)
			return m.Funcs[0].Insts[0]
		}
		require.Equal(t, parsed(same), parsed(text), text)
	}
	for text, problem := range map[string]string{
		"ld.global.b32.volatile %r1, [%rd1];": "modifier .volatile is not supported here",
		"ld.global.global.b32 %r1, [%rd1];":   "modifier .global is not supported here",
		"ld.ca.cg.global.b32 %r1, [%rd1];":    "modifier .cg is not supported here",
		"ld.global.b32 { %r1, %r2 }, [%rd1];": "not a register",
		"add.u32 { %r1 }, %r1, %r2;":          "not a register",
		"add.u32.rn %r1, %r1, %r2;":           "modifier .rn is not supported here",
	} {
		m, err := Parse("t.ptx", []byte(head+".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>; "+text+" }"))
		require.NoError(t, err, text)
		require.ErrorContains(t, m.Funcs[0].Fault, problem, text)
	}
}

func TestRegistersOfPackedNumbersAreBits(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+".entry k() { .reg .f16x2 %a; .reg .bf16x2 %b; .reg .bf16 %c; .reg .b64 %rd<2>; "+
		"ld.global.b32 %a, [%rd1]; st.global.b32 [%rd1], %a; mov.b32 %b, %a; ld.global.b16 %c, [%rd1]; }"))
	require.NoError(t, err)
	require.NoError(t, m.Funcs[0].Fault)
	require.ElementsMatch(t, []Type{B32, B32, B16, B64}, m.Funcs[0].Regs)
}

func TestKernelsMayHaveHiddenParameters(t *testing.T) {
	m, err := Parse("t.ptx", []byte(head+".entry k(.param .u32 n, .hidden .param .align 64 .b8 map[128]) { .reg .b64 %rd; ld.param.u64 %rd, [map+64]; ret; }"))
	require.NoError(t, err)
	require.Len(t, m.Funcs[0].Params, 2)
	assert.Equal(t, Var{Name: "map", Space: Param, Type: B8, Align: 64, Bytes: 128, Line: 4}, *m.Funcs[0].Params[1])
	m, err = Parse("t.ptx", []byte(head+".func f(.hidden .param .u32 n) { ret; }"))
	require.NoError(t, err)
	assert.ErrorContains(t, m.Funcs[0].Fault, `".hidden" in a parameter list`)
}

// The size of wmma.mma may stand before the layouts, and the rounding at the end.
func TestModifiersOfProductsInOtherOrders(t *testing.T) {
	for text, like := range map[string]string{
		"m16n16k8.row.col.f32.tf32.tf32.f32":  "row.col.m16n16k8.f32.tf32.tf32.f32",
		"m16n16k16.col.row.f16.f32.satfinite": "col.row.m16n16k16.f16.f32.satfinite",
		"row.row.m8n8k4.f64.f64.f64.f64.rn":   "row.row.m8n8k4.rn.f64.f64.f64.f64",
		"m8n8k4.row.col.f64.f64.f64.f64.rn":   "row.col.m8n8k4.rn.f64.f64.f64.f64",
	} {
		prefix := []string{"mma", "sync", "aligned"}
		assert.Equal(t, append(prefix, strings.Split(like, ".")...), wmmaInOrder(append(prefix, strings.Split(text, ".")...)), text)
	}
	for _, mods := range [][]string{nil, {"mma"}, {"mma", "row"}, {"row", "mma", "col"}, {"m16n16k16", "row", "col"}} {
		assert.Equal(t, mods, wmmaInOrder(mods))
	}
	_, problem := selectForms("wmma", inOrder("wmma", strings.Split("mma.sync.aligned.m16n16k8.row.f32.tf32.tf32.f32", ".")))
	assert.NotEmpty(t, problem)
}
