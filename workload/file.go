package workload

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"syscall"
)

// ReadFile reads a regular file of at most limit bytes, a power of two from 1 MiB, or
// an open file of this process, of which it reads no more than that. Errors do not name
// the file, as messages do so already.
func ReadFile(path string, limit int64) ([]byte, error) {
	data, err := readFile(path, limit)
	return data, WithoutPath(err)
}

// WithoutPath is an error without the operation and the path of a file that the operating
// system names in it, for messages that have them already.
func WithoutPath(err error) error {
	if fault := (*os.PathError)(nil); errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// ErrNotRegular is of a path that leads to no regular file.
var ErrNotRegular = errors.New("not a regular file")

// OpenRegular opens a regular file to be read. Opening anything else is an error:
// opening a named pipe would wait for a process that writes to it, and a device may
// have no end.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return os.Open(path)
}

// ownStream tells the path of an open file of this process, such as /dev/stdin or what
// a shell makes of <(command).
var ownStream = regexp.MustCompile(`^/(dev/stdin|dev/fd/[0-9]+|proc/self/fd/[0-9]+)$`)

func readFile(path string, limit int64) ([]byte, error) {
	tooLarge := fmt.Errorf("it is larger than %d MiB", limit>>20)
	open := OpenRegular
	if ownStream.MatchString(path) {
		open = os.Open
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge
	}
	return data, err
}
