package exec

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"cotenant/workload/ptx"
)

// Swizzle is how a box is laid out in shared memory: bits of the address of a line of 16 bytes change
// with the bits above, so that the lines of a column of the box lie in different banks.
type Swizzle uint8

// The swizzles (PTX ISA 8.6, "Swizzling modes"), by the bytes over which lines move.
const (
	NoSwizzle Swizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
)

// span is the bytes over which lines move; 16, which is one line, without a swizzle.
func (s Swizzle) span() int { return 16 << s }

// place is where the byte at an address of shared memory is: bits 4 to 6 of the address, as many as there
// are, are exclusive-ored with bits 7 to 9.
func (s Swizzle) place(addr uint64) uint64 {
	bits := uint64(s.span() - 16)
	return addr ^ addr>>3&bits
}

// TensorMap describes an array of up to five dimensions in global memory and the boxes of it that bulk copies
// move (cuTensorMapEncodeTiled). The innermost dimension comes first.
type TensorMap struct {
	Addr uint64 // of global memory, a multiple of 16
	// Type is that of elements: u8, u16, u32, s32, u64, s64, f16, f32, f64 or bf16.
	Type ptx.Type
	// Dims are the sizes of 1 to 5 dimensions, in elements.
	Dims []int
	// Strides are the bytes from one element to the next in all dimensions but the first, multiples of 16.
	Strides []int
	// Box is the size of a box, 1 to 256 elements in each dimension.
	Box []int
	// ElementStrides say that each so many elements of a box are moved, 1 to 8.
	ElementStrides []int
	Swizzle        Swizzle
}

// TensorMapBytes is the size of a tensor map as kernels are given it.
const TensorMapBytes = 128

const maxRank = 5

// tensorTypes are those of elements; a map has the index.
var tensorTypes = []ptx.Type{ptx.U8, ptx.U16, ptx.U32, ptx.S32, ptx.U64, ptx.S64, ptx.F16, ptx.F32, ptx.F64, ptx.BF16}

// Validate names what no GPU takes.
func (m *TensorMap) Validate() error {
	rank, size := len(m.Dims), m.Type.Size()
	if rank < 1 || rank > maxRank {
		return fmt.Errorf("%d dimensions; valid are 1 to %d", rank, maxRank)
	}
	if !slices.Contains(tensorTypes, m.Type) {
		var names []string
		for _, t := range tensorTypes {
			names = append(names, t.String())
		}
		return fmt.Errorf("elements are .%v; valid are %s", m.Type, strings.Join(names, " "))
	}
	if m.Addr%16 != 0 {
		return fmt.Errorf("address %#x; valid are multiples of 16", m.Addr)
	}
	for _, list := range []struct {
		what           string
		values         []int
		count          int
		low, high, per int
	}{{"dims", m.Dims, rank, 1, 1 << 32, 1}, {"strides", m.Strides, rank - 1, 16, 1 << 40, 16}, {"box", m.Box, rank, 1, 256, 1},
		{"element_strides", m.ElementStrides, rank, 1, 8, 1}} {
		if len(list.values) != list.count {
			return fmt.Errorf("%s are %d; valid with %d dimensions are %d", list.what, len(list.values), rank, list.count)
		}
		for i, v := range list.values {
			if v < list.low || v > list.high || v%list.per != 0 {
				return fmt.Errorf("%s[%d] is %d; valid are multiples of %d from %d to %d", list.what, i, v, list.per, list.low, list.high)
			}
		}
	}
	inner := m.moved(0) * size
	switch {
	case inner%16 != 0:
		return fmt.Errorf("a box is %d bytes wide; valid are multiples of 16", inner)
	case m.Swizzle != NoSwizzle && inner > m.Swizzle.span():
		return fmt.Errorf("a box is %d bytes wide; valid with a swizzle of %d bytes are up to that", inner, m.Swizzle.span())
	}
	return nil
}

// moved is how many elements of a dimension a copy moves.
func (m *TensorMap) moved(dim int) int {
	return (m.Box[dim] + m.ElementStrides[dim] - 1) / m.ElementStrides[dim]
}

// mark starts the bytes of a map, so that anything else is told apart.
const mark = 0x70616d74

// Bytes is the map as kernels are given it, of TensorMapBytes. Its form is our own.
func (m *TensorMap) Bytes() []byte {
	b := make([]byte, TensorMapBytes)
	le := binary.LittleEndian
	le.PutUint32(b, mark)
	b[4], b[5], b[6] = uint8(slices.Index(tensorTypes, m.Type)), uint8(len(m.Dims)), uint8(m.Swizzle)
	le.PutUint64(b[8:], m.Addr)
	for i := range m.Dims {
		le.PutUint32(b[16+4*i:], uint32(m.Dims[i]-1))
		if i > 0 {
			le.PutUint64(b[32+8*i:], uint64(m.Strides[i-1]))
		}
		le.PutUint16(b[80+2*i:], uint16(m.Box[i]))
		b[96+i] = uint8(m.ElementStrides[i])
	}
	return b
}

// tensorMapOf reads a map; not ok if the bytes are none.
func tensorMapOf(b []byte) (m TensorMap, ok bool) {
	le := binary.LittleEndian
	rank := int(b[5])
	if le.Uint32(b) != mark || int(b[4]) >= len(tensorTypes) || rank < 1 || rank > maxRank || b[6] > uint8(Swizzle128) {
		return m, false
	}
	m.Type, m.Swizzle, m.Addr = tensorTypes[b[4]], Swizzle(b[6]), le.Uint64(b[8:])
	for i := range rank {
		m.Dims = append(m.Dims, int(le.Uint32(b[16+4*i:]))+1)
		if i > 0 {
			m.Strides = append(m.Strides, int(le.Uint64(b[32+8*i:])))
		}
		m.Box = append(m.Box, int(le.Uint16(b[80+2*i:])))
		m.ElementStrides = append(m.ElementStrides, int(b[96+i]))
	}
	return m, m.Validate() == nil
}

// bytes is the size of a box in shared memory.
func (m *TensorMap) bytes() int {
	n := m.Type.Size()
	for i := range m.Box {
		n *= m.moved(i)
	}
	return n
}

// rows calls do for each row of the box at some coordinates: its offset in the box, the address of its first
// element, and which of its elements are inside the array, from first to before end.
func (m *TensorMap) rows(at *[maxRank]int64, do func(offset int, addr uint64, first, end int)) {
	size, rank, width := m.Type.Size(), len(m.Dims), m.moved(0)
	step := int64(m.ElementStrides[0])
	first, end := 0, 0
	for i := range width {
		if x := at[0] + int64(i)*step; x < 0 {
			first = i + 1
		} else if x < int64(m.Dims[0]) {
			end = i + 1
		}
	}
	first = min(first, end)
	var index [maxRank]int
	for offset := 0; ; offset += width * size {
		addr, inside := m.Addr+uint64(at[0])*uint64(size), true
		for d := 1; d < rank; d++ {
			x := at[d] + int64(index[d]*m.ElementStrides[d])
			inside = inside && x >= 0 && x < int64(m.Dims[d])
			addr += uint64(x) * uint64(m.Strides[d-1])
		}
		if inside {
			do(offset, addr, first, end)
		} else {
			do(offset, addr, 0, 0)
		}
		d := 1
		for ; d < rank; d++ {
			if index[d]++; index[d] < m.moved(d) {
				break
			}
			index[d] = 0
		}
		if d == rank {
			return
		}
	}
}
