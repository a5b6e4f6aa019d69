package traceg

import (
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// Which registers an instruction uses. A trace lists the first register of
// each operand, so what the operand's size adds must be known here:
//
//	FP64 (double)            every operand is a pair
//	.WIDE                    the result is a pair, and the third of three sources
//	F2F, F2I, I2F, FRND      operands with a type modifier of 64 bits are pairs
//	CS2R, LEPC from Volta    the result is a pair, unless .32
//	matrix                   results: 4 registers for 16 rows (2 if they are FP16),
//	                         2 for 8 rows, 4 for FP64 and for warpgroups (an
//	                         Inst has no place for further accumulators);
//	                         sources as large as the shape says
//	loads, LDC, atomics      the result has the access width
//	stores, atomics          the data, the last sources, have the access width;
//	                         compare-and-swap has two of them
//	.E global and generic    the address is a pair, the source before the data
//	BRX, CALL, JMX, RET      from Volta on, the code address is a pair
//
// An operand never reaches beyond R254, and RZ is left out: it carries no
// dependence. Where the slots do not suffice (CAS.128, matrix sources), each
// operand's first register comes before any second one.
//
// Tracers take the first operand for the result if it is a register. So the
// sources of an opcode without a result can begin in the result's place
// (BAR.SYNC R1, RET R20), and a result behind a predicate in the sources'
// (SHFL PT, R5, R4); assign puts both right.

// hasResult reports whether instructions of class c write registers.
func hasResult(c workload.Class) bool {
	switch c {
	case workload.Branch, workload.Exit, workload.Barrier, workload.Fence, workload.Nop,
		workload.Store, workload.Reduction, workload.Copy, workload.Commit, workload.Await:
		return false
	}
	return true
}

// dataOperands is the number of sources that a memory instruction writes to
// or combines with memory.
func dataOperands(c workload.Class, m modifiers) int {
	switch c {
	case workload.Store, workload.Reduction:
		return 1
	case workload.Atomic:
		if m.has("CAS", "CAST") {
			return 2
		}
		return 1
	}
	return 0
}

// assign sorts the registers of a line into results and sources.
func (o opcode) assign(m modifiers, dst, src []uint8) (results, sources []uint8) {
	if !hasResult(o.class) {
		return nil, append(dst[:len(dst):len(dst)], src...)
	}
	if o.traits&predicated != 0 && len(dst) == 0 && len(src) >= 2+dataOperands(o.class, m) {
		return src[:1], src[1:]
	}
	return dst, src
}

// registers sets the registers of in. Its class, space and width are final.
func (o opcode) registers(in *packed.Entry, name string, m modifiers, binary int, dst, src []uint8) {
	volta := binary >= 70
	words := max(1, int(in.Width)/4)
	result, source := 1, 1
	switch {
	case o.traits&double != 0:
		result, source = 2, 2
	case o.traits&converts != 0:
		result, source = conversion(name, m)
	case o.traits&matrix != 0:
		result = o.fragment(name, m)
	case o.traits&pairResult != 0 && volta && !m.has("32"), m.has("WIDE"):
		result = 2
	case o.traits&codeAddress != 0 && volta:
		source = 2
	case in.Class == workload.Load, in.Class == workload.Atomic, in.Class == workload.Constant:
		result = words
	}
	sizes := make([]int, len(src))
	for i := range sizes {
		sizes[i] = source
	}
	if words := operands(workload.Shape(in.Width)); in.Class == workload.Tensor && len(src) == len(words) {
		copy(sizes, words[:])
	}
	if m.has("WIDE") && len(src) == 3 {
		sizes[2] = 2
	}
	if in.Class.IsMemory() {
		i := len(src) - 1
		for range min(dataOperands(o.class, m), len(src)) {
			sizes[i] = words
			i--
		}
		if i >= 0 && m.has("E") && (o.space == workload.Global || o.space == anywhere) {
			sizes[i] = 2
		}
	}
	results := make([]int, len(dst))
	for i := range results {
		results[i] = result
	}
	fill(in.Dst[:], dst, results)
	fill(in.Src[:], src, sizes)
}

// fill lists the registers of operands that begin at first and have the given
// sizes, each register once, up to the length of out.
func fill(out, first []uint8, sizes []int) {
	for i := range out {
		out[i] = workload.NoReg
	}
	n := 0
	for step := range 4 {
		for i, r := range first {
			if step >= sizes[i] || int(r)+step >= workload.NoReg || n == len(out) {
				continue
			}
			if !slices.Contains(out[:n], r+uint8(step)) {
				out[n] = r + uint8(step)
				n++
			}
		}
	}
}

// conversion is the number of registers of the result and of the source. The
// types are modifiers: result, then source in F2F; a single type in the
// rest, where 32 bits go without saying.
func conversion(name string, m modifiers) (result, source int) {
	result, source = 1, 1
	types := 0
	for part := range strings.SplitSeq(string(m), ".") {
		if len(part) < 2 || !strings.ContainsRune("FSU", rune(part[0])) || strings.Trim(part[1:], "0123456789") != "" {
			continue
		}
		types++
		if !strings.HasSuffix(part, "64") {
			continue
		}
		float := part[0] == 'F'
		switch {
		case name == "FRND":
			result, source = 2, 2
		case name == "F2F" && types == 1, name == "F2I" && !float, name == "I2F" && float:
			result = 2
		default:
			source = 2
		}
	}
	return result, source
}

// fragment is the number of registers of a matrix result in each lane.
func (o opcode) fragment(name string, m modifiers) int {
	if o.traits&warpgroup != 0 || name == "DMMA" {
		return 4
	}
	if m.has("F16") && !m.has("F32") {
		return 2
	}
	for part := range strings.SplitSeq(string(m), ".") {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			if strings.HasPrefix(part, "16") {
				return 4
			}
			break
		}
	}
	return 2
}

// matrixWords is the number of registers that LDSM loads or STSM stores: 1, 2
// or 4 matrices, a word of each in every lane. Counting them as the lane's own
// width makes the bytes moved right; on hardware it is the first 8 lanes of
// each matrix that name its rows.
func matrixWords(m modifiers) int {
	switch {
	case strings.HasSuffix(string(m), ".4"):
		return 4
	case strings.HasSuffix(string(m), ".2"):
		return 2
	}
	return 1
}
