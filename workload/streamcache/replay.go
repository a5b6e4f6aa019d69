package streamcache

import (
	"bufio"
	"fmt"
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
	// players are those that no launch uses; they are large.
	players sync.Pool
}

// player reads one launch at a time.
type player struct {
	pieces  pieces
	decoder *zstd.Decoder
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
	return &workload.App{Name: r.index.Name, KernelNames: r.index.KernelNames, Ops: r.listed, Arrays: r.index.Arrays,
		Host: func() (workload.Host, error) { return r.host(), nil }}
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
	p, _ := s.recorded.players.Get().(*player)
	if p == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		p = &player{pieces{file: s.recorded.file, index: s.recorded.index}, z}
	}
	p.pieces.seek(s.entry.Offset, s.entry.Length)
	if err := p.decoder.Reset(&p.pieces); err != nil {
		return nil, s.failed(err)
	}
	l := &replayLaunch{source: s, player: p, in: bufio.NewReaderSize(p.decoder, 64<<10), table: s.recorded.tables[s.entry.Table]}
	l.packer = packed.NewPacker(&l.pool)
	return l, nil
}

// failed is an error of a file that was whole when it was opened. What has been
// replayed of it was right, but has shaped the run.
func (s *replaySource) failed(err error) error {
	return fmt.Errorf("%s: kernel %s cannot be replayed further: %w, since the run began; the same command again replaces the file", s.recorded.file.Name(), s.kernel.Name, err)
}

// replayLaunch is one run of a recorded launch.
type replayLaunch struct {
	source *replaySource
	player *player
	in     *bufio.Reader
	table  *packed.Table
	pool   packed.Pool
	packer packed.Packer
	free   []*packed.Block
	next   int
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
	if l.player != nil {
		_ = l.player.decoder.Reset(nil)
		l.source.recorded.players.Put(l.player)
		l.player = nil
	}
	return nil
}
