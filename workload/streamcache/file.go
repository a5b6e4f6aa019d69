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

// magic begins and ends a file.
const magic = "cotenant streams " + formatVersion + "\n"

// trailerBytes: position and length of the index, checksum, magic.
const trailerBytes = 8 + 8 + 4 + len(magic)

// index is what a file holds besides the streams.
type index struct {
	// Key is what the file was recorded under. Its name is not to be trusted.
	Key         Key
	Name        string
	KernelNames []string
	Arrays      []workload.Array
	// Refused says why there is no recording, "" if there is one.
	Refused string
	Ops     []indexOp
	// Listed is the number of launches, from the first, that the application
	// lists before it runs.
	Listed int
	Tables [][]packed.Entry
	// Bytes is the length of what comes before the index, and Sums are the sums
	// of its pieces.
	Bytes int64
	Sums  []uint32
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

// finish writes the index and what follows it.
func (x *index) finish(s *summed) error {
	x.Bytes, x.Sums = s.bytes, s.sums
	var end bytes.Buffer
	z, err := zstd.NewWriter(&end, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(x); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	tail := end.Bytes()
	tail = binary.LittleEndian.AppendUint64(tail, uint64(s.bytes))
	tail = binary.LittleEndian.AppendUint64(tail, uint64(end.Len()))
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Checksum(tail, castagnoli))
	_, err = s.out.Write(append(tail, magic...))
	return err
}

var (
	errDamaged = errors.New("it is damaged")
	errForeign = errors.New("it is no recording of this version")
	errOther   = errors.New("it is the recording of another application")
)

// openFile opens a file that is whole and was recorded under a key, and reads
// its index.
func openFile(path string, key Key) (f *os.File, x *index, err error) {
	if f, err = workload.OpenRegular(path); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if x, err = readIndex(f); err != nil {
		return nil, nil, err
	}
	if x.Key != key {
		return nil, nil, errOther
	}
	all := pieces{file: f, index: x}
	all.seek(0, x.Bytes)
	_, err = io.Copy(io.Discard, &all)
	return f, x, err
}

// readIndex reads a file's index.
func readIndex(f *os.File) (*index, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size() - int64(trailerBytes)
	head, trailer := make([]byte, len(magic)), make([]byte, trailerBytes)
	if size < int64(len(magic)) {
		return nil, errDamaged
	}
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if _, err := f.ReadAt(trailer, size); err != nil {
		return nil, err
	}
	if string(head) != magic {
		return nil, errForeign
	}
	at, length := int64(binary.LittleEndian.Uint64(trailer)), int64(binary.LittleEndian.Uint64(trailer[8:]))
	if !bytes.HasSuffix(trailer, []byte(magic)) || at < int64(len(magic)) || at > size || length != size-at {
		return nil, errDamaged
	}
	data := make([]byte, length+16)
	if _, err := f.ReadAt(data, at); err != nil {
		return nil, err
	}
	if crc32.Checksum(data, castagnoli) != binary.LittleEndian.Uint32(trailer[16:]) {
		return nil, errDamaged
	}
	z, err := zstd.NewReader(bytes.NewReader(data[:length]), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	x := &index{}
	return x, gob.NewDecoder(z).Decode(x)
}
