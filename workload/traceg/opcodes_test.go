package traceg

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestEveryPublishedInstructionHasAClass(t *testing.T) {
	f, err := os.Open("testdata/opcodes.txt")
	require.NoError(t, err)
	defer f.Close()
	known := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		generation, names, _ := strings.Cut(s.Text(), " ")
		for _, name := range strings.Fields(names) {
			require.Contains(t, opcodes, name, generation)
			require.False(t, known[name], "%s is listed twice", name)
			known[name] = true
		}
	}
}

func TestNoOpcodeIsInTwoFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range families {
		for _, name := range strings.Fields(f.names) {
			require.False(t, seen[name], name)
			seen[name] = true
		}
	}
}

func TestWidthComesFromTheModifiers(t *testing.T) {
	for opcode, want := range map[string]int{
		"LDG.E": 4, "LDG.E.64": 8, "LDG.E.128.CONSTANT": 16, "LDG.E.U8": 1, "LDG.E.S8": 1, "LDG.E.S16": 2,
		"LDS.U.128": 16, "STG.E.EF.U16": 2, "ATOMG.E.ADD.F64.RN.STRONG.GPU": 8, "RED.E.ADD.F32": 4,
		"RED.E.ADD.F16x2.RN": 4, "LDGSTS.E.BYPASS.LTC128B.128": 16, "ATOMS.POPC.INC.32": 4, "LD..E": 4,
	} {
		_, m := split(opcode)
		require.Equal(t, want, m.width(), opcode)
	}
}

func TestClassSpaceAndFlags(t *testing.T) {
	const load = " 4 1 0x7f0200000000 4 0"
	for _, c := range []struct {
		line  string
		class workload.Class
		space workload.Space
		flags workload.Flags
	}{
		{"0 BAR.SYNC 0 0 0", workload.Barrier, 0, 0},
		{"0 BAR.RED.POPC 0 0 0", workload.Barrier, 0, 0},
		{"0 BAR.ARV 0 0 0", workload.Nop, 0, 0},
		{"0 DEPBAR.LE 0 0 0", workload.Await, 0, 0},
		{"0 DEPBAR.LE 0 0", workload.Await, 0, 0},
		{"0 DEPBAR.LE 0 0 2", workload.Await, 0, 0},
		{"0 LDGDEPBAR 0 0 0", workload.Commit, 0, 0},
		{"1 R2 MOVM.16.MT88 1 R3 0 0", workload.SFU, 0, 0},
		{"0 MEMBAR.SC.GPU 0 0 0", workload.Fence, 0, 0},
		{"1 R2 LDC.64 0 0 0", workload.Constant, 0, 0},
		{"0 ULDC 0 0 0", workload.Constant, 0, 0},
		{"1 R2 MUFU.RCP 1 R3 0 0", workload.SFU, 0, 0},
		{"1 R2 F2I.FTZ.U32.TRUNC.NTZ 1 R3 0 0", workload.SFU, 0, workload.Convert},
		{"1 R2 TEX.LL 2 R2 R4 0 0", workload.SFU, 0, 0},
		{"1 R2 HFMA2.MMA 2 R2 R4 0 0", workload.FP32, 0, workload.Half},
		{"1 R2 DFMA 3 R2 R4 R6 0 0", workload.FP64, 0, 0},
		{"1 R2 HMMA.16816.F32 3 R2 R4 R6 0 0", workload.Tensor, 0, 0},
		{"0 UIADD3 0 0 0", workload.Int, 0, 0},
		{"0 UIMAD 0 0 0", workload.Int, 0, 0},
		{"1 R2 IADD3 2 R2 R4 0 0", workload.Int, 0, 0},
		{"1 R2 IMUL.HI 2 R2 R4 0 0", workload.Int, 0, workload.Multiply},
		{"1 R2 IMAD.MOV.U32 1 R4 0 0", workload.Int, 0, workload.MultiplyAdd},
		{"1 R2 XMAD.PSL 3 R2 R4 R5 0 0", workload.Int, 0, workload.MultiplyAdd},
		{"1 R2 IDP.4A.S8 3 R2 R4 R5 0 0", workload.Int, 0, workload.MultiplyAdd},
		{"0 CCTL.E.PF2 1 R4" + load, workload.Nop, 0, 0},
		{"0 EXIT 0 0 0", workload.Exit, 0, 0},
		{"0 BSSY 0 0 0", workload.Branch, 0, 0},
		{"0 BSYNC 0 0 0", workload.Branch, 0, 0},
		{"1 R2 LDG.E 1 R4" + load, workload.Load, workload.Global, 0},
		{"1 R2 LDG.E.STRONG.GPU 1 R4" + load, workload.Load, workload.Global, workload.BypassL1},
		{"1 R2 LDG.E.STRONG.SYS 1 R4" + load, workload.Load, workload.Global, workload.BypassL1},
		{"1 R2 LDG.E.STRONG.CTA 1 R4" + load, workload.Load, workload.Global, 0},
		{"1 R2 LDG.E.STRONG.SM 1 R4" + load, workload.Load, workload.Global, 0},
		{"1 R2 LDG.E.SYS 1 R4" + load, workload.Load, workload.Global, 0},
		{"1 R2 LDG.E.CI.64 1 R4" + load, workload.Load, workload.Global, workload.ReadOnly},
		{"1 R2 LDG.E.128.CONSTANT 1 R4" + load, workload.Load, workload.Global, workload.ReadOnly},
		{"1 R2 LD.E.CONSTANT 1 R4" + load, workload.Load, workload.Global, 0},
		{"1 R2 LD.E.CV 1 R4" + load, workload.Load, workload.Global, workload.BypassL1},
		{"0 LDGSTS.E.BYPASS.128 2 R3 R4" + load, workload.Copy, workload.Global, workload.BypassL1},
		{"0 LDGSTS.E.LTC128B 2 R3 R4" + load, workload.Copy, workload.Global, 0},
		{"1 R2 LDS 1 R4" + load, workload.Load, workload.Shared, 0},
		{"1 R2 LDL 1 R4" + load, workload.Load, workload.Local, 0},
		{"0 STG.E 2 R4 R2" + load, workload.Store, workload.Global, 0},
		{"0 STS 2 R4 R2" + load, workload.Store, workload.Shared, 0},
		{"1 R2 ATOMG.E.ADD 2 R4 R6" + load, workload.Atomic, workload.Global, 0},
		{"1 R255 ATOMG.E.ADD 2 R4 R6" + load, workload.Reduction, workload.Global, 0},
		{"0 ATOM.E.ADD 2 R4 R6" + load, workload.Reduction, workload.Global, 0},
		{"1 R2 ATOMS.CAS 3 R4 R6 R7" + load, workload.Atomic, workload.Shared, 0},
		{"0 RED.E.ADD 2 R4 R6" + load, workload.Reduction, workload.Global, 0},
	} {
		got := ampere.read(t, "0000 ffffffff "+c.line)[0]
		require.Equal(t, c.class, got.Class, c.line)
		require.Equal(t, c.space, got.Space, c.line)
		require.Equal(t, c.flags, got.Flags, c.line)
	}
}

