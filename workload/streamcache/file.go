package streamcache

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/klauspost/compress/zstd"
)

const magic = "cotenant streams\n"

// trailerBytes: position and length of the index, checksum, magic.
const trailerBytes = 8 + 8 + 4 + len(magic)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// index is what a file holds besides the streams.
type index struct {
	Name string
	// Refused says why there is no recording, "" if there is one.
	Refused string
	Ops     []indexOp
	// Listed is the number of launches, from the first, that the application
	// lists before it runs.
	Listed int
	Tables [][]packed.Entry
}

// indexOp is an operation of the host program.
type indexOp struct {
	Op     workload.Op // without Kernel
	Kernel *indexKernel
}

type indexKernel struct {
	Name                                     string
	Grid, Block                              workload.Dim3
	RegistersPerTB, SharedBytesPerTB, Stream int
	Origin                                   string
	Idempotent                               bool
	Table                                    int   // of its instructions
	Offset, Length                           int64 // of its frame
}

// newIndexKernel describes a launch of which no thread block is recorded yet.
func newIndexKernel(k *workload.Kernel) *indexKernel {
	return &indexKernel{Name: k.Name, Grid: k.Grid, Block: k.Block, RegistersPerTB: k.RegistersPerTB,
		SharedBytesPerTB: k.SharedBytesPerTB, Stream: k.Stream, Origin: k.Origin, Idempotent: k.Idempotent}
}

// kernel is the launch's shape, without a source.
func (k *indexKernel) kernel() *workload.Kernel {
	return &workload.Kernel{Name: k.Name, Grid: k.Grid, Block: k.Block, RegistersPerTB: k.RegistersPerTB,
		SharedBytesPerTB: k.SharedBytesPerTB, Stream: k.Stream, Origin: k.Origin, Idempotent: k.Idempotent}
}

// sum passes on what is written, and counts and sums it up.
type sum struct {
	out   io.Writer
	bytes int64
	crc   uint32
}

// Write implements io.Writer.
func (s *sum) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	s.bytes += int64(n)
	s.crc = crc32.Update(s.crc, castagnoli, p[:n])
	return n, err
}

// finish writes the index and what follows it.
func (x *index) finish(s *sum) error {
	at := s.bytes
	z, err := zstd.NewWriter(s, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(x); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	var trailer []byte
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(at))
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(s.bytes-at))
	trailer = binary.LittleEndian.AppendUint32(trailer, s.crc)
	_, err = s.out.Write(append(trailer, magic...))
	return err
}

var errDamaged = errors.New("not a whole file of streams")

// openFile opens a file if it is whole, and reads its index.
func openFile(path string) (f *os.File, x *index, err error) {
	if f, err = os.Open(path); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size() - int64(trailerBytes)
	if size < int64(len(magic)) {
		return nil, nil, errDamaged
	}
	trailer := make([]byte, trailerBytes)
	if _, err := f.ReadAt(trailer, size); err != nil {
		return nil, nil, err
	}
	s := sum{out: io.Discard}
	if _, err := io.Copy(&s, io.NewSectionReader(f, 0, size)); err != nil {
		return nil, nil, err
	}
	at, length := int64(binary.LittleEndian.Uint64(trailer)), int64(binary.LittleEndian.Uint64(trailer[8:]))
	if !bytes.HasSuffix(trailer, []byte(magic)) || s.crc != binary.LittleEndian.Uint32(trailer[16:]) || at+length != size {
		return nil, nil, errDamaged
	}
	z, err := zstd.NewReader(io.NewSectionReader(f, at, length), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	defer z.Close()
	x = &index{}
	return f, x, gob.NewDecoder(z).Decode(x)
}
