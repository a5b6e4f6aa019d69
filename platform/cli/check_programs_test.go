package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program is looked at however it is named, also without the program; a sweep's run with a fault fails.
func TestCheckFindsFaultsOfProgramsRecordingsAndSweeps(t *testing.T) {
	program, folder := compiledProgram(t, "faults.cu"), t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(path(name), []byte(text), 0o600))
		return path(name)
	}
	plain := write("plain.app.yaml", "program: "+program+"\nargs: [race]\n")
	checked := write("checked.app.yaml", "program: "+program+"\nargs: [race]\ncheck: races\nstrict: true\n")
	got := cotenant(t, "trace", "capture", "--out", path("calls"), program, "race")
	require.Zero(t, got.status, got.stderr)
	const fault = "in kernel _Z11overlappingPi"
	run := func(app string, args ...string) outcome {
		return cotenant(t, append([]string{"run", "--quiet", "--gpu", "gtx980", "--until", "replays=2", "--app", app}, args...)...)
	}
	for _, app := range []string{"cuda:" + program + "?args=race", plain, "capture:" + path("calls")} {
		got := run(app, "--check", "races")
		assert.Zero(t, got.status, app)
		assert.Regexp(t, `(?s)^[^\n]*`+fault+`[^\n]*\n$`, got.stderr, "%s: once for both runs", app)
		got = run(app, "--check", "races", "--strict")
		assert.Equal(t, exitFailure, got.status, app)
		assert.Contains(t, got.stderr, fault, app)
		got = run(app)
		assert.Zero(t, got.status, app)
		assert.Empty(t, got.stderr, app)
	}
	got = run(checked)
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, fault)

	t.Setenv(asProgram, "1")
	sweep := func(lines string) outcome {
		matrix := write("matrix.yaml", "policies: [fcfs]\nmixes: [{apps: ['"+plain+"']}]\ncycles: [done]\n"+lines)
		return cotenant(t, "sweep", matrix, "--store", filepath.Join(t.TempDir(), "s.sqlite"), "--quiet")
	}
	got = sweep("check: uninitialized\n")
	assert.Zero(t, got.status, got.stderr)
	got = sweep("check: races\n")
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, fault)
	for lines, want := range map[string]string{
		"check: all\n":    `check is wrong: "all" is no check; valid: uninitialized, races, or both joined by a comma`,
		"outside: ones\n": `outside is "ones"; valid: error, or zero for reads up to 1 MiB away from an array`,
	} {
		got := sweep(lines)
		assert.Equal(t, exitFailure, got.status)
		assert.Contains(t, got.stderr, want)
	}
	write("wrong.app.yaml", "program: "+program+"\noutside: ones\n")
	got = run(path("wrong.app.yaml"))
	assert.Contains(t, got.stderr, `wrong.app.yaml:2: outside is "ones"; valid: error, or zero`)
}

// Reads next to arrays give zeroes where that is asked for; writes never go there.
func TestOutsideOfArraysIsZeroIfAsked(t *testing.T) {
	program := compiledProgram(t, "near.cu")
	const fault = "4 bytes in front of the array of cudaMalloc call 1 (128 bytes at 0x10000000), which argument 1 points to"
	for _, gpu := range []string{"none", "gtx980"} {
		got := cotenant(t, "exec", "--gpu", gpu, program)
		assert.Equal(t, 1, got.status)
		got = cotenant(t, "exec", "--gpu", gpu, "--outside", "zero", program)
		assert.Zero(t, got.status, got.stderr)
		got = cotenant(t, "exec", "--gpu", gpu, "--outside", "zero", "--check", "uninitialized,races", program)
		assert.Zero(t, got.status, got.stderr)
		got = cotenant(t, "exec", "--gpu", gpu, "--outside", "zero", program, "write")
		assert.Equal(t, 1, got.status)
	}
	app := filepath.Join(t.TempDir(), "near.app.yaml")
	require.NoError(t, os.WriteFile(app, []byte("program: "+program+"\noutside: zero\n"), 0o600))
	for _, args := range [][]string{{"--app", app}, {"--app", "cuda:" + program, "--outside", "zero"}} {
		got := cotenant(t, append([]string{"run", "--gpu", "gtx980", "--quiet"}, args...)...)
		assert.Zero(t, got.status, got.stderr)
	}
	got := cotenant(t, "run", "--gpu", "gtx980", "--quiet", "--app", "cuda:"+program)
	assert.Contains(t, got.stderr, fault)
}
