package traceg

import (
	"fmt"
	"os"
	"testing"

	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// written writes a warp's instructions as a trace of one thread block and reads
// it back.
func written(t require.TestingT, folder string, insts []workload.Inst) ([]executed, Counts) {
	c := packed.NewCapture()
	warp := c.Begin(1)
	for i := range insts {
		warp.Add(0, &insts[i])
	}
	// A warp ends with EXIT, here of no lanes, which the caller does not see.
	warp.Add(0, &workload.Inst{PC: insts[len(insts)-1].PC + 16, Class: workload.Exit, Dst: workload.NoRegs4, Src: workload.NoRegs10})
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	w, err := NewWriter(folder, false)
	require.NoError(t, err)
	k, err := w.Kernel(&workload.Kernel{Name: "k", Grid: one, Block: one, RegistersPerTB: 16}, c.Table)
	require.NoError(t, err)
	require.NoError(t, k.TB(0, warp.Streams(nil)))
	require.NoError(t, k.Close())
	require.NoError(t, w.Close())
	app, err := Open(folder, Options{})
	require.NoError(t, err)
	launch, err := app.Ops[0].Kernel.Source.Open()
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, launch.Next(&tb))
	all := drain(&tb)
	require.NoError(t, launch.Close())
	w.Counts.WarpInstructions--
	return all[:len(insts)], w.Counts
}

func requireSame(t require.TestingT, want workload.Inst, got executed) {
	about := fmt.Sprintf("%+v", want)
	require.Equal(t, want.Class, got.Class, about)
	require.Equal(t, want.Active, got.Active, about)
	require.Equal(t, want.Kind(), got.Kind(), about)
	require.Zero(t, differences(want.Dst[:], got.Dst[:]), "%s is read as %v", about, got.Dst)
	require.Zero(t, differences(want.Src[:], got.Src[:]), "%s is read as %v", about, got.Src)
	if want.Class == workload.Tensor && want.Width != 0 {
		require.Equal(t, want.Shape(), got.Shape(), about)
	}
	if want.Class == workload.Await {
		require.Equal(t, want.Barrier, got.Barrier, about)
	}
	if !want.Class.IsMemory() {
		return
	}
	require.Equal(t, want.Space, got.Space, about)
	require.Equal(t, want.Width, got.Width, about)
	require.Equal(t, want.Flags, got.Flags, about)
	require.Equal(t, expand(want).addresses, got.addresses, about)
}

func registerList(t *rapid.T, limit int) (list []uint8) {
	for range rapid.IntRange(0, limit).Draw(t, "registers") {
		r := rapid.Uint8Range(0, 40).Draw(t, "register")
		if n := len(list); n > 0 && rapid.Bool().Draw(t, "neighbour") {
			r = list[n-1] + 1
		}
		list = append(list, r)
	}
	return list
}

func TestEveryInstructionIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var insts []workload.Inst
		for n := range rapid.IntRange(1, 8).Draw(r, "instructions") {
			in := workload.Inst{
				PC: uint32(16 * n), Dst: workload.NoRegs4, Src: workload.NoRegs10,
				Class:  workload.Class(rapid.IntRange(0, int(workload.NumClasses)-1).Draw(r, "class")),
				Active: rapid.OneOf(rapid.Uint32(), rapid.Just(^uint32(0)), rapid.Just(uint32(0))).Draw(r, "active"),
			}
			if in.Class == workload.Int {
				in.Flags = rapid.SampledFrom([]workload.Flags{0, workload.Multiply, workload.MultiplyAdd}).Draw(r, "multiplies")
			}
			if in.Class == workload.SFU {
				in.Flags = rapid.SampledFrom([]workload.Flags{0, workload.Convert}).Draw(r, "converts")
			}
			switch in.Class {
			case workload.Tensor:
				in.Width = uint8(rapid.IntRange(0, int(workload.NumShapes)-1).Draw(r, "shape"))
			case workload.Await:
				in.Barrier = rapid.Uint8().Draw(r, "groups")
			}
			if in.Class != workload.Store && in.Class != workload.Reduction && in.Class != workload.Copy {
				copy(in.Dst[:], registerList(r, maxDst))
			}
			copy(in.Src[:], registerList(r, maxSrc))
			if in.Class.IsMemory() {
				spaces := []workload.Space{workload.Global, workload.Shared, workload.Local}
				if in.Class == workload.Atomic || in.Class == workload.Reduction {
					spaces = spaces[:2]
				}
				if in.Class == workload.Copy {
					spaces = spaces[:1]
				}
				in.Space = rapid.SampledFrom(spaces).Draw(r, "space")
				in.Width = rapid.SampledFrom([]uint8{1, 2, 4, 8, 16}).Draw(r, "width")
				in.Flags = rapid.SampledFrom([]workload.Flags{0, workload.BypassL1}).Draw(r, "flags")
				if in.Class == workload.Load && in.Space == workload.Global && rapid.Bool().Draw(r, "read-only") {
					in.Flags |= workload.ReadOnly
				}
				in.Base = rapid.Uint64Range(1<<32, 1<<50).Draw(r, "base")
				in.Stride = rapid.Int32Range(-300, 300).Draw(r, "stride")
				if rapid.Bool().Draw(r, "scattered") {
					in.Lanes = new([workload.WarpSize]uint64)
					for i := range in.Lanes {
						in.Lanes[i] = rapid.Uint64Range(0, 1<<50).Draw(r, "address")
					}
				}
			}
			insts = append(insts, in)
		}
		got, counts := written(r, t.TempDir(), insts)
		require.Len(r, got, len(insts))
		require.Equal(r, uint64(len(insts)), counts.WarpInstructions)
		for i := range insts {
			requireSame(r, insts[i], got[i])
		}
	})
}

