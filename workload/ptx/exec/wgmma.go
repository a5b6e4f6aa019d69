package exec

import (
	"fmt"
	"strings"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/tensor"
)

// Products of matrices by four warps (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). The
// product of 64 rows is made when each warp issues it, of the 16 rows that are the warp's: what a
// program may observe before it has waited is not defined. So fences and groups do nothing.

const (
	warpsOfGroup = 4
	lineBytes    = 16
)

// A descriptor says where a matrix is in shared memory. Its parts are cores of 8 lines of 16 bytes.
type descriptor uint64

// start is the address of the first line, leading and stride are distances of cores, all in bytes.
func (d descriptor) start() uint64   { return uint64(d) & 0x3fff << 4 }
func (d descriptor) leading() uint64 { return uint64(d) >> 16 & 0x3fff << 4 }
func (d descriptor) stride() uint64  { return uint64(d) >> 32 & 0x3fff << 4 }
func (d descriptor) swizzle() Swizzle {
	return [...]Swizzle{NoSwizzle, Swizzle128, Swizzle64, Swizzle32}[d>>62]
}

// byteOf is where a byte of a matrix is that lies along k: of row i, or of column i of B, and so many bytes
// along k, of 32 at most.
//
// With a swizzle, 8 rows of so many bytes as it spans follow each other, and 8 more are a stride away.
// Without, a core of 8 rows is 128 bytes, the next 8 rows are a stride away, and the next 16 bytes
// along k a leading distance.
func (d descriptor) byteOf(i, k int) uint64 {
	s := d.swizzle()
	if s == NoSwizzle {
		return d.start() + uint64(i%8*16+k%16) + uint64(i/8)*d.stride() + uint64(k/16)*d.leading()
	}
	return s.place(d.start() + uint64(i%8*s.span()+k) + uint64(i/8)*d.stride())
}

// flippedByteOf is where a byte of a transposed matrix of elements of two bytes is, which lies along its rows, or
// columns of B: so many bytes along them, in line k.
//
// With a swizzle, lines of so many bytes as it spans follow each other, 8 more lines are a stride away, and
// more bytes along a line a leading distance. Without, it is the other way round for distances of cores.
func (d descriptor) flippedByteOf(along, k int) uint64 {
	s := d.swizzle()
	if s == NoSwizzle {
		return d.start() + uint64(k%8*16+along%16) + uint64(along/16)*d.stride() + uint64(k/8)*d.leading()
	}
	span := s.span()
	return s.place(d.start() + uint64(k%8*span+along%span) + uint64(along/span)*d.leading() + uint64(k/8)*d.stride())
}

// warpgroupProduct is an instruction wgmma.mma_async.
type warpgroupProduct struct {
	shape         *tensor.Shape // of 16 rows and 8 columns
	columns       int
	d, c, a       []int32 // registers; a is nil if A is in shared memory, c has what D was
	first, second int32   // slots of descriptors
	p             int32   // whether D is added to
	flip          uint32
	negateA       bool
	negateB       bool
	flippedA      bool
	flippedB      bool
	elementBytes  int // of A and B
}

func buildWgmma(b *builder) {
	in, o := b.in, &b.o
	if !in.Has("mma_async") {
		o.run = runNothing
		return
	}
	k := &warpgroupProduct{}
	var rows, depth int
	var types []tensor.Type
	for _, mod := range in.Mods {
		if t, ok := tensor.TypeOf(mod); ok {
			types = append(types, t)
		} else if strings.HasPrefix(mod, "m64") {
			fmt.Sscanf(mod, "m%dn%dk%d", &rows, &k.columns, &depth)
		}
	}
	k.shape = tensor.NewShape(rows/warpsOfGroup, depth, types[1], types[2], types[0], types[0])
	k.shape.Saturate = in.Has("satfinite")
	k.elementBytes = types[1].Bits() / 8
	src, before := in.Src[:len(in.Src)-1], in.Src[len(in.Src)-1]
	k.d, k.c = b.registers(in.Dst[0], b.result), b.registers(before, b.value)
	if src[0].Kind == ptx.Vector {
		k.a = b.registers(src[0], b.value)
	} else {
		k.first = b.value(src[0])
	}
	k.second = b.value(src[1])
	k.p, k.flip = b.predicate(src[2])
	var constants []int64
	for _, x := range src[3:] {
		constants = append(constants, int64(x.Imm))
	}
	if types[0] != tensor.S32 {
		k.negateA, k.negateB = constants[0] < 0, constants[1] < 0
		constants = constants[2:]
	}
	if n := len(constants); n > 0 {
		k.flippedB, k.flippedA = constants[n-1] == 1, n == 2 && constants[0] == 1
	}
	o.run = k.run
}

func (k *warpgroupProduct) run(w *Warp, o *op) {
	if !w.together(o) {
		return
	}
	if w.tb.tiles == nil {
		w.tb.tiles = &tensor.Tiles{}
	}
	t, s := w.tb.tiles, k.shape
	if k.a != nil {
		w.gather(t.A[:], s.A, k.a, s.TypeA.Bits())
	} else {
		from := descriptor(w.src(k.first)[0])
		first := w.index % warpsOfGroup * s.M
		if !k.read(w, o, from, k.flippedA, t.A[:], s.K, 1, s.M, first) {
			return
		}
	}
	negate(t.A[:s.M*s.K], s.TypeA, k.negateA)
	adds := (w.preds[k.p]^k.flip)&1 != 0
	perBlock := len(k.d) / (k.columns / s.N)
	from := descriptor(w.src(k.second)[0])
	for block := range k.columns / s.N {
		if !k.read(w, o, from, k.flippedB, t.B[:], 1, s.N, s.N, block*s.N) {
			return
		}
		negate(t.B[:s.K*s.N], s.TypeB, k.negateB)
		first, end := block*perBlock, (block+1)*perBlock
		if clear(t.C[:]); adds {
			w.gather(t.C[:], s.C, k.c[first:end], s.TypeC.Bits())
		}
		s.Multiply(t, tensor.Hopper)
		w.scatter(t.D[:], s.D, k.d[first:end], s.TypeD.Bits())
	}
}

// read reads rows of A, or columns of B, from a number on, out of shared memory. In the matrix, elements
// are across apart from row to row of A, or column to column of B, and along apart in k.
func (k *warpgroupProduct) read(w *Warp, o *op, d descriptor, flipped bool, matrix []uint64, across, along, count, first int) bool {
	n := k.elementBytes
	per := lineBytes / n
	if d>>49&7 != 0 {
		w.fail(o, LaunchFailure, 0, "a descriptor with a base offset; valid is 0, of a matrix that starts where its swizzle does")
		return false
	}
	lines, depth := count, k.shape.K
	if flipped {
		lines, depth, across, along = depth, count, along, across
	}
	for i := range lines {
		for e := 0; e < depth; e += per {
			at := d.byteOf(first+i, e*n)
			if flipped {
				at = d.flippedByteOf((first+e)*n, i)
			}
			if size := uint64(len(w.tb.shared)); at+lineBytes > size {
				w.space = ptx.Shared
				w.failOutside(o, 0, ptx.Shared, at, size)
				return false
			}
			line, to := w.tb.shared[at:at+lineBytes], matrix[i*across+e*along:]
			for j := range per {
				to[j*along] = get(line[j*n:], uint8(n))
			}
		}
	}
	return true
}

// negate changes the signs of numbers.
func negate(list []uint64, t tensor.Type, negative bool) {
	if !negative {
		return
	}
	for i := range list {
		list[i] ^= 1 << (t.Bits() - 1)
	}
}
