package streamcache

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cotenant/staging"
)

// abandonedAfter is a while that no run takes: what staging could not tell to be
// a killed process' is removed then.
const abandonedAfter = 7 * 24 * time.Hour

// Owns tells the names of files that a store makes and removes in its folder.
func Owns(name string) bool { return strings.HasSuffix(name, suffix) || staging.Is(name) }

// temporary makes a file in the store's folder that is removed unless it becomes a
// recording.
func (s *Store) temporary() (*staging.NewFile, error) { return staging.File(s.folder, "recording") }

// makeRoom removes the recordings that were used least recently while all
// together are larger than the limit, but not the one of key, and temporary
// files that were left behind. What another process removes first, or cannot be
// removed, does not matter.
func (s *Store) makeRoom(key Key) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return
	}
	type file struct {
		path string
		size int64
		used time.Time
	}
	var files []file
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		path := filepath.Join(s.folder, e.Name())
		switch {
		case staging.Is(e.Name()):
			if time.Since(info.ModTime()) > abandonedAfter {
				_ = os.Remove(path)
			}
		case strings.HasSuffix(e.Name(), suffix):
			total += info.Size()
			files = append(files, file{path, info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, f := range files {
		if total <= s.limit {
			return
		}
		if f.path != s.path(key) && os.Remove(f.path) == nil {
			total -= f.size
		}
	}
}
