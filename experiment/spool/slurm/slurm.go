// Package slurm carries out the tasks of a spool by Slurm. A job is a job array. A job
// depends on the jobs in After by afterany, so mixes begin when the runs alone have ended,
// with or without results.
//
// States come from squeue. squeue forgets a task MinJobAge after its end; then sacct tells,
// where there is accounting. Without accounting such a task has ended, and the spool shows
// its results.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"cotenant/experiment/spool"
	"cotenant/staging"
)

// Queue submits tasks to Slurm. It implements spool.Queue.
type Queue struct {
	// Partition, Account, Time and Memory are what sbatch takes under these names; ""
	// for the cluster's defaults.
	Partition, Account, Time, Memory string
	// Options are further options of sbatch, such as --qos=long.
	Options []string
	// Parallel is the number of tasks of a job that run at a time; 0: as many as Slurm
	// lets.
	Parallel int

	limit         int
	unaccountable bool // sacct knows nothing
}

// filters are the beginnings of variables that change what Slurm's commands answer.
var filters = []string{"SQUEUE_", "SACCT_"}

// Limit implements spool.Queue: indices are below the cluster's MaxArraySize.
func (q *Queue) Limit(ctx context.Context) (int, error) {
	if q.limit > 0 {
		return q.limit, nil
	}
	text, err := output(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, fmt.Errorf("%w; valid: a machine from which jobs can be submitted to Slurm", err)
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
				q.limit = n
				return n, nil
			}
		}
	}
	return 0, errors.New("scontrol show config tells no MaxArraySize above 0; valid: a cluster that takes job arrays")
}

// Submit implements spool.Queue.
func (q *Queue) Submit(ctx context.Context, j *spool.Job) (id string, err error) {
	file := filepath.Join(j.Folder, "job.sh")
	if err := staging.Write(file, []byte(q.script(j)), false); err != nil {
		return "", err
	}
	text, err := output(ctx, "sbatch", "--parsable", file)
	if err != nil {
		return "", err
	}
	id, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the cluster's name
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch answered %q; valid: the number of a job", strings.TrimSpace(text))
	}
	return id, nil
}

// Show implements spool.Queue: it writes the script.
func (q *Queue) Show(w io.Writer, j *spool.Job) error {
	_, err := io.WriteString(w, q.script(j))
	return err
}

// Find implements spool.Queue: jobs have names that no other has.
func (q *Queue) Find(ctx context.Context, j *spool.Job) (string, error) {
	text, err := output(ctx, "squeue", "--noheader", "--states=all", "--name="+j.Name, "--format=%F")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" { // it may be over
		text, err = output(ctx, "sacct", "-X", "-n", "-P", "--starttime=now-7days", "--name="+j.Name, "--format=JobID")
		if err != nil {
			return "", nil
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	id, _, _ := strings.Cut(line, "_")
	return id, nil
}

// States implements spool.Queue.
func (q *Queue) States(ctx context.Context, jobs []*spool.Job) (map[spool.TaskID]spool.State, error) {
	states := map[spool.TaskID]spool.State{}
	var ids []string
	tasks := 0
	for _, j := range jobs {
		ids = append(ids, j.ID)
		tasks += j.Tasks
	}
	list := strings.Join(ids, ",")
	text, err := output(ctx, "squeue", "--noheader", "--array", "--states=all", "--jobs="+list, "--format=%F_%K|%T")
	if err != nil && !strings.Contains(err.Error(), "Invalid job id") { // or all are forgotten
		return nil, err
	}
	parse(text, states)
	if len(states) < tasks && !q.unaccountable {
		more, err := output(ctx, "sacct", "-X", "-n", "-P", "--jobs="+list, "--format=JobID,State")
		q.unaccountable = err != nil
		older := map[spool.TaskID]spool.State{}
		parse(more, older)
		for id, state := range older {
			if _, known := states[id]; !known {
				states[id] = state
			}
		}
	}
	return states, nil
}

// parse reads lines of JOB_INDEX|STATE. It drops sacct's lines of several pending tasks,
// which squeue shows.
func parse(text string, states map[spool.TaskID]spool.State) {
	for line := range strings.Lines(text) {
		task, word, _ := strings.Cut(strings.TrimSpace(line), "|")
		job, index, _ := strings.Cut(task, "_")
		if n, err := strconv.Atoi(index); err == nil {
			states[spool.TaskID{Job: job, Index: n}] = stateOf(word)
		}
	}
}

// stateOf is what a word of squeue or sacct says.
func stateOf(word string) spool.State {
	first, _, _ := strings.Cut(word, " ") // CANCELLED by 0
	switch first {
	case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT", "SUSPENDED", "STOPPED":
		return spool.State{}
	case "RUNNING", "COMPLETING", "RESIZING", "SIGNALING", "STAGE_OUT":
		return spool.State{Running: true}
	}
	return spool.State{Ended: true, Reason: first, Cancelled: first == "CANCELLED"}
}

// GoesOn implements spool.Queue.
func (q *Queue) GoesOn(jobs []*spool.Job) string {
	var ids []string
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	return fmt.Sprintf("Slurm goes on with job %s: the same command waits for it, --collect stores its results so far, and scancel %s ends it",
		strings.Join(ids, ", "), strings.Join(ids, " "))
}

// output runs a command of Slurm.
func output(ctx context.Context, name string, args ...string) (string, error) {
	if _, err := exec.LookPath(name); err != nil {
		return "", fmt.Errorf("there is no %s on this machine", name)
	}
	return spool.Output(ctx, filters, name, args...)
}
