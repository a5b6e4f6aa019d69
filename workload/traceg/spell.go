package traceg

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// Accel-Sim's limits of the registers in a line (MAX_DST and MAX_SRC of its
// trace_parser.h).
const (
	writtenDst = 1
	writtenSrc = 4
)

// writtenBinary is the binary version that written traces have: Ampere's, for
// which Accel-Sim knows all opcodes used here.
const writtenBinary = 80

// spelling is how an instruction is written: an opcode and the registers of its
// line.
type spelling struct {
	opcode   string
	dst, src []uint8
	// exact says that the line is read as the registers that the instruction
	// has; without, they must be listed apart.
	exact bool
}

// spell finds the opcode and registers that this package reads as an entry. It
// tries all that fit into a line and takes the first that is exact, else the
// one with the nearest registers.
func spell(e *packed.Entry) spelling {
	var best spelling
	distance := 1 << 16
	dsts := choices(e.Dst[:], writtenDst)
	srcs := choices(e.Src[:], writtenSrc)
	if e.Class == workload.Atomic && e.Dst[0] == workload.NoReg {
		dsts = [][]uint8{{0}} // or it would be read as a reduction
	}
	class := e.Class
	if e.Flags&workload.Arrive != 0 {
		class = workload.Nop // the trace does not tell where the warp does not wait
	}
	for _, text := range spellings(e) {
		name, _ := split(text)
		op := opcodes[name]
		if op.space == anywhere {
			op.space = workload.Global // no trace written has windows
		}
		for _, dst := range dsts {
			for _, src := range srcs {
				in := op.entry(e.PC, text, writtenBinary, dst, src, immediate(e))
				if in.Class != class || in.Class.IsMemory() && in.Width != e.Width || in.Class == workload.Tensor && e.Width != 0 && in.Width != e.Width {
					continue
				}
				// The result that an instruction of control has is waited for
				// as a source is.
				d := differences(in.Dst[:], e.Dst[:]) + differences(in.Src[:], e.Src[:])
				if d < distance {
					distance = d
					best = spelling{opcode: text, dst: dst, src: src, exact: d == 0}
				}
				if d == 0 {
					return best
				}
			}
		}
	}
	return best
}

// choices lists the sublists of a register list with at most limit elements,
// longer ones first.
func choices(list []uint8, limit int) (all [][]uint8) {
	list = named(list)
	for n := min(limit, len(list)); n >= 0; n-- {
		for set := range 1 << len(list) {
			if bits.OnesCount(uint(set)) != n {
				continue
			}
			var chosen []uint8
			for i, r := range list {
				if set>>i&1 != 0 {
					chosen = append(chosen, r)
				}
			}
			all = append(all, chosen)
		}
	}
	return all
}

// named is the front part of a register list that names registers.
func named(list []uint8) []uint8 {
	if end := slices.Index(list, workload.NoReg); end >= 0 {
		return list[:end]
	}
	return list
}

// differences counts the registers that are in one list only.
func differences(a, b []uint8) (n int) {
	a, b = named(a), named(b)
	for _, r := range a {
		if !slices.Contains(b, r) {
			n++
		}
	}
	for _, r := range b {
		if !slices.Contains(a, r) {
			n++
		}
	}
	return n
}

// plain are opcodes of classes other than memory, by what they make of the
// registers; those without a result come last.
var plain = [workload.NumClasses]string{
	workload.Int:      "IADD3 IADD3.WIDE CS2R ISETP.NE.AND", // the second has a pair as its result, and multiplies nothing
	workload.FP32:     "FFMA FSETP.NEU.AND",
	workload.FP64:     "DFMA DSETP.NEU.AND",
	workload.SFU:      "MUFU.RCP",
	workload.Tensor:   "HMMA.16816.F32 HMMA.1688.F16 HMMA.884.F16",
	workload.Constant: "LDC LDC.64 LDC.128",
	workload.Branch:   "BRA CALL.REL.NOINC",
	workload.Exit:     "EXIT",
	workload.Barrier:  "BAR.SYNC",
	workload.Fence:    "MEMBAR.SC.GPU",
	workload.Nop:      "NOP",
	workload.Commit:   "LDGDEPBAR",
	workload.Await:    "DEPBAR.LE",
}

