package programs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/workload"
	"cotenant/workload/programs"
)

// folderOfFiles is a working folder as testdata/files.cu expects it.
func folderOfFiles(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "below"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "below", "inner.txt"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "input.txt"), []byte("first\n"), 0o600))
	return folder
}

// names lists the files of a folder.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Each run of a program in a window, and each tenant, finds the folder as it was, and leaves it so: where the
// operating system can cover a folder by another, and where it is copied.
func TestPrivateFilesAreGoneWithTheirRun(t *testing.T) {
	path := compiled(t, "files.cu")[0]
	for _, copied := range []bool{false, true} {
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		if copied {
			defer programs.ForbidOverlays()()
		}
		folder := folderOfFiles(t)
		app, err := programs.App(programs.Spec{Program: path, Dir: folder, Files: programs.PrivateFiles, Device: programs.Emulator}, workload.Target{}, rules)
		require.NoError(t, err)
		w := platform(t, "gtx980", "even", host.Process{App: app, Restart: true}, host.Process{App: app, Restart: true})
		require.NoError(t, w.Run(t.Context(), 20_000, nil), "copied %v", copied)
		for i := range 2 {
			assert.GreaterOrEqual(t, w.Host.Stats(0).Processes[i].Completions, uint64(2))
		}
		assert.Equal(t, []string{"below", "input.txt"}, names(t, folder))
		assert.FileExists(t, filepath.Join(folder, "below", "inner.txt"))
		assert.Empty(t, names(t, temporary))
		if why := programs.Uncoverable(); why != 0 {
			assert.ErrorIs(t, why, os.ErrPermission, "Linux forbids it, and then it is copied")
		}
	}
}

func TestSharedFilesStay(t *testing.T) {
	path, folder := compiled(t, "files.cu")[0], folderOfFiles(t)
	spec := programs.Spec{Program: path, Dir: folder, Files: programs.SharedFiles}
	_, _, _, err := emulate(t, spec)
	require.NoError(t, err)
	assert.Equal(t, []string{"input.txt", "output.txt"}, names(t, folder))
	text, err := os.ReadFile(filepath.Join(folder, "output.txt"))
	require.NoError(t, err)
	assert.Equal(t, folder+"\n", string(text))
	_, _, _, err = emulate(t, spec)
	require.ErrorContains(t, err, "does not hold", "it finds its own changes")
}

func TestFoldersTooLargeToBeCopiedAreRefused(t *testing.T) {
	path, folder := compiled(t, "files.cu")[0], folderOfFiles(t)
	defer programs.ForbidOverlays()()
	large, err := os.Create(filepath.Join(folder, "large"))
	require.NoError(t, err)
	require.NoError(t, large.Truncate(1<<30))
	require.NoError(t, large.Close())
	t.Setenv("TMPDIR", t.TempDir())
	_, err = programs.Emulate(t.Context(), programs.Spec{Program: path, Dir: folder, Files: programs.PrivateFiles, Device: programs.Emulator}, &bytes.Buffer{})
	require.ErrorContains(t, err, "cannot be copied for it: it holds more than 20000 files or 256 MiB; valid: files=shared, or a smaller folder")
	assert.Empty(t, names(t, os.TempDir()))
}

// The first run that makes other calls than the one before it is told, or is an error.
func TestRunsThatDifferAreTold(t *testing.T) {
	path := compiled(t, "files.cu")[0]
	run := func(strict bool, args ...string) (told []string, err error) {
		app, err := programs.App(programs.Spec{Program: path, Args: args, Dir: folderOfFiles(t), Files: programs.PrivateFiles, Strict: strict,
			Device: programs.Emulator}, workload.Target{}, rules)
		require.NoError(t, err)
		app.Tell = func(text string) { told = append(told, text) }
		err = platform(t, "gtx980", "fcfs", host.Process{App: app, Restart: true}).Run(t.Context(), 20_000, nil)
		return told, err
	}
	const differs = ": a run makes other calls of CUDA than the first: call 5, LAUNCH, has other arguments than in the first run"
	told, err := run(false, "first\n", "varies")
	require.NoError(t, err)
	require.Equal(t, []string{path + differs + "; --strict makes this an error"}, told, "once")
	for _, strict := range []bool{false, true} {
		told, err = run(strict, "first\n")
		require.NoError(t, err, "only what it prints differs")
		require.Empty(t, told)
	}
	_, err = run(true, "first\n", "varies")
	require.ErrorContains(t, err, differs)
}
