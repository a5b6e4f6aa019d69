package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

// opcodes are the loads of shared memory of a body after merging. Variables are
// at multiples of 256; a variable with a name that starts with d is only known to
// be at a multiple of 4.
func opcodes(t *testing.T, body string) string {
	t.Helper()
	f := function(t, ".shared .align 4 .b8 a[64]; .shared .align 4 .b8 d[64]; ld.param.u64 %rd8, [in];\n"+body)
	place := func(v *ptx.Var) (uint64, int) {
		if strings.HasPrefix(v.Name, "d") {
			return 0, 2
		}
		return 256, 64
	}
	var list []string
	for _, in := range Merge(f, place, 255).Insts {
		if in.Op == "ld" && in.Space == ptx.Shared {
			list = append(list, strings.TrimPrefix(in.Opcode(), "ld.shared."))
		}
	}
	return strings.Join(list, " ")
}

const four = "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r1+4]; ld.shared.f32 %f3, [%r1+8]; ld.shared.f32 %f4, [%r1+12];"

func TestNeighbouringWordsAreLoadedTogether(t *testing.T) {
	require.Equal(t, "v4.f32", opcodes(t, "mov.u32 %r1, a;"+four))
	require.Equal(t, "v4.f32", opcodes(t, strings.ReplaceAll(four, "%r1", "a")))
	require.Equal(t, "v2.f32 v2.f32 f32", opcodes(t, "mov.u32 %r1, a+8; ld.shared.f32 %f4, [%r1+12];"+four))
	require.Equal(t, "f32 v2.f32", opcodes(t, "mov.u32 %r1, a; ld.shared.f32 %f3, [%r1+8]; ld.shared.f32 %f2, [%r1+4]; ld.shared.f32 %f1, [%r1];"), "in any order")
	require.Equal(t, "f32 f32", opcodes(t, "mov.u32 %r1, a+4; ld.shared.f32 %f3, [%r1]; ld.shared.f32 %f2, [%r1+4];"), "not at a multiple of 8")
	require.Equal(t, "v2.b64", opcodes(t, "mov.u32 %r1, a; ld.shared.b64 %rd1, [%r1]; ld.shared.b64 %rd2, [%r1+8]; "))
	require.Equal(t, "f32 f32", opcodes(t, "mov.u32 %r1, d; ld.shared.f32 %f3, [%r1]; ld.shared.f32 %f2, [%r1+4];"), "who knows where")
}

func TestWhatIsAMultipleIsProved(t *testing.T) {
	for address, want := range map[string]string{
		"mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 4; mov.u32 %r4, a; add.s32 %r1, %r4, %r3;":                                   "v4.f32",
		"mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 3; mov.u32 %r4, a; add.s32 %r1, %r4, %r3;":                                   "v2.f32 v2.f32",
		"mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, a; add.s32 %r1, %r4, %r3;":                                   "f32 f32 f32 f32",
		"mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 80, a;":                                                                   "v4.f32",
		"mov.u32 %r2, %tid.x; mul.lo.u32 %r3, %r2, 20; shl.b32 %r1, %r3, 2;":                                                 "v4.f32",
		"mov.u32 %r2, %tid.x; and.b32 %r1, %r2, 240;":                                                                        "v4.f32",
		"mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 240; or.b32 %r1, %r3, 8;":                                                    "f32 f32 f32 f32",
		"mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, %r2, 16; mov.u64 %rd2, a; add.s64 %rd3, %rd2, %rd1; cvt.u32.u64 %r1, %rd3;": "v4.f32",
		"mov.u32 %r1, a; H: add.u32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, 999; @%p1 bra H;":                                    "v4.f32",
		"mov.u32 %r1, a; H: add.u32 %r1, %r1, 8; setp.lt.u32 %p1, %r1, 999; @%p1 bra H;":                                     "v2.f32 v2.f32",
		"mov.u32 %r1, a; @%p1 mov.u32 %r1, 20;":                                                                              "f32 f32 f32 f32",
		"mov.u32 %r2, %tid.x; mul.lo.u32 %r1, 4, %r2;":                                                                       "f32 f32 f32 f32",
		"mov.u32 %r2, %tid.x; mul.lo.u32 %r1, 16, %r2;":                                                                      "v4.f32",
		"mov.u32 %r2, %tid.x; and.b32 %r1, %r2, 255;":                                                                        "f32 f32 f32 f32",
		"mov.u32 %r2, %tid.x; and.b32 %r1, 255, %r2;":                                                                        "f32 f32 f32 f32",
		"@%p1 mov.u32 %r1, 260;":                "f32 f32 f32 f32", // or zero
		"mov.u32 %r1, 260;":                     "f32 v2.f32 f32",
		"ld.shared.u32 %r1, [a];":               "u32 f32 f32 f32 f32",
		"mov.u32 %r1, a; sub.u32 %r1, %r1, 16;": "v4.f32",
		"mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 4; mul.hi.u32 %r1, %r3, 16;": "f32 f32 f32 f32",
	} {
		got := opcodes(t, address+four)
		if want == "f32 f32 f32 f32" && strings.Contains(address, "or.b32") {
			got = strings.ReplaceAll(got, "v2.f32 v2.f32", want) // multiples of 8 are
		}
		require.Equal(t, want, got, address)
	}
}

