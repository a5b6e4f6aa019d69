package traceg

import (
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// accelSim2 is code of the tracer of Accel-Sim 2.0.
var accelSim2 = gpu{90, 6}

func TestPredicatesAndUniformRegistersCarryNoDependence(t *testing.T) {
	got := accelSim2.read(t, "0000 ffffffff 2 P0 R4 LOP3.LUT 5 R1 UR7 R2 P1 UP3 0 -5 18446744073709551615 NoVal")[0]
	require.Equal(t, [4]uint8{4, 255, 255, 255}, got.Dst)
	require.Equal(t, []uint8{1, 2, 255}, got.Src[:3])
	require.Equal(t, `k.traceg:15: malformed register "B7" among 1 sources; valid is R0 to R255, or a number behind UR, P or UP`, accelSim2.errorOf("0000 ffffffff 0 MOV 1 B7 0 0"))
	require.Equal(t, `k.traceg:15: "R5" is one general register more than the 4 results that are valid`, accelSim2.errorOf("0000 ffffffff 5 R1 R2 R3 R4 R5 MOV 0 0 0"))
	require.Equal(t, `k.traceg:15: malformed register "UR7" among 1 sources; valid is R0 to R255`, hopper.errorOf("0000 ffffffff 0 MOV 1 UR7 0 0"), "before version 6")
}

// Values differ from warp to warp; the instruction is one all the same.
func TestValuesOfRegistersAreSkipped(t *testing.T) {
	lanes := strings.Repeat(" 1f", 32)
	l, err := openText(accelSim2.kernel(
		"0000 ffffffff 1 R1 MOV 1 UR2 0 0 Val 1 7"+" 32"+lanes,
		"0000 ffffffff 1 R1 MOV 1 UR2 0 0 Val 1 8 1 9",
		"0000 ffffffff 1 R1 MOV 1 UR2 0 0 NoVal",
		"0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4 0 0 Val 1 8 32"+lanes,
		"0010 ffffffff 0 EXIT 0 0"))
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, l.Next(&tb))
	require.Len(t, drain(&tb), 5)
	require.NoError(t, l.Close())
	require.Len(t, l.forms, 4, "the start, MOV, LDG, EXIT")
	for inst, want := range map[string]string{
		"0 MOV 1 R2 0 0 Val 2 7 8":   `malformed number of values of a register "7"; valid is 1, or 32`,
		"0 MOV 1 R2 0 0 Val 1":       `the instruction ends before its value of a register; valid is a hexadecimal number`,
		"0 MOV 1 R2 0 0 Val 1 7 8":   `"8" is too much for this instruction; valid is the end of the line`,
		"0 MOV 1 R2 0 0 Maybe":       `malformed end of the line "Maybe"; valid is up to two immediates, and NoVal or Val`,
		"0 MOV 1 R2 0 0 0 0 NoVal":   `malformed end of the line "0"; valid is up to two immediates, and NoVal or Val`,
		"0 MOV 1 R2 0 0 0 NoVal Val": `"Val" is too much for this instruction; valid is the end of the line`,
	} {
		require.Equal(t, "k.traceg:15: "+want, accelSim2.errorOf("0000 ffffffff "+inst), inst)
	}
}

// Parts of 8 columns, where the first matrix is, groups of products, and the wait for them.
func TestWarpgroupProductsJoinGroups(t *testing.T) {
	all, err := readAll(accelSim2.kernel(
		"0000 ffffffff 1 R24 HGMMA.64x128x16.F32.BF16 2 UR4 R24 0 0 0 NoVal",
		"0010 ffffffff 1 R24 HGMMA.64x128x16.F32.BF16 3 R4 UR8 R24 1 0 0 NoVal",
		"0020 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 1 NoVal",
		"0030 ffffffff 0 EXIT 0 0"))
	require.NoError(t, err)
	require.Len(t, all, 5)
	for i, shared := range []uint8{2, 1} {
		require.True(t, all[i].Grouped())
		require.Equal(t, workload.M16N8K16F32, all[i].Shape())
		require.Equal(t, [2]uint8{16, shared}, [2]uint8{all[i].Barrier, all[i].Warps})
		require.Equal(t, workload.NoRegs4, all[i].Dst)
	}
	require.Equal(t, workload.Commit, all[2].Class)
	require.Equal(t, uint8(workload.ProductGroups), all[2].Warps)
	require.Equal(t, workload.Await, all[3].Class)
	require.Equal(t, [2]uint8{1, workload.ProductGroups}, [2]uint8{all[3].Barrier, all[3].Warps})
	require.Equal(t, `k.traceg:15: malformed commit flag "2"; valid is 0 or 1`, accelSim2.errorOf("0000 ffffffff 1 R24 HGMMA.64x128x16.F32 1 R24 2 0 0"))
}

func TestTransfersOfVersion6AreChecked(t *testing.T) {
	for _, operands := range []string{"16 0x100 0 4096 0 3 2 0x1000 0x2000 0 0 NoVal", "16 0x100 1 3 4096 512 4 0x1000 3 128 -64 0 NoVal", "0 0x0 0 0 0 4 0x0 0 0"} {
		require.Equal(t, workload.Nop, accelSim2.read(t, "0000 00000001 0 UTMALDG.2D 2 UR4 UR8 "+operands)[0].Class, operands)
	}
	for operands, want := range map[string]string{
		"16 zz":                       `malformed address of an mbarrier "zz"; valid is a hexadecimal number of at most 64 bits`,
		"16 0x100 2":                  `the instruction ends before its multicast flag; valid is 0 or 1`,
		"16 0x100 0 4096":             `the instruction ends before its number of bytes; valid is a decimal number`,
		"16 0x100 0 4096 0 1 0x0 4 0": `malformed bulk address mode "0x0"; valid is 3 (list) or 4 (base and deltas)`,
		"16 0x100 0 4096 0 3 2 0x100": `the instruction ends before its address; valid is as many as their number says`,
	} {
		require.Equal(t, "k.traceg:15: "+want, accelSim2.errorOf("0000 00000001 0 UTMALDG.2D 0 "+operands), operands)
	}
}

// The model has no tensor memory: Blackwell's products there are refused by name.
func TestProductsInTensorMemoryAreRefused(t *testing.T) {
	for _, name := range []string{"UTCHMMA", "UTCQMMA", "UTCIMMA", "UTCOMMA", "UTCBAR", "UTCCP", "LDTM", "STTM"} {
		require.Contains(t, accelSim2.errorOf("0000 ffffffff 0 "+name+" 0 0 0"), "k.traceg:15: unknown opcode "+name)
	}
}

// A .tracez file with a dictionary of the zstd program and chunks of 64 instructions.
func TestStoredTracezIsTheTextBesideIt(t *testing.T) {
	read := func(path string) []executed {
		app, err := Open(path, Options{})
		require.NoError(t, err)
		l, err := app.Kernels()[0].Source.Open()
		require.NoError(t, err)
		var tb workload.TB
		var all []executed
		for range app.Kernels()[0].TBs() {
			require.NoError(t, l.Next(&tb))
			all = append(all, drain(&tb)...)
			l.Recycle(&tb)
		}
		require.NoError(t, l.Close())
		return all
	}
	require.Equal(t, read("testdata/small"), read("testdata/tracez"))
}
