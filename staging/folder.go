package staging

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder is a folder that appears whole or not at all.
type Folder struct {
	// At is where its contents are until then.
	At string

	path   string
	staged *Path
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
// not empty.
func MakeFolder(path string) (*Folder, error) {
	f := &Folder{path: filepath.Clean(path)}
	if err := CheckFolder(f.path); err != nil {
		return nil, err
	}
	var err error
	f.staged, err = Make(func() (_ string, err error) {
		f.At, err = os.MkdirTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*.tmp")
		return f.At, err
	})
	if err != nil {
		return nil, FolderFault(f.path, err)
	}
	return f, nil
}

// Commit gives the folder its name.
func (f *Folder) Commit() error {
	if err := os.Chmod(f.At, 0o755); err != nil {
		return FolderFault(f.path, err)
	}
	if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
		return FolderFault(f.path, err)
	}
	return FolderFault(f.path, f.staged.Rename(f.path))
}

// Remove removes what has not been given its name.
func (f *Folder) Remove() { f.staged.Remove() }

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
