package traceg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"cotenant/workload"

	"github.com/mikelolasagasti/xz"
)

// maxLine bounds the memory that a file without line ends can take. Real
// lines stay below 1 KB.
const maxLine = 64 << 10

// lines reads a text file, or the text of an .xz or a .tracez file, line by line and
// knows where it is, for error messages.
type lines struct {
	name   string
	file   *os.File // nil when the text is in memory
	r      *bufio.Reader
	line   int        // number of the line that next returned last
	packed bool       // the file is xz-compressed
	unpack *unpacking // of a packed file
	zipped *tracez    // of a .tracez file
	at     within     // of a .tracez file
	again  []byte     // line to return once more
}

// buffers and unpackers keep the memory of closed files for other files, until the garbage
// collector takes it: a trace may have hundreds of small files, and a decoder holds the
// window that its last file asked for, mostly 8 MB.
var (
	buffers   = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxLine) }}
	unpackers = sync.Pool{New: func() any { return &unpacking{} }}
)

// unpacking decompresses an .xz file and compares its checksums.
type unpacking struct{ *xz.Reader }

// maxWindow bounds the memory of a decoder: the window of xz -9, which is the largest
// preset.
const maxWindow = 64 << 20

// unpackStep is the most that is decompressed at a time. Opening a trace reads only the
// header of each kernel.
const unpackStep = 8 << 10

// open begins with a file.
func (u *unpacking) open(f *os.File) (err error) {
	if u.Reader != nil {
		return u.Reset(f)
	}
	u.Reader, err = xz.NewReader(f, maxWindow)
	return err
}

// Read implements io.Reader.
func (u *unpacking) Read(p []byte) (int, error) { return u.Reader.Read(p[:min(len(p), unpackStep)]) }

// openLines opens a regular file. If it cannot, the error is at the place
// that named the file: a line of a list, or a path with line 0.
func openLines(path, byFile string, byLine int, valid string) (*lines, error) {
	fail := func(why string) (*lines, error) {
		return nil, workload.Errorf(byFile, byLine, "cannot open %s: %s; valid is %s", path, why, valid)
	}
	f, err := workload.OpenRegular(path)
	if err != nil {
		return fail(workload.WithoutPath(err).Error())
	}
	l := &lines{name: path, file: f, r: buffers.Get().(*bufio.Reader)}
	xzipped := strings.HasSuffix(path, ".xz")
	if !xzipped && !strings.HasSuffix(path, tracezSuffix) {
		l.r.Reset(f)
		return l, nil
	}
	info, err := f.Stat()
	if err != nil {
		l.close()
		return fail(workload.WithoutPath(err).Error())
	}
	if !xzipped {
		if l.zipped, err = openTracez(f, info.Size()); err != nil {
			l.close()
			return nil, l.noTracez(err)
		}
		l.r.Reset(l.zipped)
		return l, nil
	}
	l.packed = true
	l.unpack = unpackers.Get().(*unpacking)
	if err = errNoFooter; endsAsXz(f, info.Size()) {
		err = l.unpack.open(f)
	}
	if err != nil {
		l.close()
		return nil, l.readError(err)
	}
	l.r.Reset(l.unpack)
	return l, nil
}

var errNoFooter = errors.New("no stream footer at its end")

// endsAsXz looks for the footer of an xz stream at the end of a file, before
// padding if there is any: the decoder does not miss it if the data before it
// is whole.
func endsAsXz(f *os.File, size int64) bool {
	var tail [16]byte
	n, err := f.ReadAt(tail[:], max(0, size-int64(len(tail))))
	return (err == nil || err == io.EOF) && bytes.HasSuffix(bytes.TrimRight(tail[:n], "\x00"), []byte("YZ"))
}

// next returns the next line without white space at its end, or io.EOF. The
// line is valid until the next call.
func (l *lines) next() ([]byte, error) {
	if b := l.again; b != nil {
		l.again = nil
		return b, nil
	}
	b, err := l.r.ReadSlice('\n')
	if err != nil && (err != io.EOF || len(b) == 0) {
		return nil, l.readError(err)
	}
	l.line++
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	if l.zipped != nil {
		l.at.pass(b)
	}
	return b, nil
}

// nextText returns the next line that is not blank.
func (l *lines) nextText() ([]byte, error) {
	for {
		b, err := l.next()
		if err != nil || len(b) > 0 {
			return b, err
		}
	}
}

// unread makes next return the line it returned last once more.
func (l *lines) unread(b []byte) { l.again = b }

// errorf makes an InputError for the line that next returned last.
func (l *lines) errorf(format string, args ...any) error { return l.errorAt(l.line, format, args...) }

// errorAt makes an InputError for a line. A .tracez file has lines in its header only: behind
// it the error names thread block, warp and instruction.
func (l *lines) errorAt(line int, format string, args ...any) error {
	if l.at.block == "" {
		return workload.Errorf(l.name, line, format, args...)
	}
	return workload.Errorf(l.name, 0, "%v: %s", &l.at, fmt.Sprintf(format, args...))
}

// within is where in a kernel a line is.
type within struct {
	block, warp string
	instruction int // of the warp, from 1; 0: before the first
}

// pass takes note of the next line.
func (w *within) pass(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("thread block = ")):
		*w = within{block: string(line[len("thread block = "):])}
	case bytes.HasPrefix(line, []byte("warp = ")):
		w.warp, w.instruction = string(line[len("warp = "):]), 0
	case w.warp != "" && len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("insts = ")):
		w.instruction++
	}
}

// String says where that is.
func (w *within) String() string {
	text := "thread block " + w.block
	if w.warp != "" {
		text += ", warp " + w.warp
	}
	if w.instruction > 0 {
		text += fmt.Sprintf(", instruction %d", w.instruction)
	}
	return text
}

func (l *lines) readError(err error) error {
	switch {
	case err == io.EOF:
		return io.EOF
	case err == bufio.ErrBufferFull:
		return workload.Errorf(l.name, l.line+1, "line is longer than %d bytes; valid lines are below 1 KB", maxLine)
	case err == xz.ErrMemlimit:
		return workload.Errorf(l.name, l.line, "its xz window is larger than %d MB; valid is that of xz -9 or less", maxWindow>>20)
	case l.zipped != nil:
		return l.noTracez(err)
	case l.packed:
		return workload.Errorf(l.name, l.line, "corrupt or truncated xz data (%s); valid is a whole .xz file", strings.TrimPrefix(err.Error(), "xz: "))
	}
	return workload.Errorf(l.name, l.line, "cannot read on: %s", workload.WithoutPath(err))
}

// noTracez is the error of a .tracez file that is not as it should be.
func (l *lines) noTracez(err error) error {
	return workload.Errorf(l.name, 0, "corrupt or truncated: %s; valid is a whole %s file of Accel-Sim 2.0", workload.WithoutPath(err), tracezSuffix)
}

func (l *lines) close() error {
	if l.file == nil {
		return nil
	}
	l.r.Reset(nil)
	buffers.Put(l.r)
	if l.unpack != nil {
		unpackers.Put(l.unpack)
	}
	if l.zipped != nil {
		l.zipped.Close()
	}
	if err := l.file.Close(); err != nil {
		return workload.Errorf(l.name, 0, "%s", workload.WithoutPath(err))
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
