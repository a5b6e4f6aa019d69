//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package staging

import (
	"errors"
	"os"
	"syscall"
)

// lock opens a file or a folder and locks it until it is closed or the process has
// ended, even by a kill. It returns nil and no error on file systems without locks,
// and ErrTaken if another process has the lock or the path is gone.
func lock(path string) (*os.File, error) {
	f, err := open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrTaken
	}
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, ErrTaken
	case err != nil:
		f.Close()
		return nil, nil
	}
	// The last holder of the lock may have removed or renamed the path.
	locked, err := f.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Lstat(path); err == nil && os.SameFile(locked, there) {
			return f, nil
		}
	}
	f.Close()
	return nil, ErrTaken
}

// open opens a file so that it can be locked on a network's file system too, which
// needs a writable file.
func open(path string) (*os.File, error) {
	const flags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0)
	if err != nil {
		f, err = os.OpenFile(path, os.O_RDONLY|flags, 0)
	}
	return f, err
}