func TestLinesKeepToAccelSimsLimits(t *testing.T) {
	in := packed.Entry{Class: workload.FP32, Dst: [4]uint8{1, 3, 255, 255}, Src: [10]uint8{2, 4, 6, 8, 10, 12, 255, 255, 255, 255}}
	s := spell(&in)
	require.False(t, s.exact)
	require.LessOrEqual(t, len(s.dst), 1)
	require.LessOrEqual(t, len(s.src), 4)
}

func TestPairsAreWrittenByTheirFirstRegister(t *testing.T) {
	for _, c := range []struct {
		entry packed.Entry
		tail  string
	}{
		{packed.Entry{Class: workload.Load, Width: 8, Dst: [4]uint8{4, 5, 255, 255}, Src: [10]uint8{2, 3, 255, 255, 255, 255, 255, 255, 255, 255}}, "1 R4 LDG.E.64 1 R2 8"},
		{packed.Entry{Class: workload.Store, Width: 4, Dst: workload.NoRegs4, Src: [10]uint8{2, 3, 9, 255, 255, 255, 255, 255, 255, 255}}, "0 STG.E 2 R2 R9 4"},
		{packed.Entry{Class: workload.Int, Dst: [4]uint8{4, 5, 255, 255}, Src: [10]uint8{2, 6, 255, 255, 255, 255, 255, 255, 255, 255}}, "1 R4 IADD3.WIDE 2 R2 R6 0 0"},
		{packed.Entry{Class: workload.Int, Flags: workload.MultiplyAdd, Dst: [4]uint8{4, 5, 255, 255}, Src: [10]uint8{2, 6, 255, 255, 255, 255, 255, 255, 255, 255}}, "1 R4 IMAD.WIDE 2 R2 R6 0 0"},
		{packed.Entry{Class: workload.Int, Flags: workload.Multiply, Dst: [4]uint8{4, 5, 255, 255}, Src: [10]uint8{2, 6, 255, 255, 255, 255, 255, 255, 255, 255}}, "1 R4 IMUL.WIDE 2 R2 R6 0 0"},
		{packed.Entry{Class: workload.SFU, Flags: workload.Convert, Dst: [4]uint8{4, 255, 255, 255}, Src: [10]uint8{2, 255, 255, 255, 255, 255, 255, 255, 255, 255}}, "1 R4 I2F 1 R2 0 0"},
	} {
		s := spell(&c.entry)
		require.True(t, s.exact)
		require.Equal(t, c.tail, s.tail(&c.entry))
	}
}

func TestBarriersThatALineCannotTellApartAreCounted(t *testing.T) {
	meet := workload.Inst{Class: workload.Barrier, Dst: workload.NoRegs4, Src: workload.NoRegs10, Active: 1}
	named, arrive := meet, meet
	named.PC, named.Barrier = 16, 3
	arrive.PC, arrive.Barrier, arrive.Warps, arrive.Flags = 32, 1, 2, workload.Arrive
	got, counts := written(t, t.TempDir(), []workload.Inst{meet, named, named, arrive})
	require.Equal(t, 2, counts.Barriers)
	var classes []workload.Class
	for _, in := range got {
		require.Zero(t, in.Barrier)
		classes = append(classes, in.Class)
	}
	require.Equal(t, []workload.Class{workload.Barrier, workload.Barrier, workload.Barrier, workload.Nop}, classes)
}

// The width of an access that no lane makes is unknown.
func TestAccessWithoutALaneAndAWidthIsWritten(t *testing.T) {
	in := workload.Inst{Class: workload.Load, Dst: [4]uint8{1, 255, 255, 255}, Src: [10]uint8{2, 255, 255, 255, 255, 255, 255, 255, 255, 255}}
	got, _ := written(t, t.TempDir(), []workload.Inst{in})
	require.Equal(t, []any{workload.Load, uint32(0), in.Dst, in.Src}, []any{got[0].Class, got[0].Active, got[0].Dst, got[0].Src})
}

// The two lines are the same text, since neither can say its second result.
func TestRegistersThatOneLineCannotTellApartAreCounted(t *testing.T) {
	first := workload.Inst{Class: workload.FP32, Dst: [4]uint8{1, 9, 255, 255}, Src: workload.NoRegs10, Active: 1}
	second := first
	second.Dst[1] = 12
	got, counts := written(t, t.TempDir(), []workload.Inst{first, second})
	require.Equal(t, 1, counts.Ambiguous)
	require.Equal(t, first.Dst, got[0].Dst)
	require.Equal(t, first.Dst, got[1].Dst)
}

func TestFaultyRegisterListsNameTheirLine(t *testing.T) {
	in := workload.Inst{Class: workload.FP32, Dst: [4]uint8{1, 9, 255, 255}, Src: workload.NoRegs10, Active: 1}
	folder := t.TempDir()
	written(t, folder, []workload.Inst{in})
	path := folder + "/kernel-1.registers"
	for _, text := range []string{"0000 1 R1 FFMA 0 0 0 R1 R9 :", "0000 1 R1 FFMA 0 0 0 = R1 R255 :", "x = R1 R2 R3 R4 R5 :", "x = Q1 :"} {
		require.NoError(t, os.WriteFile(path, []byte("\n"+text+"\n"), 0o666))
		_, err := readLists(folder + "/kernel-1.traceg.xz")
		require.ErrorContains(t, err, "kernel-1.registers:2: malformed register lists")
	}
}
