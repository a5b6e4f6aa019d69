package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/spool"
)

// commands has Slurm's commands be scripts.
func commands(t *testing.T, scripts map[string]string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range scripts {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text), 0o700))
	}
	t.Setenv("PATH", folder+":/usr/bin:/bin")
}

func TestStatesOfWhatSqueueHasForgottenAreThoseOfSacct(t *testing.T) {
	commands(t, map[string]string{
		"squeue": "echo \"$SQUEUE_STATES$*\" >&2; printf '7_0|RUNNING\\n7_1|PENDING\\n7_2|TIMEOUT\\n7_[5-9]|PENDING\\n7_3|COMPLETING\\n'",
		"sacct":  "printf '7_0|PENDING\\n7_4|CANCELLED by 0\\n7_5|COMPLETED\\n'",
	})
	t.Setenv("SQUEUE_STATES", "running")
	q := &Queue{}
	states, err := q.States(t.Context(), []*spool.Job{{ID: "7", Tasks: 10}})
	require.NoError(t, err)
	assert.Equal(t, map[spool.TaskID]spool.State{
		{Job: "7", Index: 0}: {Running: true}, {Job: "7", Index: 1}: {}, {Job: "7", Index: 3}: {Running: true},
		{Job: "7", Index: 2}: {Ended: true, Reason: "TIMEOUT"}, {Job: "7", Index: 4}: {Ended: true, Reason: "CANCELLED", Cancelled: true},
		{Job: "7", Index: 5}: {Ended: true, Reason: "COMPLETED"}}, states)
}

func TestSqueueThatDoesNotKnowAJobIsNoFault(t *testing.T) {
	commands(t, map[string]string{"squeue": "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", "sacct": "exit 1"})
	q := &Queue{}
	states, err := q.States(t.Context(), []*spool.Job{{ID: "7", Tasks: 1}})
	require.NoError(t, err)
	assert.Empty(t, states)
	commands(t, map[string]string{"squeue": "echo 'Unable to contact slurm controller' >&2; exit 1"})
	_, err = q.States(t.Context(), []*spool.Job{{ID: "7", Tasks: 1}})
	assert.EqualError(t, err, "squeue: Unable to contact slurm controller")
}

func TestJobIsSubmittedByItsScript(t *testing.T) {
	folder := filepath.Join(t.TempDir(), `a "b" 100%`)
	require.NoError(t, os.Mkdir(folder, 0o700))
	commands(t, map[string]string{"sbatch": `test "$1" = --parsable && cat "$2" >"` + t.TempDir() + `/script" && echo '12;cluster'`,
		"scontrol": "echo 'MaxArraySize            = 1001'"})
	q := &Queue{}
	id, err := q.Submit(t.Context(), &spool.Job{Name: "n", Folder: folder, Tasks: 2, Program: "/p'q", After: []string{"3", "4"}})
	require.NoError(t, err)
	assert.Equal(t, "12", id)
	script, err := os.ReadFile(filepath.Join(folder, "job.sh"))
	require.NoError(t, err)
	assert.Contains(t, string(script), "\n#SBATCH --dependency=afterany:3:4\n")
	assert.Contains(t, string(script), `a \"b\" 100%%/%a.log"`)
	assert.Contains(t, string(script), `exec '/p'\''q' task '`+folder+`' --index "$SLURM_ARRAY_TASK_ID"`)
	limit, err := q.Limit(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1001, limit)
	commands(t, map[string]string{"sbatch": "echo 'sbatch: error: invalid partition' >&2; exit 1"})
	_, err = q.Submit(t.Context(), &spool.Job{Name: "n", Folder: folder, Tasks: 2})
	assert.EqualError(t, err, "sbatch: error: invalid partition")
}

func TestMachineWithoutSlurmIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := (&Queue{}).Limit(t.Context())
	assert.EqualError(t, err, "there is no scontrol on this machine; valid: a machine from which jobs can be submitted to Slurm")
}

func TestMachineOfNoClusterIsSaidToBeNone(t *testing.T) {
	commands(t, map[string]string{"scontrol": "printf 'scontrol: error: DNS SRV lookup failed\nscontrol: fatal: no configuration\n' >&2; exit 1"})
	_, err := (&Queue{}).Limit(t.Context())
	assert.EqualError(t, err, "scontrol: error: DNS SRV lookup failed; fatal: no configuration; valid: a machine from which jobs can be submitted to Slurm")
}

func TestJobIsFoundByItsName(t *testing.T) {
	commands(t, map[string]string{"squeue": `case "$*" in *--name=mine*) printf '9\n9\n';; esac`, "sacct": `case "$*" in *--name=old*) printf '5_0\n5_1\n';; esac`})
	for name, want := range map[string]string{"mine": "9", "old": "5", "none": ""} {
		id, err := (&Queue{}).Find(t.Context(), &spool.Job{Name: name})
		require.NoError(t, err)
		assert.Equal(t, want, strings.TrimSpace(id))
	}
}

// The words are from squeue's manual. A task that Slurm begins anew, REQUEUED meanwhile,
// has not ended.
func TestStatesOfSlurm(t *testing.T) {
	waits, runs := spool.State{}, spool.State{Running: true}
	ended := func(reason string) spool.State { return spool.State{Ended: true, Reason: reason} }
	for word, want := range map[string]spool.State{
		"PENDING": waits, "CONFIGURING": waits, "REQUEUED": waits, "REQUEUE_FED": waits, "REQUEUE_HOLD": waits, "RESV_DEL_HOLD": waits,
		"SPECIAL_EXIT": waits, "SUSPENDED": waits, "STOPPED": waits,
		"RUNNING": runs, "COMPLETING": runs, "RESIZING": runs, "SIGNALING": runs, "STAGE_OUT": runs,
		"COMPLETED": ended("COMPLETED"), "FAILED": ended("FAILED"), "TIMEOUT": ended("TIMEOUT"), "NODE_FAIL": ended("NODE_FAIL"),
		"OUT_OF_MEMORY": ended("OUT_OF_MEMORY"), "PREEMPTED": ended("PREEMPTED"), "BOOT_FAIL": ended("BOOT_FAIL"), "DEADLINE": ended("DEADLINE"),
		"CANCELLED":         {Ended: true, Reason: "CANCELLED", Cancelled: true},
		"CANCELLED by 1000": {Ended: true, Reason: "CANCELLED", Cancelled: true},
	} {
		commands(t, map[string]string{"squeue": "echo '7_0|" + word + "'"})
		states, err := (&Queue{unaccountable: true}).States(t.Context(), []*spool.Job{{ID: "7", Tasks: 1}})
		require.NoError(t, err)
		assert.Equal(t, map[spool.TaskID]spool.State{{Job: "7", Index: 0}: want}, states, word)
	}
}
