package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment/spool"
	"cotenant/experiment/spool/shell"
	"cotenant/experiment/spool/slurm"
)

// executorFlags choose the executor of a sweep's runs.
type executorFlags struct {
	executor    executorValue
	spool       outputFlag
	runsPerTask uint64
	retries     uint64
	collect     bool
	slurm       slurm.Queue
}

// maxRetries bounds --retries.
const maxRetries = 100

// defaultRetries is the default of --retries.
const defaultRetries = 2

// bind makes the flags.
func (f *executorFlags) bind(c *cobra.Command) {
	f.executor, f.retries = executorValue{kind: "local"}, defaultRetries
	flags := c.Flags()
	flags.Var(&f.executor, "executor", "where runs are made. local: this machine; slurm: Slurm's job arrays; command:LINE: a shell line for each task, in which "+shell.Help)
	bindOutput(c, &f.spool, keptFolder, "spool", "`FOLDER` of tasks and results of another executor, which all machines can reach; by default the store's path with .spool")
	bindCount(c, &f.runsPerTask, "runs-per-task", 1, maxParallel, "runs that a task of another executor makes one after the other; by default as many as take about two minutes")
	bindCount(c, &f.retries, "retries", 0, maxRetries, "how often another executor repeats a run that failed, timed out or vanished")
	flags.BoolVar(&f.collect, "collect", false, "store the results that another executor has made so far, without waiting for the rest")
	for _, w := range f.words() {
		flags.StringVar(w.value, w.name, "", w.usage)
	}
	flags.StringArrayVar(&f.slurm.Options, "slurm-option", nil, "further `OPTION` of sbatch, such as --slurm-option=--qos=long; may be repeated")
}

// word is a flag of Slurm that takes a word.
type word struct {
	value       *string
	name, usage string
}

func (f *executorFlags) words() []word {
	return []word{
		{&f.slurm.Partition, "slurm-partition", "`PARTITION` to submit to"},
		{&f.slurm.Account, "slurm-account", "`ACCOUNT` to charge"},
		{&f.slurm.Time, "slurm-time", "limit `TIME` of a task, as sbatch --time takes it, such as 30 or 2:00:00"},
		{&f.slurm.Memory, "slurm-memory", "`MEMORY` of a task, as sbatch --mem takes it, such as 2G"},
	}
}

// ownOption matches the options of sbatch by which the program recognises its tasks.
var ownOption = regexp.MustCompile(`^(--(array|dependency|job-name|open-mode|output)\b|-[adJo])`)

// check finds flags that mean nothing together.
func (f *executorFlags) check(c *cobra.Command) error {
	for _, name := range []string{"spool", "runs-per-task", "retries", "collect"} {
		if f.executor.kind == "local" && c.Flags().Changed(name) {
			return usagef("--%s is for runs on other executors, and --executor is local; valid: with --executor slurm or command:LINE", name)
		}
	}
	for _, w := range append(f.words(), word{nil, "slurm-option", ""}) {
		if f.executor.kind != "slurm" && c.Flags().Changed(w.name) {
			return usagef("--%s is for Slurm; valid: with --executor slurm", w.name)
		}
		if w.value != nil && strings.ContainsAny(*w.value, " \t\r\n") {
			return usagef("--%s is %q; valid: a word in one line", w.name, *w.value)
		}
	}
	for _, text := range f.slurm.Options {
		switch {
		case strings.ContainsAny(text, "\r\n"):
			return usagef("--slurm-option is %q; valid: a word in one line", text)
		case !strings.HasPrefix(text, "-"):
			return usagef("--slurm-option is %q; valid: an option of sbatch, such as --slurm-option=--qos=long", text)
		case ownOption.MatchString(text):
			return usagef("--slurm-option is %q, which the program itself gives sbatch; valid: any option but --array, --dependency, --job-name, --open-mode and --output", text)
		}
	}
	return nil
}

// spooled is the executor elsewhere; nil for local.
func (b *batch) spooled(stderr io.Writer, shown *progress) *spool.Executor {
	e := &spool.Executor{Spool: b.spool.path, Store: b.store.path, Program: b.program, Hash: b.hash, Flags: b.runFlags(),
		RunsPerTask: int(b.runsPerTask), Retries: int(b.retries), Collect: b.collect,
		Tell: func(text string) {
			shown.clear()
			warn(stderr, text)
		}}
	switch b.executor.kind {
	case "slurm":
		queue := b.slurm
		queue.Parallel = int(b.parallel)
		e.Queue = &queue
	case "command":
		e.Queue = &shell.Queue{Line: b.executor.line, Parallel: int(b.parallel)}
	default:
		return nil
	}
	return e
}

// executorValue is the value of --executor.
type executorValue struct{ kind, line string }

// Type is what the help shows as the value.
func (*executorValue) Type() string { return "local|slurm|command:LINE" }

// String is the value.
func (v *executorValue) String() string {
	if v.kind == "command" {
		return v.kind + ":" + v.line
	}
	return v.kind
}

// Set reads the value.
func (v *executorValue) Set(text string) error {
	if line, is := strings.CutPrefix(text, "command:"); is {
		*v = executorValue{"command", line}
		return shell.Check(line)
	}
	if text != "local" && text != "slurm" {
		return fmt.Errorf("valid: local, slurm, command:LINE")
	}
	*v = executorValue{kind: text}
	return nil
}
