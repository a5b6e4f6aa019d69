package kernels

import (
	"fmt"
	"slices"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// TensorMap describes an array to bulk copies (CUtensorMap). A kernel is given it as an argument of 128
// bytes that is its name.
type TensorMap struct {
	// Name is letters, digits and underscores. Required.
	Name string `yaml:"name" name:"new"`
	// Array holds the elements. Required.
	Array string `yaml:"array"`
	// Offset is the element of the array that the map begins at. Default 0.
	Offset Expr `yaml:"offset"`
	// Type of an element: u8, u16, u32, s32, u64, s64, f16, f32, f64 or bf16. Default the array's.
	Type string `yaml:"type"`
	// Dims are the sizes of 1 to 5 dimensions in elements, the innermost first. Required.
	Dims []Expr `yaml:"dims" need:"the sizes of its dimensions, the innermost first"`
	// Strides are the bytes from one element to the next in each dimension but the first, multiples
	// of 16. Default without gaps.
	Strides []Expr `yaml:"strides"`
	// Box is the size of a box in each dimension, 1 to 256 elements. Required.
	Box []Expr `yaml:"box" need:"the size of a box in each dimension"`
	// ElementStrides are 1 to 8: of a box, each so many elements are moved. Default 1.
	ElementStrides []Expr `yaml:"element_strides"`
	// Swizzle is the bytes over which lines of a box change places in shared memory. Default none.
	Swizzle string `yaml:"swizzle" words:"none, 32, 64, 128"`
	// Fill is what elements outside the array read.
	Fill string `yaml:"fill" words:"zero"`
}

// SetDefaults sets every field to its default.
func (t *TensorMap) SetDefaults() { *t = TensorMap{Swizzle: swizzles[exec.NoSwizzle], Fill: "zero"} }

// swizzles are the names of exec.Swizzle.
var swizzles = []string{exec.NoSwizzle: "none", exec.Swizzle32: "32", exec.Swizzle64: "64", exec.Swizzle128: "128"}

// tensorTypes are the types of elements of tensor maps.
var tensorTypes = map[string]ptx.Type{"u8": ptx.U8, "u16": ptx.U16, "u32": ptx.U32, "s32": ptx.S32, "u64": ptx.U64, "s64": ptx.S64,
	"f16": ptx.F16, "f32": ptx.F32, "f64": ptx.F64, "bf16": ptx.BF16}

// tensorMap is the map that an argument names, where its array is now; not ok if it names none.
func (i *Instance) tensorMap(name string) (bytes []byte, ok bool) {
	at := slices.IndexFunc(i.m.TensorMaps, func(t TensorMap) bool { return t.Name == name })
	if at < 0 {
		return nil, false
	}
	t, path := &i.m.TensorMaps[at], fmt.Sprintf("tensor_maps[%d]", at)
	d := i.arrays[t.Array]
	if d == nil || d.stride > 0 {
		i.m.fail(path+".array", "is %q; valid: an array of numbers", t.Array)
	}
	typ := t.Type
	if typ == "" {
		typ = d.typ.name
	}
	whole := func(list []Expr, most int64) (values []int) {
		for n := range list {
			values = append(values, int(i.whole(&list[n], 1, most)))
		}
		return values
	}
	offset := i.wholeOr(&t.Offset, 0, int64(d.Length), 0) * int64(d.typ.bytes)
	m := exec.TensorMap{Addr: d.Addr + uint64(offset), Type: tensorTypes[typ], Dims: whole(t.Dims, maxGrid), Strides: whole(t.Strides, maxBytes),
		Box: whole(t.Box, maxGrid), ElementStrides: whole(t.ElementStrides, maxGrid), Swizzle: exec.Swizzle(slices.Index(swizzles, t.Swizzle))}
	extent := m.Type.Size()
	for n := range m.Dims {
		if n > 0 && len(t.Strides) == 0 {
			m.Strides = append(m.Strides, extent)
		}
		if n > 0 && n <= len(m.Strides) {
			extent = m.Strides[n-1]
		}
		extent *= m.Dims[n]
		if len(t.ElementStrides) == 0 {
			m.ElementStrides = append(m.ElementStrides, 1)
		}
	}
	i.m.must(path, m.Validate())
	if have := int64(d.Length)*int64(d.typ.bytes) - offset; int64(extent) > have {
		i.m.fail(path, "reaches over %d bytes, and %s has %d; make it smaller", extent, t.Array, have)
	}
	return m.Bytes(), true
}
