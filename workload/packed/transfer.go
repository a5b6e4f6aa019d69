package packed

import (
	"encoding/binary"
	"io"
)

// A thread block as bytes is, for each warp, the number of its instructions
// and, if that is not 0, the number of its pieces, and each piece's length and
// packed instructions. Numbers are varints.

// AppendTo appends a captured thread block's bytes to out.
func (t *Captured) AppendTo(out []byte) []byte {
	for i := range t.warps {
		b := t.warps[i].block
		n := uint64(b.Streams[0].left)
		out = binary.AppendUvarint(out, n)
		if n == 0 {
			continue
		}
		out = binary.AppendUvarint(out, uint64(len(b.chunks)))
		for _, c := range b.chunks {
			out = binary.AppendUvarint(out, uint64(c.used))
			out = append(out, c.data[:c.used]...)
		}
	}
	return out
}

// Load unpacks a thread block that AppendTo wrote into b, which is empty, and
// makes its streams ready.
func (k *Packer) Load(b *Block, data []byte) (err error) {
	number := func() uint64 {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			err = io.ErrUnexpectedEOF
			return 0
		}
		data = data[n:]
		return v
	}
	k.Start(b)
	for warp := range b.Streams {
		left := number()
		if left == 0 {
			continue
		}
		k.Begin(warp)
		for pieces := number(); pieces > 0; pieces-- {
			size := number()
			if size > min(chunkUsable, uint64(len(data))) {
				return io.ErrUnexpectedEOF
			}
			if uint64(k.chunk.used)+size > chunkUsable {
				k.grow()
			}
			k.chunk.used += int32(copy(k.chunk.data[k.chunk.used:], data[:size]))
			data = data[size:]
		}
		k.stream.left = int32(left)
	}
	b.Rewind()
	return err
}
