package spool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Output runs a command of a queue and returns its standard output. Neither the terminal's
// Ctrl-C nor the end of ctx stops the command: a submission must not be lost half way. It
// does not see environment variables that begin with a prefix in without. An error is the
// command's complaint.
func Output(ctx context.Context, without []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	Detach(c)
	for _, variable := range os.Environ() {
		keep := true
		for _, prefix := range without {
			keep = keep && !strings.HasPrefix(variable, prefix)
		}
		if keep {
			c.Env = append(c.Env, variable)
		}
	}
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			text = strings.ReplaceAll(text, "\n"+name+": ", "; ") // it names itself in each line
			return "", fmt.Errorf("%s: %s", name, strings.TrimPrefix(text, name+": "))
		}
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return stdout.String(), nil
}

// Quote writes an argument for a shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Command is the shell command line that carries out a task; the index is not quoted.
func (j *Job) Command(index string) string {
	return Quote(j.Program) + " task " + Quote(j.Folder) + " --index " + index
}
