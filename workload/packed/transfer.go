package packed

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
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

// Load reads a thread block that AppendTo wrote into b, which is empty, and
// makes its streams ready.
func (k *Packer) Load(b *Block, in *bufio.Reader) error {
	k.Start(b)
	for warp := range b.Streams {
		n, err := binary.ReadUvarint(in)
		if err != nil || n == 0 {
			if err != nil {
				return err
			}
			continue
		}
		pieces, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		if n > math.MaxInt32 || pieces > n {
			return fmt.Errorf("warp of %d instructions in %d pieces", n, pieces)
		}
		k.Begin(warp)
		for range pieces {
			if err := k.loadPiece(in); err != nil {
				return err
			}
		}
		k.stream.left = int32(n)
	}
	b.Rewind()
	return nil
}

func (k *Packer) loadPiece(in *bufio.Reader) error {
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	if size > chunkUsable {
		return fmt.Errorf("piece of %d bytes", size)
	}
	if int(k.chunk.used)+int(size) > chunkUsable {
		k.grow()
	}
	used := int(k.chunk.used)
	if _, err := io.ReadFull(in, k.chunk.data[used:used+int(size)]); err != nil {
		return err
	}
	k.chunk.used += int32(size)
	return nil
}
