package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	loading = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%%r1}, [%s];"
	copying = "cp.async.cg.shared.global [%s], [%s], 16;"
)

// addresses are the operands of a body's matrix loads, matrix stores and copies after Offsets,
// and the number of additions that are left.
func addresses(t *testing.T, lines ...string) (list []string, additions int) {
	f := Offsets(function(t, strings.Join(lines, "\n")))
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Op == "add" {
			additions++
		}
		for _, x := range in.Src[:addressed(in)] {
			list = append(list, fmt.Sprintf("%s%+d", f.Names[x.Reg], int64(x.Imm)))
		}
	}
	return list, additions
}

func TestConstantsOfAddressesAreInTheInstruction(t *testing.T) {
	for _, c := range []struct {
		lines     []string
		want      string
		additions int
	}{
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, 1024;", fmt.Sprintf(loading, "%r2+16")}, "%r8+1040", 0},
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, -64;", "add.s32 %r3, %r2, 16;", fmt.Sprintf(loading, "%r3")}, "%r8-48", 0},
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, 64;", fmt.Sprintf(loading, "%r2"), "st.shared.u32 [%r8], %r2;"}, "%r8+64", 1},
		{[]string{"mov.u32 %r8, %tid.x;", "cvt.u64.u32 %rd1, %r8;", "add.s32 %r2, %r8, 64;", "add.s64 %rd2, %rd1, 4096;", fmt.Sprintf(copying, "%r2", "%rd2")}, "%r8+64 %rd1+4096", 0},
		// Too large for an instruction, another number, two registers, under a guard.
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, 8388608;", fmt.Sprintf(loading, "%r2")}, "%r2+0", 1},
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, 64;", "add.s32 %r2, %r8, 32;", fmt.Sprintf(loading, "%r2")}, "%r2+0", 2},
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, %r8;", fmt.Sprintf(loading, "%r2")}, "%r2+0", 1},
		{[]string{"mov.u32 %r8, %tid.x;", "setp.eq.u32 %p1, %r8, 0;", "@%p1 add.s32 %r2, %r8, 64;", fmt.Sprintf(loading, "%r2")}, "%r2+0", 1},
		// The base changes: it is written twice, or in a loop behind the addition.
		{[]string{"mov.u32 %r8, %tid.x;", "add.s32 %r2, %r8, 64;", "mov.u32 %r8, 5;", fmt.Sprintf(loading, "%r2")}, "%r2+0", 1},
		{[]string{"L:", "mov.u32 %r8, %clock;", "setp.eq.u32 %p1, %r8, 0;", "@%p1 bra M;", "add.s32 %r2, %r8, 64;", "M:", fmt.Sprintf(loading, "%r2"), "bra L;"}, "%r2+0", 1},
		// In a loop it does not if both are in one straight run, nor where it is written before the loop.
		{[]string{"L:", "mov.u32 %r8, %clock;", "add.s32 %r2, %r8, 64;", fmt.Sprintf(loading, "%r2"), "bra L;"}, "%r8+64", 0},
		{[]string{"mov.u32 %r8, %tid.x;", "L:", "add.s32 %r2, %r8, 64;", "setp.eq.u32 %p1, %r8, 0;", "@%p1 bra M;", fmt.Sprintf(loading, "%r2"), "M:", "bra L;"}, "%r8+64", 0},
	} {
		list, additions := addresses(t, c.lines...)
		require.Equal(t, c.want, strings.Join(list, " "), c.lines)
		require.Equal(t, c.additions, additions, c.lines)
	}
}

// What is left out moves the targets of branches.
func TestBranchesLeadWhereTheyLedWithoutTheAdditions(t *testing.T) {
	f := Offsets(function(t, "mov.u32 %r8, %tid.x;\nadd.s32 %r2, %r8, 64;\nL:\n"+fmt.Sprintf(loading, "%r2")+"\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"))
	var ops []string
	for _, in := range f.Insts {
		ops = append(ops, in.Op)
	}
	require.Equal(t, []string{"mov", "ldmatrix", "setp", "bra"}, ops[:4])
	require.Equal(t, 1, f.Insts[3].Target)
}

// Eight loads, each with a product: in the given order, loads first, they hold 32
// registers at once beside 8 others.
func TestALimitHoldsWhereTheGivenOrderTakesMore(t *testing.T) {
	var loads, products strings.Builder
	for i := range 8 {
		fmt.Fprintf(&loads, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r%d, %%r%d, %%r%d, %%r%d}, [%%r39];\n", 4*i, 4*i+1, 4*i+2, 4*i+3)
		fmt.Fprintf(&products, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%%f1, %%f2, %%f3, %%f4}, {%%r%d, %%r%d, %%r%d, %%r%d}, {%%r38, %%r37}, {%%f1, %%f2, %%f3, %%f4};\n",
			4*i, 4*i+1, 4*i+2, 4*i+3)
	}
	f := function(t, loads.String()+products.String()+"st.global.v4.f32 [%rd8], {%f1, %f2, %f3, %f4};")
	most := MaxLive(f)
	require.Equal(t, 40, most)
	g := machine(f, 255)
	require.Equal(t, most, MaxLive(Schedule(f, g)))
	g.Limit = 24
	require.LessOrEqual(t, MaxLive(Schedule(f, g)), 24)
}
