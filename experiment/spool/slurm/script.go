package slurm

import (
	"fmt"
	"path/filepath"
	"strings"

	"cotenant/experiment/spool"
)

// script is the batch script of a job.
func (q *Queue) script(j *spool.Job) string {
	array := fmt.Sprintf("0-%d", j.Tasks-1)
	if q.Parallel > 0 {
		array += fmt.Sprintf("%%%d", q.Parallel)
	}
	lines := []string{"--job-name=" + j.Name, "--array=" + array,
		// A task that is begun twice, as after a node's failure, adds to its log.
		"--output=" + quoted(filepath.Join(strings.ReplaceAll(j.Folder, "%", "%%"), "%a.log")), "--open-mode=append"}
	if len(j.After) > 0 {
		lines = append(lines, "--dependency=afterany:"+strings.Join(j.After, ":"))
	}
	for _, option := range []struct{ name, value string }{{"partition", q.Partition}, {"account", q.Account}, {"time", q.Time}, {"mem", q.Memory}} {
		if option.value != "" {
			lines = append(lines, "--"+option.name+"="+option.value)
		}
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, line := range append(lines, q.Options...) {
		fmt.Fprintf(&b, "#SBATCH %s\n", line)
	}
	fmt.Fprintf(&b, "exec %s\n", j.Command(`"$SLURM_ARRAY_TASK_ID"`))
	return b.String()
}

// quoted is a value as sbatch reads it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
