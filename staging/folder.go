package staging

import (
	"fmt"
	"os"
	"path/filepath"
)

// NewFolder is a folder that appears whole or not at all.
type NewFolder struct {
	// At is where its contents are until then.
	At string

	path   string
	staged *Path
	above  []string // folders that were made for it, the innermost first
}

// CheckFolder reports why a folder of a path cannot be made, nil if it is not
// there or empty.
func CheckFolder(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case os.IsNotExist(err):
		return nil
	case err != nil:
		return FolderFault(path, err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty; give the path of a new or an empty folder", path)
	}
	return nil
}

// MakeFolder makes a folder that is to be at a path, where none may be that is
// not empty, and those above it that are not there.
func MakeFolder(path string) (*NewFolder, error) {
	f := &NewFolder{path: filepath.Clean(path)}
	if err := CheckFolder(f.path); err != nil {
		return nil, err
	}
	parent := filepath.Dir(f.path)
	for above := parent; ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); !os.IsNotExist(err) {
			break
		}
		f.above = append(f.above, above)
	}
	err := os.MkdirAll(parent, 0o755)
	if err == nil {
		f.At, f.staged, err = Folder(parent, filepath.Base(f.path))
	}
	if err != nil {
		f.undo()
		return nil, FolderFault(f.path, err)
	}
	return f, nil
}

// undo removes the folders above, as far as nothing is in them.
func (f *NewFolder) undo() {
	for _, above := range f.above {
		os.Remove(above)
	}
}

// Commit gives the folder its name.
func (f *NewFolder) Commit() error {
	if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
		return FolderFault(f.path, err)
	}
	return FolderFault(f.path, f.staged.Rename(f.path))
}

// Remove removes what has not been given its name.
func (f *NewFolder) Remove() {
	f.staged.Remove()
	f.undo()
}

// FolderFault names the folder in an error of the operating system; others say
// what they mean by themselves.
func FolderFault(path string, err error) error {
	switch e := err.(type) {
	case *os.PathError:
		err = e.Err
	case *os.LinkError:
		err = e.Err
	default:
		return err
	}
	return fmt.Errorf("%s cannot be written: %w; give the path of a new or an empty folder", path, err)
}
