package ptx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linked reads a.ptx and b.ptx; their texts start in line 4.
func linked(a, b string) (*Module, error) {
	return ParseWith(Library{}, File{"a.ptx", []byte(head + a)}, File{"b.ptx", []byte(head + b)})
}

// user calls f and takes the address of x; maker has both.
const (
	user  = ".extern .func (.param .b32 r) f (.param .b32 a); .extern .global .align 4 .b8 x[8]; .func g() { ret; }\n.visible .entry k() { .reg .u64 a; .param .b32 p; .param .b32 q; mov.u64 a, x; call (q), f, (p); call g; ret; }"
	maker = ".visible .global .align 4 .b8 x[8] = {7};\n.func g() { ret; }\n.visible .func (.param .b32 r) f (.param .b32 a) { call g; ret; }"
)

func TestWhatOneFileDeclaresAnotherDefines(t *testing.T) {
	for _, files := range [][2]string{{user, maker}, {maker, user}} {
		m, err := linked(files[0], files[1])
		require.NoError(t, err)
		require.Len(t, m.Vars, 1)
		assert.Equal(t, byte(7), m.Vars[0].Init[0])
		require.Len(t, m.Funcs, 4)
		for _, f := range m.Funcs {
			own := map[string]string{"k": "a.ptx", "f": "b.ptx"}
			if files[0] == maker {
				own = map[string]string{"k": "b.ptx", "f": "a.ptx"}
			}
			for i := range f.Insts {
				in := &f.Insts[i]
				switch {
				case in.Op == "mov":
					assert.Same(t, m.Vars[0], in.Src[0].Var)
				case in.Op == "call" && in.Src[0].Func.Name == "f":
					assert.Len(t, in.Src[0].Func.Insts, 2)
				case in.Op == "call": // g, which each has
					assert.Equal(t, f.File, in.Src[0].Func.File)
				}
			}
			if f.Name != "g" {
				assert.Equal(t, own[f.Name], f.File)
			}
		}
	}
}

func TestTheFirstOfWeakDefinitionsIsTaken(t *testing.T) {
	m, err := linked(".weak .global .u32 x = 1; .weak .func f() { ret; }", ".weak .global .u32 x = 2;\n.weak .func f() { exit; } .visible .entry k() { .reg .u64 a; mov.u64 a, x; call f; ret; }")
	require.NoError(t, err)
	require.Len(t, m.Vars, 1)
	assert.Equal(t, byte(1), m.Vars[0].Init[0])
	require.Len(t, m.Funcs, 2)
	assert.Equal(t, "ret", m.Funcs[0].Insts[0].Op)
	assert.Same(t, m.Funcs[0], m.Funcs[1].Insts[1].Src[0].Func)
	assert.Same(t, m.Vars[0], m.Funcs[1].Insts[0].Src[0].Var)
}

// A faulty declaration leaves a definition in another file as it is.
func TestADefinitionIsTakenWhateverDeclarationsAre(t *testing.T) {
	const good = ".visible .global .u32 x = 7;\n.visible .entry k() { .reg .u64 a; mov.u64 a, x; }"
	for _, files := range [][2]string{{".extern .global .u33 x;", good}, {good, ".extern .global .u33 x;"}} {
		m, err := linked(files[0], files[1])
		require.NoError(t, err)
		require.Len(t, m.Funcs, 1)
		assert.NoError(t, m.Funcs[0].Fault)
	}
}

func TestAnAliasIsCalledFromOtherFilesToo(t *testing.T) {
	const named, caller = ".visible .func f(); .visible .func g() { exit; }\n.alias f, g;", ".extern .func f();\n.visible .entry k() { call f; ret; }"
	for _, files := range [][2]string{{named, caller}, {caller, named}} {
		m, err := linked(files[0], files[1])
		require.NoError(t, err)
		for _, f := range m.Funcs {
			require.NoError(t, f.Fault)
			if f.Name == "k" {
				assert.Equal(t, "g", f.Insts[0].Src[0].Func.Name)
			}
		}
	}
}

func TestNamesOfAFileAreItsOwn(t *testing.T) {
	m, err := linked(".global .u32 x; .extern .shared .b8 s[]; .func f() { ret; }", ".const .f64 x; .extern .shared .b8 s[]; .visible .func f(.param .b32 a) { ret; }")
	require.NoError(t, err)
	assert.Len(t, m.Vars, 4)
	assert.Len(t, m.Funcs, 2)
}

