package traceg

import (
	"strings"

	"cotenant/workload"
)

// The opcode table: SASS from Kepler to Blackwell, by the name before the first
// dot. The names are from the instruction set tables in NVIDIA's "CUDA
// Binary Utilities" (releases 5.5 for Kepler to 12.x for Hopper and Blackwell) and from
// disassemblies of graphics shaders. No name changed its class
// between generations; what changed is which name a compiler uses for a thing
// (LD.E on Kepler, LDG later; RED, then REDG; KIL, then KILL), so one table
// serves all.
//
// Traces before version 6 have no uniform registers and no predicates, and later ones' are not
// followed. Instructions of the uniform datapath (U...) therefore carry no dependence, but take their issue
// slot as integer instructions.

// traits are what an opcode's operands need beyond its class (registers.go).
type traits uint8

const (
	// predicated opcodes may have a predicate before their register result.
	// The tracer takes only the first operand for a result, and so lists the
	// register result as the first source.
	predicated  traits = 1 << iota
	double             // FP64: every operand is a register pair
	converts           // 64-bit operands as its type modifiers say
	pairResult         // writes a register pair
	matrix             // result as large as its shape says
	warpgroup          // matrix over four warps; lists a commit flag before the width, or not
	codeAddress        // takes a code address, a register pair from Volta on
	bulk               // lists its addresses with a count (TMA)
)

// anywhere marks a generic address in an opcode's space. It never leaves this
// package: table.go makes one packed instruction for each space.
const anywhere workload.Space = 255

type opcode struct {
	class  workload.Class
	space  workload.Space
	traits traits
	flags  workload.Flags
}

var opcodes = func() map[string]opcode {
	m := make(map[string]opcode)
	for _, f := range families {
		for name := range strings.FieldsSeq(f.names) {
			m[name] = f.opcode
		}
	}
	return m
}()

