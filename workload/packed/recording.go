package packed

import (
	"cotenant/workload"

	"github.com/klauspost/compress/zstd"
)

// Recording is a source of thread blocks that were captured, in their order. It
// can be written with encoding/gob.
type Recording struct {
	Warps int // of a thread block
	Insts []Entry
	// TBs are the thread blocks in the form of transfer.go, a zstd frame each.
	TBs [][]byte
}

// compressor and decompressor serve all goroutines. Only wrong options would be
// errors.
var (
	compressor, _   = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	decompressor, _ = zstd.NewReader(nil)
)

// Append adds a thread block, by way of a buffer, and returns its bytes.
func (r *Recording) Append(t *Captured, buffer *[]byte) int {
	*buffer = t.AppendTo((*buffer)[:0])
	frame := compressor.EncodeAll(*buffer, nil)
	r.TBs, r.Insts = append(r.TBs, frame), t.capture.Table.Insts
	return len(frame)
}

// Open implements workload.Source.
func (r *Recording) Open() (workload.Launch, error) {
	shelf := NewShelf(&Table{Insts: r.Insts}, r.Warps)
	return &replay{Shelf: shelf, tbs: r.TBs, packer: NewPacker(shelf.Pool)}, nil
}

// replay is one run of a recorded launch.
type replay struct {
	Shelf
	tbs    [][]byte
	next   int
	packer Packer
	plain  []byte
}

// Next implements workload.Launch.
func (r *replay) Next(tb *workload.TB) (err error) {
	b := r.Take()
	if r.plain, err = decompressor.DecodeAll(r.tbs[r.next], r.plain[:0]); err == nil {
		err = r.packer.Load(b, r.plain)
	}
	b.Hand(tb, r.next)
	r.next++
	return err
}

// Restart implements workload.Restarter.
func (r *replay) Restart(tb *workload.TB) error {
	tb.Data.(*Block).Restart()
	return nil
}

// Close implements workload.Launch.
func (r *replay) Close() error { return nil }
