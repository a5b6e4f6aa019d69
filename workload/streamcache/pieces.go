package streamcache

import (
	"hash/crc32"
	"io"
	"os"
)

// A recording is summed up in pieces, the last one shorter, so that what is
// read of it is known to be right before anything is made of it.
const pieceBytes = 64 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed passes on what is written, and sums up its pieces.
type summed struct {
	out   io.Writer
	bytes int64
	sums  []uint32 // CRC-32C
}

// Write implements io.Writer.
func (s *summed) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	for rest := p[:n]; len(rest) > 0; {
		in := int(s.bytes % pieceBytes)
		if in == 0 {
			s.sums = append(s.sums, 0)
		}
		part := rest[:min(len(rest), pieceBytes-in)]
		sum := &s.sums[len(s.sums)-1]
		*sum = crc32.Update(*sum, castagnoli, part)
		s.bytes += int64(len(part))
		rest = rest[len(part):]
	}
	return n, err
}

// pieces reads a stretch of a file whose pieces have been summed up.
type pieces struct {
	file  *os.File
	index *index // which has the sums

	at, limit int64  // of what is still to be read
	piece     []byte // what is left of the piece that ends at at
	buffer    []byte
}

// seek goes to a stretch of the file.
func (p *pieces) seek(at, length int64) { p.at, p.limit, p.piece = at, at+length, nil }

// Read implements io.Reader. Its error is errDamaged if the piece is not what it
// was when it was written.
func (p *pieces) Read(to []byte) (int, error) {
	if len(p.piece) == 0 {
		if p.at >= p.limit {
			return 0, io.EOF
		}
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(to, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}

// next reads the piece at at.
func (p *pieces) next() error {
	if p.buffer == nil {
		p.buffer = make([]byte, pieceBytes)
	}
	number := p.at / pieceBytes
	first := number * pieceBytes
	whole := p.buffer[:min(pieceBytes, p.index.Bytes-first)]
	if _, err := p.file.ReadAt(whole, first); err == io.EOF {
		return errDamaged // it has become shorter
	} else if err != nil {
		return err
	}
	if crc32.Checksum(whole, castagnoli) != p.index.Sums[number] {
		return errDamaged
	}
	after := min(first+int64(len(whole)), p.limit)
	p.piece = whole[p.at-first : after-first]
	p.at = after
	return nil
}
