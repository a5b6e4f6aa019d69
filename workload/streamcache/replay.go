package streamcache

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"

	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/klauspost/compress/zstd"
)

// recorded is an application that is replayed from a file. The file stays open:
// it may lose its name to a newer one, or to the limit, in the meantime.
type recorded struct {
	file   *os.File
	index  *index
	tables []*packed.Table
	ops    []workload.Op
	listed []workload.Op
	// decoders are those that no launch uses; they are large.
	decoders sync.Pool
}

func newRecorded(file *os.File, x *index) *recorded {
	r := &recorded{file: file, index: x}
	for _, t := range x.Tables {
		r.tables = append(r.tables, &packed.Table{Insts: t})
	}
	for i := range x.Ops {
		op := x.Ops[i].Op
		if entry := x.Ops[i].Kernel; entry != nil {
			op.Kernel = entry.kernel()
			op.Kernel.Source = &replaySource{recorded: r, entry: entry, kernel: op.Kernel}
		}
		r.ops = append(r.ops, op)
		if op.Kernel != nil && len(r.listed) < x.Listed {
			r.listed = append(r.listed, workload.Op{Kernel: op.Kernel})
		}
	}
	return r
}

func (r *recorded) app() *workload.App {
	return &workload.App{Name: r.index.Name, Ops: r.listed, Host: func() (workload.Host, error) { return r.host(), nil }}
}

func (r *recorded) host() workload.Host { return &replayHost{r.ops} }

// replayHost goes through the recorded operations.
type replayHost struct{ ops []workload.Op }

// Next implements workload.Host.
func (h *replayHost) Next() (op workload.Op, ok bool, err error) {
	if len(h.ops) == 0 {
		return op, false, nil
	}
	op, h.ops = h.ops[0], h.ops[1:]
	return op, true, nil
}

type replaySource struct {
	recorded *recorded
	entry    *indexKernel
	kernel   *workload.Kernel
}

// Open implements workload.Source.
func (s *replaySource) Open() (workload.Launch, error) {
	z, _ := s.recorded.decoders.Get().(*zstd.Decoder)
	if z == nil {
		var err error
		if z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)); err != nil {
			return nil, err
		}
	}
	if err := z.Reset(io.NewSectionReader(s.recorded.file, s.entry.Offset, s.entry.Length)); err != nil {
		return nil, s.failed(err)
	}
	l := &replayLaunch{source: s, decoder: z, in: bufio.NewReaderSize(z, 64<<10), table: s.recorded.tables[s.entry.Table]}
	l.packer = packed.NewPacker(&l.pool)
	return l, nil
}

// failed is an error of a file that was whole when it was opened.
func (s *replaySource) failed(err error) error {
	return fmt.Errorf("%s: kernel %s cannot be replayed: %w; remove the file, or run with --cache off", s.recorded.file.Name(), s.kernel.Name, err)
}

// replayLaunch is one run of a recorded launch.
type replayLaunch struct {
	source  *replaySource
	decoder *zstd.Decoder
	in      *bufio.Reader
	table   *packed.Table
	pool    packed.Pool
	packer  packed.Packer
	free    []*packed.Block
	next    int
}

// Next implements workload.Launch.
func (l *replayLaunch) Next(tb *workload.TB) error {
	var b *packed.Block
	if n := len(l.free); n > 0 {
		b = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		b = packed.NewBlock(l.table, l.source.kernel.WarpsPerTB())
	}
	if err := l.packer.Load(b, l.in); err != nil {
		return l.source.failed(err)
	}
	tb.ID, tb.Data, tb.Resident = l.next, b, nil
	l.next++
	tb.Warps = tb.Warps[:0]
	for i := range b.Streams {
		tb.Warps = append(tb.Warps, &b.Streams[i])
	}
	return nil
}

// Restart implements workload.Restarter.
func (l *replayLaunch) Restart(tb *workload.TB) error {
	tb.Data.(*packed.Block).Restart()
	return nil
}

// Recycle implements workload.Launch.
func (l *replayLaunch) Recycle(tb *workload.TB) {
	b := tb.Data.(*packed.Block)
	b.Recycle(&l.pool)
	l.free = append(l.free, b)
	tb.Data, tb.Warps = nil, tb.Warps[:0]
}

// Close implements workload.Launch.
func (l *replayLaunch) Close() error {
	if l.decoder != nil {
		_ = l.decoder.Reset(nil)
		l.source.recorded.decoders.Put(l.decoder)
		l.decoder = nil
	}
	return nil
}
