// Package streamcache keeps recordings of emulated applications on disk. Before an
// application runs for the first time, the store emulates it without timing and records
// the instructions. This run and later runs replay the recording, with the results that
// emulation would give. A replay is right only if the order in which warps run does not
// change the instructions. While it records, the store asks the host program (Watcher)
// whether the order matters. If so, or if the recording grows too large, the store
// keeps a refusal in the file, and every run emulates the application.
//
// A file, KEY.streams, is a recording in encoding/gob behind its SHA-256.
package streamcache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cotenant/staging"
	"cotenant/workload"
)

// DefaultLimit bounds the size of a folder in bytes if the user asks for no
// other.
const DefaultLimit = 4 << 30

// suffix is the ending of recordings' names.
const suffix = ".streams"

// Key identifies a recording.
type Key string

// Store is a folder of recordings. Several goroutines may use a Store, and
// several processes its folder. The fields are set before App is called.
type Store struct {
	// Build returns a hash of this program: another build may emulate otherwise.
	Build func() (string, error)
	// Context ends recording.
	Context context.Context
	// ReplayOnly makes the store record nothing: for runs that end before the
	// application does.
	ReplayOnly bool
	// Tell is told, in one line, of a file that cannot be used, and once that
	// files cannot be written. No run fails for either.
	Tell func(problem string)

	folder    string
	limit     int64
	unwritten sync.Once

	mu    sync.Mutex
	known map[Key]*entry
}

// entry is an application that this process has asked for.
type entry struct {
	mu       sync.Mutex
	recorded *workload.App
	final    bool // nothing more is recorded
}

// Open makes a store of a folder, and the folder if it is missing. Beyond limit
// bytes the store removes the recordings that were used least recently.
func Open(folder string, limit int64) (*Store, error) {
	err := os.MkdirAll(folder, 0o755)
	staging.Clear(folder)
	return &Store{Build: func() (string, error) { return "", nil }, Context: context.Background(), Tell: func(string) {},
		folder: folder, limit: limit, known: map[Key]*entry{}}, err
}

// DefaultFolder is the folder of recordings if the user asks for no other.
func DefaultFolder() (string, error) {
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "cotenant"), err
}

// Owns tells the names of files that a store makes and removes in its folder.
func Owns(name string) bool { return strings.HasSuffix(name, suffix) || staging.Is(name) }

// Key makes the key of the application that parts determine.
func (s *Store) Key(parts ...[]byte) (Key, error) {
	build, err := s.Build()
	return Key(fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %q", build, parts)))), err
}

func (s *Store) path(key Key) string { return filepath.Join(s.folder, string(key)+suffix) }

// App returns the application of a key: the recorded one, or else that
// of open, which is recorded when it starts if its host program is a
// Watcher. A fault of files or of the recording is no error: the application is
// then emulated, as without a store.
func (s *Store) App(key Key, open func() (*workload.App, error)) (*workload.App, error) {
	s.mu.Lock()
	e := s.known[key]
	if e == nil {
		e = &entry{}
		e.recorded, e.final = s.load(key)
		s.known[key] = e
	}
	s.mu.Unlock()
	e.mu.Lock() // waits for a recording that is being made
	defer e.mu.Unlock()
	if e.recorded != nil {
		app := *e.recorded // the caller may change it
		return &app, nil
	}
	app, err := open()
	if err != nil || s.ReplayOnly {
		return app, err
	}
	lazy := *app
	lazy.Host = func() (workload.Host, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.final {
			e.final = true
			if r, err := record(s.Context, key, app); err == nil {
				s.save(r)
				e.recorded = r.replay()
			}
		}
		return cmp.Or(e.recorded, app).Start()
	}
	return &lazy, nil
}

// load reads a recording, and reports whether there is one, or a refusal. It
// removes a file with wrong contents.
func (s *Store) load(key Key) (app *workload.App, found bool) {
	path := s.path(key)
	data, err := workload.ReadFile(path, 2*memoryLimit)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.Tell(fmt.Sprintf("%s is not used: it cannot be read (%v); the application is emulated", path, err))
		}
		return nil, false
	}
	r, what := &recording{}, "it is the recording of another application"
	sum, rest := data[:min(len(data), sha256.Size)], data[min(len(data), sha256.Size):]
	switch want := sha256.Sum256(rest); {
	case !bytes.Equal(sum, want[:]) || gob.NewDecoder(bytes.NewReader(rest)).Decode(r) != nil:
		what = "it is damaged"
	case r.Key == key:
		now := time.Now()
		_ = os.Chtimes(path, now, now) // when it was used last
		return r.replay(), true
	}
	then := "it is removed, and the application emulated"
	if err := os.Remove(path); err != nil {
		then = fmt.Sprintf("it cannot be removed (%v), and the application is emulated", errors.Unwrap(err))
	}
	s.Tell(fmt.Sprintf("%s is not used: %s; %s", path, what, then))
	return nil, false
}

// save writes a recording, and makes room for it: it removes the files that were
// used least recently.
func (s *Store) save(r *recording) {
	var data bytes.Buffer
	path := s.path(r.Key)
	err := gob.NewEncoder(&data).Encode(r)
	if sum := sha256.Sum256(data.Bytes()); err == nil {
		err = staging.Write(path, append(sum[:], data.Bytes()...), false)
	}
	if err != nil && !errors.Is(err, staging.ErrEnding) {
		s.unwritten.Do(func() {
			s.Tell(fmt.Sprintf("%s cannot be written to (%v); the run goes on without recording", s.folder, cmp.Or(errors.Unwrap(err), err)))
		})
	}
	total, used := int64(0), map[string]fs.FileInfo{}
	names, _ := filepath.Glob(filepath.Join(s.folder, "*"+suffix))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			total += info.Size()
			used[name] = info
		}
	}
	delete(used, path)
	for _, name := range slices.SortedFunc(maps.Keys(used), func(a, b string) int { return used[a].ModTime().Compare(used[b].ModTime()) }) {
		if total > s.limit && os.Remove(name) == nil {
			total -= used[name].Size()
		}
	}
}
