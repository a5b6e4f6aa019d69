package streamcache

import (
	"cotenant/workload"
	"cotenant/workload/packed"
)

// recordingSource is the source of a launch that is recorded.
type recordingSource struct {
	workload.Source
	host   *recordingHost
	kernel *workload.Kernel
	entry  *indexKernel
}

// Open implements workload.Source.
func (s *recordingSource) Open() (workload.Launch, error) {
	inner, err := s.Source.Open()
	r := s.host.recording
	if err != nil || r.ended {
		return inner, err
	}
	table, ok := r.tables[s.kernel.Name]
	if !ok {
		table = len(r.captures)
		r.tables[s.kernel.Name] = table
		r.captures = append(r.captures, packed.NewCapture())
	}
	s.entry.Table = table
	r.spool.begin()
	return &recordingLaunch{Launch: inner, source: s, capture: r.captures[table]}, nil
}

// recordingLaunch packs what thread blocks execute and spools each when it has
// finished.
type recordingLaunch struct {
	workload.Launch
	source  *recordingSource
	capture *packed.Capture
	free    []*recordingTB
	done    int
	bytes   []byte
}

// recordingTB is a thread block and what it has executed.
type recordingTB struct {
	captured *packed.Captured
	streams  []recordingStream
	inner    []workload.Stream
	data     any
}

// Next implements workload.Launch.
func (l *recordingLaunch) Next(tb *workload.TB) error {
	if err := l.Launch.Next(tb); err != nil {
		l.source.host.recording.fail()
		return err
	}
	var t *recordingTB
	if n := len(l.free); n > 0 {
		t = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		t = &recordingTB{streams: make([]recordingStream, len(tb.Warps))}
	}
	t.captured = l.capture.Begin(len(tb.Warps))
	t.inner = append(t.inner[:0], tb.Warps...)
	t.data = tb.Data
	for i, s := range t.inner {
		t.streams[i] = recordingStream{Stream: s, captured: t.captured, warp: i}
		tb.Warps[i] = &t.streams[i]
	}
	tb.Data = t
	return nil
}

// Restart implements workload.Restarter. What a thread block did before it was
// flushed has been seen by the watch, which knows no second time: the recording
// is given up.
func (l *recordingLaunch) Restart(tb *workload.TB) error {
	l.source.host.recording.fail()
	t := tb.Data.(*recordingTB)
	tb.Data = t.data
	err := l.Launch.(workload.Restarter).Restart(tb)
	tb.Data = t
	return err
}

// Recycle implements workload.Launch: the thread block has finished.
func (l *recordingLaunch) Recycle(tb *workload.TB) {
	t := tb.Data.(*recordingTB)
	r := l.source.host.recording
	if r.check(l.source.host.Watcher); !r.ended {
		l.bytes = t.captured.AppendTo(l.bytes[:0])
		if err := r.spool.put(tb.ID, l.bytes); err != nil {
			r.lose(err)
		}
		l.done++
	}
	l.capture.Recycle(t.captured)
	tb.Data, tb.Warps = t.data, append(tb.Warps[:0], t.inner...)
	l.Launch.Recycle(tb)
	l.free = append(l.free, t)
}

// Close implements workload.Launch.
func (l *recordingLaunch) Close() error {
	r := l.source.host.recording
	err := l.Launch.Close()
	switch {
	case r.ended:
	case err != nil || l.done < l.source.kernel.TBs():
		r.fail() // it was cut off
	default:
		if err := r.append(l.source.entry); err != nil {
			r.lose(err)
		}
	}
	return err
}

// append moves the spooled thread blocks of a launch to the file, in order.
func (r *recording) append(entry *indexKernel) error {
	entry.Offset = r.out.bytes
	r.encoder.Reset(&r.out)
	err := r.spool.each(func(tb []byte) error {
		_, err := r.encoder.Write(tb)
		return err
	})
	if closed := r.encoder.Close(); err == nil {
		err = closed
	}
	entry.Length = r.out.bytes - entry.Offset
	return err
}

// recordingStream notes what a warp executes.
type recordingStream struct {
	workload.Stream
	captured *packed.Captured
	warp     int
}

// Where implements workload.Locator.
func (s *recordingStream) Where(pc uint32) (file string, line int) {
	if source, ok := s.Stream.(workload.Locator); ok {
		return source.Where(pc)
	}
	return "", 0
}

// Execute implements workload.Stream.
func (s *recordingStream) Execute(inst *workload.Inst) {
	s.Stream.Execute(inst)
	s.captured.Add(s.warp, inst)
}
