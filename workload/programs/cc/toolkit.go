package cc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"cotenant/staging"
)

// Toolkit makes a folder in the place of NVIDIA's toolkit, for makefiles that name its parts by path:
// bin/nvcc calls this program, include and lib64 hold the headers and the runtime library, which
// -lcudart and -lcuda find. The folder must be empty or not there.
func Toolkit(folder string) error {
	c, err := find()
	if err != nil {
		return err
	}
	l, err := c.unpack()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := staging.MakeFolder(folder)
	if err != nil {
		return err
	}
	defer out.Remove() // nothing is left there after the renaming
	if err := l.fill(out.At, self); err != nil {
		return staging.FolderFault(folder, err)
	}
	return out.Commit()
}

// fill writes a toolkit's files.
func (l *library) fill(folder, self string) error {
	for _, name := range []string{"bin", "lib64"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o777); err != nil {
			return err
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' cc \"$@\"\n", strings.ReplaceAll(self, "'", `'\''`))
	if err := os.WriteFile(filepath.Join(folder, "bin", "nvcc"), []byte(script), 0o777); err != nil {
		return err
	}
	archive := filepath.Join(folder, "lib64", "libcudart.a")
	if out, err := exec.Command("ar", append([]string{"rcsD", archive}, l.objects...)...).CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		return errors.New("no ar, which makes libraries; install the Debian package binutils")
	} else if err != nil {
		return fmt.Errorf("ar: %s", strings.TrimSpace(string(out)))
	}
	for name, to := range map[string]string{
		"include": l.include, "lib": "lib64", "lib64/libcuda.a": "libcudart.a", "lib64/libcudart_static.a": "libcudart.a", "lib64/libnvrtc.a": "libcudart.a",
	} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
