package cc

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// devicePTX compiles the device's code of a file. nvcc optimizes it whatever -O says. A line
// table goes with the code, for messages and reports. Between clang's translation and its
// optimization the intermediate code is told what nvcc knows of structures and of inline assembly, see
// gridConstants, memberwise, aligned, inShared and returning, and no more of types, see untyped.
func (d *driver) devicePTX(in input, out string) error {
	code := d.temporaryFile("device.ll")
	args := append(append(d.common(), in.remapped...), "--cuda-device-only", "-O3", "-gline-tables-only", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Xclang", "-new-struct-path-tbaa")
	args = append(append(args, target...), d.device...)
	fuse := "-nvptx-fma-level=2" // -ffp-contract has no effect on intermediate code
	if d.separate {
		args = append(args, "-ffp-contract=off")
		fuse = "-nvptx-fma-level=0"
	}
	if err := d.call(append(args, in.path, "-o", code)...); err != nil {
		return err
	}
	var clusters map[string][]byte
	if !d.dry {
		text, err := os.ReadFile(code)
		if err != nil {
			return err
		}
		clusters = clustersOf(text)
		if d.phase == ptxOnly {
			text = seen(text)
		}
		if err := os.WriteFile(code, untyped(returning(inShared(memberwise(aligned(gridConstants(text)))))), 0o600); err != nil {
			return err
		}
	}
	args = append([]string{"-x", "ir", "--target=nvptx64-nvidia-cuda", fmt.Sprintf("-march=sm_%d", d.arch), "-O3", "-S",
		"-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument", "-Wno-pass-failed"}, target...)
	for _, option := range []string{fuse, unrollThreshold} {
		name, _, _ := strings.Cut(option, "=")
		set := func(a string) bool { return strings.HasPrefix("-"+strings.TrimLeft(a, "-"), name+"=") }
		if !slices.ContainsFunc(d.device, set) { // LLVM takes each once
			args = append(args, "-mllvm", option)
		}
	}
	if err := d.call(append(append(args, d.device...), code, "-o", out)...); err != nil || len(clusters) == 0 {
		return err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	return os.WriteFile(out, clustered(text, clusters), 0o600)
}

// target tells clang, and LLVM behind it, of the PTX to write: its version, and that addresses of shared, constant and
// local memory have 32 bits. NVIDIA's PTX computes addresses of shared memory so, and its machine code all three,
// which one register holds. With 64 bits each computation of an address takes two instructions more: histogram64 of the
// CUDA samples executed a third more.
var target = []string{"-Xclang", "-target-feature", "-Xclang", "+ptx75", "-Xclang", "-fcuda-short-ptr", "-mllvm", "-nvptx-short-ptr"}

// unrollThreshold lets clang unroll a loop with a known number of steps into 600 of its units of size, where it stops at
// 300 by itself. 600 is the least hundred with which it unrolls the loops of Parboil's sgemm and sad that nvcc has
// unrolled, by the shared accesses that a Volta counted (docs/silicon.md).
const unrollThreshold = "-unroll-threshold=600"

var staticVariable = regexp.MustCompile(`(?m)^(@"?_Z(?:N\w*?)?L\d\S* = )internal (addrspace\([14]\)) (?:externally_initialized )?global `)

// seen keeps static variables of device and constant memory in intermediate code. A program that loads the PTX
// finds them by their names, and may give them values, which the compiler would not know of.
func seen(code []byte) []byte {
	return staticVariable.ReplaceAll(code, []byte("${1}${2} externally_initialized global "))
}

var typed = regexp.MustCompile(`, !tbaa(?:\.struct)? !\d+`)

// untyped takes the types of accesses out of intermediate code. By them clang would take two accesses for independent
// if their types differ, but kernels copy 16 bytes of floats through a pointer to uint4 and mean all of them.
func untyped(code []byte) []byte { return typed.ReplaceAll(code, nil) }

var (
	pureAssembly = regexp.MustCompile(`(?m)^(.*\bcall [^"\n]* asm "[^\n]*\) #)(\d+)((?:, ![^\n]*)?)$`)
	group        = regexp.MustCompile(`(?m)^attributes #(\d+) = \{ (.*) \}$`)
)

// returning says in intermediate code that inline assembly without side effects returns, such as
// the fetch of a texture, so that a loop's loads behind it can be made before the loop. NVIDIA's
// compiler since CUDA 11.2 is made of LLVM 7, which takes that for granted of all calls that write no memory
// (isGuaranteedToTransferExecutionToSuccessor); later versions must be told.
func returning(code []byte) []byte {
	groups := map[string]string{} // attributes by number
	for _, g := range group.FindAllSubmatch(code, -1) {
		groups[string(g[1])] = string(g[2])
	}
	var added []byte
	numbers := map[string]int{} // of the groups with the attribute, by those without it
	code = pureAssembly.ReplaceAllFunc(code, func(call []byte) []byte {
		part := pureAssembly.FindSubmatch(call)
		number := string(part[2])
		if _, known := numbers[number]; !known {
			numbers[number] = len(groups) + len(numbers)
			added = fmt.Appendf(added, "attributes #%d = { %s willreturn }\n", numbers[number], groups[number])
		}
		return fmt.Appendf(nil, "%s%d%s", part[1], numbers[number], part[3])
	})
	return append(code, added...)
}
