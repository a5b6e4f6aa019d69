package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipe makes a named pipe.
func pipe(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// Opening a pipe would wait for a process at its other end, which may never come.
func TestPipesWhereFilesAreNeededAreRefused(t *testing.T) {
	app := "profile:" + file(t, "small.yaml", smallApp)
	trace := filepath.Dir(pipe(t, "kernelslist.g"))
	for _, c := range []struct {
		message string
		args    []string
	}{
		{"not a regular file", []string{"run", "--app", "ptx:" + pipe(t, "a.yaml"), "--cycles", "1k"}},
		{"not a regular file", []string{"run", "--app", "profile:" + pipe(t, "a.yaml"), "--cycles", "1k"}},
		{"not a regular file", []string{"run", "--app", "traceg:" + trace, "--cycles", "1k"}},
		{"not a regular file", []string{"run", "--app", app, "--gpu", pipe(t, "gpu.yaml"), "--cycles", "1k"}},
		{"not a regular file", []string{"sweep", pipe(t, "m.yaml"), "--store", filepath.Join(t.TempDir(), "s")}},
		{"not a regular file", []string{"sweep", sweepFiles(t), "--store", pipe(t, "s")}},
		{"it is a pipe that no process reads", []string{"run", "--app", app, "--cycles", "1k", "--json", pipe(t, "json")}},
		{"it is a pipe that no process reads", []string{"run", "--app", app, "--cycles", "1k", "--samples", pipe(t, "csv")}},
		{"not a directory", []string{"trace", "export", "--app", app, "--out", pipe(t, "out")}},
	} {
		child := newChild(t, c.args...)
		child.start(t)
		assert.Contains(t, []int{exitFailure, exitUsage}, child.status(t), c.args)
		assert.Contains(t, child.stderr.String(), c.message, c.args)
		assert.Equal(t, 1, strings.Count(child.stderr.String(), "\n"), child.stderr.String())
	}
}

func TestPipeInTheCacheIsNoRecording(t *testing.T) {
	cache := t.TempDir()
	args := []string{"run", "--app", "stencil?size=tiny", "--until", "done", "--cache", cache, "--json", "-", "--quiet"}
	first := cotenant(t, args...)
	require.Equal(t, 0, first.status, first.stderr)
	recordings, err := filepath.Glob(filepath.Join(cache, "*.streams"))
	require.NoError(t, err)
	require.Len(t, recordings, 1)
	require.NoError(t, os.Remove(recordings[0]))
	require.NoError(t, syscall.Mkfifo(recordings[0], 0o600))
	c := newChild(t, args...)
	c.start(t)
	require.Equal(t, 0, c.status(t), c.stderr.String())
	assert.Equal(t, withoutWallTimes(first.stdout), withoutWallTimes(c.stdout.String()))
	assert.Contains(t, c.stderr.String(), "is not used: it cannot be read (not a regular file); the application is emulated\n")
}

// Pipes of this process and pipes that a process reads are written to as they are.
func TestPipesWithAReaderAreWritten(t *testing.T) {
	app := "profile:" + file(t, "small.yaml", smallApp)
	path := pipe(t, "json")
	reader := exec.Command("cat", path)
	var text strings.Builder
	reader.Stdout = &text
	require.NoError(t, reader.Start())
	var held *os.File // as long as a process has it open to write, cat goes on
	require.Eventually(t, func() (opened bool) {
		var err error
		held, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil // cat has opened it
	}, 20*time.Second, 10*time.Millisecond)
	c := newChild(t, "run", "--app", app, "--cycles", "1k", "--json", path)
	c.start(t)
	assert.Equal(t, 0, c.status(t), c.stderr.String())
	require.NoError(t, held.Close())
	require.NoError(t, reader.Wait())
	assert.Contains(t, text.String(), `"schema"`)

	c = newChild(t)
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `"$0" run --app "$1" --cycles 1k --quiet --json /dev/fd/3 3>&1 >/dev/null | cat`, c.Path, app}
	c.start(t)
	assert.Equal(t, 0, c.status(t), c.stderr.String())
	assert.Contains(t, c.stdout.String(), `"schema"`)

	c = newChild(t, "sweep", "/dev/stdin", "--dry-run", "--store", filepath.Join(t.TempDir(), "s"))
	c.Stdin = strings.NewReader(read(t, sweepFiles(t)))
	c.start(t)
	assert.Equal(t, 0, c.status(t), c.stderr.String())
	assert.Contains(t, c.stdout.String(), "30 runs, 0 stored")
}

// fullDisk is a folder on a disk that has no room left, where such a one can be made.
func fullDisk(t *testing.T, old ...string) string {
	t.Helper()
	folder := t.TempDir()
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "none", folder).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be made here: %s", text)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", folder).Run() })
	for _, name := range old {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o600))
	}
	err := os.WriteFile(filepath.Join(folder, "filler"), make([]byte, 1<<20), 0o600)
	require.ErrorIs(t, err, syscall.ENOSPC)
	return folder
}

func TestFullDiskKeepsTheOldFile(t *testing.T) {
	flags := []string{"--json", "--csv", "--html", "--timeline", "--vcd", "--samples"}
	folder := fullDisk(t, flags...)
	names := append([]string{"filler"}, flags...)
	for _, flag := range flags {
		got := cotenant(t, small(t, flag, filepath.Join(folder, flag))...)
		assert.Equal(t, exitFailure, got.status, flag)
		assert.Regexp(t, `^cotenant: \S*`+flag+` cannot be written: no space left on device; [^\n]*\n$`, got.stderr, flag)
		assert.Equal(t, "old", read(t, filepath.Join(folder, flag)), flag)
	}
	for _, more := range [][]string{nil, {"--compress"}} {
		got := cotenant(t, append([]string{"trace", "export", "--app", "sgemm?size=tiny", "--out", filepath.Join(folder, "trace")}, more...)...)
		assert.Equal(t, exitFailure, got.status)
		assert.Regexp(t, `^cotenant: [^\n]*no space left on device[^\n]*\n$`, got.stderr)
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, len(names), "nothing half written")
}
