package exec

import (
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/tensor"
)

// mma.m8n8k4 of f16 makes four products, each of two quads of lanes: quad q and quad q+4 (PTX ISA,
// "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").

const quadLanes = 4

// quadProduct is such an instruction.
type quadProduct struct {
	shape      *tensor.Shape
	d, a, b, c []int32
	rowA, rowB bool // A and B lie row by row in the lanes
}

func buildQuads(b *builder, types []tensor.Type) {
	in := b.in
	k := &quadProduct{shape: tensor.NewShape(8, 4, types[1], types[2], types[3], types[0])}
	k.d, k.a, k.b, k.c = b.registers(in.Dst[0], b.result), b.registers(in.Src[0], b.value), b.registers(in.Src[1], b.value), b.registers(in.Src[2], b.value)
	layouts := 0
	for _, mod := range in.Mods {
		if mod == "row" || mod == "col" {
			if layouts == 0 {
				k.rowA = mod == "row"
			} else {
				k.rowB = mod == "row"
			}
			layouts++
		}
	}
	b.o.run = k.run
}

// accumulator is where an element of a lane of C or D is: at is the lane within its quad.
func accumulator(t tensor.Type, at, upper, i int) (row, column int) {
	if t == tensor.F16 {
		return at + 4*upper, i
	}
	return at&1 + i&2 + 4*upper, i&4 + at&2 + i&1
}

// wordOf is element i of a fragment.
func (w *Warp) wordOf(registers []int32, lane, i int, t tensor.Type) uint64 {
	if t == tensor.F16 {
		return w.src(registers[i/2])[lane] >> (16 * (i % 2)) & 0xffff
	}
	return w.src(registers[i])[lane] & 0xffffffff
}

func (k *quadProduct) run(w *Warp, o *op) {
	if !w.together(o) {
		return
	}
	if w.tb.tiles == nil {
		w.tb.tiles = &tensor.Tiles{}
	}
	t, s := w.tb.tiles, k.shape
	var results [lanes][8]uint64
	for pair := range lanes / (2 * quadLanes) {
		lane := func(at, upper int) int { return pair*quadLanes + at + 16*upper }
		for upper := range 2 {
			for at := range quadLanes {
				l := lane(at, upper)
				for i := range 4 {
					row, column := at+4*upper, i
					if !k.rowA {
						row, column = i+4*upper, at
					}
					t.A[row*s.K+column] = w.wordOf(k.a, l, i, s.TypeA)
					row, column = at, i+4*upper
					if !k.rowB {
						row, column = i, at+4*upper
					}
					t.B[row*s.N+column] = w.wordOf(k.b, l, i, s.TypeB)
				}
				for i := range 8 {
					row, column := accumulator(s.TypeC, at, upper, i)
					t.C[row*s.N+column] = w.wordOf(k.c, l, i, s.TypeC)
				}
			}
		}
		s.Multiply(t, w.launch.numerics)
		for upper := range 2 {
			for at := range quadLanes {
				for i := range 8 {
					row, column := accumulator(s.TypeD, at, upper, i)
					results[lane(at, upper)][i] = t.D[row*s.N+column]
				}
			}
		}
	}
	for lane := range results {
		for i, v := range results[lane] {
			if s.TypeD == tensor.F32 {
				w.regs[k.d[i]][lane] = v
			} else if i%2 == 0 {
				w.regs[k.d[i/2]][lane] = v | results[lane][i+1]<<16
			}
		}
	}
}

// isQuads reports whether an mma is of two quads of lanes.
func isQuads(in *ptx.Inst) bool { return in.Has("m8n8k4") && in.Has("f16") }
