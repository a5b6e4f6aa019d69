// Package tensor models the tensor cores of an SM: how long each scheduler's core takes for a
// product of matrices, by its shape.
package tensor

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"cotenant/workload"
)

// Spec holds the parameters of the tensor cores. Each scheduler has one.
type Spec struct {
	// Numerics says how the cores round: volta, turing, ampere, ada or hopper (tensor.Numerics
	// of package workload/ptx/tensor). It does not change the time.
	Numerics workload.Numerics `yaml:"numerics" json:",omitzero"`
	// Shapes are the intervals and latencies by shape. A product of a shape without an
	// entry takes pipes.tensor's, as a product of unknown shape does.
	Shapes Shapes `yaml:"shapes" json:",omitzero"`
	// Warpgroup is for products of four warps (wgmma).
	Warpgroup Warpgroup `yaml:"warpgroup" json:",omitzero"`
}

// Any reports whether products have times of their own.
func (s *Spec) Any() bool { return s.Shapes.Any() || s.Warpgroup.Column > 0 }

// Warpgroup is how long products of four warps take, which multiply 64 rows by N columns, of 32
// bytes each. Each warp's part is at its scheduler's core.
type Warpgroup struct {
	// Column is the number of cycles for a column, 0.001 to 1: N x Column from one product
	// to the next. Zero: a part takes as long as its products of 16 x 8 one after another.
	Column Cycles `yaml:"column"`
	// Latency is the number of cycles from the issue of a product to its end beside those of
	// its columns, 1 to 511.
	Latency int `yaml:"latency" range:"1..511" if:"column"`
	// Bytes is how much of the matrices comes from shared memory in a cycle, 1 to 1023: N
	// columns, and the 64 rows if they are not in registers. A product takes at least that long.
	Bytes int `yaml:"bytes" range:"1..1023" if:"column"`
}

// Timing is how long products of one shape take.
type Timing struct {
	// Interval is the number of cycles from one product to the next on the same core, 0.001
	// to 1023. It may have three digits behind the point: a core with 6.4 takes five
	// products in 32 cycles. Zero: the shape has no entry.
	Interval Cycles `yaml:"interval"`
	// Latency is the number of cycles from a product's issue to the earliest issue of a
	// dependent instruction, 1 to 1023.
	Latency int `yaml:"latency" range:"1..1023" if:"interval"`
	// Steps is the number of instructions that the chip has for the product, 2 to 64. The first
	// is the product's own. The scheduler issues the others at even times in the interval, and
	// nothing else in their cycles, so there are at most as many as the interval has cycles.
	// Zero: the product is one instruction.
	Steps int `yaml:"steps" json:",omitempty" range:"0..64"`
}

// CheckSteps reports the first shape with more steps than cycles.
func (s *Shapes) CheckSteps() error {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		t := v.Field(i).Interface().(Timing)
		if t.Steps == 1 || uint64(t.Steps)*perCycle > uint64(t.Interval) {
			return fmt.Errorf("%s.steps is %d, must be 0, or 2 to the cycles of the interval, %s", v.Type().Field(i).Tag.Get("yaml"), t.Steps, t.Interval)
		}
	}
	return nil
}

// Shapes has a Timing for each shape: m16n8k16-f32 is a product of 16 x 8 elements of f16 or
// bf16 with accumulators of f32.
type Shapes struct {
	M16N8K16F32 Timing `yaml:"m16n8k16-f32" json:",omitzero"` // f16 and bf16, accumulators f32
	M16N8K16F16 Timing `yaml:"m16n8k16-f16" json:",omitzero"` // f16, accumulators f16
	M16N8K8F32  Timing `yaml:"m16n8k8-f32" json:",omitzero"`
	M16N8K8F16  Timing `yaml:"m16n8k8-f16" json:",omitzero"`
	M16N8K8TF32 Timing `yaml:"m16n8k8-tf32" json:",omitzero"`
	M16N8K4TF32 Timing `yaml:"m16n8k4-tf32" json:",omitzero"`
	M16N8K32S8  Timing `yaml:"m16n8k32-s8" json:",omitzero"` // s8 and u8
	M16N8K16S8  Timing `yaml:"m16n8k16-s8" json:",omitzero"`
	M8N8K16S8   Timing `yaml:"m8n8k16-s8" json:",omitzero"`
	M16N8K32F8  Timing `yaml:"m16n8k32-f8" json:",omitzero"` // e4m3 and e5m2
	M16N8K64S4  Timing `yaml:"m16n8k64-s4" json:",omitzero"` // s4 and u4
	M16N8K32S4  Timing `yaml:"m16n8k32-s4" json:",omitzero"`
	M8N8K32S4   Timing `yaml:"m8n8k32-s4" json:",omitzero"`
	M16N8K256B1 Timing `yaml:"m16n8k256-b1" json:",omitzero"`
	M16N8K128B1 Timing `yaml:"m16n8k128-b1" json:",omitzero"`
	M8N8K128B1  Timing `yaml:"m8n8k128-b1" json:",omitzero"`
	M8N8K4F64   Timing `yaml:"m8n8k4-f64" json:",omitzero"`
	M16N8K4F64  Timing `yaml:"m16n8k4-f64" json:",omitzero"`
	M16N8K8F64  Timing `yaml:"m16n8k8-f64" json:",omitzero"`
	M16N8K16F64 Timing `yaml:"m16n8k16-f64" json:",omitzero"`
	M8N8K4F32   Timing `yaml:"m8n8k4-f32" json:",omitzero"`
	M8N8K4F16   Timing `yaml:"m8n8k4-f16" json:",omitzero"`
	// The steps of the two, which traces of a Volta have (HMMA.884).
	M8N8K4F32Step Timing `yaml:"m8n8k4-f32-step" json:",omitzero"`
	M8N8K4F16Step Timing `yaml:"m8n8k4-f16-step" json:",omitzero"`
}

// list has the timings by shape.
func (s *Shapes) list() (list [workload.NumShapes]Timing) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		size, kind, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), "-")
		list[workload.ShapeOf(size, kind)] = v.Field(i).Interface().(Timing)
	}
	return list
}

// Any reports whether a shape has an entry.
func (s *Shapes) Any() bool { return *s != Shapes{} }

// Cycles is a time in thousandths of a cycle.
type Cycles uint32

const (
	perCycle = 1000
	longest  = 1023
)

// String writes the number of cycles.
func (c Cycles) String() string {
	text := fmt.Sprintf("%d.%03d", c/perCycle, c%perCycle)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Takes says what configurations may write.
func (c Cycles) Takes() string {
	return "a number of cycles, 0.001 to 1023, with at most three digits behind the point"
}

// MarshalText writes the number of cycles.
func (c Cycles) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a number of cycles.
func (c *Cycles) UnmarshalText(text []byte) error {
	whole, part, _ := strings.Cut(string(text), ".")
	if part == "" && strings.HasSuffix(string(text), ".") || len(part) > 3 {
		return fmt.Errorf("must be %s", c.Takes())
	}
	n, err := strconv.ParseUint(whole+part+"000"[len(part):], 10, 32)
	if err != nil || n == 0 || n > longest*perCycle {
		return fmt.Errorf("must be %s", c.Takes())
	}
	*c = Cycles(n)
	return nil
}
