package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"cotenant/staging"
	"cotenant/workload"
)

// outputFile is a file that appears whole or not at all: it is written under
// another name beside its place and then renamed.
type outputFile struct {
	path string
	// device marks a path that must be written to in place, such as /dev/null, a
	// pipe or /dev/stdout.
	device bool
	mode   os.FileMode      // of the replaced file; 0 without one
	staged *staging.NewFile // holds the contents; nil before start
	open   *os.File         // a device while it is being written, a named pipe from before
}

// openOutput makes sure that a file can be written at a path, without leaving
// one. The path is not empty.
func openOutput(path string) (*outputFile, error) {
	f := &outputFile{path: filepath.Clean(path)}
	if os.IsPathSeparator(path[len(path)-1]) {
		return nil, f.failed(errors.New("the path is that of a folder"))
	}
	at := find(path)
	f.path = at.path // replace what a link leads to, not the link
	switch {
	case at.err != nil:
		return nil, f.failed(at.err)
	case at.info == nil:
	case at.info.IsDir():
		return nil, f.failed(errors.New("it is a folder"))
	default:
		f.device = at.written()
		f.mode = at.info.Mode().Perm()
	}
	if f.device {
		return f, f.reach(at.info)
	}
	if f.mode != 0 {
		existing, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, f.failed(err)
		}
		existing.Close()
	}
	_, err := f.start()
	f.Remove()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// reach opens a pipe, unless it is a standard stream. It does not wait for a reader,
// which may never come.
func (f *outputFile) reach(info os.FileInfo) (err error) {
	if info == nil || info.Mode()&os.ModeNamedPipe == 0 || standardStream(f.path) != nil {
		return nil
	}
	f.open, err = os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		err = errors.New("it is a pipe that no process reads")
	}
	if err != nil {
		return f.failed(err)
	}
	return nil
}

// stage writes the contents, not yet under the file's name.
func (f *outputFile) stage(write func(io.Writer) error) error {
	file, err := f.start()
	if err != nil {
		return err
	}
	return f.finish(write(file))
}

// start opens the contents, which finish must end. They are not yet under the
// file's name.
func (f *outputFile) start() (w io.Writer, err error) {
	if !f.device {
		if f.staged, err = staging.File(filepath.Dir(f.path), filepath.Base(f.path)); err != nil {
			return nil, f.failed(err)
		}
		return f.staged, nil
	}
	if out := standardStream(f.path); out != nil {
		return out, nil
	}
	if f.open == nil {
		if f.open, err = os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
			return nil, f.failed(err)
		}
	}
	return f.open, nil
}

// standardStream is standard output or error if a path leads to it, else nil. Writing
// through it keeps both in order where they are redirected to one file.
func standardStream(path string) io.Writer {
	at, err := os.Stat(path)
	for _, stream := range []*os.File{os.Stdout, os.Stderr} {
		if info, fault := stream.Stat(); err == nil && fault == nil && os.SameFile(at, info) {
			return standard{stream}
		}
	}
	return nil
}

// finish ends the contents, given the error of writing them.
func (f *outputFile) finish(err error) error {
	file := f.open
	if f.staged != nil {
		file = f.staged.File
	}
	if err == nil && f.mode != 0 && !f.device {
		err = file.Chmod(f.mode)
	}
	if file != nil {
		closed := file.Close()
		f.open = nil
		if err == nil {
			err = closed
		}
	}
	if err != nil {
		return f.failed(err)
	}
	return nil
}

// Commit gives the staged contents the file's name.
func (f *outputFile) Commit() error {
	if f.device {
		return nil
	}
	if err := f.staged.Rename(f.path); err != nil {
		return f.failed(err)
	}
	f.staged = nil
	return nil
}

// Remove removes contents that were not committed.
func (f *outputFile) Remove() {
	if f.open != nil {
		f.open.Close()
		f.open = nil
	}
	if f.staged != nil {
		f.staged.Discard()
		f.staged = nil
	}
}

func (f *outputFile) failed(err error) error {
	return fmt.Errorf("%s cannot be written: %w; give the path of a file in a folder that can be written to", f.path, workload.WithoutPath(err))
}
