package packed

import (
	"encoding/binary"
	"math/bits"

	"cotenant/workload"
)

// A warp is packed into one byte string, an instruction after the other:
//
//	varint  bit 0: a new mask follows; bit 1: Redirect; above: zigzag of the
//	        table index's distance from the index after the last instruction's
//	4 bytes the mask, if new
//
// and, if the instruction accesses memory and has active lanes:
//
//	1 byte  low half: bytes of the base's distance; high half: shape
//	0-8     distance of the base from the warp's last base, signed
//	shape strideZero, strideWidth: nothing; strideByte: 1; strideWord: 4 bytes
//	shape irregular: 2 bits of size code for each active lane after the
//	        first, in whole bytes, then the distances between the lanes,
//	        signed, of the sizes that sizeCodes gives for the codes
//
// An instruction of straight code takes one byte, an affine access about six.
// The size codes keep an irregular access below half of its text in a trace,
// which is what bounds the memory of a large one.

const (
	newMask  = 1
	redirect = 2
)

const (
	strideZero = iota
	strideWidth
	strideByte
	strideWord
	irregular     // size codes of the first kind; an even number
	irregularWide // of the second: some distance has more than four bytes
)

// sizeCodes is the bytes of a distance by shape (from irregular) and code.
var sizeCodes = [2][4]uint8{{1, 2, 3, 4}, {1, 3, 6, 8}}

// Access is the addresses of one warp instruction.
type Access struct {
	Base   uint64 // of the lowest active lane
	Stride int32  // bytes per lane, if affine
	Affine bool   // Base + Stride*(lane - lowest) is right for every active lane
	Lanes  [workload.WarpSize]uint64
}

// Summarise finds out from Lanes whether the lanes in mask, at least one, are
// affine, and sets the other fields.
func (a *Access) Summarise(mask uint32) {
	a.Base, a.Stride, a.Affine = workload.Affine(&a.Lanes, mask)
}

// Packer appends instructions to a warp. It mirrors the state of the stream
// that will read them.
type Packer struct {
	pool   *Pool
	block  *Block
	stream *Stream
	chunk  *chunk
	index  int32
	mask   uint32
	base   uint64
	header *byte // of the last instruction
}

// NewPacker returns a packer that takes memory from pool.
func NewPacker(pool *Pool) Packer { return Packer{pool: pool} }

// Start turns to an empty block.
func (k *Packer) Start(b *Block) {
	k.block, k.chunk = b, nil
	for i := range b.Streams {
		b.Streams[i].left = 0
	}
}

// Begin starts one warp of the block.
func (k *Packer) Begin(warp int) {
	if k.chunk == nil {
		k.grow()
	}
	k.index, k.mask, k.base = -1, ^uint32(0), 0
	k.stream = &k.block.Streams[warp]
	k.stream.open(int32(len(k.block.chunks)-1), k.chunk.used)
}

func (k *Packer) grow() {
	k.chunk = k.pool.get()
	k.block.chunks = append(k.block.chunks, k.chunk)
}

// Redirected marks the warp's last instruction.
func (k *Packer) Redirected() { *k.header |= redirect }

// Put appends an instruction of the warp. Access is nil if it has no addresses;
// width is that of its table entry.
func (k *Packer) Put(index int32, mask uint32, a *Access, width uint8) {
	if int(k.chunk.used)+maxPacked > chunkUsable {
		k.grow()
	}
	k.stream.left++
	d := k.chunk.data[:]
	n := int(k.chunk.used)
	k.header = &d[n]

	step := index - k.index - 1
	k.index = index
	v := uint32(step<<1^step>>31) << 2
	if mask != k.mask {
		v |= newMask
	}
	for ; v >= 0x80; v >>= 7 {
		d[n] = byte(v) | 0x80
		n++
	}
	d[n] = byte(v)
	n++
	if mask != k.mask {
		k.mask = mask
		binary.LittleEndian.PutUint32(d[n:], mask)
		n += 4
	}
	if a != nil {
		n = k.putAccess(d, n, mask, a, width)
	}
	k.chunk.used = int32(n)
}

func (k *Packer) putAccess(d []byte, n int, mask uint32, a *Access, width uint8) int {
	distance := int64(a.Base - k.base)
	k.base = a.Base
	size := bytesOf(distance)
	shape := n
	binary.LittleEndian.PutUint64(d[n+1:], uint64(distance))
	n += 1 + size
	switch {
	case !a.Affine:
		kind := byte(irregular)
		n, kind = putLanes(d, n, mask, a)
		d[shape] = byte(size) | kind<<4
	case a.Stride == 0:
		d[shape] = byte(size) | strideZero<<4
	case a.Stride == int32(width):
		d[shape] = byte(size) | strideWidth<<4
	case a.Stride == int32(int8(a.Stride)):
		d[shape] = byte(size) | strideByte<<4
		d[n] = byte(a.Stride)
		n++
	default:
		d[shape] = byte(size) | strideWord<<4
		binary.LittleEndian.PutUint32(d[n:], uint32(a.Stride))
		n += 4
	}
	return n
}

// putLanes appends the distances between active lanes.
func putLanes(d []byte, n int, mask uint32, a *Access) (int, byte) {
	var distances [31]int64
	last := a.Base
	count := 0
	wide := 0
	for m := mask & (mask - 1); m != 0; m &= m - 1 {
		addr := a.Lanes[bits.TrailingZeros32(m)]
		v := int64(addr - last)
		last = addr
		distances[count] = v
		count++
		if v != int64(int32(v)) {
			wide = 1
		}
	}
	var codes uint64
	at := n
	n += (count + 3) / 4
	for i, v := range distances[:count] {
		size := bytesOf(v)
		code := 0
		for int(sizeCodes[wide][code]) < size {
			code++
		}
		codes |= uint64(code) << (2 * i)
		binary.LittleEndian.PutUint64(d[n:], uint64(v))
		n += int(sizeCodes[wide][code])
	}
	// The codes go in last, byte by byte: the first distances follow them.
	for i := range (count + 3) / 4 {
		d[at+i] = byte(codes >> (8 * i))
	}
	return n, byte(irregular + wide)
}

// bytesOf is the bytes that v takes as a signed number, 0 for 0.
func bytesOf(v int64) int {
	if v == 0 {
		return 0
	}
	if v < 0 {
		v = ^v
	}
	return bits.Len64(uint64(v))/8 + 1
}