func TestUnknownOpcodeIsAnErrorOrAnIntegerInstruction(t *testing.T) {
	const inst = "0000 0000ffff 1 R1 FROB.64 2 R2 R3 8 1 0x100 8 0"
	_, err := readAll(ampere.kernel(inst))
	requireInputError(t, err, "k.traceg:15: unknown opcode FROB.64; --unknown-opcode=alu takes unknown opcodes as integer instructions")

	in := memory("k.traceg", ampere.kernel(inst))
	h, err := readHeader(in)
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, newLaunch(in, h, Options{UnknownOpcodeALU: true}, nil).Next(&tb))
	require.Equal(t, workload.Inst{Active: 0xffff, Dst: dst(1), Src: src(2, 3), Class: workload.Int}, drain(&tb)[0].Inst)
}

func TestKeplersLDGIsTheReadOnlyLoad(t *testing.T) {
	const load = " 1 R2 %s 1 R4 4 1 0x100 4"
	for _, c := range []struct {
		gpu    gpu
		opcode string
		want   workload.Flags
	}{
		{kepler, "LDG.E", workload.ReadOnly}, {kepler, "LD.E", 0}, {gpu{50, 3}, "LDG.E", 0}, {pascal, "LDG.E.CI", workload.ReadOnly},
	} {
		got := c.gpu.read(t, "0000 ffffffff"+fmt.Sprintf(load, c.opcode))[0]
		require.Equal(t, workload.Load, got.Class)
		require.Equal(t, c.want, got.Flags, "%+v", c)
	}
}

func TestProductsHaveTheShapesOfTheirOpcodes(t *testing.T) {
	for text, want := range map[string]workload.Shape{
		"HMMA.16816.F32": workload.M16N8K16F32, "HMMA.16816.F32.BF16": workload.M16N8K16F32, "HMMA.16816.F16": workload.M16N8K16F16,
		"HMMA.1688.F32": workload.M16N8K8F32, "HMMA.1688.F32.TF32": workload.M16N8K8TF32, "HMMA.1684.F32.TF32": workload.M16N8K4TF32,
		"HMMA.884.F32.F32.STEP2": workload.M8N8K4F32Step, "HMMA.884.F16.F16.STEP0": workload.M8N8K4F16Step,
		"IMMA.16832.S8.S8": workload.M16N8K32S8, "IMMA.16832.S4.U4": workload.M16N8K32S4, "IMMA.8816.U8.S8.SAT": workload.M8N8K16S8,
		"BMMA.168256.XOR.POPC": workload.M16N8K256B1, "BMMA.88128.AND.POPC": workload.M8N8K128B1, "DMMA.884": workload.M8N8K4F64,
		"DMMA.16816": workload.M16N8K16F64, "QMMA.16832.F32.E4M3.E5M2": workload.M16N8K32F8,
		"HMMA.F32": workload.NoShape, "HGMMA.64x128x16.F32": workload.M16N8K16F32, "QGMMA.64x64x32.F32.E4M3.E4M3": workload.M16N8K32F8, "HGMMA.F32": workload.NoShape, "HMMA.12345.F32": workload.NoShape,
	} {
		require.Equal(t, want, ampere.read(t, "0000 ffffffff 1 R2 "+text+" 3 R4 R6 R8 0 0")[0].Shape(), text)
	}
}

// What DEPBAR waits for is known from Ampere on. Before, it waits for all accesses or none.
func TestWaitsSayHowManyGroupsTheyLeave(t *testing.T) {
	for text, want := range map[string]uint8{"0 DEPBAR.LE 0 0 2": 2, "0 DEPBAR.LE 0 0 0": 0, "0 DEPBAR 0 0 1000": 255} {
		require.Equal(t, want, ampere.read(t, "0000 ffffffff "+text)[0].Barrier, text)
	}
	for immediate, want := range map[string]workload.Class{"0": workload.Fence, "": workload.Fence, "1": workload.Nop} {
		op := opcodes["DEPBAR"]
		in := op.entry(0, "DEPBAR.LE", 70, nil, nil, immediate)
		require.Equal(t, want, in.Class, immediate)
	}
}
