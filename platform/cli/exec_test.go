package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program's exit status and arguments are its own.
func TestExecEndsAsItsProgramDoes(t *testing.T) {
	program := compiledProgram(t, "sgemm.cu")
	got := cotenant(t, "exec", "--count", program, "32")
	assert.Equal(t, 0, got.status)
	assert.Contains(t, got.stderr, "cotenant: 1 launch, 4480 warp instructions, ")
	assert.Equal(t, outcome{1, "", ""}, cotenant(t, "exec", program, "--quiet"), "the option is the program's, which takes it for a size")
	assert.Equal(t, outcome{1, "", ""}, cotenant(t, "exec", "--gpu", "gtx980", program, "17"))
	got = cotenant(t, "exec", "--gpu", "gtx980", program, "32")
	assert.Equal(t, 0, got.status)
	assert.Contains(t, got.stdout, "│ fcfs   │ cuda:")
}

// Without a slash a name is that of a file here or, if there is none, of a program in PATH.
func TestExecLooksUpNames(t *testing.T) {
	program := compiledProgram(t, "sgemm.cu")
	name := filepath.Base(program)
	t.Setenv("PATH", filepath.Dir(program)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Chdir(t.TempDir())
	assert.Equal(t, 0, cotenant(t, "exec", name, "32").status)
	require.NoError(t, os.WriteFile(name, []byte("here"), 0o644))
	got := cotenant(t, "exec", name, "32")
	assert.NotEqual(t, 0, got.status)
	assert.Contains(t, got.stderr, name)
}

func TestFaultyProgramCommands(t *testing.T) {
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"exec"}, "exec needs a program; valid: cotenant exec [flags] PROGRAM [ARGUMENTS]"},
		{[]string{"exec", "nosuch"}, "nosuch: no such file or directory"},
		{[]string{"exec", "--gpu", "gtx980", "--count", "a"}, "--count is for --gpu none; valid: one of --count and --gpu gtx980, the result of which counts"},
		{[]string{"exec", "--json", "a.json", "a"}, "--json is for a run on a GPU; valid: --gpu NAME with it"},
		{[]string{"exec", "--host-timeout", "0s", "a"}, `invalid argument "0s" for "--host-timeout" flag: "0s" is no time; valid: more than 0, such as 90s or 5m`},
		{[]string{"cc"}, "cc: no input file; valid: cotenant cc [OPTIONS] FILES -o PROGRAM"},
		{[]string{"trace", "capture", "a"}, "--out is needed; valid: --out DIR"},
		{[]string{"trace", "capture"}, "capture needs a program; valid: cotenant trace capture --out DIR PROGRAM [ARGUMENTS]"},
	} {
		assert.Equal(t, outcome{exitUsage, "", "cotenant: " + c.message + "\n"}, cotenant(t, c.args...), "%v", c.args)
	}
}

// Faults end exec with status 1; run tells them as warnings.
func TestChecksOnTheCommandLine(t *testing.T) {
	program := compiledProgram(t, "faults.cu")
	for _, gpu := range []string{"none", "gtx980"} {
		got := cotenant(t, "exec", "--gpu", gpu, "--check", "races,uninitialized", program, "race")
		assert.Equal(t, exitFailure, got.status)
		assert.Contains(t, got.stderr, "faults.cu.ptx:")
		assert.Contains(t, got.stderr, "cotenant: --check has found 1 fault\n")
		assert.Equal(t, 0, cotenant(t, "exec", "--gpu", gpu, "--check", "races,uninitialized", program).status)
	}
	got := cotenant(t, "run", "--app", "cuda:"+program+"?args=uninitialized", "--until", "done", "--check", "uninitialized")
	assert.Equal(t, 0, got.status)
	assert.Contains(t, got.stderr, "cotenant: warning: faults.cu.ptx:")
	got = cotenant(t, "exec", "--check", "leaks", program)
	assert.Equal(t, outcome{exitUsage, "", "cotenant: invalid argument \"leaks\" for \"--check\" flag: \"leaks\" is no check; valid: uninitialized, races, or both joined by a comma\n"}, got)
}

// A program that prints the time of day, and two tenants that write the same files: the same bytes each time.
func TestSameCommandSameBytesWithPrograms(t *testing.T) {
	program := compiledProgram(t, "files.cu")
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "below"), 0o755))
	for name, text := range map[string]string{"below/inner.txt": "", "input.txt": "first\n", "files.app.yaml": "program: " + program + "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	app := filepath.Join(folder, "files.app.yaml")
	args := []string{"run", "--app", app, "--app", app, "--policy", "even", "--cycles", "20k", "--json", "-", "--strict"}
	first := cotenant(t, args...)
	require.Equal(t, 0, first.status, first.stderr)
	assert.Equal(t, withoutWallTimes(first.stdout), withoutWallTimes(cotenant(t, args...).stdout))
}

// A sweep takes application files, and makes a run again when a file that the program reads has changed.
func TestApplicationFilesInSweeps(t *testing.T) {
	t.Setenv(asProgram, "1")
	program := compiledProgram(t, "sgemm.cu")
	folder := filepath.Dir(program)
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	app := write("small.app.yaml", "program: sgemm\nargs: 32\nreads: [input.txt]\n")
	input := write("input.txt", "1")
	matrix := write("m.yaml", "policies: [fcfs, even]\nmixes: [{apps: ['"+app+"', '"+app+"?priority=1']}]\ncycles: [done]\n")
	got := sweepTo(t, matrix, "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "3 runs: 0 stored, 3 made in ")
	assert.Contains(t, sweepTo(t, matrix, "--quiet").stderr, "3 runs: 3 stored, 0 made in ")
	require.NoError(t, os.WriteFile(input, []byte("2"), 0o600))
	assert.Contains(t, sweepTo(t, matrix, "--quiet").stderr, "3 runs: 0 stored, 3 made in ")
}
