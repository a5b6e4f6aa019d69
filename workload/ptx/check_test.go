package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func TestWhatIsNotSupportedIsAnErrorWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"div.rn.f16 %rs1, %rs2, %rs3;":                                 `instruction "div.rn.f16 %rs1, %rs2, %rs3": other operations on packed pairs and half precision, and numbers of 4 and 6 bits are not modelled`,
		"frobnicate.u32 %r1, %r2;":                                     `instruction "frobnicate.u32 %r1, %r2": operation frobnicate is unknown; valid are those of PTX, such as add`,
		"ad.u32 %r1, %r2;":                                             "operation ad is unknown; near to it are add and ld mad sad",
		"add %r1, %r2, %r3;":                                           "modifier missing at the end; valid are .s16",
		"add.s32.sat %r1, %r2, %r3;":                                   "modifier .sat is not supported here; valid is none",
		"fma.f32 %f1, %f2, %f3, %f4;":                                  "modifier .f32 is not supported here; valid are .rn .rz .rm .rp",
		"cvt.s32.f32 %r1, %f1;":                                        "modifier .f32 is not supported here; valid are .s8",
		"ld.shared.v8.f32 %f1, [%rd1];":                                "vector of 32 bytes; valid are up to 16, and 32 as .v8",
		"ld.global.v8.u16 %rs1, [%rd1];":                               "vector of 8 elements of type .u16; valid are 2 and 4",
		"tcgen05.wait %r1;":                                            "tensor cores beyond mma, wmma, wgmma and movements of matrices are not modelled; docs/your-own-kernels.md lists what else is not",
		"add.s32 %r1, %r2;":                                            "2 operands; valid are 3",
		"bar.sync 0, 1, 2;":                                            "3 operands; valid are 1 or 2",
		"add.s32 %r1, %rd2, %r3;":                                      "operand 2: register %rd2 is .b64; valid is a register of the size and kind of .s32",
		"add.s64 %rd1, %rd2, %clock;":                                  "register %clock is .u32",
		"add.s32 5, %r2, %r3;":                                         "operand 1: not a register",
		"add.s32 %r1, _, %r3;":                                         "operand 2: not a single value",
		"add.s32 %r1, !%r2, %r3;":                                      "! is not supported here",
		"add.f32 %f1, %f2, 1;":                                         "integer constant as .f32; valid is a floating-point one",
		"add.s32 %r1, %r2, 1.0;":                                       "floating-point constant as .s32; valid is an integer",
		"setp.eq.s32 %r1, %r2, %r3;":                                   "register %r1 is .b32; valid is a register of the size and kind of .pred",
		"setp.eq.s32 %p1|%r1, %r2, %r3;":                               "register %r1 is .b32",
		"setp.lo.s32 %p1, %r2, %r3;":                                   "modifier .s32 is not supported here; valid are .u16 .u32 .u64 .and",
		"selp.u32 %r1, %r2, %r3, 1.0;":                                 "floating-point constant as .pred; valid is an integer",
		"lop3.b32 %r1, %r2, %r3, %r4, %r5;":                            "not an integer constant",
		"mov.u32 %r1, gl;":                                             "address of .global variable gl as .u32; valid is a 64-bit integer",
		"mov.u32 %r1, k;":                                              "launches by kernels (dynamic parallelism) are not modelled",
		"mov.b64 {%r1, %r2}, {%r3, %r4};":                              "vectors on both sides; valid is one",
		"mov.b64 %rd1, {%r1, %r2, %r3};":                               "vector of 3 elements as .b64",
		"mov.b64 %rd1, {{%r1}};":                                       `"{" inside a vector`,
		"mov.u32 %r1, %r99;":                                           `no register "%r99" is declared; valid are declared registers and special ones such as %tid.x`,
		"mov.u32 %r1, %tid.w;":                                         `special register "%tid.w"; valid are %tid.x`,
		"mov.u32 %r1, nothing;":                                        `no "nothing" is declared`,
		"mov.u32 %r1, 0f12;":                                           `number "0f12"; valid are`,
		"mov.u32 %r1, 99999999999999999999;":                           "number",
		"mov.u32 %r1, 1/0;":                                            "division by zero",
		"mov.u32 %r1, ;":                                               `";" where a constant is due; valid is a number`,
		"ld.global.u32 %r1, %rd1;":                                     "not an address",
		"ld.global.u32 %r1, [%r2];":                                    "register %r2 is .b32; valid is a 64-bit integer",
		"ld.global.u32 %r1, [%f1];":                                    "register %f1 is .f32",
		"ld.global.u32 %r1, [sh];":                                     "variable sh is in .shared; valid is ld.shared",
		"ld.u32 %r1, [sh];":                                            "variable sh is in .shared; valid is ld.shared",
		"ld.global.u32 %r1, [%tid.x];":                                 `"%tid" in an address`,
		"ld.global.u32 %r1, [%rd1+1.5];":                               "offset is a floating-point number",
		"ld.global.u32 %r1, [1.5];":                                    `"1.5" in an address`,
		"ld.global.u32 %r1, [%rd1, {%r2}];":                            "coordinates in an address; valid with tex and tensor maps only",
		"ld.local.v4.f64 %fd1, [%rd1];":                                "vector of 32 bytes; valid are up to 16",
		"ld.global.v2.f32 {%f1}, [%rd1];":                              "not a vector of 2",
		"st.const.f32 [cf], %f1;":                                      "modifier .const is not supported here",
		"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f5}];":            "1 coordinate; valid are 2 for 2d",
		"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [gl, {%f5, %f6}];":       "variable gl is no texture; valid is a .texref",
		"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, [%f5]];":            `"[" where coordinates are due`,
		"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%r1, {%f5, %f6}];":      "not a texture",
		"tex.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f5, %f6, 0}];": "textures of other kinds",
		"@%r1 ret;":                                                    `guard "%r1" is not a predicate`,
		"bra nowhere;":                                                 `no label "nowhere" in function k`,
		"bra.foo L; L:":                                                "modifier .foo is not supported here; valid are .uni",
		"L: ret; L: ret;":                                              `second label "L"`,
		"brx.idx %r1, L;":                                              `no list of branch targets "L"`,
		"brx %r1, L;":                                                  "modifier missing at the end; valid are .idx",
		"l: .branchtargets A; A: brx.idx %f1, l;":                      "register %f1 is .f32",
		"call fun, (%r1);":                                             "0 results; valid are 1",
		"call (%rd1), fun, (%r1);":                                     "register %rd1 is .b64; valid is a register of the size and kind of .b32 for r of",
		"call (%r1), fun, (gl);":                                       "address of .global variable gl as .b32",
		"call (%r1), wide, (%r1);":                                     "a single value for a of \"wide\", which has 12 bytes; valid is a .param variable",
		"call fun;":                                                    "0 arguments; valid are 1, as the declaration of",
		"{ .param .b32 a; call fun, (a); }":                            "0 results; valid are 1",
		"{ .param .b32 r; .param .b64 a; call (r), fun, (a); }":        "a has 8 bytes; valid are 4",
		"call %rd1;":                                                   `"%rd1" is not a declared .func; valid is a function of this file`,
		"call %rd1, nothing;":                                          `no prototype "nothing"; valid is the label of a .callprototype or .calltargets before`,
		"p: .callprototype _; call %r1, p;":                            "register %r1 is .b32; valid is a register of the size and kind of .u64",
		"p: .callprototype _; call fun, p;":                            `"fun" is not a declared .func; valid are a function of this file and a register`,
		"p: .callprototype _; call %rd1, (%r1), p;":                    `1 arguments; valid are 0, as the declaration of "p" says`,
		"p: .callprototype (.param .b32 _) _; call (%rd1), %rd2, p;":   "register %rd1 is .b64",
		"p: .callprototype _ (.global .b32 _);":                        `".global" in a parameter list; valid are .param and .reg`,
		"p: .calltargets k;":                                           `"k" is not a declared .func`,
		"call nothing;":                                                `"nothing" is not a declared .func`,
		"call k;":                                                      `"k" is not a declared .func`,
		".bogus x;":                                                    `".bogus" in a function`,
		".reg .b128 %x;":                                               `".b128": numbers of 128 bits are not modelled`,
		".reg .b32 %x, %x;":                                            `second declaration of "%x"`,
		".reg .b32 %x<0>;":                                             "the number of registers is \"0\"; valid is 1 to",
		".local .b8 x[];":                                              `array "x" has no size`,
		".local .b8 x[9][99999999999];":                                `valid is 1 to 8589934592`,
		".local .b8 depot[4];":                                         `second declaration of "depot"`,
		".local .u32 x = 1;":                                           "initial value of x; valid for variables in .global and .const",
		".local .align 3 .b8 x[4];":                                    ".align is \"3\"; valid is a power of two",
		".local .v3 .b8 x[4];":                                         `".v3" in the declaration of a .local variable`,
		"add.s32 %r1, %r2, %r3":                                        `"}" in an instruction; valid is ";"`,
		"5;":                                                           `"5" in a function`,
		"add.s32 %r1, %r2, #;":                                         "character '#'",
	} {
		_, err := parseBody(t, text)
		var input *workload.InputError
		if assert.True(t, errors.As(err, &input), "%s: %v", text, err) {
			assert.Contains(t, input.Error(), want, text)
			assert.NotContains(t, input.Error(), "\n", text)
			assert.True(t, strings.HasPrefix(input.Error(), "t.ptx:7: ") || strings.HasPrefix(input.Error(), "t.ptx:8: "), "%s: %v", text, err)
		}
	}
}

func TestFaultsOfModulesAreErrorsWithTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		".version 1.4":                       `t.ptx:4: version "1.4"; valid are 2.0 to 2.3, 3.0 to 3.2, 4.0 to 4.3`,
		".address_size 32":                   `t.ptx:4: address size "32"; valid is 64`,
		".target sm_20, texmode_independent": "valid are debug and texmode_unified",
		".bogus":                             `".bogus" outside functions`,
		"\n.entry k() { ret;":                "t.ptx:5: function k has no end",
		"\n.entry k() { @":                   "t.ptx:5: function k has no end",
		"\n.entry k() { .reg .pred %p<3>; setp.eq.s32 %p1|":                 "t.ptx:5: function k has no end",
		".entry k(.reg .u32 x) { }":                                         `".reg" in the parameter list of a kernel; valid is .param`,
		".entry k() .bogus { }":                                             `".bogus" after the parameters of a function`,
		".entry k() { } .entry k() { }":                                     `second body of function "k", after that of line 4`,
		".global .u32 k; .entry k() { }":                                    `function "k" has the name of the variable of line 4`,
		".global .u32 x":                                                    "the end of the file in a declaration; valid is",
		".extern .global .u32 x; .entry k() { .reg .u64 a; mov.u64 a, x; }": `"x" is .extern and not defined in this file`,
		".func f(); .entry k() {\n\n call f; }":                             `t.ptx:6: function "f" is called and has no body`,
		"/* no end":                                                         "comment without end",
		`.pragma "no end`:                                                   "string without end",
		".section .x { ":                                                    "has no end",
		".extern .func":                                                     "the end of the file where a function is named",
	} {
		err := firstFault(head + text)
		var input *workload.InputError
		if assert.True(t, errors.As(err, &input), "%s: %v", text, err) {
			assert.Contains(t, input.Error(), want, text)
			assert.NotContains(t, input.Error(), "\n", text)
		}
	}
}

