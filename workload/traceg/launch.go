package traceg

import (
	"cotenant/workload"
	"cotenant/workload/packed"
)

// source is a kernel's file.
type source struct {
	path   string
	header header
	opt    Options
}

// Open implements workload.Source.
func (s *source) Open() (workload.Launch, error) {
	in, err := openLines(s.path, s.path, 0, "the file as it was when the simulation began")
	if err != nil {
		return nil, err
	}
	h, err := readHeader(in)
	if err == nil && h != s.header {
		err = in.errorf("the header is not what it was when the simulation began; valid is a file that does not change")
	}
	if err != nil {
		in.close()
		return nil, err
	}
	listed, err := readLists(s.path)
	if err != nil {
		in.close()
		return nil, err
	}
	return newLaunch(in, h, s.opt, listed), nil
}

// launch implements workload.Launch.
type launch struct {
	ahead
	tbs    int // handed out
	failed bool
	closed bool
}

func newLaunch(in *lines, h header, opt Options, listed map[string]registerLists) *launch {
	l := &launch{ahead: ahead{parser: newParser(in, h, opt, listed)}}
	l.moved.L = &l.mu
	return l
}

// Next implements workload.Launch. The order of the file is the order of
// launch.
func (l *launch) Next(tb *workload.TB) error {
	if total := l.header.grid.Count(); l.tbs >= total {
		l.failed = true
		l.stop()
		return l.in.errorf("the grid has %s, which have been read", workload.Count(total, "thread block"))
	}
	b, err := l.take()
	if err != nil {
		l.failed = true
		return err
	}
	b.Hand(tb, l.tbs)
	l.tbs++
	return nil
}

// Recycle implements workload.Launch.
func (l *launch) Recycle(tb *workload.TB) {
	if b, ok := tb.Data.(*packed.Block); ok {
		l.giveBack(b)
		tb.Data, tb.Warps = nil, tb.Warps[:0]
	}
}

// Close implements workload.Launch. What follows the grid's last thread block
// is checked only if that was read.
func (l *launch) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	l.stop()
	var extra error
	if total := l.header.grid.Count(); l.tbs == total && !l.failed {
		var more bool
		if more, extra = l.begin(); more {
			extra = l.in.errorf("more than the %s of the grid %v; valid is the end of the file", workload.Count(total, "thread block"), l.header.grid)
		}
	}
	if err := l.in.close(); extra == nil {
		return err
	}
	return extra
}
