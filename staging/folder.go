package staging

import (
	"fmt"
	"os"
	"path/filepath"
)

// NewFolder is a folder that appears whole or not at all.
type NewFolder struct {
	// At is the path of its contents until then.
	At string

	path   string
	staged *Path
	above  []string // missing parents that were created, the innermost first
}

// CheckFolder returns why a folder of a path cannot be made; nil if the path is free
// or an empty folder.
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

// MakeFolder stages a folder for a path, which must be free or an empty folder, and
// creates missing parents.
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

// undo removes the created parents, as far as they are empty.
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

// Remove removes the folder unless Commit has given it its name.
func (f *NewFolder) Remove() {
	f.staged.Remove()
	f.undo()
}

// FolderFault names the folder in an error of the operating system; any other error
// explains itself.
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
