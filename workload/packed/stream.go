package packed

import (
	"encoding/binary"
	"math/bits"

	"cotenant/workload"
)

// Stream is one warp's instructions: a place in its block's byte strings and
// what the next instruction is relative to (see pack.go).
type Stream struct {
	insts []Entry // of the table
	block *Block
	at    *chunk
	pos   int32
	end   int32 // of the chunk
	chunk int32
	left  int32 // instructions
	index int32 // in the table, of the last instruction
	mask  uint32
	base  uint64
	// lanes is made when the warp first needs it and then stays with the
	// block that is recycled.
	lanes *[workload.WarpSize]uint64
}

// open places s at the start of a warp, so far without instructions.
func (s *Stream) open(chunk, offset int32) {
	s.chunk, s.pos, s.left = chunk, offset, 0
	s.index, s.mask, s.base = -1, ^uint32(0), 0
}

// load makes the chunk that s is in the one it reads from.
func (s *Stream) load() {
	s.at = s.block.chunks[s.chunk]
	s.end = s.at.used
}

// Left is the number of instructions still to come.
func (s *Stream) Left() int { return int(s.left) }

// Index is the number in the table of the instruction that the last Fetch returned.
func (s *Stream) Index() int { return int(s.index) }

// Place implements workload.Locator: it knows a text alone.
func (s *Stream) Place(pc uint32) (p workload.Place) {
	for i := range min(len(s.insts), len(s.block.texts)) {
		if s.insts[i].PC == pc {
			return workload.Place{Text: s.block.texts[i]}
		}
	}
	return workload.Place{}
}

// Fetch implements workload.Stream. All of the instruction is final.
func (s *Stream) Fetch(inst *workload.Inst) bool {
	if s.left == 0 {
		return false
	}
	s.left--
	if s.pos == s.end {
		s.chunk++
		s.load()
		s.pos = 0
	}
	v := uint32(s.at.data[s.pos])
	s.pos++
	if v >= 0x80 {
		v = s.rest(v & 0x7f)
	}
	step := int32(v>>3) ^ -int32(v>>2&1)
	s.index += step + 1
	if v&newMask != 0 {
		s.mask = binary.LittleEndian.Uint32(s.at.data[s.pos:])
		s.pos += 4
	}
	in := &s.insts[s.index]
	inst.Lanes = nil
	inst.Base, inst.Stride = 0, 0
	inst.Active = s.mask
	inst.PC = in.PC
	inst.Dst = in.Dst
	inst.Src = in.Src
	inst.Class = in.Class
	inst.Space = in.Space
	inst.Width = in.Width
	inst.Flags = in.Flags
	inst.Barrier, inst.Warps = in.Barrier, in.Warps
	if v&redirect != 0 {
		inst.Flags |= workload.Redirect
	}
	if workload.Addressed(in.Class, in.Space) && s.mask != 0 {
		s.access(inst)
	}
	return true
}

// Execute implements workload.Stream; Fetch has left nothing to do.
func (s *Stream) Execute(*workload.Inst) {}

// rest reads the bytes of a varint after its first.
func (s *Stream) rest(v uint32) uint32 {
	for shift := 7; ; shift += 7 {
		b := uint32(s.at.data[s.pos])
		s.pos++
		v |= b & 0x7f << shift
		if b < 0x80 {
			return v
		}
	}
}

func (s *Stream) access(inst *workload.Inst) {
	data := &s.at.data
	pos := uint(s.pos)
	shape := data[pos]
	pos++
	if size := uint(shape & 15); size != 0 {
		s.base += signed(data, pos, size)
		pos += size
	}
	inst.Base = s.base
	switch shape >> 4 {
	case strideZero:
	case strideWidth:
		inst.Stride = int32(inst.Width)
	case strideByte:
		inst.Stride = int32(int8(data[pos]))
		pos++
	case strideWord:
		inst.Stride = int32(binary.LittleEndian.Uint32(data[pos:]))
		pos += 4
	default:
		if s.lanes == nil {
			s.lanes = new([workload.WarpSize]uint64)
		}
		inst.Lanes = s.lanes
		pos = scatter(s.lanes, s.mask, s.base, data, pos, &sizeCodes[shape>>4&1])
	}
	s.pos = int32(pos)
}

// scatter reads an irregular access into lanes and returns where it ends. The
// bounds in its loop always hold; they let the compiler drop its own checks.
func scatter(lanes *[workload.WarpSize]uint64, mask uint32, addr uint64, data *[chunkData]byte, pos uint, sizes *[4]uint8) uint {
	low := bits.TrailingZeros32(mask)
	lanes[low&31] = addr
	codes := binary.LittleEndian.Uint64(data[pos:])
	pos += uint(bits.OnesCount32(mask)+2) / 4
	for lane := low + 1; lane < len(lanes); lane++ {
		if mask>>(lane&31)&1 == 0 {
			continue
		}
		if pos > chunkData-8 {
			break
		}
		size := uint(sizes[codes&3])
		codes >>= 2
		addr += signed(data, pos, size)
		pos += size
		lanes[lane] = addr
	}
	return pos
}

// signed reads a number of 1 to 8 bytes and extends its sign.
func signed(data *[chunkData]byte, pos, size uint) uint64 {
	unused := (64 - 8*size) & 63
	return uint64(int64(binary.LittleEndian.Uint64(data[pos:pos+8])<<unused) >> unused)
}
