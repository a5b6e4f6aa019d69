package streamcache

import (
	"bufio"
	"fmt"

	"cotenant/staging"
	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/klauspost/compress/zstd"
)

// Watcher is the host program of an application that can be recorded.
type Watcher interface {
	workload.Host
	// Watch is called before the first Next.
	Watch()
	// OrderDependence says why what the launches so far have executed depends
	// on the order in which their warps ran, nil if it does not.
	OrderDependence() error
}

// recording is the file of an application that runs for the first time. After
// its end, or the first thing that goes wrong, it does nothing.
type recording struct {
	entry  *entry
	index  index
	file   *staging.NewFile
	buffer *bufio.Writer
	out    summed // what is written to buffer
	spool  spool
	tables map[string]int // by name of kernel
	// captures are of the kernels, in the order of tables.
	captures []*packed.Capture
	encoder  *zstd.Encoder
	ended    bool
}

func newRecording(e *entry, app *workload.App) (*recording, error) {
	file, err := e.store.temporary()
	if err != nil {
		return nil, err
	}
	r := &recording{entry: e, file: file, buffer: bufio.NewWriterSize(file, 256<<10), tables: map[string]int{}}
	r.index = index{Key: e.key, Name: app.Name, KernelNames: app.KernelNames, Arrays: app.Arrays, Listed: len(app.Kernels())}
	r.out.out = r.buffer
	r.spool.store = e.store
	if _, err := r.out.Write([]byte(magic)); err != nil {
		r.discard()
		return nil, err
	}
	// The window bounds what a replay needs in memory.
	if r.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20)); err != nil {
		r.discard()
		return nil, err
	}
	return r, nil
}

// discard removes what has been written.
func (r *recording) discard() {
	if !r.ended {
		r.ended = true
		r.file.Discard()
		r.spool.close()
	}
}

// fail gives up. The application may be recorded another time.
func (r *recording) fail() {
	if !r.ended {
		r.discard()
		r.entry.ended(true)
	}
}

// lose gives up because nothing can be written.
func (r *recording) lose(err error) {
	if !r.ended {
		r.entry.store.unwritable(err)
		r.fail()
	}
}

// refuse gives up for good: a file says why.
func (r *recording) refuse(why string) {
	if r.ended {
		return
	}
	store, key, name := r.entry.store, r.entry.key, r.index.Name
	r.discard()
	r.entry.ended(true)
	file, err := store.temporary()
	if err != nil {
		store.unwritable(err)
		return
	}
	s := summed{out: file}
	x := index{Key: key, Name: name, Refused: why}
	_, err = s.Write([]byte(magic))
	if err == nil {
		err = x.finish(&s)
	}
	if err == nil {
		err = store.commit(file, key)
	}
	if err != nil {
		store.unwritable(err)
		file.Discard()
	}
}

// check gives up if the application depends on the order of execution, or is
// too large to be kept.
func (r *recording) check(w Watcher) {
	if r.ended {
		return
	}
	if err := w.OrderDependence(); err != nil {
		r.refuse(err.Error())
	} else if bytes := r.out.bytes + r.spool.bytes; bytes > r.entry.store.limit/2 {
		r.refuse(fmt.Sprintf("its streams take more than half of %d bytes", r.entry.store.limit))
	}
}

// finish makes the file whole, after the application's last operation.
func (r *recording) finish() {
	if r.ended {
		return
	}
	for _, c := range r.captures {
		r.index.Tables = append(r.index.Tables, c.Table.Insts)
	}
	err := r.index.finish(&r.out)
	if err == nil {
		err = r.buffer.Flush()
	}
	if err == nil {
		err = r.entry.store.commit(r.file, r.entry.key)
	}
	if err != nil {
		r.lose(err)
		return
	}
	r.ended = true
	r.spool.close()
	r.entry.ended(false)
}

// recordingHost is the host program of a run that is recorded.
type recordingHost struct {
	Watcher
	recording *recording
}

// Next implements workload.Host.
func (h *recordingHost) Next() (workload.Op, bool, error) {
	r := h.recording
	op, ok, err := h.Watcher.Next()
	if r.ended {
		return op, ok, err
	}
	r.check(h.Watcher)
	switch {
	case err != nil:
		r.fail()
	case !ok:
		r.finish()
	case r.ended:
	case op.Kernel == nil:
		r.index.Ops = append(r.index.Ops, indexOp{Op: op})
	default:
		h.launch(&op)
	}
	return op, ok, err
}

// launch has an operation's launch be recorded.
func (h *recordingHost) launch(op *workload.Op) {
	k := *op.Kernel
	entry := newIndexKernel(&k)
	plain := *op
	plain.Kernel = nil
	h.recording.index.Ops = append(h.recording.index.Ops, indexOp{Op: plain, Kernel: entry})
	k.Source = &recordingSource{Source: k.Source, host: h, kernel: &k, entry: entry}
	op.Kernel = &k
}
