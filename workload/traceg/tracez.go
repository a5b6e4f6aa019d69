package traceg

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A .tracez file (Accel-Sim 2.0, tracez_format.h of accel-sim/accel-sim-framework at e1c2b67)
// packs the text of a kernel. Numbers are little endian:
//
//	the header's text, ended by a zero byte
//	u32 bytes of a dictionary, u32 instructions of a chunk as the writer wanted them
//	the dictionary, in zstd's format or raw
//	for each warp: u32 instructions, u32 chunks, and each chunk: u32 bytes, a zstd frame
//	the index: u32 thread blocks, and for each of them
//	  u32 x 3 position, u32 x 3 cluster, u32 x 3 position in the cluster, u32 rank, u32 warps,
//	  and for each warp u32 instructions, u32 chunks, u64 place of the warp, u32 instructions of each chunk
//	u64 place of the index
//
// A chunk's text is instruction lines, the last without an end of line. tracez reads the file
// as the text that a .traceg file has. It keeps the dictionary, a piece of the index and the
// window of one decoder in memory.
type tracez struct {
	file    io.ReaderAt
	decoder *zstd.Decoder
	data    int64 // place of the first warp
	end     int64 // of the index, from which on the file has 8 bytes
	index   *bufio.Reader
	indexAt int64 // place in the file of what index returns next

	text   []byte // to be read next
	blocks uint32 // of the index, not begun
	inside bool   // a thread block has been begun
	warps  uint32 // of the thread block, not begun
	warp   uint32 // number of the last one begun
	block  [3]uint32

	at       int64  // place of the warp's next chunk
	chunks   uint32 // of the warp, not begun
	insts    uint32 // of the warp, in chunks not begun
	open     bool   // a chunk has been begun
	lines    uint32 // of the open chunk, not read
	lineOpen bool   // the last line read of the chunk has no end yet
}

// tracezSuffix ends the name of such a file.
const tracezSuffix = ".tracez"

// Bounds of what a file can have the reader keep.
const (
	maxHeaderText = maxHeader * 1024
	maxDictionary = 16 << 20
)

// openTracez begins with a file of a size. Read returns its text.
func openTracez(file io.ReaderAt, size int64) (*tracez, error) {
	z := &tracez{file: file, end: size - 8}
	in := bufio.NewReader(io.NewSectionReader(file, 0, size))
	for {
		c, err := in.ReadByte()
		if err != nil || len(z.text) == maxHeaderText {
			return nil, fmt.Errorf("no zero byte ends the header in the first %d bytes", len(z.text))
		}
		if c == 0 {
			break
		}
		z.text = append(z.text, c)
	}
	z.text = append(z.text, '\n')
	var sizes [8]byte
	if _, err := io.ReadFull(in, sizes[:]); err != nil {
		return nil, fmt.Errorf("it ends at byte %d, inside the sizes behind the header", size)
	}
	dictionary := int64(binary.LittleEndian.Uint32(sizes[:]))
	z.data = int64(len(z.text)) + int64(len(sizes)) + dictionary
	if dictionary > maxDictionary || z.data > z.end-4 {
		return nil, fmt.Errorf("the dictionary has %d bytes; valid are %d and what the file of %d bytes holds", dictionary, maxDictionary, size)
	}
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)}
	if dictionary > 0 {
		content := make([]byte, dictionary)
		if _, err := io.ReadFull(in, content); err != nil {
			return nil, err
		}
		if bytes.HasPrefix(content, []byte{0x37, 0xa4, 0x30, 0xec}) { // zstd's format
			options = append(options, zstd.WithDecoderDicts(content))
		} else {
			options = append(options, zstd.WithDecoderDictRaw(0, content))
		}
	}
	var place [8]byte
	if _, err := file.ReadAt(place[:], z.end); err != nil {
		return nil, err
	}
	if z.indexAt = int64(binary.LittleEndian.Uint64(place[:])); z.indexAt < z.data || z.indexAt > z.end-4 {
		return nil, fmt.Errorf("its last 8 bytes place the index at byte %d; valid is %d to %d", uint64(z.indexAt), z.data, z.end-4)
	}
	z.index = bufio.NewReader(io.NewSectionReader(file, z.indexAt, z.end-z.indexAt))
	var err error
	if z.blocks, err = z.u32(); err != nil {
		return nil, err
	}
	if z.decoder, err = zstd.NewReader(nil, options...); err != nil {
		return nil, fmt.Errorf("the dictionary is none of zstd: %w", err)
	}
	return z, nil
}

// Close frees the decoder.
func (z *tracez) Close() { z.decoder.Close() }

// Read implements io.Reader.
func (z *tracez) Read(p []byte) (int, error) {
	for {
		switch {
		case len(z.text) > 0:
			n := copy(p, z.text)
			z.text = z.text[n:]
			return n, nil
		case z.open:
			n, err := z.readChunk(p)
			if n > 0 || err != nil {
				return n, err
			}
		default:
			if err := z.advance(); err != nil {
				return 0, err
			}
		}
	}
}

