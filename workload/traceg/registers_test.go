package traceg

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func dst(r ...uint8) (d [4]uint8) {
	d = workload.NoRegs4
	copy(d[:], r)
	return d
}

func src(r ...uint8) (s [10]uint8) {
	s = workload.NoRegs10
	copy(s[:], r)
	return s
}

// TestRegistersBeyondTheListed has one line for each rule of registers.go.
func TestRegistersBeyondTheListed(t *testing.T) {
	const at = " 4 1 0x100 4"
	for _, c := range []struct {
		name string
		gpu  gpu
		line string
		dst  [4]uint8
		src  [10]uint8
	}{
		{"as listed", ampere, "1 R9 FFMA 3 R1 R2 R3 0", dst(9), src(1, 2, 3)},
		{"RZ carries nothing", ampere, "1 R255 IADD3 3 R1 R255 R3 0", dst(), src(1, 3)},
		{"a register once", ampere, "1 R1 IMAD 3 R1 R1 R1 0", dst(1), src(1)},
		{"FP64 pairs", ampere, "1 R8 DFMA 3 R2 R4 R6 0", dst(8, 9), src(2, 4, 6, 3, 5, 7)},
		{"FP64 compare", ampere, "0 DSETP.GT.AND 2 R2 R4 0", dst(), src(2, 4, 3, 5)},
		{"wide multiply", ampere, "1 R8 IMAD.WIDE 2 R2 R3 0", dst(8, 9), src(2, 3)},
		{"wide multiply and add", ampere, "1 R8 IMAD.WIDE.U32 3 R2 R3 R4 0", dst(8, 9), src(2, 3, 4, 5)},
		{"to double", ampere, "1 R8 F2F.F64.F32 1 R2 0", dst(8, 9), src(2)},
		{"from double", ampere, "1 R8 F2F.F32.F64 1 R2 0", dst(8), src(2, 3)},
		{"double to int", ampere, "1 R8 F2I.F64.TRUNC 1 R2 0", dst(8), src(2, 3)},
		{"float to 64-bit int", ampere, "1 R8 F2I.U64.TRUNC 1 R2 0", dst(8, 9), src(2)},
		{"int to double", ampere, "1 R8 I2F.F64.U32 1 R2 0", dst(8, 9), src(2)},
		{"64-bit int to float", ampere, "1 R8 I2F.S64 1 R2 0", dst(8), src(2, 3)},
		{"round double", ampere, "1 R8 FRND.F64.FLOOR 1 R2 0", dst(8, 9), src(2, 3)},
		{"FTZ is no type", ampere, "1 R8 F2I.FTZ.U32.TRUNC.NTZ 1 R2 0", dst(8), src(2)},
		{"clock pair", ampere, "1 R8 CS2R 0 0", dst(8, 9), src()},
		{"clock word", ampere, "1 R8 CS2R.32 0 0", dst(8), src()},
		{"clock before Volta", pascal, "1 R8 CS2R 0 0", dst(8), src()},
		{"constant", ampere, "1 R8 LDC.64 1 R2 0", dst(8, 9), src(2)},
		{"matrix of 16 rows", ampere, "1 R8 HMMA.16816.F32 3 R2 R6 R12 0", dst(8, 9, 10, 11), src(2, 6, 12, 3, 7, 13, 4, 14, 5, 15)},
		{"matrix of halves", ampere, "1 R8 HMMA.16816.F16 3 R2 R6 R12 0", dst(8, 9), src(2, 6, 12, 3, 7, 13, 4, 5)},
		{"matrix of 8 rows", ampere, "1 R8 IMMA.8816.S8.S8 3 R2 R4 R12 0", dst(8, 9), src(2, 4, 12, 13)},
		{"matrix of doubles", ampere, "1 R8 DMMA.884 3 R2 R4 R12 0", dst(8, 9, 10, 11), src(2, 4, 12, 3, 5, 13, 14, 15)},
		{"sparse matrix", ampere, "1 R8 HMMA.SP.16832.F32 3 R2 R4 R12 0", dst(8, 9, 10, 11), src(2, 4, 12)},
		{"warpgroup", hopper, "1 R8 HGMMA.64x64x16.F32 1 R8 0 0", dst(), src(8)},
		{"warpgroup with commit flag", hopper, "1 R8 HGMMA.64x64x16.F32 1 R8 1 0 0", dst(), src(8)},
		{"warpgroup of unknown size", hopper, "1 R8 HGMMA 1 R8 1 0 0", dst(8, 9, 10, 11), src(8)},
		{"load", ampere, "1 R8 LDG.E 1 R2" + at, dst(8), src(2, 3)},
		{"load of 128 bits", ampere, "1 R8 LDG.E.128 1 R2" + at, dst(8, 9, 10, 11), src(2, 3)},
		{"load at 32-bit address", kepler, "1 R8 LD 1 R2" + at, dst(8), src(2)},
		{"load to the end of the file", ampere, "1 R252 LDG.E.128 1 R254" + at, dst(252, 253, 254), src(254)},
		{"load behind a predicate", hopper, "0 LDG.E.64 2 R8 R2" + at, dst(8, 9), src(2, 3)},
		{"prefetch", ampere, "1 R255 LDG.E 1 R2" + at, dst(), src(2, 3)},
		{"shared load", ampere, "1 R8 LDS.64 1 R2" + at, dst(8, 9), src(2)},
		{"matrix load", ampere, "1 R8 LDSM.16.M88.4 1 R2" + at, dst(8, 9, 10, 11), src(2)},
		{"copy to shared", ampere, "0 LDGSTS.E.128 2 R8 R2" + at, dst(), src(8, 2, 3)},
		{"store", ampere, "0 STG.E 2 R2 R8" + at, dst(), src(2, 8, 3)},
		{"store of 128 bits", ampere, "0 STG.E.128 2 R2 R8" + at, dst(), src(2, 8, 3, 9, 10, 11)},
		{"store of RZ", ampere, "0 STG.E.64 2 R2 R255" + at, dst(), src(2, 3)},
		{"store at uniform address", ampere, "0 STG.E.64 1 R8" + at, dst(), src(8, 9)},
		{"shared store", ampere, "0 STS.64 2 R2 R8" + at, dst(), src(2, 8, 9)},
		{"atomic", pascal, "1 R8 ATOM.E.ADD 2 R2 R4" + at, dst(8), src(2, 4, 3)},
		{"atomic behind a predicate", ampere, "0 ATOMG.E.ADD.STRONG.GPU 3 R8 R2 R4" + at, dst(8), src(2, 4, 3)},
		{"atomic of 64 bits", ampere, "0 ATOMG.E.CAS.64.STRONG.GPU 4 R8 R2 R4 R6" + at, dst(8, 9), src(2, 4, 6, 3, 5, 7)},
		{"atomic without result", ampere, "0 ATOMG.E.ADD.STRONG.GPU 2 R2 R4" + at, dst(), src(2, 4, 3)},
		{"compare-and-swap without result", ampere, "0 ATOMG.E.CAS.STRONG.GPU 3 R2 R4 R5" + at, dst(), src(2, 4, 5, 3)},
		{"reduction", ampere, "0 RED.E.ADD.F64.RN 2 R2 R4" + at, dst(), src(2, 4, 3, 5)},
		{"shuffle", ampere, "0 SHFL.BFLY 2 R8 R2 0", dst(8), src(2)},
		{"logic with a predicate", ampere, "0 LOP3.LUT 3 R8 R2 R3 0", dst(8), src(2, 3)},
		{"predicate only", ampere, "0 ISETP.GE.AND 2 R2 R3 0", dst(), src(2, 3)},
		{"return", ampere, "1 R20 RET.REL.NODEC 0 0", dst(), src(20, 21)},
		{"indirect branch before Volta", pascal, "1 R20 BRX 0 0", dst(), src(20)},
		{"barrier by register", ampere, "1 R4 BAR.SYNC 1 R5 0", dst(), src(4, 5)},
	} {
		got := c.gpu.read(t, "0000 ffffffff "+c.line)[0]
		require.Equal(t, c.dst, got.Dst, c.name)
		require.Equal(t, c.src, got.Src, c.name)
	}
}

func TestMatrixLoadMovesAWordPerMatrixAndLane(t *testing.T) {
	for opcode, want := range map[string]uint8{"LDSM.16.M88": 4, "LDSM.16.MT88.2": 8, "LDSM.16.M88.4": 16} {
		got := ampere.read(t, "0000 ffffffff 1 R8 "+opcode+" 1 R2 4 1 0x100 16 0")[0]
		require.Equal(t, want, got.Width, opcode)
	}
}
