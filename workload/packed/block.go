package packed

import (
	"slices"

	"cotenant/workload"
)

const (
	chunkSize = 8 << 10
	chunkData = chunkSize - 4
	// Distances are read eight bytes at a time, so the last ones of a chunk
	// may be read past its end.
	chunkUsable = chunkData - 8
	// maxPacked: varint, mask, shape, base, size codes, 31 distances.
	maxPacked = 4 + 4 + 1 + 8 + 8 + 31*8
)

// chunk is a piece of a block's byte strings. An instruction is never split
// over two.
type chunk struct {
	used int32
	data [chunkData]byte
}

// Pool keeps the memory of finished blocks for new ones. A single goroutine uses it
// at a time.
type Pool struct{ free []*chunk }

func (p *Pool) get() *chunk {
	n := len(p.free)
	if n == 0 {
		return new(chunk)
	}
	c := p.free[n-1]
	p.free = p.free[:n-1]
	c.used = 0
	return c
}

// Entry is a distinct instruction of a kernel: all of it that does not change
// from warp to warp.
type Entry struct {
	PC    uint32 // bytes from the kernel's first instruction
	Dst   [4]uint8
	Src   [10]uint8
	Class workload.Class
	Space workload.Space
	Flags workload.Flags // without Redirect
	Width uint8
	// Barrier and Warps belong to an instruction that meets other warps.
	Barrier, Warps uint8
}

// Table is the distinct instructions of a kernel. More may be added while streams read,
// even by another goroutine.
type Table struct {
	Insts []Entry
	Texts []string // of Insts, for people; may be shorter, or nil
}

// Block is the packed form of a thread block, or of some of its warps.
type Block struct {
	// Streams read the warps, each once.
	Streams []Stream
	table   *Table
	chunks  []*chunk
	starts  []start  // of the streams
	texts   []string // of the table, as far as streams know it
}

// start is where a warp begins.
type start struct{ chunk, pos, left int32 }

// NewBlock returns a block for a number of warps with instructions of table.
func NewBlock(table *Table, warps int) *Block {
	b := &Block{Streams: make([]Stream, warps), table: table}
	for i := range b.Streams {
		b.Streams[i].block = b
	}
	return b
}

// Rewind makes the streams ready to be read, or read again if nothing was. They know the
// instructions that the table has by now.
func (b *Block) Rewind() {
	b.starts, b.texts = b.starts[:0], b.table.Texts
	for i := range b.Streams {
		s := &b.Streams[i]
		s.insts = b.table.Insts
		b.starts = append(b.starts, start{s.chunk, s.pos, s.left})
		if s.left > 0 {
			s.load()
		}
	}
}

// Restart puts streams that have been read, wholly or in part, back to where
// they began.
func (b *Block) Restart() {
	for i, from := range b.starts {
		s := &b.Streams[i]
		s.open(from.chunk, from.pos)
		s.left = from.left
	}
	b.Rewind()
}

// Recycle empties the block and gives its memory to a pool.
func (b *Block) Recycle(pool *Pool) {
	pool.free = append(pool.free, b.chunks...)
	b.chunks = b.chunks[:0]
}

// Bytes is the memory that the instructions take, but for the rest of the last
// chunk.
func (b *Block) Bytes() int {
	if len(b.chunks) == 0 {
		return 0
	}
	last := len(b.chunks) - 1
	return last*chunkSize + int(b.chunks[last].used)
}

// Memory is the memory of the instructions, in bytes.
func (b *Block) Memory() int { return len(b.chunks) * chunkSize }

// Shelf keeps the blocks of one launch for reuse. It is the part of a
// workload.Launch that does not depend on where instructions come from.
type Shelf struct {
	// Pool has the memory of the blocks that are not in use.
	Pool  *Pool
	table *Table
	warps int
	free  []*Block
}

// NewShelf returns a shelf for thread blocks of a number of warps with instructions
// of table.
func NewShelf(table *Table, warps int) Shelf { return Shelf{&Pool{}, table, warps, nil} }

// Take returns an empty block.
func (s *Shelf) Take() *Block {
	n := len(s.free)
	if n == 0 {
		return NewBlock(s.table, s.warps)
	}
	b := s.free[n-1]
	s.free = s.free[:n-1]
	return b
}

// Hand makes the block the thread block of a number.
func (b *Block) Hand(tb *workload.TB, id int) {
	tb.ID, tb.Data, tb.Resident = id, b, nil
	tb.Warps = slices.Grow(tb.Warps[:0], len(b.Streams))
	for i := range b.Streams {
		tb.Warps = append(tb.Warps, &b.Streams[i])
	}
}

// Recycle implements workload.Launch.
func (s *Shelf) Recycle(tb *workload.TB) {
	b, ok := tb.Data.(*Block)
	if !ok {
		return
	}
	s.Put(b)
	tb.Data, tb.Warps = nil, tb.Warps[:0]
}

// Put takes a block back.
func (s *Shelf) Put(b *Block) {
	b.Recycle(s.Pool)
	s.free = append(s.free, b)
}
