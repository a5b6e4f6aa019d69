package streamcache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cotenant/staging"
	"cotenant/workload"
)

// DefaultLimit bounds the size of a folder in bytes if nothing else is asked
// for.
const DefaultLimit = 4 << 30

// suffix is the ending of recordings' names.
const suffix = ".streams"

// Store is a folder of recordings. It may be used by several goroutines, and the
// folder by several processes.
type Store struct {
	folder string
	limit  int64
	// replayOnly records nothing.
	replayOnly bool
	// tell is told of what is wrong with the folder; written is done when it has
	// been told that nothing can be written there.
	tell    func(problem string)
	written sync.Once

	mu      sync.Mutex
	entries map[Key]*entry
}

// Open makes a store of a folder, which is made if it is not there. Beyond
// limit bytes the recordings that were used least recently are removed.
func Open(folder string, limit int64) (*Store, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	staging.Clear(folder) // a recording may be many times as large as what it comes from
	return &Store{folder: folder, limit: limit, tell: func(string) {}, entries: map[Key]*entry{}}, nil
}

// DefaultFolder is where recordings are kept if nothing else is asked for.
func DefaultFolder() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "cotenant"), nil
}

// Close ends recordings that were begun and closes files. Applications of the
// store must not run any more.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		e.close()
	}
}

// ReplayOnly has applications without a recording executed as without a store:
// for runs that are cut off by a window, which would mostly pay for a recording
// in vain.
func (s *Store) ReplayOnly() { s.replayOnly = true }

// Tell has tell told, in one line, of a file that is not used because it is
// damaged or not what its name says, and, once, that files cannot be written. No
// run fails for either. It must be called before App; tell may be called from
// several goroutines, though not at a time for one application.
func (s *Store) Tell(tell func(problem string)) { s.tell = tell }

// unwritable tells that a recording was lost, unless the program ends.
func (s *Store) unwritable(err error) {
	if errors.Is(err, staging.ErrEnding) {
		return
	}
	s.written.Do(func() {
		s.tell(fmt.Sprintf("%s cannot be written to (%v); the run goes on without recording", s.folder, cause(err)))
	})
}

// cause is an error without the path, which messages name already.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// App returns the application of a key: the recorded one if there is a
// recording, and else the one that open returns, which is recorded when it runs
// for the first time. It is recorded only if its host program is a Watcher.
// Nothing that goes wrong with files is an error: without a recording the
// application is executed, as without a store.
func (s *Store) App(key Key, open func() (*workload.App, error)) (*workload.App, error) {
	s.mu.Lock()
	e := s.entries[key]
	if e == nil {
		e = &entry{store: s, key: key}
		s.entries[key] = e
	}
	s.mu.Unlock()
	if r := e.recorded(); r != nil {
		return r.app(), nil
	}
	app, err := open()
	if err != nil || s.replayOnly {
		return app, err
	}
	return &workload.App{Name: app.Name, KernelNames: app.KernelNames, Ops: app.Ops, Arrays: app.Arrays,
		Host: func() (workload.Host, error) { return e.start(app) }}, nil
}

func (s *Store) path(key Key) string { return filepath.Join(s.folder, string(key)+suffix) }

// entry is what this process knows of one application.
type entry struct {
	store *Store
	key   Key

	mu      sync.Mutex
	found   *recorded
	refused bool // it is not to be recorded
	faulty  bool // its file was not used
	now     *recording
}

// recorded opens the recording, nil if there is none that is whole.
func (e *entry) recorded() *recorded {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.look()
}

func (e *entry) look() *recorded {
	if e.found != nil || e.refused || e.now != nil {
		return e.found
	}
	path := e.store.path(e.key)
	file, x, err := openFile(path, e.key)
	if err != nil {
		e.reject(path, err)
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // when it was used last
	if x.Refused != "" {
		file.Close()
		e.refused = true
		return nil
	}
	e.found = newRecorded(file, x)
	return e.found
}

// reject removes a file whose contents are wrong, and tells the first time of
// one that cannot be used.
func (e *entry) reject(path string, why error) {
	then := "it is removed, and the application emulated"
	switch unread := (*fs.PathError)(nil); {
	case errors.Is(why, fs.ErrNotExist):
		return
	case errors.As(why, &unread):
		why, then = fmt.Errorf("it cannot be read (%w)", unread.Err), "the application is emulated"
	default:
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			then = fmt.Sprintf("it cannot be removed (%v), and the application is emulated", cause(err))
		}
	}
	if !e.faulty {
		e.faulty = true
		e.store.tell(fmt.Sprintf("%s is not used: %v; %s", path, why, then))
	}
}

// start begins a run: a replay, or one that is recorded unless another run of
// this process is being recorded already.
func (e *entry) start(app *workload.App) (workload.Host, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.look(); r != nil {
		return r.host(), nil
	}
	host, err := app.Start()
	if err != nil || e.refused || e.now != nil {
		return host, err
	}
	watcher, ok := host.(Watcher)
	if !ok {
		return host, nil
	}
	e.now, err = newRecording(e, app)
	if err != nil {
		e.store.unwritable(err)
		e.now, e.refused = nil, true // for this process
		return host, nil
	}
	watcher.Watch()
	return &recordingHost{Watcher: watcher, recording: e.now}, nil
}

// ended forgets the recording that was going on.
func (e *entry) ended(refused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now = nil
	e.refused = e.refused || refused
}

func (e *entry) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now != nil {
		e.now.discard()
		e.now, e.refused = nil, true
	}
	if e.found != nil {
		e.found.file.Close()
		e.found, e.refused = nil, true
	}
}

// commit gives a whole file its name, and makes room if the folder is too
// large.
func (s *Store) commit(file *staging.NewFile, key Key) error {
	if err := file.Commit(s.path(key)); err != nil {
		return err
	}
	s.makeRoom(key)
	return nil
}
