package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Shape names a product of matrices by its size, and by the type that its speed depends
// on: m16n8k16-f32 is 16 x 8 = 16 x 16 times 16 x 8. Behind the dash stands the type of
// the accumulators if the elements are f16 or bf16, and else the type of the elements,
// where s8 is also u8 and f8 both formats of 8 bits.
type Shape uint8

// The shapes. A Tensor of NoShape is a product of a size that its source does not tell.
const (
	NoShape Shape = iota
	M16N8K16F32
	M16N8K16F16
	M16N8K8F32
	M16N8K8F16
	M16N8K8TF32
	M16N8K4TF32
	M16N8K32S8
	M16N8K16S8
	M8N8K16S8
	M16N8K32F8
	M16N8K64S4
	M16N8K32S4
	M8N8K32S4
	M16N8K256B1
	M16N8K128B1
	M8N8K128B1
	M8N8K4F64
	M16N8K4F64
	M16N8K8F64
	M16N8K16F64
	// M8N8K4F32 and M8N8K4F16 are four products of 8 x 8 x 4, one by each quad pair of lanes.
	M8N8K4F32
	M8N8K4F16
	// M8N8K4F32Step and M8N8K4F16Step are the instructions that a Volta has for them
	// (HMMA.884.F32.F32.STEP0 to STEP3, HMMA.884.F16.F16.STEP0 and STEP1): a quarter, and a half.
	M8N8K4F32Step
	M8N8K4F16Step
	NumShapes
)

var shapeNames = [NumShapes]string{"", "m16n8k16-f32", "m16n8k16-f16", "m16n8k8-f32", "m16n8k8-f16", "m16n8k8-tf32", "m16n8k4-tf32",
	"m16n8k32-s8", "m16n8k16-s8", "m8n8k16-s8", "m16n8k32-f8", "m16n8k64-s4", "m16n8k32-s4", "m8n8k32-s4",
	"m16n8k256-b1", "m16n8k128-b1", "m8n8k128-b1", "m8n8k4-f64", "m16n8k4-f64", "m16n8k8-f64", "m16n8k16-f64", "m8n8k4-f32", "m8n8k4-f16",
	"m8n8k4-f32-step", "m8n8k4-f16-step"}

// String is the name in configurations; "" for NoShape.
func (s Shape) String() string {
	if s < NumShapes {
		return shapeNames[s]
	}
	return fmt.Sprintf("shape %d", uint8(s))
}

// ShapeOf is the shape of a product by its size, such as m16n8k16, and the type in its name;
// NoShape if there is no such shape.
func ShapeOf(size, kind string) Shape {
	for s := NoShape + 1; s < NumShapes; s++ {
		if name := shapeNames[s]; len(name) == len(size)+1+len(kind) && name[:len(size)] == size && name[len(size)+1:] == kind {
			return s
		}
	}
	return NoShape
}

// products are the shapes' multiplications.
var products = func() (products [NumShapes]uint32) {
	for s := NoShape + 1; s < NumShapes; s++ {
		size, _, _ := strings.Cut(shapeNames[s], "-")
		n := uint32(1)
		for factor := range strings.FieldsFuncSeq(size, func(r rune) bool { return r < '0' || r > '9' }) {
			f, _ := strconv.ParseUint(factor, 10, 16)
			n *= uint32(f)
		}
		switch s {
		case M8N8K4F32, M8N8K4F16:
			n *= 4
		case M8N8K4F16Step:
			n *= 2
		}
		products[s] = n
	}
	return products
}()

// Products is the number of multiplications, each with an addition, of one instruction of
// a shape; 0 for NoShape.
func (s Shape) Products() uint64 { return uint64(products[s%NumShapes]) }

// Numerics says how a GPU's tensor cores round (package tensor).
type Numerics uint8

// The architectures, by which the kinds are called. Ampere is the default.
const (
	Ampere Numerics = iota
	Volta
	Turing
	Ada
	Hopper
	NumNumerics
)

var architectures = words{Ampere: "ampere", Volta: "volta", Turing: "turing", Ada: "ada", Hopper: "hopper"}

// String is the name in configurations.
func (n Numerics) String() string {
	if n < NumNumerics {
		return architectures[n]
	}
	return fmt.Sprintf("numerics %d", uint8(n))
}

// Takes lists the names, for messages.
func (n Numerics) Takes() string { return architectures.String() }

// MarshalText writes the name.
func (n Numerics) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads the name.
func (n *Numerics) UnmarshalText(text []byte) (err error) {
	*n, err = read[Numerics](architectures, text)
	return err
}