var families = []struct {
	opcode
	names string
}{
	// Single precision, on the main pipe. Compares and selects are as wide.
	{opcode{class: workload.FP32}, `FADD FADD32I FCCO FCHK FCMP FFMA FFMA32I FMNMX FMUL FMUL32I
		FSEL FSET FSETP FSWZ FSWZADD FMNMX3`},
	// Blackwell: two per lane, in a pair of registers.
	{opcode{class: workload.FP32, traits: double}, `FADD2 FFMA2 FMUL2`},
	// Half precision: two per lane and register.
	{opcode{class: workload.FP32, flags: workload.Half}, `HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I
		HSET2 HSETP2 VHMNMX`},

	{opcode{class: workload.FP64, traits: double}, `DADD DFMA DMNMX DMUL DSET DSETP`},

	// Matrix units. The G forms (Hopper) work for a warpgroup, read shared
	// memory themselves and end asynchronously: they join the warp's open group of
	// products, which a commit flag closes and WARPGROUP.DEPBAR awaits (table.go).
	// Blackwell's products in tensor memory (UTCHMMA and its kin), and what moves
	// data there (LDTM, STTM, UTCCP), are not in the table: the model has no such memory.
	{opcode{class: workload.Tensor, traits: matrix}, `BMMA DMMA HMMA IMMA OMMA QMMA`},
	{opcode{class: workload.Tensor, traits: matrix | warpgroup}, `BGMMA HGMMA IGMMA QGMMA`},

	// The special-function unit: transcendentals and, at the same quarter of
	// the FP32 rate (CUDA programming guide, "Throughput of Native Arithmetic
	// Instructions"), conversions, bit counts and searches, and what moves
	// data between lanes (on hardware through the shared-memory crossbar, at
	// that rate and with a like latency).
	{opcode{class: workload.SFU}, `MUFU RRO I2I BREV FLO POPC REDUX CREDUX MOVM`},
	{opcode{class: workload.SFU, flags: workload.Convert, traits: converts}, `F2F F2I FRND I2F`},
	{opcode{class: workload.SFU, traits: predicated}, `MATCH SHFL`},
	// Texture, surface and graphics attributes. The tracer sees no addresses
	// of these, so that they cannot be memory instructions: they keep their
	// long latency and their result, but cause no traffic.
	{opcode{class: workload.SFU}, `TEX TEXS TLD TLD4 TLD4S TLDS TMML TXA TXD TXQ STP
		SULD SULDGA SULEA SUQ SUQUERY SURED SUST SUSTGA ALD AST IPA ISBERD OUT VILD`},
	{opcode{class: workload.SFU, traits: predicated}, `SUATOM`},

	// Integer, logic, moves, predicates, and conversions that only pack.
	{opcode{class: workload.Int}, `BFE BFI BMSK IABS IADD IADD3 IADD32I ICMP IMNMX ISAD ISCADD ISCADD32I ISET ISETP ISUB LEA LOP LOP32I SGXT
		SHF SHL SHR SUCLAMP SUBFM SUEAU
		VABSDIFF VABSDIFF2 VABSDIFF4 VADD VADD2 VADD4 VIADD VIADDMNMX VIMNMX VIMNMX3 VMNMX
		VMNMX2 VMNMX4 VSEL2 VSEL4 VSET VSET2 VSET4 VSETP VSHL VSHR
		F2FP F2IP I2FP I2IP MOV MOV32I PRMT SEL
		CSET CSETP CSMTEST P2R PLOP3 PSET PSETP R2P VOTE VOTE_VTG ELECT
		AL2P B2R BMOV GETCRSPTR GETLMEMBASE PIXLD R2B RPCMOV S2R SYNCS`},
	// Multiplications. IMAD also copies, shifts and adds (IMAD.MOV, IMAD.SHL,
	// IMAD.IADD), by the multiplier; XMAD multiplies 16 bits, as Maxwell does,
	// and dot products multiply 8 or 16.
	{opcode{class: workload.Int, flags: workload.Multiply}, `IMUL IMUL32I`},
	{opcode{class: workload.Int, flags: workload.MultiplyAdd}, `IDP IDP4A IMAD IMAD32I IMADSP VMAD XMAD`},
	// SYNCS arrives at and polls asynchronous barriers in shared memory. The
	// polls that a program needed are in its trace, so it never waits here.
	{opcode{class: workload.Int, traits: predicated}, `LOP3 QSPC`},
	{opcode{class: workload.Int, traits: pairResult}, `CS2R LEPC`},
	{opcode{class: workload.Int}, `R2UR S2UR UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UIMAD UISETP
		ULEA ULEPC ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF
		USHL USHR VOTEU
		CS2UR UF2F UF2I UF2IP UFADD UFFMA UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UI2F UI2FP UI2I UI2IP UIABS
		UIMNMX UVIADD UVIMNMX`},

	{opcode{class: workload.Constant}, `LDC LDCU ULDC`},

	// Loads. LDU (uniform) and LDGMC (multicast, reducing) read as LDG does.
	{opcode{class: workload.Load, space: anywhere, traits: predicated}, `LD LDU`},
	{opcode{class: workload.Load, space: workload.Global, traits: predicated}, `LDG LDGMC`},
	{opcode{class: workload.Load, space: workload.Local}, `LDL`},
	{opcode{class: workload.Load, space: workload.Shared, traits: predicated}, `LDS LDSLK LDSM`},

	// LDGSTS copies to shared memory without registers. Tracers list its global
	// addresses only. LDGDEPBAR closes a group of copies.
	{opcode{class: workload.Copy, space: workload.Global}, `LDGSTS`},
	{opcode{class: workload.Commit}, `LDGDEPBAR`},

	{opcode{class: workload.Store, space: anywhere}, `ST`},
	{opcode{class: workload.Store, space: workload.Global}, `STG`},
	{opcode{class: workload.Store, space: workload.Local}, `STL`},
	// STAS writes shared memory of another TB of the cluster, STSM a matrix.
	{opcode{class: workload.Store, space: workload.Shared}, `STAS STS STSCUL STSLWL STSM STSUL`},

	// An atomic becomes a Reduction if its result is RZ or missing (table.go).
	{opcode{class: workload.Atomic, space: anywhere, traits: predicated}, `ATOM`},
	{opcode{class: workload.Atomic, space: workload.Global, traits: predicated}, `ATOMG`},
	{opcode{class: workload.Atomic, space: workload.Shared, traits: predicated}, `ATOMS`},
	{opcode{class: workload.Reduction, space: anywhere}, `RED REDG`},
	{opcode{class: workload.Reduction, space: workload.Shared}, `REDAS REDS`},

	// Transfers of control, also those at which diverged lanes meet (SYNC,
	// BSYNC, WARPSYNC): the warp may go on with other lanes elsewhere. What sets
	// one up (SSY to PEXIT, BSSY, BREAK) goes through the same unit, and the warp
	// falls through.
	{opcode{class: workload.Branch}, `BRA BRK BRXU BSYNC CAL CONT JCAL JMP JMXU LONGJMP RTT
		SYNC WARPSYNC SSY PBK PCNT PRET PLONGJMP PEXIT BSSY BREAK`},
	{opcode{class: workload.Branch, traits: codeAddress}, `BRX CALL JMX RET`},
	{opcode{class: workload.Exit}, `EXIT KIL KILL`},

	// BAR waits in its .SYNC and .RED forms; .ARV only arrives and is made a
	// Nop (table.go). Traces do not tell barriers' numbers: all are one.
	{opcode{class: workload.Barrier}, `BAR`},

	// What orders or awaits the warp's own accesses. From Ampere on, DEPBAR
	// waits until at most as many groups of LDGSTS are left as its immediate
	// says, and for all where the trace has no immediate: it is made an Await
	// (table.go). Before, with more than 0, the warp runs ahead on purpose: a
	// Nop. Results in registers need no DEPBAR here, they have the scoreboard.
	{opcode{class: workload.Fence}, `DEPBAR FENCE MEMBAR`},

	// An issue slot and nothing else: hints; waits that another instruction
	// stands for already (ERRBAR and CGAERRBAR follow MEMBAR, TEXDEPBAR awaits
	// registers); the sleeping time
	// of NANOSLEEP, which a trace does not have; cache control, for caches
	// are coherent here; and cluster barriers and launch control, for the
	// TBs of a cluster are placed one by one. REPLAY_START and REPLAY_END are marks that
	// Accel-Sim 2.0 sets around a loop that waits.
	{opcode{class: workload.Nop}, `NOP PMTRIG BPT IDE SHINT YIELD NANOSLEEP
		RAM SAM SETCRSPTR SETCTAID SETLMEMBASE
		TEXDEPBAR ERRBAR CGAERRBAR CCTL CCTLL CCTLS CCTLT
		ACQBULK ARRIVES ENDCOLLECTIVE PREEXIT UCGABAR_ARV UCGABAR_WAIT USETMAXREG WARPGROUP
		WARPGROUPSET UTMACCTL UTMACMDFLUSH ACQSHMINIT UGETNEXTWORKID REPLAY_START REPLAY_END`},
	// Bulk copies between global and shared memory by the tensor memory
	// accelerator. One lane starts a transfer of up to hundreds of lines that
	// no warp instruction can carry; their form is checked, their traffic is
	// not modelled.
	{opcode{class: workload.Nop, traits: bulk}, `UBLKCP UBLKPF UBLKRED UTMALDG UTMAPF UTMAREDG
		UTMASTG`},
}

