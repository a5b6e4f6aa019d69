package traceg

import (
	"cotenant/workload"
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
	parser
	tbs    int // handed out
	failed bool
	closed bool
}

func newLaunch(in *lines, h header, opt Options, listed map[string]registerLists) *launch {
	return &launch{parser: newParser(in, h, opt, listed)}
}

// Next implements workload.Launch. The order of the file is the order of
// launch.
func (l *launch) Next(tb *workload.TB) error {
	if err := l.next(tb); err != nil {
		l.failed = true
		return err
	}
	return nil
}

func (l *launch) next(tb *workload.TB) error {
	total := l.header.grid.Count()
	if l.tbs >= total {
		return l.in.errorf("the grid has %s, which have been read", workload.Count(total, "thread block"))
	}
	more, err := l.begin()
	if err != nil {
		return err
	}
	if !more {
		return l.in.errorf("the file ends after %s; valid are the %d of the grid %v", workload.Count(l.tbs, "thread block"), total, l.header.grid)
	}
	b := l.Take()
	if err := l.block(b); err != nil {
		return err
	}
	b.Hand(tb, l.tbs)
	l.tbs++
	return nil
}

// Close implements workload.Launch. What follows the grid's last thread block
// is checked only if that was read.
func (l *launch) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
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
