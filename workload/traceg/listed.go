package traceg

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"cotenant/workload"
)

// A line of a trace has the first register of each operand, one result and
// four sources at most in what Accel-Sim reads. Where the registers that an
// instruction uses do not follow from those, Writer lists them in a file beside
// the kernel's, kernel-N.registers, a line for each such instruction:
//
//	PC #dst [R..] opcode #src [R..] width = results : sources
//
// What stands before the equals sign is the instruction's line without mask and
// addresses. Other simulators do not see the file and take the line as it is.

// listedSuffix is the ending of the file's name.
const listedSuffix = ".registers"

// registerLists are all registers of an instruction.
type registerLists struct {
	dst [4]uint8
	src [10]uint8
}

// listedPath is the path of the register lists of a kernel's file.
func listedPath(kernel string) string {
	return strings.TrimSuffix(kernel, kernelSuffix(kernel)) + listedSuffix
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// readLists reads the register lists of a kernel's file; there may be none.
func readLists(kernel string) (map[string]registerLists, error) {
	path := listedPath(kernel)
	if !isThere(path) {
		return nil, nil
	}
	in, err := openLines(path, path, 0, "a file that can be read, or none")
	if err != nil {
		return nil, err
	}
	defer in.close()
	lists := map[string]registerLists{}
	for {
		line, err := in.nextText()
		if err == io.EOF {
			return lists, nil
		}
		if err != nil {
			return nil, err
		}
		l := registerLists{dst: workload.NoRegs4, src: workload.NoRegs10}
		text, rest, ok1 := strings.Cut(string(line), "=")
		results, sources, ok2 := strings.Cut(rest, ":")
		if !ok1 || !ok2 || !readRegisters(results, l.dst[:]) || !readRegisters(sources, l.src[:]) {
			return nil, in.errorf("malformed register lists %q; valid is INSTRUCTION = R1 .. : R2 .., at most %d results and %d sources", clip(line), maxDst, maxSrc)
		}
		if len(lists) > maxForms {
			return nil, in.errorf("one more instruction than the %d that are valid in a kernel", maxForms)
		}
		lists[strings.Join(strings.Fields(text), " ")] = l
	}
}

// readRegisters reads registers into list, which it fills from the front.
func readRegisters(text string, list []uint8) bool {
	for i, f := range strings.Fields(text) {
		n, ok := count([]byte(strings.TrimPrefix(f, "R")), workload.NoReg-1)
		if i == len(list) || !ok || f[0] != 'R' {
			return false
		}
		list[i] = uint8(n)
	}
	return true
}
