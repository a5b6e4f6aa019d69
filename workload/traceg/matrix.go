package traceg

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cotenant/workload"
)

// sizes are the sizes of products by their digits in an opcode: 16816 is m16n8k16.
var sizes = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for s := workload.NoShape + 1; s < workload.NumShapes; s++ {
		size, _, _ := strings.Cut(s.String(), "-")
		m[strings.NewReplacer("m", "", "n", "", "k", "").Replace(size)] = size
	}
	return m
})

// shape is the shape of a matrix opcode: HMMA.16816.F32.BF16 is m16n8k16-f32. That of a warpgroup's
// product is the shape of 8 columns of a warp's 16 rows: HGMMA.64x128x16.F32 has it too.
func shape(name string, m modifiers) workload.Shape {
	kind := map[string]string{"IMMA": "s8", "DMMA": "f64", "BMMA": "b1", "QMMA": "f8", "HMMA": "f32"}[strings.Replace(name, "GMMA", "MMA", 1)]
	switch half := strings.HasPrefix(name, "H"); {
	case name == "IMMA" && m.has("S4", "U4"):
		kind = "s4"
	case half && m.has("TF32"):
		kind = "tf32"
	case half && !m.has("F32"):
		kind = "f16"
	}
	if strings.Contains(string(m), "STEP") { // of a Volta
		kind += "-step"
	}
	if _, depth := warpgroupSize(m); depth != "" {
		return workload.ShapeOf("m16n8k"+depth, kind)
	}
	for part := range strings.SplitSeq(string(m), ".") {
		if size := sizes()[part]; size != "" {
			return workload.ShapeOf(size, kind)
		}
	}
	return workload.NoShape
}

// warpgroupSize reads the columns and the depth of a warpgroup's product, as in 64x128x16.
func warpgroupSize(m modifiers) (columns int, depth string) {
	for part := range strings.SplitSeq(string(m), ".") {
		size := strings.Split(part, "x")
		if len(size) != 3 || size[0] != "64" {
			continue
		}
		if n, ok := count([]byte(size[1]), 256); ok && n%8 == 0 {
			return n, size[2]
		}
	}
	return 0, ""
}

// columnParts is how many parts of 8 columns a warp's part of a warpgroup's product has, 0 if the
// opcode does not tell.
func columnParts(m modifiers) uint8 {
	columns, _ := warpgroupSize(m)
	return uint8(columns / 8)
}

// sharedMatrices is the number of matrices that a warpgroup's product reads from shared memory:
// the first has registers if there are any beside the accumulators.
func sharedMatrices(dst, src []uint8) uint8 {
	for _, r := range src {
		if r != workload.NoReg && !slices.Contains(dst, r) {
			return 1
		}
	}
	return 2
}

// operands are the numbers of registers of A, B and C in each lane. They are 1 without a known
// shape, and on Volta, where lanes share fragments in another way.
func operands(s workload.Shape) (words [3]int) {
	words = [3]int{1, 1, 1}
	var m, n, k int
	var kind string
	if _, err := fmt.Sscanf(s.String(), "m%dn%dk%d-%s", &m, &n, &k, &kind); err != nil || s >= workload.M8N8K4F32 && s <= workload.M8N8K4F16Step {
		return words
	}
	bits := map[string]int{"f32": 16, "f16": 16, "tf32": 32, "s8": 8, "f8": 8, "s4": 4, "b1": 1, "f64": 64}[kind]
	accumulator := map[string]int{"f16": 16, "f64": 64}[kind]
	if accumulator == 0 {
		accumulator = 32
	}
	for i, size := range [3]int{m * k * bits, n * k * bits, m * n * accumulator} {
		words[i] = max(1, size/(32*workload.WarpSize))
	}
	return words
}

// spelledShapes are opcodes by shape.
var spelledShapes = sync.OnceValue(func() (list [workload.NumShapes]string) {
	spelled := map[string]string{"f32": "HMMA.%.F32", "f16": "HMMA.%.F16", "tf32": "HMMA.%.F32.TF32", "s8": "IMMA.%.S8.S8", "s4": "IMMA.%.S4.S4",
		"b1": "BMMA.%", "f32-step": "HMMA.%.F32.F32.STEP0", "f16-step": "HMMA.%.F16.F16.STEP0", "f8": "QMMA.%.F32.E4M3.E4M3", "f64": "DMMA.%"}
	for digits, size := range sizes() {
		for kind, opcode := range spelled {
			if s := workload.ShapeOf(size, kind); s != workload.NoShape {
				list[s] = strings.ReplaceAll(opcode, "%", digits)
			}
		}
	}
	return list
})
