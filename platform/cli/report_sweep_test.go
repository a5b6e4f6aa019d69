package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/store"
)

func TestReportSweepWritesAPageOfAllMixes(t *testing.T) {
	matrix := sweepFiles(t)
	got := sweepTo(t, matrix, "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	folder := filepath.Dir(matrix)
	page, path := filepath.Join(folder, "out", "sweep.html"), matrix+".sqlite"
	require.NoError(t, os.Mkdir(filepath.Join(folder, "out"), 0o700))

	// Of one run there is a page, which its command has made.
	a, b := filepath.Join(folder, "a.yaml"), filepath.Join(folder, "b.yaml")
	run := []string{"run", "--gpu", filepath.Join(folder, "gpu.yaml"), "--policy", "spart", "--app", "profile:" + a, "--app", "profile:" + b, "--cycles", "2000", "--seed", "5"}
	got = cotenant(t, append(run, "--html", filepath.Join(folder, "my run.html"), "--quiet")...)
	require.Equal(t, 0, got.status, got.stderr)

	got = cotenant(t, "report", "sweep", path, "--html", page, "--pages", folder)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, "24 runs, 4 mixes, 3 policies, 1 GPU; the page is in "+page+"\n", got.stderr)
	text := read(t, page)
	assert.Equal(t, 1, strings.Count(text, "../my%20run.html"))
	assert.Contains(t, text, `"settings":["2000 cycles","until done"]`)
	assert.Contains(t, text, "cotenant report sweep --html "+page+" --pages "+folder+" "+path)

	// A store that is given twice has its runs once, and nothing is written to it.
	before := read(t, path)
	got = cotenant(t, "report", "sweep", path, path, "--html", page)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "24 runs, ")
	assert.NotContains(t, read(t, page), "my%20run")
	assert.Equal(t, before, read(t, path))
}

func TestReportSweepRefusesWhatItCannotDo(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"s"}, exitUsage, "valid: with --html FILE"},
		{[]string{"--html", "x.html"}, exitUsage, "takes the stores of sweeps, got 0"},
		{[]string{filepath.Join(t.TempDir(), "none"), "--html", filepath.Join(t.TempDir(), "x.html")}, exitFailure, "none: no such file or directory"},
	} {
		got := cotenant(t, append([]string{"report", "sweep"}, c.args...)...)
		assert.Equal(t, c.status, got.status, got.stderr)
		assert.Contains(t, got.stderr, c.want)
	}
	path := filepath.Join(t.TempDir(), "s.sqlite")
	s, err := store.Open(path)
	require.NoError(t, err)
	require.NoError(t, s.Put(store.Entry{Key: "k", Identity: []byte("{}"), Result: []byte("{}")}))
	require.NoError(t, s.Close())
	got := cotenant(t, "report", "sweep", path, "--html", path)
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "would overwrite")
	page := filepath.Join(t.TempDir(), "x.html")
	got = cotenant(t, "report", "sweep", path, "--html", page)
	assert.Equal(t, exitFailure, got.status, got.stderr)
	assert.Contains(t, got.stderr, "warning: "+path+": 1 run cannot be shown; the first is k: ")
	assert.Contains(t, got.stderr, path+": no run of two or more applications that could be shown; cotenant query "+path+" lists every run")
	assert.NoFileExists(t, page)
}
