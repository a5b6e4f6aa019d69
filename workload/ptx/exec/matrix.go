package exec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/tensor"
)

// Matrices of 8 rows of 16 bytes. Lane 4g+t holds the elements 2t and 2t+1 of row g, or of
// column g if the matrix is transposed; the first is in the lower half of its register.

const (
	matrixRows  = 8
	matrixBytes = 16 // of a row
)

// together reports whether all lanes execute an instruction that takes them all; otherwise
// the warp has a fault.
func (w *Warp) together(o *op) bool {
	if w.active == allLanes {
		return true
	}
	w.fail(o, IllegalInstruction, bits.TrailingZeros32(w.active)&(lanes-1), fmt.Sprintf("the lanes %#x execute it; valid are all 32 of a warp", w.active))
	return false
}

// buildMatrices builds ldmatrix and stmatrix. The first 8 lanes have the addresses
// of the rows, the next 8 of the second matrix, and so on.
func buildMatrices(b *builder) {
	o := &b.o
	o.bytes, o.memory = matrixBytes, true
	o.mode = uint8(bit(b.in.Has("trans")))
	o.run = runLoadMatrices
	single := o.dst
	if b.in.Op == "stmatrix" {
		o.writes, o.run, single = true, runStoreMatrices, o.b
	}
	if len(o.list) == 0 {
		o.list = []int32{single}
	}
	o.addressed = allLanes >> (lanes - matrixRows*len(o.list))
}

// rows finds the row of each lane in o.addressed.
func (w *Warp) rows(o *op, rows *[lanes][]byte) bool {
	if !w.together(o) {
		return false
	}
	w.active = o.addressed
	w.locate(o)
	if w.space != ptx.Shared {
		w.fail(o, InvalidAddressSpace, 0, "its addresses are not all in shared memory")
		return false
	}
	var v view
	for i := range matrixRows * len(o.list) {
		addr := w.addrs[i]
		if !v.has(addr, matrixBytes) {
			if v = w.reach(o, i, addr, matrixBytes); v.data == nil {
				return false
			}
		}
		rows[i] = v.at(addr)[:matrixBytes]
	}
	return true
}

func runLoadMatrices(w *Warp, o *op) {
	var all [lanes][]byte
	if !w.rows(o, &all) {
		return
	}
	for q, dst := range o.list {
		d, rows := &w.regs[dst], all[matrixRows*q:]
		for i := range d {
			g, t := i/4, i%4
			if o.mode == 0 {
				d[i] = uint64(binary.LittleEndian.Uint32(rows[g][4*t:]))
			} else {
				d[i] = uint64(binary.LittleEndian.Uint16(rows[2*t][2*g:])) | uint64(binary.LittleEndian.Uint16(rows[2*t+1][2*g:]))<<16
			}
		}
	}
}

func runStoreMatrices(w *Warp, o *op) {
	var all [lanes][]byte
	if !w.rows(o, &all) {
		return
	}
	for q, src := range o.list {
		s, rows := w.src(src), all[matrixRows*q:]
		for i := range s {
			g, t := i/4, i%4
			if o.mode == 0 {
				binary.LittleEndian.PutUint32(rows[g][4*t:], uint32(s[i]))
			} else {
				binary.LittleEndian.PutUint16(rows[2*t][2*g:], uint16(s[i]))
				binary.LittleEndian.PutUint16(rows[2*t+1][2*g:], uint16(s[i]>>16))
			}
		}
	}
}

// runMoveMatrix transposes a matrix that the lanes hold.
func runMoveMatrix(w *Warp, o *op) {
	if !w.together(o) {
		return
	}
	a := *w.src(o.a)
	element := func(row, column int) uint64 { return a[4*row+column/2] >> (16 * (column % 2)) & 0xffff }
	d := &w.regs[o.dst]
	for i := range d {
		g, t := i/4, i%4
		d[i] = element(2*t, g) | element(2*t+1, g)<<16
	}
}

// buildMma builds a product of matrices in registers.
func buildMma(b *builder) {
	var m, n, k int
	var types []tensor.Type
	for _, mod := range b.in.Mods {
		if t, ok := tensor.TypeOf(mod); ok {
			types = append(types, t)
		} else if strings.HasPrefix(mod, "m") {
			if _, err := fmt.Sscanf(mod, "m%dn%dk%d", &m, &n, &k); err != nil {
				b.fail("shape %s is not known", mod)
			}
		}
	}
	if len(types) != 4 || b.err != nil {
		return
	}
	if isQuads(b.in) {
		buildQuads(b, types)
		return
	}
	s := tensor.NewShape(m, k, types[1], types[2], types[3], types[0])
	if b.in.Neighbours {
		s.Neighbours()
	}
	s.Saturate, s.Xor = b.in.Has("satfinite"), b.in.Has("xor")
	var list []int32
	for _, x := range b.in.Dst {
		list = append(list, b.registers(x, b.result)...)
	}
	for _, x := range b.in.Src {
		list = append(list, b.registers(x, b.value)...)
	}
	take := func(l *tensor.Layout) (part []int32) {
		part, list = list[:l.Words], list[l.Words:]
		return part
	}
	into, first, second, third := take(s.D), take(s.A), take(s.B), take(s.C)
	b.o.list = nil
	b.o.run = func(w *Warp, o *op) {
		if !w.together(o) {
			return
		}
		if w.tb.tiles == nil {
			w.tb.tiles = &tensor.Tiles{}
		}
		t := w.tb.tiles
		w.gather(t.A[:], s.A, first, s.TypeA.Bits())
		w.gather(t.B[:], s.B, second, s.TypeB.Bits())
		w.gather(t.C[:], s.C, third, s.TypeC.Bits())
		s.Multiply(t, w.launch.numerics)
		w.scatter(t.D[:], s.D, into, s.TypeD.Bits())
	}
}

// registers are the places of a vector's registers, or of a single one.
func (b *builder) registers(x ptx.Operand, place func(ptx.Operand) int32) (list []int32) {
	if x.Kind != ptx.Vector {
		return []int32{place(x)}
	}
	for _, e := range x.Elems {
		list = append(list, place(e))
	}
	return list
}

// gather takes a matrix out of the lanes' registers.
func (w *Warp) gather(matrix []uint64, l *tensor.Layout, registers []int32, bits int) {
	mask := ^uint64(0) >> (64 - bits)
	for j, r := range registers {
		s := w.src(r)
		at, stride := l.At[j*l.PerWord:], l.Words*l.PerWord
		switch l.PerWord {
		case 1:
			for lane, word := range s {
				matrix[at[lane*stride]] = word & mask
			}
		case 2:
			for lane, word := range s {
				places := at[lane*stride:]
				matrix[places[1]] = word >> 16 & 0xffff
				matrix[places[0]] = word & 0xffff
			}
		default:
			for lane, word := range s {
				for _, place := range at[lane*stride:][:l.PerWord] {
					matrix[place] = word & mask
					word >>= bits & 63
				}
			}
		}
	}
}

// scatter puts a matrix into the lanes' registers.
func (w *Warp) scatter(matrix []uint64, l *tensor.Layout, registers []int32, bits int) {
	for j, r := range registers {
		d := &w.regs[r]
		at, stride := l.At[j*l.PerWord:], l.Words*l.PerWord
		if l.PerWord == 1 {
			for lane := range d {
				d[lane] = matrix[at[lane*stride]]
			}
			continue
		}
		for lane := range d {
			word := uint64(0)
			for e, place := range at[lane*stride:][:l.PerWord] {
				word |= matrix[place] << (e * bits & 63)
			}
			d[lane] = word
		}
	}
}
