// Package staging makes files and folders that get their names when they are whole.
// Unfinished ones are removed when the program ends through atexit.Exit.
//
// A killed program leaves its unfinished files. A lock holds each file while its
// process lives, and the next program that stages something in the same folder
// removes the files without a lock (Clear). So any number of processes may use a
// folder.
package staging

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/tebeka/atexit"
)

// ErrEnding is the error of staging while the program ends.
var ErrEnding = errors.New("the program is ending")

// ErrTaken is the error of a lock that another process has.
var ErrTaken = errors.New("another process has locked it")

// leaving is set when atexit's handlers start.
var leaving atomic.Bool

func init() { atexit.Register(func() { leaving.Store(true) }) }

// Path is a file or a folder under a temporary name. It is safe for
// concurrent use.
type Path struct {
	// mu is never held during Cancel: Cancel waits for handlers, which may wait for mu.
	mu      sync.Mutex
	path    string   // "" once it is renamed or removed
	locked  *os.File // nil where there are no locks
	handler atexit.HandlerID
}

// NewFile is an open file under a temporary name.
type NewFile struct {
	*os.File
	*Path
}

// File creates an empty file in a folder, to become name, and opens it to be read and
// written. It returns ErrEnding while the program ends.
func File(folder, name string) (*NewFile, error) {
	f := &NewFile{}
	var err error
	f.Path, err = begin(folder, name, func(path string) (err error) {
		if f.File != nil {
			f.Close() // of an attempt before
		}
		f.File, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Commit closes the file and gives it its name.
func (f *NewFile) Commit(name string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return f.Rename(name)
}

// Discard closes the file and removes it, unless it has its name.
func (f *NewFile) Discard() {
	_ = f.Close()
	f.Remove()
}

// Folder creates an empty folder in another, to become name, and returns its path. It
// returns ErrEnding while the program ends.
func Folder(parent, name string) (path string, p *Path, err error) {
	p, err = begin(parent, name, func(at string) error {
		path = at
		return os.Mkdir(at, 0o777)
	})
	return path, p, err
}

// begin calls create with a free path in a folder, and locks the result.
func begin(folder, name string, create func(path string) error) (*Path, error) {
	Clear(folder)
	return stage(func(p *Path) error {
		for attempt := 0; ; attempt++ {
			path := filepath.Join(folder, staged(name, attempt))
			err := create(path)
			if errors.Is(err, os.ErrExist) {
				continue
			}
			if err != nil {
				return err
			}
			switch p.locked, err = lock(path); {
			case err == nil:
				p.path = path
				return nil
			case !errors.Is(err, ErrTaken):
				_ = os.RemoveAll(path)
				return err
			}
			// Another process that clears the folder has taken the lock, and removes the path.
		}
	})
}

// Clear removes abandoned staged files of killed programs from a folder. It ignores
// errors: the files then stay.
func Clear(folder string) {
	f, err := os.Open(folder)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(-1)
	f.Close()
	for _, name := range names {
		if !isOurs(name) {
			continue
		}
		path := filepath.Join(folder, name)
		if locked, err := lock(path); err == nil && locked != nil {
			_ = os.RemoveAll(path)
			locked.Close()
		}
	}
}

// Lock locks an existing file or folder until the caller calls unlock or the process
// has ended, even by a kill. The error is ErrTaken if another process has it. On file
// systems without locks it excludes no process.
func Lock(path string) (unlock func(), err error) {
	locked, err := lock(path)
	if err != nil {
		return nil, err
	}
	return func() {
		if locked != nil {
			locked.Close()
		}
	}, nil
}

// Write makes a file that appears whole, on the disk as well, or not at all. With
// program, users who may read it may also run it.
func Write(path string, data []byte, program bool) error {
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	f, err := File(folder, name)
	if err != nil {
		return err
	}
	defer f.Discard()
	_, err = f.Write(data)
	if info, fault := f.Stat(); err == nil && fault == nil && program {
		mode := info.Mode().Perm()
		err = f.Chmod(mode | mode&0o444>>2)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Commit(path)
	}
	if err != nil {
		return err
	}
	if at, err := os.Open(folder); err == nil { // the name, too
		_ = at.Sync() // not all file systems can
		at.Close()
	}
	return nil
}

// stage calls create, which enters its file or folder in the Path.
func stage(create func(*Path) error) (*Path, error) {
	p := &Path{}
	// The handler is registered first, and waits for create. While handlers run,
	// Register waits, and leaving is set when it returns.
	p.mu.Lock()
	p.handler = atexit.Register(p.remove)
	err := ErrEnding
	if !leaving.Load() {
		err = create(p)
	}
	p.mu.Unlock()
	if err != nil {
		_ = p.handler.Cancel()
		return nil, err
	}
	return p, nil
}

// Rename gives the file or folder its name.
func (p *Path) Rename(name string) error {
	p.mu.Lock()
	err := ErrEnding // or it has its name already
	if p.path != "" {
		err = os.Rename(p.path, name)
	}
	if err == nil {
		p.settled()
	}
	p.mu.Unlock()
	if err == nil {
		_ = p.handler.Cancel()
	}
	return err
}

// Remove removes the file, or the folder with its contents, unless it has been
// renamed or removed.
func (p *Path) Remove() {
	p.remove()
	_ = p.handler.Cancel() // an error means that it was cancelled already
}

// attempts bounds the attempts to empty a folder into which another goroutine still
// writes.
const attempts = 100

func (p *Path) remove() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.path == "" {
		return
	}
	for range attempts {
		if os.RemoveAll(p.path) == nil {
			break
		}
	}
	p.settled()
}

// settled releases the lock and forgets the path.
func (p *Path) settled() {
	p.path = ""
	if p.locked != nil {
		p.locked.Close()
		p.locked = nil
	}
}
