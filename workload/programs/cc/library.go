package cc

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"cotenant/staging"
	"cotenant/workload/programs"
)

// library is the runtime library as it lies on the disk: a folder with headers, and objects.
type library struct {
	include string
	objects []string
}

// unpack makes the library, once for each content and compiler, in the user's cache.
func (c *clang) unpack() (*library, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, c.version)
	var files []string
	err := fs.WalkDir(programs.Library, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := programs.Library.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "cotenant")
	folder := filepath.Join(cache, fmt.Sprintf("runtime-%x", hash.Sum(nil)[:12]))
	if _, err := os.Stat(folder); err == nil {
		return c.library(folder, files), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("the runtime library cannot be unpacked: %w", err)
	}
	fresh, stage, err := staging.Folder(cache, filepath.Base(folder))
	if err != nil {
		return nil, fmt.Errorf("the runtime library cannot be unpacked: %w", err)
	}
	defer stage.Remove()
	if err := c.build(fresh, files); err != nil {
		return nil, err
	}
	if err := stage.Rename(folder); err != nil {
		if _, missing := os.Stat(folder); missing != nil { // else another process was faster
			return nil, err
		}
	}
	return c.library(folder, files), nil
}

// library lists what a folder holds.
func (c *clang) library(folder string, files []string) *library {
	l := &library{include: filepath.Join(folder, "include")}
	for _, f := range files {
		if strings.HasSuffix(f, ".c") {
			l.objects = append(l.objects, filepath.Join(folder, strings.TrimSuffix(f, ".c")+".o"))
		}
	}
	slices.Sort(l.objects)
	return l
}

// build writes the files and compiles the sources.
func (c *clang) build(folder string, files []string) error {
	for _, f := range files {
		text, err := programs.Library.ReadFile(f)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	for _, f := range files {
		if !strings.HasSuffix(f, ".c") {
			continue
		}
		cmd := exec.Command(c.c, "-O2", "-fPIC", "-fvisibility=default", "-I", "include", "-c", f, "-o", strings.TrimSuffix(f, ".c")+".o")
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the runtime library does not compile: %s: %s", f, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