// A wrong variable does not matter to functions that do not use it.
func TestFaultsOfVariablesAreOfThoseWhoUseThem(t *testing.T) {
	for text, want := range map[string]string{
		".global .u32 x, x;":                             `second declaration of "x"`,
		".global .u32 x[2] = {1, 2, 3};":                 "more initial values than x has elements",
		".global .u32 x = {1};":                          "braces around the initial value of one element of x",
		".global .u32 x = 1.5;":                          `initial value "1.5" of type .u32`,
		".global .f32 x = 1;":                            `initial value "1" of type .f32`,
		".global .u64 x = y;":                            `initial value "y"; valid are numbers and`,
		".global .u32 y; .global .u32 x = y;":            "in 64 bits, the address of a variable",
		".shared .u32 x = 1;":                            "valid for variables in .global and .const",
		".global .pred x;":                               `".pred" in the declaration`,
		".global .u32 x[2][];":                           "only the first dimension may be open",
		".global .b128 x;":                               `".b128": numbers of 128 bits are not modelled`,
		".global .b128 .v2 x[2] = {0, {1}};":             "numbers of 128 bits are not modelled",
		".entry f() { ret; } .global .u64 x[] = {0, f};": "launches by kernels (dynamic parallelism) are not modelled",
		".func f() { ret; } .global .u32 x[] = {0, f};":  "in 64 bits, the address of a variable or function",
		".global .b128 y; .global .u64 x = y;":           "numbers of 128 bits are not modelled",
	} {
		text = head + text + "\n.entry k() { .reg .u64 a; mov.u64 a, x; }"
		m, err := Parse("t.ptx", []byte(text))
		require.NoError(t, err, text)
		var input *workload.InputError
		if assert.True(t, errors.As(m.Funcs[len(m.Funcs)-1].Fault, &input), text) {
			assert.Contains(t, input.Error(), want, text)
			assert.True(t, strings.HasPrefix(input.Error(), "t.ptx:4: "), "%s: %v", text, input)
		}
		assert.NoError(t, firstFault(strings.ReplaceAll(text, "a, x", "a, 0")), text)
	}
}

