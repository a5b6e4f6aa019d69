package traceg

import (
	"encoding/binary"
	"math/bits"
)

// A warp is packed into one byte string, an instruction after the other:
//
//	varint  bit 0: a new mask follows; bit 1: Redirect; above: zigzag of the
//	        table index's distance from the index after the last instruction's
//	4 bytes the mask, if new
//
// and, if the instruction has addresses and active lanes:
//
//	1 byte  low half: bytes of the base's distance; high half: shape
//	0-8     distance of the base from the warp's last base, signed
//	shape strideZero, strideWidth: nothing; strideByte: 1; strideWord: 4 bytes
//	shape irregular: 2 bits of size code for each active lane after the
//	        first, in whole bytes, then the distances between the lanes,
//	        signed, of the sizes that sizeCodes gives for the codes
//
// An instruction of straight code takes one byte, an affine access about six.
// The size codes keep an irregular access below half of its text, which is
// what bounds the memory of a large trace.

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

const (
	chunkSize = 8 << 10
	chunkData = chunkSize - 4
	// Distances are read eight bytes at a time, so the last ones of a chunk
	// may be read past its end.
	chunkUsable = chunkData - 8
	// maxPacked: varint, mask, shape, base, size codes, 31 distances.
	maxPacked = 4 + 4 + 1 + 8 + 8 + 31*8
)

// chunk is a piece of a thread block's byte strings. An instruction is never
// split over two.
type chunk struct {
	used int32
	data [chunkData]byte
}

// block is the packed form of one thread block.
type block struct {
	chunks  []*chunk
	streams []stream
}

// packer appends instructions to a block. It mirrors the state of the stream
// that will read them.
type packer struct {
	block  *block
	chunk  *chunk
	free   []*chunk
	index  int32
	mask   uint32
	base   uint64
	header *byte // of the last instruction
}

// begin starts a new warp and returns where it starts.
func (k *packer) begin() (chunk, offset int32) {
	if k.chunk == nil {
		k.grow()
	}
	k.index, k.mask, k.base = -1, ^uint32(0), 0
	return int32(len(k.block.chunks) - 1), k.chunk.used
}

func (k *packer) grow() {
	if n := len(k.free); n > 0 {
		k.chunk = k.free[n-1]
		k.free = k.free[:n-1]
		k.chunk.used = 0
	} else {
		k.chunk = new(chunk)
	}
	k.block.chunks = append(k.block.chunks, k.chunk)
}

// redirected marks the last instruction.
func (k *packer) redirected() { *k.header |= redirect }

// put appends an instruction. Access is nil if it has no addresses; width is
// that of its table entry.
func (k *packer) put(index int32, mask uint32, a *access, width uint8) {
	if int(k.chunk.used)+maxPacked > chunkUsable {
		k.grow()
	}
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

func (k *packer) putAccess(d []byte, n int, mask uint32, a *access, width uint8) int {
	distance := int64(a.base - k.base)
	k.base = a.base
	size := bytesOf(distance)
	shape := n
	binary.LittleEndian.PutUint64(d[n+1:], uint64(distance))
	n += 1 + size
	switch {
	case !a.affine:
		kind := byte(irregular)
		n, kind = putLanes(d, n, mask, a)
		d[shape] = byte(size) | kind<<4
	case a.stride == 0:
		d[shape] = byte(size) | strideZero<<4
	case a.stride == int32(width):
		d[shape] = byte(size) | strideWidth<<4
	case a.stride == int32(int8(a.stride)):
		d[shape] = byte(size) | strideByte<<4
		d[n] = byte(a.stride)
		n++
	default:
		d[shape] = byte(size) | strideWord<<4
		binary.LittleEndian.PutUint32(d[n:], uint32(a.stride))
		n += 4
	}
	return n
}

// putLanes appends the distances between active lanes.
func putLanes(d []byte, n int, mask uint32, a *access) (int, byte) {
	var distances [31]int64
	last := a.base
	count := 0
	wide := 0
	for m := mask & (mask - 1); m != 0; m &= m - 1 {
		addr := a.lanes[bits.TrailingZeros32(m)]
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
