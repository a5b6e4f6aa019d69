package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countingPTX adds 1 to a byte of each thread.
const countingPTX = `.version 7.8
.target sm_70
.address_size 64
.visible .entry count(.param .u64 data)
{
	.reg .b32 %r<3>;
	.reg .b64 %x<3>;
	ld.param.u64 %x1, [data];
	mov.u32 %r1, %tid.x;
	cvt.u64.u32 %x2, %r1;
	add.u64 %x1, %x1, %x2;
	ld.global.u8 %r2, [%x1];
	add.u32 %r2, %r2, 1;
	st.global.u8 [%x1], %r2;
	ret;
}
`

// counting writes an application that counts twice from 64, with a step before,
// between and after, and returns its folder and what --app takes.
func counting(t *testing.T, before, between, after string) (folder, app string) {
	t.Helper()
	folder = t.TempDir()
	text := `name: count/er
ptx: count.ptx
arrays: [{name: data, type: u8, length: 4, fill: 64}]
kernels: [{name: count, block: [4]}]
steps:
`
	for _, step := range []string{before, "launch: {kernel: count, grid: [1], args: [data]}", between, "launch: {kernel: count, grid: [1], args: [data]}", after} {
		if step != "" {
			text += "  - " + step + "\n"
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "count.yaml"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "count.ptx"), []byte(countingPTX), 0o600))
	return folder, "ptx:" + filepath.Join(folder, "count.yaml")
}

// holds asserts what a file of a folder holds, "" that there is none.
func holds(t *testing.T, want, folder, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if want == "" {
		require.ErrorIs(t, err, os.ErrNotExist, name)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, want, string(text), name)
}

func TestARunThatIsAsExpectedSaysSo(t *testing.T) {
	_, app := counting(t, "expect: {array: data, fill: 64}", "", "expect: {array: data, fill: 66}")
	got := cotenant(t, "run", "--app", app)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Empty(t, got.stderr)
	assert.Contains(t, got.stdout, "\nfcfs, "+app+": 2 of 2 expects passed\n")
}

// A replay computes nothing: what it cannot know must not be called as expected.
func TestARunThatIsNotAsExpectedFailsWithItsResultsWrittenAndSoDoesTheNext(t *testing.T) {
	folder, app := counting(t, "", "expect: {array: data, fill: 65}", "expect: {array: data, values: [66, 66, 67, 67]}")
	cache := filepath.Join(t.TempDir(), "cache")
	for range 2 {
		json := filepath.Join(t.TempDir(), "run.json")
		got := cotenant(t, "run", "--app", app, "--json", json, "--cache", cache)
		assert.Equal(t, 1, got.status)
		failure := filepath.Join(folder, "count.yaml") + ":9: steps[3].expect failed: data[2] is 66, expected 67; 2 of 4 elements differ"
		assert.Equal(t, "cotenant: "+failure+"\n", got.stderr)
		text, err := os.ReadFile(json)
		require.NoError(t, err)
		e := result(t, string(text)).Kernels[0].Expects
		assert.Equal(t, []any{2, uint64(2), uint64(1), uint64(1), []string{failure}}, []any{e.Steps, e.Checked, e.Passed, e.Failed, e.Failures})
	}
}

func TestExpectsOfEveryRunInAWindowAreCounted(t *testing.T) {
	folder, app := counting(t, "", "", "expect: {array: data, fill: 67}")
	got := cotenant(t, "run", "--app", app, "--until", "replays=3", "--json", "-")
	assert.Equal(t, 1, got.status)
	assert.Equal(t, "cotenant: "+filepath.Join(folder, "count.yaml")+":8: steps[2].expect failed: data[0] is 66, expected 67; 4 of 4 elements differ; 3 of 3 expects failed\n", got.stderr)
	assert.Len(t, result(t, got.stdout).Kernels[0].Expects.Failures, 1)
}

func TestStepsThatARunEndsBeforeAreNamed(t *testing.T) {
	folder, app := counting(t, "expect: {array: data, fill: 64}", "expect: {array: data, fill: 65}", "dump: {array: data, file: data.raw}")
	got := cotenant(t, "run", "--app", app, "--cycles", "20", "--json", "-")
	require.Equal(t, 0, got.status)
	assert.Contains(t, cotenant(t, "run", "--app", app, "--cycles", "20").stdout, "1 of 1 expects passed, 1 of 2 steps not reached\n")
	at := filepath.Join(folder, "count.yaml") + ":8: steps[2].expect"
	assert.Equal(t, "not reached before the end of the run: "+at+"; "+strings.Replace(at, "8: steps[2].expect", "10: steps[4].dump", 1)+"\n", got.stderr)
	e := result(t, got.stdout).Kernels[0].Expects
	assert.Equal(t, []any{2, uint64(1), uint64(1), []string{at}}, []any{e.Steps, e.Checked, e.Passed, e.Unreached})
	holds(t, "", folder, "data.raw")
}