// modifiers are the parts of an opcode after its name.
type modifiers string

// split takes an opcode apart at its first dot.
func split(text string) (name string, m modifiers) {
	name, rest, _ := strings.Cut(text, ".")
	return name, modifiers(rest)
}

// has reports whether any of the words is among the modifiers.
func (m modifiers) has(words ...string) bool {
	for part := range strings.SplitSeq(string(m), ".") {
		for _, w := range words {
			if part == w {
				return true
			}
		}
	}
	return false
}

// width is the access width in bytes: the first modifier that is a number of
// bits (64, U8, S16, F64, 128), and 4 if there is none. Tracers list a width
// too, but sometimes a wrong one.
func (m modifiers) width() int {
	for part := range strings.SplitSeq(string(m), ".") {
		if part != "" && strings.ContainsRune("USF", rune(part[0])) {
			part = part[1:]
		}
		switch part {
		case "8":
			return 1
		case "16":
			return 2
		case "32":
			return 4
		case "64":
			return 8
		case "128":
			return 16
		}
	}
	return 4
}

// bypassesL1 reports whether the access must be served by the L2: volatile
// and uncached ones, and strong ones of a scope wider than the SM.
func (m modifiers) bypassesL1() bool {
	return m.has("BYPASS", "CG", "CV", "MMIO", "VOL") || m.has("STRONG") && !m.has("CTA", "SM")
}
