package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// place is the end of a path's links: an existing file or folder, or a name in a folder.
// Two paths may lead to one place.
type place struct {
	path   string
	info   os.FileInfo // nil if nothing is there
	folder os.FileInfo // around it; nil if it does not exist
	// stream says that the path names an open file of this process, such as
	// /dev/stdout.
	stream bool
	err    error // of looking
}

// find follows a path.
func find(path string) (p place) {
	if p.info, p.err = os.Stat(path); errors.Is(p.err, os.ErrNotExist) {
		p.err = nil
	}
	p.path, p.stream = follow(path)
	if p.written() || p.err != nil {
		p.path = filepath.Clean(path) // what a link to a pipe says is no path
	}
	p.folder, _ = os.Stat(filepath.Dir(p.path))
	return p
}

// maxLinks bounds how many links are followed, as systems do.
const maxLinks = 255

// descriptors is the folder of a process' open files on Linux.
var descriptors = regexp.MustCompile(`^/proc/[0-9]+/fd$`)

// follow resolves a path's links; the last may lead to nothing. It stops at a link to an
// open file of the process.
func follow(path string) (real string, stream bool) {
	for range maxLinks {
		folder, base := filepath.Split(path)
		if folder == "" {
			folder = "."
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		path = filepath.Join(folder, base)
		if descriptors.MatchString(folder) {
			return path, true
		}
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if path = target; !filepath.IsAbs(target) {
			// Not cleaned: a .. leads out of what is before it once links are followed.
			path = folder + string(filepath.Separator) + target
		}
	}
	return path, false
}

// written reports whether the place is written in place, not replaced: an open file of
// the process, or no regular file, such as a pipe.
func (p place) written() bool {
	return p.stream || p.info != nil && !p.info.Mode().IsRegular() && !p.info.IsDir()
}

// same reports whether two places are one file. The null device may be used twice.
func (p place) same(q place) bool {
	switch {
	case p.info != nil && q.info != nil:
		null, err := os.Stat(os.DevNull)
		return os.SameFile(p.info, q.info) && (err != nil || !os.SameFile(p.info, null))
	case p.info != nil || q.info != nil || p.folder == nil || q.folder == nil:
		return false
	}
	return os.SameFile(p.folder, q.folder) && filepath.Base(p.path) == filepath.Base(q.path)
}

// within reports whether a place lies in a folder, at whatever depth.
func (p place) within(folder place) bool {
	path, err := filepath.Abs(p.path)
	if err != nil || folder.info == nil {
		return false
	}
	for parent := filepath.Dir(path); parent != path; path, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, folder.info) {
			return true
		}
	}
	return false
}
