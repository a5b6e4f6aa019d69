package ptx

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The functions are numbered as their addresses are taken. A call through a pointer goes to each that has a body and
// the prototype's sizes, by an alias to what it names, and other numbers to a trap; a guard is around all of it, and
// branches across it keep their targets.
func TestCallsThroughPointersBranchByNumber(t *testing.T) {
	const text = ".version 7.8 .target sm_70 .address_size 64\n" + `
		.func (.param .b32 r) wide(.param .b64 a) { ret; }
		.func (.param .b32 r) one(.param .b32 a) { ret; }
		.visible .func (.param .b32 r) two(.param .b32 a) { ret; }
		.func (.param .b32 r) other(.param .b32 a);
		.extern .func (.param .b32 r) pure(.param .b32 a);
		.alias other, two;
		.global .u64 table[] = {wide, one, pure};
		.entry k() {
			.reg .b64 %p<2>; .reg .b32 %r<3>; .reg .pred %q;
			@%q bra END;
			mov.u64 %p1, other;
			p: .callprototype (.param .b32 _) _ (.param .b32 _);
			@!%q call (%r1), %p1, (%r2), p;
			END: ret;
		}`
	m, err := Parse("t.ptx", []byte(text))
	require.NoError(t, err)
	f := m.Funcs[len(m.Funcs)-1]
	require.NoError(t, f.Fault)
	var ops []string
	for _, in := range f.Insts {
		name := in.Op
		if in.Op == "call" {
			name += " " + in.Src[0].Func.Name
		}
		ops = append(ops, name)
	}
	require.Equal(t, []string{"bra", "mov", "st", "bra", "cvt", "sub", "brx", "trap", "call one", "bra", "call two", "bra", "ld", "ret"}, ops)
	in := f.Insts
	first := in[5].Src[1].Imm
	assert.Equal(t, first+1, binary.LittleEndian.Uint64(m.Vars[0].Init))
	assert.Equal(t, first+2, binary.LittleEndian.Uint64(m.Vars[0].Init[8:]))
	assert.Equal(t, first+4, in[1].Src[0].Imm)
	assert.Equal(t, []int{13, 12, 12, 12}, []int{in[0].Target, in[3].Target, in[9].Target, in[11].Target})
	assert.Equal(t, []int{7, 7, 8, 7, 10}, in[6].Targets)
	assert.False(t, in[3].GuardNot, "around the call go the threads that do not call")
	assert.Negative(t, in[8].Guard)
	other, err := Parse("t.ptx", []byte(text+" "))
	require.NoError(t, err)
	assert.NotEqual(t, m.Vars[0].Init, other.Vars[0].Init, "the functions of another file are others")
	assert.Same(t, in[2].Src[0].Var, in[10].Src[1].Var, "each call takes the argument")
}

func TestCallsThroughPointersAreLimited(t *testing.T) {
	var text strings.Builder
	text.WriteString(".version 7.8 .target sm_70 .address_size 64\n")
	for i := range 1000 {
		fmt.Fprintf(&text, ".func f%d() { ret; } .global .u64 x%d = f%d;\n", i, i, i)
	}
	text.WriteString(".entry k() { .reg .b64 %p; p: .callprototype _;" + strings.Repeat(" call %p, p;", maxInsts/1000) + " }")
	m, err := Parse("t.ptx", []byte(text.String()))
	require.NoError(t, err)
	assert.ErrorContains(t, m.Funcs[1000].Fault, "t.ptx:1002: function k has calls through pointers to 1000 functions, which makes more than")
}

// A function that may call itself through a pointer is recursive.
func TestCallsThroughPointersMayBeRecursive(t *testing.T) {
	m, err := Parse("t.ptx", []byte(".version 7.8 .target sm_70 .address_size 64\n"+`
		.func f() { .reg .b64 %p; p: .callprototype _; call %p, p; }
		.entry k() { .reg .b64 %p; mov.u64 %p, f; }`))
	require.NoError(t, err)
	assert.Equal(t, 1, m.Funcs[0].Cycle)
	assert.Zero(t, m.Funcs[1].Cycle)
}