func TestADumpIsWrittenOnceWhateverElseRuns(t *testing.T) {
	folder, app := counting(t, "", "dump: {array: data, file: data.raw}", "")
	profile := "profile:" + file(t, "small.yaml", smallApp)
	got := cotenant(t, "run", "--app", app, "--app", profile, "--until", "replays=2", "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Empty(t, got.stderr)
	assert.Nil(t, result(t, got.stdout).Kernels[0].Expects)
	holds(t, "AAAA", folder, "data.raw")
	require.NoError(t, os.Remove(filepath.Join(folder, "data.raw")))
	got = cotenant(t, "run", "--app", app, "--no-dumps")
	require.Equal(t, 0, got.status, got.stderr)
	holds(t, "", folder, "data.raw")
}

func TestTenantsThatDumpToOneFileAreToldApart(t *testing.T) {
	folder, app := counting(t, "", "", "dump: {array: data, file: data.raw}")
	got := cotenant(t, "run", "--app", app, "--app", app)
	assert.Equal(t, 1, got.status)
	assert.Equal(t, "cotenant: "+filepath.Join(folder, "count.yaml")+":8: steps[2].dump writes "+filepath.Join(folder, "data.raw")+
		", as tenant 0 does; valid: a file for each, such as out-{tenant}.raw\n", got.stderr)

	folder, app = counting(t, "", "", "dump: {array: data, file: 'data-{tenant}.raw'}")
	got = cotenant(t, "run", "--app", app, "--app", app)
	require.Equal(t, 0, got.status, got.stderr)
	holds(t, "BBBB", folder, "data-0.raw")
	holds(t, "BBBB", folder, "data-1.raw")
}

func TestADumpThatCannotBeWrittenIsFoundBeforeTheRun(t *testing.T) {
	for _, c := range []struct {
		name, message string
		status        int
	}{
		{"no/data.raw", "no/data.raw cannot be written: no such file or directory; give the path of a file in a folder that can be written to", 1},
		{"run.json", " both write to ", 1},
	} {
		folder, app := counting(t, "", "", "dump: {array: data, file: "+c.name+"}")
		got := cotenant(t, "run", "--app", app, "--json", filepath.Join(folder, "run.json"))
		assert.Equal(t, c.status, got.status)
		assert.Contains(t, got.stderr, ":8: steps[2].dump")
		assert.Contains(t, got.stderr, c.message)
		holds(t, "", folder, "run.json")
	}
}

func TestADumpInARepetitionNeedsANameForEachTurn(t *testing.T) {
	folder, app := counting(t, "", "repeat: {times: 2, index: turn, steps: [{dump: {array: data, file: 'data-{turn * 0}.raw'}}]}", "")
	got := cotenant(t, "run", "--app", app)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "count.yaml:7: steps[1].repeat.steps[0].dump writes "+filepath.Join(folder, "data-0.raw")+
		" a second time; valid: a file for each time, such as out-{turn}.raw with a number called turn\n")
	holds(t, "", folder, "data-0.raw")
}

func TestArraysAtTheEndOfARunReadBack(t *testing.T) {
	_, app := counting(t, "", "", "")
	arrays := filepath.Join(t.TempDir(), "arrays")
	got := cotenant(t, "run", "--app", app, "--app", "profile:"+file(t, "small.yaml", smallApp), "--app", app, "--until", "replays=2", "--dump-arrays", arrays)
	require.Equal(t, 0, got.status, got.stderr)
	for _, tenant := range []string{"0-count_er", "2-count_er"} {
		holds(t, "BBBB", arrays, tenant+"/data.raw")
		holds(t, "arrays:\n  - {name: data, type: u8, length: 4, file: data.raw}\n", arrays, tenant+"/arrays.yaml")
	}
	entries, err := os.ReadDir(arrays)
	require.NoError(t, err)
	assert.Len(t, entries, 2)

	for _, c := range []struct {
		app, folder string
		status      int
		message     string
	}{
		{app, arrays, 1, "--dump-arrays: " + arrays + " is not empty; give the path of a new or an empty folder"},
		{"profile:sgemm", arrays + "2", 2, "--dump-arrays: no application has arrays; valid: with an application of real kernels, NAME or ptx:FILE.yaml"},
	} {
		got := cotenant(t, "run", "--app", c.app, "--dump-arrays", c.folder)
		assert.Equal(t, c.status, got.status)
		assert.Equal(t, "cotenant: "+c.message+"\n", got.stderr)
	}
}

// A run that is cut off in the middle of an application has its arrays too.
func TestArraysOfARunUnderWayAreThoseOfTheMoment(t *testing.T) {
	_, app := counting(t, "", "", "")
	arrays := filepath.Join(t.TempDir(), "arrays")
	got := cotenant(t, "run", "--app", app, "--cycles", "20", "--dump-arrays", arrays)
	require.Equal(t, 0, got.status, got.stderr)
	holds(t, "@@@@", arrays, "0-count_er/data.raw")
}

func TestRunsOfASweepWriteNoDumpsAndFailIfNotAsExpected(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder, app := counting(t, "", "dump: {array: data, file: data.raw}", "expect: {array: data, fill: 66}")
	matrix := filepath.Join(folder, "m.yaml")
	require.NoError(t, os.WriteFile(matrix, []byte("policies: [fcfs, even]\nmixes:\n  - apps: ['"+app+"', '"+app+"']\ncycles: [done]\n"), 0o600))
	sweep := func() outcome {
		return cotenant(t, "sweep", matrix, "--store", filepath.Join(folder, "store"), "--quiet")
	}
	got := sweep()
	require.Equal(t, 0, got.status, got.stderr)
	holds(t, "", folder, "data.raw")

	text, err := os.ReadFile(filepath.Join(folder, "count.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "count.yaml"), []byte(strings.Replace(string(text), "fill: 66", "fill: 67", 1)), 0o600))
	got = sweep()
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "count.yaml:9: steps[3].expect failed: data[0] is 66, expected 67; 4 of 4 elements differ")
}