// manyTimes writes a format with the numbers below n.
func manyTimes(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// What adds up over a file is limited in what no kernel uses as well.
func TestWhatAFileDeclaresIsLimited(t *testing.T) {
	const large = `[2][33554432] = {{1}, {1}}`
	for text, want := range map[string]string{
		".global .b8 x[8589934592];\n.const .b8 y;":                                                      `t.ptx:5: the variables up to "y" take more than 8 GiB of global memory; valid is less`,
		".entry k() { .global .b8 x[8589934592]; bogus; }\n.global .b8 y;":                               `t.ptx:5: the variables up to "y" take more than 8 GiB`,
		".global .b8 x" + large + ";\n.global .b8 y" + large + ";":                                       `t.ptx:5: initial values up to "1" take more than 64 MiB; valid is less`,
		".global .b8 x" + large + ", y = 1.5;\n.global .b8 z" + large + ";":                              `t.ptx:5: initial values up to "1" take more than 64 MiB`,
		".entry k() { .global .b8 x" + large + "; bogus; }\n.func f() { .global .b8 x" + large + "; \n}": `t.ptx:5: initial values up to "1" take more than 64 MiB`,
	} {
		_, err := Parse("t.ptx", []byte(head+text))
		assert.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{
		".global .b8 x[8589934592]; .shared .b8 s[99]; .extern .global .b8 y[99];",
		".global .b8 x[8589934593]; .global .b8 y[8589934592];", // x is none of them
		".global .b8 x[2][33554432] = {{1}, {}};",
	} {
		_, err := Parse("t.ptx", []byte(head+text))
		assert.NoError(t, err, text)
	}
}

// A short text may declare much, and a long one make much of what is found out
// about it.
func TestWhatATextMakesIsLimited(t *testing.T) {
	const used = ".entry k() { .reg .u64 a; mov.u64 a, x; }"
	for want, text := range map[string]string{
		"t.ptx:4: array x has more than 100 dimensions; valid is less":                                                   ".global .b8 x" + strings.Repeat("[1]", 101) + ";" + used,
		"t.ptx:4: array x has an invalid size; valid is up to 8589934592 bytes":                                          ".global .b8 x[4294967297][4294967295];" + used,
		"t.ptx:4: array x has an invalid size; valid is up":                                                              ".global .b8 x[][4294967296][4294967296] = {1};" + used,
		`function k uses more than 32768 registers; valid is less`:                                                       ".entry k() { .reg .u32 a<99999>; " + manyTimes(32769, "mov.u32 a%d, 1;") + "}",
		`t.ptx:4: function "k" has 140000 instructions and uses 32000 registers; valid is a product of up to 4294967296`: ".entry k() { .reg .u32 a<99999>; " + manyTimes(32000, "mov.u32 a%d, 1;") + strings.Repeat("ret;", 108000) + "}",
		`t.ptx:4: function "k" has 500001 instructions; valid are up to 500000`:                                          ".entry k() { " + strings.Repeat("ret;", 500_001) + "}",
	} {
		m, err := Parse("t.ptx", []byte(head+text+" .entry other() { ret; }"))
		require.NoError(t, err, want)
		assert.ErrorContains(t, m.Funcs[0].Fault, want)
		assert.NoError(t, m.Funcs[1].Fault, want)
	}
	for _, text := range []string{
		".global .b8 x" + strings.Repeat("[1]", 100) + ";" + used,
		".entry k() { .reg .u32 a<99999>; " + manyTimes(32768, "mov.u32 a%d, 1;") + "}",
		".entry k() { " + strings.Repeat("ret;", 500_000) + "}",
	} {
		assert.NoError(t, firstFault(head+text), text[:50])
	}
}

func TestNestingIsLimited(t *testing.T) {
	nest := func(n int, open, middle, end string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	constant := func(value string) string { return ".entry k() { .reg .u32 a; mov.u32 a, " + value + "; }" }
	const n = 1 << 17
	for text, want := range map[string]string{
		constant(nest(n, "(", "1", ")")):                                                                "constant expression is nested more than 100 deep",
		constant(nest(n, "-", "1", "")):                                                                 "constant expression is nested more than 100 deep",
		".entry k() { .reg .u64 a; ld.u64 a, " + nest(n, "[a,", "{a}", "]") + "; }":                     `"[" where coordinates are due`,
		".global .u32 x[2] = " + nest(n, "{", "1", "}") + "; .entry k() { .reg .u64 a; mov.u64 a, x; }": "braces around the initial value of one element of x",
		".entry k() " + nest(n, "{", "", "}"):                                                           "braces are nested more than 100 deep",
	} {
		m, err := Parse("t.ptx", []byte(head+text))
		require.NoError(t, err, text[:50])
		assert.ErrorContains(t, m.Funcs[0].Fault, want)
	}
	for _, text := range []string{
		constant(nest(100, "(", "1", ")")),
		constant(nest(100, "-", "1", "")),
		".entry k() " + nest(100, "{", "", "}"),
	} {
		assert.NoError(t, firstFault(head+text), text)
	}
}

func TestRegisterRangesCostNothingUntilUsed(t *testing.T) {
	f, err := parseBody(t, ".reg .b32 %huge<1000000000>; mov.u32 %huge999999999, 1;")
	assert.NoError(t, err)
	assert.Len(t, f.Regs, 1)
	for _, name := range []string{"%huge1000000000", "%huge01", "%huge"} {
		_, err = parseBody(t, ".reg .b32 %huge<1000000000>; mov.u32 "+name+", 1;")
		assert.Error(t, err, name)
	}
}