// readChunk reads of the open chunk, and closes it at its end. It may return 0 bytes.
func (z *tracez) readChunk(p []byte) (int, error) {
	n, err := z.decoder.Read(p)
	if n > 0 {
		ends := uint32(bytes.Count(p[:n], []byte{'\n'}))
		if z.lineOpen = p[n-1] != '\n'; ends > z.lines || ends == z.lines && z.lineOpen {
			return 0, z.errorf("a chunk has more instructions than the index says")
		}
		z.lines -= ends
		return n, nil
	}
	if err == nil {
		return 0, nil
	}
	if err != io.EOF {
		return 0, z.errorf("a chunk before byte %d is corrupt: %v", z.at, err)
	}
	if z.lineOpen {
		z.lines--
		z.text = append(z.text[:0], '\n')
	}
	if z.lines > 0 {
		return 0, z.errorf("a chunk has %d instructions fewer than the index says", z.lines)
	}
	z.open = false
	return 0, nil
}

// advance begins with what follows: a chunk, a warp, a thread block, or the end.
func (z *tracez) advance() error {
	switch {
	case z.chunks > 0:
		return z.beginChunk()
	case z.insts > 0:
		return z.errorf("its chunks have %d instructions fewer than the warp", z.insts)
	case z.warps > 0:
		return z.beginWarp()
	case z.inside:
		z.inside = false
		z.text = append(z.text[:0], "#END_TB\n"...)
		return nil
	case z.blocks > 0:
		return z.beginBlock()
	case z.indexAt != z.end:
		return fmt.Errorf("the index ends at byte %d; valid is %d, where its place stands", z.indexAt, z.end)
	}
	return io.EOF
}

func (z *tracez) beginBlock() error {
	var fields [11]uint32
	for i := range fields {
		var err error
		if fields[i], err = z.u32(); err != nil {
			return err
		}
	}
	z.blocks--
	z.block, z.inside = [3]uint32(fields[:3]), true
	z.warps, z.warp = fields[10], 0
	z.text = fmt.Appendf(z.text[:0], "#BEGIN_TB\nthread block = %d,%d,%d\ncluster id = %d,%d,%d\ncluster cta = %d,%d,%d\ncluster rank = %d\n",
		fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], fields[7], fields[8], fields[9])
	return nil
}

func (z *tracez) beginWarp() error {
	var fields [4]uint32
	for i := range fields {
		var err error
		if fields[i], err = z.u32(); err != nil {
			return err
		}
	}
	insts, chunks, at := fields[0], fields[1], uint64(fields[3])<<32|uint64(fields[2])
	z.warp++
	if at < uint64(z.data) || at > uint64(z.end)-8 {
		return z.errorf("the index places the warp at byte %d; valid is %d to %d", at, z.data, z.end-8)
	}
	z.at = int64(at)
	var head [8]byte
	if _, err := z.file.ReadAt(head[:], z.at); err != nil {
		return z.errorf("it cannot be read at byte %d: %v", z.at, err)
	}
	if i, c := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:]); i != insts || c != chunks {
		return z.errorf("byte %d begins a warp of %d instructions in %d chunks; valid are %d in %d, as the index says", z.at, i, c, insts, chunks)
	}
	z.at += int64(len(head))
	z.insts, z.chunks = insts, chunks
	z.warps--
	z.text = fmt.Appendf(z.text[:0], "warp = %d\ninsts = %d\n", z.warp-1, insts)
	return nil
}

func (z *tracez) beginChunk() error {
	lines, err := z.u32()
	if err != nil {
		return err
	}
	if lines == 0 || lines > z.insts {
		return z.errorf("the index gives a chunk %d instructions of %d; valid are 1 to as many", lines, z.insts)
	}
	var head [4]byte
	if _, err := z.file.ReadAt(head[:], z.at); err != nil {
		return z.errorf("a chunk cannot be read at byte %d: %v", z.at, err)
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	z.at += int64(len(head))
	if size > z.end-z.at {
		return z.errorf("a chunk at byte %d has %d bytes; the file ends before", z.at, size)
	}
	if err := z.decoder.Reset(io.NewSectionReader(z.file, z.at, size)); err != nil {
		return z.errorf("a chunk at byte %d is corrupt: %v", z.at, err)
	}
	z.at += size
	z.chunks--
	z.insts -= lines
	z.lines, z.open, z.lineOpen = lines, true, false
	return nil
}

// u32 reads a number of the index.
func (z *tracez) u32() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(z.index, b[:]); err != nil {
		return 0, fmt.Errorf("the index ends at byte %d, inside a thread block", z.end)
	}
	z.indexAt += int64(len(b))
	return binary.LittleEndian.Uint32(b[:]), nil
}

// errorf names the thread block of a fault, and the warp if one has been begun.
func (z *tracez) errorf(format string, args ...any) error {
	where := fmt.Sprintf("thread block %d,%d,%d", z.block[0], z.block[1], z.block[2])
	if z.warp > 0 {
		where += fmt.Sprintf(", warp %d", z.warp-1)
	}
	return fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...))
}