func TestFilesThatDoNotFitTogetherAreErrors(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{user, "", `a.ptx:5: instruction "mov.u64 a, x": "x" is .extern and not defined in this file or another that is linked; valid are variables that are`},
		{user, ".visible .global .align 4 .b8 x[8];", `a.ptx:5: function "f" is called and has no body; valid are functions with one, vprintf, __assertfail and __assert_fail`},
		{user, ".global .align 4 .b8 x[8];", `a.ptx:5: instruction "mov.u64 a, x": "x" is .extern and not defined in this file or another that is linked; valid are variables that are`},
		{maker, maker, `b.ptx:6: second body of function "f", after that of a.ptx:6; valid is one`},
		{".visible .func f() { ret; }", ".weak .func f() { ret; }", `b.ptx:4: second body of function "f", after that of a.ptx:4; valid is one`},
		{user, ".visible .const .align 4 .b8 x[8];", `a.ptx:5: instruction "mov.u64 a, x": "x" is .extern and not defined in this file or another that is linked; valid are variables that are`},
		{maker, ".visible .const .align 4 .b8 x[8];\n.visible .entry k() { .reg .u64 a; mov.u64 a, x; }", `b.ptx:4: declaration of "x" in .const, after one in .global in a.ptx:4; valid is one space`},
		{maker, ".visible .global .align 4 .b8 x[8];\n.visible .entry k() { .reg .u64 a; mov.u64 a, x; }", `b.ptx:4: second declaration of "x"; valid is one of a name`},
		{user, ".visible .func (.param .b64 r) f (.param .b32 a) { ret; }\n.visible .global .align 4 .b8 x[8];", `b.ptx:4: function "f" is not as a.ptx:4 declares it; valid are parameters of the same sizes`},
		{user, ".visible .global .u32 f;\n.visible .global .align 4 .b8 x[8];", `a.ptx:5: function "f" is called and has no body; valid are functions with one`},
		{".visible .global .u32 f;", ".extern .func f();", `b.ptx:4: function "f" has the name of the variable of a.ptx:4; valid is a name of its own`},
		{".extern .global .u32 x;\n.visible .global .u64 y = x;", ".global .u32 x;", `a.ptx:5: "x" is .extern and not defined in this file or another that is linked`},
		{".visible .global .u33 x;\n", ".extern .global .u32 x;\n.visible .entry k() { .reg .u64 a; mov.u64 a, x; }", `a.ptx:4: ".u33" in the declaration`},
		{".visible .func f(); .visible .func g() { ret; }\n.alias f, g;", ".visible .func f() { ret; }", `a.ptx:5: alias "f"; valid is a .func that is declared and has no body`},
		{"", ".visible .global .u33 x;\n.visible .entry k() { .reg .u64 a; mov.u64 a, x; }", `b.ptx:4: ".u33" in the declaration`},
		{".extern .global .u32 x;\n.visible .entry k() { .reg .u64 a; mov.u64 a, x; }", ".visible .global .u33 x;", `a.ptx:5: instruction "mov.u64 a, x": "x" is .extern and not defined`},
	} {
		m, err := linked(c.a, c.b)
		for i := 0; err == nil && i < len(m.Funcs); i++ {
			err = m.Funcs[i].Fault
		}
		if assert.Error(t, err, c.b) {
			assert.Contains(t, err.Error(), c.want)
		}
	}
}

func TestALibraryIsLinkedIfAFunctionOfItIsDeclaredOnly(t *testing.T) {
	const declared = ".extern .func f();\n.visible .entry k() { call f; ret; }"
	library := func(text string) Library { return Library{File{"l.ptx", []byte(head + text)}, []string{"e", "f"}} }
	with := func(l Library, texts ...string) (*Module, error) {
		var files []File
		for _, text := range texts {
			files = append(files, File{"a.ptx", []byte(head + text)})
		}
		return ParseWith(l, files...)
	}
	for _, texts := range [][]string{
		{".visible .func f() { ret; }", declared}, {declared, ".visible .func f() { ret; }"}, // another file has it
		{".func f() { ret; }"}, {".visible .entry k() { ret; }"}, {".extern .global .u32 f;"}, {".extern .func other();"},
	} {
		m, err := with(library(".visible .func f() {"), texts...)
		require.NoError(t, err)
		for _, f := range m.Funcs {
			assert.Equal(t, "a.ptx", f.File)
		}
	}
	m, err := with(library(".visible .func f() { exit; }"), declared)
	require.NoError(t, err)
	require.Len(t, m.Funcs, 2)
	assert.Equal(t, "l.ptx", m.Funcs[1].File)
	assert.Same(t, m.Funcs[1], m.Funcs[0].Insts[0].Src[0].Func)
	assert.NoError(t, m.Funcs[0].Fault)
	m, err = with(library(".visible .func f(.param .b32 a) { ret; }"), declared)
	require.NoError(t, err)
	assert.ErrorContains(t, m.Funcs[1].Fault, "l.ptx:4: function \"f\" is not as a.ptx:4 declares it")
	_, err = with(Library{File{"l.ptx", []byte("}")}, []string{"f"}}, declared)
	require.ErrorContains(t, err, "l.ptx:1: ")
}
