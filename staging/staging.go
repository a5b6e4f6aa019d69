// Package staging makes files and folders that get their names when they are
// whole. Those that have not got them are removed when the program ends, by
// whatever way leads through atexit.Exit.
package staging

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/tebeka/atexit"
)

// ErrEnding is the answer to whoever goes on while the program ends.
var ErrEnding = errors.New("the program is ending")

// ending is set while atexit's handlers run, and stays so.
var ending atomic.Bool

func init() { atexit.Register(func() { ending.Store(true) }) }

// Path is a file or a folder that does not have its name yet. It is safe for
// concurrent use.
type Path struct {
	// mu is never held during Cancel, which waits for the handlers that wait
	// for mu.
	mu      sync.Mutex
	path    string // "" once it is renamed or removed
	handler atexit.HandlerID
}

// Make has create make a file or a folder and return its path. The error is
// create's, or says that the program is ending.
func Make(create func() (path string, err error)) (*Path, error) {
	p := &Path{}
	// The handler is there first, and waits for create. While handlers run,
	// Register waits, and ending is set when it returns.
	p.mu.Lock()
	p.handler = atexit.Register(p.remove)
	err := ErrEnding
	if !ending.Load() {
		p.path, err = create()
	}
	if err != nil {
		p.path = ""
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
		p.path = ""
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
	p.path = ""
}
