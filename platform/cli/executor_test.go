package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlagsOfExecutorsAreRefusedWhereTheyMeanNothing(t *testing.T) {
	matrix := sweepFiles(t)
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"--executor", "pbs"}, `invalid argument "pbs" for "--executor" flag: valid: local, slurm, command:LINE`},
		{[]string{"--executor", "command:echo"}, `invalid argument "command:echo" for "--executor" flag: the line "echo" carries out no task; valid: one with {task}, or {quoted}`},
		{[]string{"--executor", "command:ssh {node} ${HOME} {task}"}, `invalid argument "command:ssh {node} ${HOME} {task}" for "--executor" flag: the line "ssh {node} ${HOME} {task}" has {node}, which stands for nothing; valid: {task}, {quoted}, {slot}, {index}, {name}, {program}, {folder}`},
		{[]string{"--executor", "command:${node} {job} $x{task}"}, `invalid argument "command:${node} {job} $x{task}" for "--executor" flag: the line "${node} {job} $x{task}" has {job}, which stands for nothing`},
		{[]string{"--collect"}, "--collect is for runs on other executors, and --executor is local; valid: with --executor slurm or command:LINE"},
		{[]string{"--slurm-time", "30"}, "--slurm-time is for Slurm; valid: with --executor slurm"},
		{[]string{"--executor", "slurm", "--slurm-time", "1 2"}, `--slurm-time is "1 2"; valid: a word in one line`},
		{[]string{"--executor", "slurm", "--slurm-option", "qos"}, `--slurm-option is "qos"; valid: an option of sbatch, such as --slurm-option=--qos=long`},
		{[]string{"--executor", "slurm", "--slurm-option=--array=0-3"}, `--slurm-option is "--array=0-3", which the program itself gives sbatch; valid: any option but --array, --dependency, --job-name, --open-mode and --output`},
		{[]string{"--executor", "slurm", "--slurm-option=-d 7"}, `--slurm-option is "-d 7", which the program itself gives sbatch; `},
		{[]string{"--executor", "slurm", "--slurm-option=-oFILE"}, `--slurm-option is "-oFILE", which the program itself gives sbatch; `},
		{[]string{"--executor", "slurm", "--retries", "101"}, `invalid argument "101" for "--retries" flag: must be a whole number from 0 to 100`},
		{[]string{"--executor", "slurm", "--spool", filepath.Dir(matrix), "--csv", matrix + ".csv"}, "--"},
	} {
		got := cotenant(t, append([]string{"sweep", matrix, "--store", matrix + ".sqlite"}, c.args...)...)
		assert.Equal(t, exitUsage, got.status, "%v", c.args)
		assert.True(t, strings.HasPrefix(got.stderr, "cotenant: "+c.message), got.stderr)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
	assert.NoFileExists(t, matrix+".sqlite")
}

func TestDryRunShowsWhatAnotherExecutorWouldGet(t *testing.T) {
	matrix := sweepFiles(t)
	t.Setenv("PATH", "/nowhere") // no Slurm need be there
	got := sweepTo(t, matrix, "--dry-run", "--executor", "slurm", "--slurm-partition", "long", "--slurm-account", "me", "--slurm-time", "30",
		"--slurm-memory", "2G", "--slurm-option=--qos=x", "--slurm-option=--constraint=\"a|b\"", "--runs-per-task", "4", "--parallel", "7")
	require.Equal(t, 0, got.status, got.stderr)
	_, scripts, _ := strings.Cut(got.stdout, "\n30 runs, 0 stored in "+matrix+".sqlite\n\n")
	parts := strings.SplitAfter(scripts, "\n\n")
	require.Len(t, parts, 2)
	assert.Regexp(t, `^cotenant-[0-9a-f]{8}-0: 6 runs in 2 tasks
#!/bin/sh
#SBATCH --job-name=cotenant-[0-9a-f]{8}-0
#SBATCH --array=0-1%7
#SBATCH --output="\S+/m.yaml.sqlite.spool/sweeps/[0-9a-f]{16}/cotenant-[0-9a-f]{8}-0/%a.log"
#SBATCH --open-mode=append
#SBATCH --partition=long
#SBATCH --account=me
#SBATCH --time=30
#SBATCH --mem=2G
#SBATCH --qos=x
#SBATCH --constraint="a\|b"
exec '\S+/m.yaml.sqlite.spool/program-[0-9a-f]{16}' task '\S+/cotenant-[0-9a-f]{8}-0' --index "\$SLURM_ARRAY_TASK_ID"
`, parts[0])
	assert.Contains(t, parts[1], "-1: 24 runs in 6 tasks\n")
	assert.Contains(t, parts[1], "\n#SBATCH --dependency=afterany:ID-OF-cotenant-")
	got = sweepTo(t, matrix, "--dry-run", "--executor", "command:ssh node{slot} {quoted} # {name}", "--runs-per-task", "15", "--parallel", "2")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Regexp(t, `\nssh node0 ''\\''/\S+/program-[0-9a-f]{16}'\\'' task '\\''\S+'\\'' --index 0' # cotenant-[0-9a-f]{8}-1-0\nssh node1 `, got.stdout)
	assertFiles(t, filepath.Dir(matrix), "a.yaml", "b.yaml", "c.yaml", "gpu.yaml", "m.yaml")
}

func assertFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.Equal(t, want, names)
}
