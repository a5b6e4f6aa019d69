package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestOutputAppearsAtCommitOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	f, err := openOutput(path)
	require.NoError(t, err)
	assertEmptyFolder(t, filepath.Dir(path))
	require.NoError(t, f.stage(write("new")))
	assert.NoFileExists(t, path)
	require.NoError(t, f.Commit())
	f.Remove()
	assert.Equal(t, "new", read(t, path))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestFileThatIsThereStaysUntilCommitAndKeepsItsMode(t *testing.T) {
	path := file(t, "out.json", "old")
	require.NoError(t, os.Chmod(path, 0o640))
	f, err := openOutput(path)
	require.NoError(t, err)
	require.NoError(t, f.stage(write("new")))
	assert.Equal(t, "old", read(t, path))
	require.NoError(t, f.Commit())
	assert.Equal(t, "new", read(t, path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode())
}

func TestOutputThatFailsLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	f, err := openOutput(path)
	require.NoError(t, err)
	err = f.stage(func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return errors.New("disk full")
	})
	assert.EqualError(t, err, path+" cannot be written: disk full; give the path of a file in a folder that can be written to")
	f.Remove()
	assertEmptyFolder(t, filepath.Dir(path))
}

func TestLinkStaysALink(t *testing.T) {
	path := file(t, "real.json", "old")
	link := filepath.Join(t.TempDir(), "link.json")
	require.NoError(t, os.Symlink(path, link))
	f, err := openOutput(link)
	require.NoError(t, err)
	require.NoError(t, f.stage(write("new")))
	require.NoError(t, f.Commit())
	assert.Equal(t, "new", read(t, path))
	target, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, path, target)
}

func TestDeviceIsWrittenToAsItIs(t *testing.T) {
	f, err := openOutput(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, f.stage(write("new")))
	require.NoError(t, f.Commit())
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeDevice)
}

func TestPathThatEndsInASlashIsNoFile(t *testing.T) {
	folder := t.TempDir()
	_, err := openOutput(filepath.Join(folder, "none") + "/")
	assert.EqualError(t, err, filepath.Join(folder, "none")+" cannot be written: the path is that of a folder; give the path of a file in a folder that can be written to")
	assertEmptyFolder(t, folder)
}

func TestOutputsThatCannotBeWrittenAreRefusedBeforeTheRun(t *testing.T) {
	folder := t.TempDir()
	small := "profile:" + file(t, "small.yaml", smallApp)
	for path, reason := range map[string]string{
		folder: "it is a folder",
		filepath.Join(folder, "none", "out.json"): "no such file or directory",
		"/dev/null/out.json":                      "not a directory",
	} {
		for _, flag := range []string{"--json", "--csv"} {
			got := cotenant(t, "run", "--app", small, flag, path)
			assert.Equal(t, 1, got.status)
			assert.Equal(t, "cotenant: "+path+" cannot be written: "+reason+"; give the path of a file in a folder that can be written to\n", got.stderr)
		}
	}
	assertEmptyFolder(t, folder)
	got := cotenant(t, "run", "--app", small, "--json", filepath.Join(folder, "x"), "--csv", folder+"/./x")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "both write to")
}