// The opcodes of integer instructions that multiply, and of conversions.
const (
	multiplies    = "IMUL IMUL.WIDE"
	multipliesAdd = "IMAD IMAD.WIDE"
	conversions   = "I2F I2F.F64 I2F.S64 I2F.F64.S64"
)

// memoryOpcodes are the opcodes of a memory class by space. There are no atomics on
// local memory, and no loads from texture memory with addresses.
var memoryOpcodes = map[workload.Class][4]string{
	workload.Load:  {workload.Global: "LDG.E LDG", workload.Shared: "LDS", workload.Local: "LDL", workload.Texture: "LDG.E LDG"},
	workload.Store: {workload.Global: "STG.E STG", workload.Shared: "STS", workload.Local: "STL", workload.Texture: "STG.E STG"},
	workload.Atomic: {workload.Global: "ATOMG.E.ADD ATOMG.ADD ATOMG.E.CAS ATOMG.CAS", workload.Shared: "ATOMS.ADD ATOMS.CAS",
		workload.Local: "ATOMG.ADD ATOMG.CAS", workload.Texture: "ATOMG.E.ADD ATOMG.ADD"},
	workload.Copy:      {workload.Global: "LDGSTS.E LDGSTS"},
	workload.Reduction: {workload.Global: "RED.E.ADD RED.ADD", workload.Shared: "ATOMS.ADD", workload.Local: "RED.ADD", workload.Texture: "RED.E.ADD"},
}

// widths are the modifiers of an access width in bytes.
var widths = map[uint8]string{1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}

// spellings lists the opcodes that may stand for an entry.
func spellings(e *packed.Entry) []string {
	if e.Flags&workload.Arrive != 0 {
		return []string{"BAR.ARV"}
	}
	switch {
	case e.Class == workload.Int && e.Flags&workload.MultiplyAdd != 0:
		return strings.Fields(multipliesAdd)
	case e.Class == workload.Int && e.Flags&workload.Multiply != 0:
		return strings.Fields(multiplies)
	case e.Class == workload.SFU && e.Flags&workload.Convert != 0:
		return strings.Fields(conversions)
	case e.Class == workload.Tensor && e.Width != 0:
		return []string{spelledShapes()[workload.Shape(e.Width)]}
	case !e.Class.IsMemory():
		return strings.Fields(plain[e.Class])
	}
	how := ""
	if e.Flags&workload.ReadOnly != 0 && e.Space == workload.Global {
		how = ".CONSTANT"
	}
	if e.Flags&workload.BypassL1 != 0 {
		how += ".STRONG.GPU"
	}
	var list []string
	for name := range strings.FieldsSeq(memoryOpcodes[e.Class][e.Space]) {
		list = append(list, name+widths[e.Width]+how)
	}
	return list
}

// immediate is the instruction's number: of groups that a DEPBAR leaves under way.
func immediate(e *packed.Entry) string {
	if e.Class == workload.Await {
		return fmt.Sprint(e.Barrier)
	}
	return "0"
}

// tail is the instruction's text behind the mask, up to the addresses if it
// has any.
func (s *spelling) tail(e *packed.Entry) string {
	var b strings.Builder
	registers := func(list []uint8) {
		fmt.Fprintf(&b, "%d ", len(list))
		for _, r := range list {
			fmt.Fprintf(&b, "R%d ", r)
		}
	}
	registers(s.dst)
	b.WriteString(s.opcode + " ")
	registers(s.src)
	if e.Class.IsMemory() {
		fmt.Fprintf(&b, "%d", e.Width)
	} else {
		b.WriteString("0 " + immediate(e))
	}
	return b.String()
}
