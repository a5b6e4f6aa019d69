package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

// names are the names of the registers that the instructions name, results
// first.
func names(f *ptx.Func) (list [][]string) {
	for _, in := range f.Insts {
		var row []string
		add := func(reg int) { row = append(row, f.Names[reg]) }
		EachRegister(in.Dst, add)
		EachRegister(in.Src, add)
		if in.Guard >= 0 {
			add(in.Guard)
		}
		list = append(list, row)
	}
	return list
}

func TestValuesThatABlockAloneSeesHaveRegistersOfTheirOwn(t *testing.T) {
	f := function(t, `add.u32 %r1, %r1, 1;
		add.u32 %r2, %r1, 2;
		add.u32 %r1, %r1, 3;
		@%p1 add.u32 %r1, %r2, 4;
		ld.global.v2.u32 {%r3, %r4}, [%rd1];
		add.u64 %rd1, %rd1, 4;
		add.u32 %r1, %r1, %r3;
		add.u64 %rd1, %rd1, 4;
		st.global.u32 [%rd1], %r1;`)
	before := names(f)
	require.Equal(t, [][]string{
		{"%r1.2", "%r1"},
		{"%r2", "%r1.2"},
		{"%r1.1", "%r1.2"},
		{"%r1.1", "%r2", "%p1"}, // other lanes keep what they have
		{"%r3", "%r4", "%rd1"},
		{"%rd1.1", "%rd1"},
		{"%r1", "%r1.1", "%r3"},
		{"%rd1", "%rd1.1"},
		{"%rd1", "%r1"},
	}, names(Rename(f)))
	require.Equal(t, before, names(f), "the function itself is as it was")
}

func TestWhatOtherBlocksSeeKeepsItsRegister(t *testing.T) {
	f := function(t, `H: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; setp.gt.u32 %p2, %r1, 1; @%p1 bra H; mov.u32 %r1, 2; @%p2 bra H;`)
	require.Equal(t, names(f), names(Rename(f)))
}

// A function of many values gets names for a piece's values at a time, so its
// registers do not grow with its length.
func TestNamesOfEarlierPiecesAreUsedAgain(t *testing.T) {
	short := Rename(function(t, strings.Repeat("add.u32 %r1, %r1, 1;\n", 4000)))
	require.Equal(t, 1+4000-8, len(short.Regs), "all but the last of each of eight pieces")
	f := function(t, strings.Repeat("add.u32 %r1, %r1, 1;\n", 40_000))
	long := Rename(f)
	require.Equal(t, 1+9*(pieceInsts-1), len(long.Regs), "mostNames are reached in the ninth piece")
	require.Equal(t, 1, MaxLive(long))
	pieces := piecesOf(f)
	require.Len(t, pieces, 79)
	for i, p := range pieces {
		require.LessOrEqual(t, p.end-p.first, pieceInsts)
		if i < 78 {
			require.Equal(t, pieces[i+1].first, p.end)
			require.Equal(t, []int{i + 1}, p.succs)
		}
	}
	require.Empty(t, pieces[78].succs)
	require.Equal(t, byReturn, pieces[78].leaves)
}

func TestBlocksAreCutFromALengthOn(t *testing.T) {
	for insts, want := range map[int]int{wholeInsts: 1, wholeInsts + 1: wholeInsts/pieceInsts + 1} {
		require.Len(t, piecesOf(function(t, strings.Repeat("add.u32 %r1, %r1, 1;\n", insts))), want, "%d instructions", insts)
	}
}

func TestLongBlocksOfALoopAreCut(t *testing.T) {
	f := function(t, "mov.u32 %r1, 0;\nH: "+strings.Repeat("add.u32 %r1, %r1, 1;\n", 5000)+"setp.lt.u32 %p1, %r1, 9; @%p1 bra H;")
	pieces := piecesOf(f)
	require.Len(t, pieces, 11)
	require.Equal(t, []int{1}, pieces[0].succs)
	require.Equal(t, []int{1}, pieces[10].succs)
	require.Equal(t, 1, pieces[1].first)
	require.Equal(t, byReturn, pieces[10].leaves)
}
