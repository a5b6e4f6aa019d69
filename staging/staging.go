// Package staging makes files and folders that get their names when they are
// whole. Those that have not got them are removed when the program ends, by
// whatever way leads through atexit.Exit.
//
// A program that is killed leaves them. Each is locked as long as its process
// lives, and the next one that stages something in the same folder removes what
// nobody has locked any more (Clear). So any number of processes may use a
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

// ErrEnding is the answer to whoever goes on while the program ends.
var ErrEnding = errors.New("the program is ending")

// ErrTaken is the answer to whoever wants a lock that another has.
var ErrTaken = errors.New("another process has locked it")

// leaving is set while atexit's handlers run, and stays so.
var leaving atomic.Bool

func init() { atexit.Register(func() { leaving.Store(true) }) }

// Path is a file or a folder that does not have its name yet. It is safe for
// concurrent use.
type Path struct {
	// mu is never held during Cancel, which waits for the handlers that wait
	// for mu.
	mu      sync.Mutex
	path    string   // "" once it is renamed or removed
	locked  *os.File // nil where there are no locks
	handler atexit.HandlerID
}

// NewFile is an open file that does not have its name yet.
type NewFile struct {
	*os.File
	*Path
}

// File makes an empty file in a folder, which is to become one called name, and
// opens it to be read and written. The error is one of making it, or says that
// the program is ending.
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

// Folder makes an empty folder in another, which is to become one called name,
// and returns its path. The error is one of making it, or says that the program
// is ending.
func Folder(parent, name string) (path string, p *Path, err error) {
	p, err = begin(parent, name, func(at string) error {
		path = at
		return os.Mkdir(at, 0o777)
	})
	return path, p, err
}

// begin has create make something in a folder at a path that nobody uses, and
// locks it.
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
			// Somebody who clears the folder came in between, and removes it.
		}
	})
}

// Clear removes what programs that were killed have staged in a folder and left
// there. Errors do not matter: it stays then.
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

// Lock locks a file or a folder that is there until the function that it returns is
// called, or the process has ended, however it ends. The error is ErrTaken if
// another has it. Where there are no locks nobody is kept out.
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

// Write makes a file that appears whole, on the disk as well, or not at all. Whoever
// may read it may run it, too, if it is a program.
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

// stage has create make a file or a folder and enter it.
func stage(create func(*Path) error) (*Path, error) {
	p := &Path{}
	// The handler is there first, and waits for create. While handlers run,
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

// Remove removes the file, or the folder with all that is in it, unless it has
// been renamed or removed.
func (p *Path) Remove() {
	p.remove()
	_ = p.handler.Cancel() // an error means that it was cancelled already
}

// attempts bounds how often a folder is emptied into which another goroutine
// still writes.
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

// settled notes that nothing is left to do.
func (p *Path) settled() {
	p.path = ""
	if p.locked != nil {
		p.locked.Close()
		p.locked = nil
	}
}