func TestLoadsThatSomethingKeepsApartStayApart(t *testing.T) {
	for _, between := range []string{
		"st.shared.f32 [%r2], %f1;", "st.f32 [%rd1], %f1;", "bar.sync 0;", "atom.shared.add.u32 %r3, [%r2], 1;", "mov.u32 %r1, a+16;",
		"add.f32 %f2, %f1, %f1;", "ld.volatile.shared.f32 %f3, [%r1];", "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;", "L: @%p1 bra L;",
	} {
		require.NotContains(t, opcodes(t, "mov.u32 %r1, a; ld.shared.f32 %f1, [%r1];"+between+"ld.shared.f32 %f2, [%r1+4];"), "v2", between)
	}
	for _, between := range []string{"st.global.f32 [%rd1], %f1;", "add.f32 %f3, %f1, %f1;", "mov.u32 %r2, 1;", "st.shared.f32 [%r1+8], %f5;"} {
		require.Contains(t, opcodes(t, "mov.u32 %r1, a; ld.shared.f32 %f1, [%r1];"+between+"ld.shared.f32 %f2, [%r1+4];"), "v2", between)
	}
	for _, second := range []string{"ld.shared.u32 %r2, [%r1+4];", "@%p1 ld.shared.f32 %f2, [%r1+4];", "ld.volatile.shared.f32 %f2, [%r1+4];",
		"ld.shared.f32 %f1, [%r1+4];", "ld.shared.f32 %f2, [%r1+8];", "ld.shared.f32 %f2, [%r1];", "ld.global.f32 %f2, [%r1+4];"} {
		require.NotContains(t, opcodes(t, "mov.u32 %r1, a; ld.shared.f32 %f1, [%r1];"+second), "v2", second)
	}
	require.Contains(t, opcodes(t, "mov.u32 %r1, a; @%p1 ld.shared.f32 %f1, [%r1]; @%p1 ld.shared.f32 %f2, [%r1+4];"), "v2")
	require.NotContains(t, opcodes(t, "mov.u32 %r1, a; @%p1 ld.shared.f32 %f1, [%r1]; @!%p1 ld.shared.f32 %f2, [%r1+4];"), "v2")
}

func TestLoadsMergeWithThoseOfTheSameAddressAndGuard(t *testing.T) {
	pair := "ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r1+4]; st.global.v2.f32 [%rd1], {%f1, %f2};"
	require.Equal(t, "v2.f32 v2.f32", opcodes(t, "mov.u32 %r1, a;"+pair+"add.u32 %r1, %r1, 16;"+pair))
	guarded := strings.ReplaceAll(pair, "ld.", "@%p1 ld.")
	require.Equal(t, "v2.f32 v2.f32", opcodes(t, "mov.u32 %r1, a;"+guarded+"setp.lt.u32 %p1, %r2, 3;"+guarded))
}

// Of two pairs of which each could be merged, but not both: the first of each
// stays behind the second of the other.
func TestPairsThatCrossAreNotBothMerged(t *testing.T) {
	require.Equal(t, "u32 v2.u32 u32", opcodes(t, "mov.u32 %r1, a; mov.u32 %r2, a+16; "+
		"ld.shared.u32 %r3, [%r1]; add.u32 %r4, %r3, %r5; ld.shared.u32 %r6, [%r2+4]; add.u32 %r7, %r6, %r8; "+
		"ld.shared.u32 %r5, [%r2]; ld.shared.u32 %r8, [%r1+4]; st.global.v4.u32 [%rd1], {%r4, %r5, %r7, %r8};"))
}

func TestMergingKeepsToTheRegistersAndMovesTargets(t *testing.T) {
	body := "mov.u32 %r1, 256; mov.u32 %r2, 0; ld.shared.f32 %f1, [%r1]; add.f32 %f8, %f1, %f1; bra L; L: add.u32 %r2, %r2, 1; " +
		"ld.shared.f32 %f2, [%r1]; st.global.f32 [%rd1], %f2; ld.shared.f32 %f3, [%r1+4]; st.global.f32 [%rd1], %f3; setp.lt.u32 %p1, %r2, 9; @%p1 bra L; @%p1 bra E; E:"
	f := function(t, body)
	nowhere := func(*ptx.Var) (uint64, int) { return 0, 0 }
	require.Len(t, Merge(f, nowhere, 0).Insts, len(f.Insts), "which would take one more")
	merged := Merge(f, nowhere, 255)
	require.Len(t, merged.Insts, len(f.Insts)-1)
	n := len(f.Insts)
	require.Equal(t, "add", merged.Insts[merged.Insts[n-3].Target].Op)
	require.Equal(t, n-1, merged.Insts[n-2].Target)
}
