package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/experiment/fields"
	"cotenant/experiment/spool"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/workload"
)

// sweepFlags are the flags of the sweep command.
type sweepFlags struct {
	batch
	csv        outputFlag
	csvColumns []string
	dryRun     bool
}

func newSweepCommand() *cobra.Command {
	f := &sweepFlags{}
	c := &cobra.Command{
		Use:   "sweep MATRIX.yaml [flags]",
		Short: "Run every combination of GPUs, policies, mixes, windows and seeds",
		Long: "sweep makes the runs of a matrix, several at a time, each in a process of its own. " +
			"Each application alone is measured once.\n\n" +
			"A store keeps each result under everything that determines it: GPU, policy, applications with the contents of their files, window, seed and this build of the program. " +
			"A repeated sweep makes only the missing runs, even after an interruption or a kill. A run that fails is reported, and the sweep goes on.\n\n" +
			"With --executor slurm or command:LINE, tasks elsewhere make the runs. The tasks and this command share a spool, a folder that all machines can reach; only this command writes the store. " +
			"If the command is interrupted or killed, the tasks go on. The same command waits for them again; with --collect it stores the results so far.\n\n" +
			"A matrix is a YAML file:\n\n" + matrixExample + parameterKeys(),
		Example: "  cotenant sweep pairs.yaml --dry-run\n  cotenant sweep pairs.yaml --csv pairs.csv\n" +
			"  cotenant sweep pairs.yaml --csv pairs.csv --executor slurm --slurm-partition long --slurm-time 30 --slurm-memory 2G\n" +
			"  cotenant sweep pairs.yaml --csv pairs.csv --executor slurm --collect\n" +
			"  cotenant sweep pairs.yaml --csv pairs.csv --executor 'command:ssh node{slot} {quoted}' --parallel 8",
		Args: arguments(1, 1, "sweep takes one matrix", "sweep MATRIX.yaml"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().SortFlags = false
	bindOutput(c, &f.csv, wholeOrStandard, "csv", "write the results as CSV to `FILE`, one row for each tenant, or to standard output if it is -")
	c.Flags().StringSliceVar(&f.csvColumns, "csv-columns", nil, "`NAME,...` of the columns of --csv instead of the usual ones, as query takes them: 'ipc,stats.sm.l1_*,total.noc.*'")
	f.bind(c)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "run nothing; list the runs, mark the stored ones, and show the tasks that another executor would get")
	return c
}

// matrixExample shows every key of a matrix but the run's parameters.
const matrixExample = `  gpus: [gtx980, "gtx980?l2.ways=4", my-gpu.yaml]   # default gtx980
  isolated_gpu: gtx980                    # GPU of the runs alone; default each GPU itself
  policies: [fcfs, spart, "even"]         # NAME or NAME:option=value,...
  mixes:
    - apps: [sgemm, lbm, "profile:sad"]   # one mix
    - pairs: [cutcp, mri-q, sgemm, lbm]   # a mix of every two
    - random: {count: 10, size: 3, from: [cutcp, histo, lbm, sad, spmv], seed: 1}
  cycles: [200k, done]                    # windows; done runs each application once
  max_cycles: 50M                         # a run to the end that takes longer fails; default none
  seeds: [1, 2]                           # default 1
  unknown_opcode: error                   # or alu, for traces; default error
  check: uninitialized,races              # a run fails if a CUDA program's kernels have such a fault; default none
  strict: true                            # a run fails if a CUDA program, started again, makes other calls; default false
  outside: error                          # or zero, for reads of CUDA programs next to arrays; default error
`

// parameterKeys shows the keys of the run's parameters.
func parameterKeys() string {
	var lines []string
	for _, x := range experiment.AllParameters() {
		lines = append(lines, fmt.Sprintf("  %-39s # as --%s of run; one value or a list; default %s", x.Name+": "+x.Default(), x.Name, x.Default()))
	}
	return strings.Join(lines, "\n")
}

// run carries out the command. All checks come before the first run.
func (f *sweepFlags) run(c *cobra.Command, file string) error {
	paths, err := f.open(c)
	if err != nil {
		return err
	}
	matrix, err := sweep.Load(file)
	if err != nil {
		return err
	}
	if err := paths.reads("sweep", file); err != nil {
		return err
	}
	plan, enter, err := f.plan(paths)
	if err != nil {
		return err
	}
	if err := plan.AddMatrix(matrix); err != nil {
		return err
	}
	if err := enter(); err != nil {
		return err
	}
	if policies := plan.OnlyReporting(); policies != nil {
		warn(c.ErrOrStderr(), experiment.OnlyReported(policies...))
	}
	if f.dryRun {
		return f.list(c, plan)
	}
	if err := fields.CheckPatterns(f.csvColumns...); err != nil {
		return usagef("--csv-columns: %v", err)
	}
	if !f.csv.given() && f.csvColumns != nil {
		return usagef("--csv-columns is for --csv; valid: both")
	}
	out := f.outputs(c)
	defer out.discard()
	if out.err != nil {
		return out.err
	}
	began := time.Now()
	results, progress, err := f.do(c, paths, plan)
	notYet := (*spool.NotYetError)(nil)
	if err != nil && !(errors.As(err, &notYet) && results != nil) {
		return err
	}
	if slices.ContainsFunc(results, func(r *experiment.Result) bool { return r != nil }) {
		err = out.write(c.OutOrStdout(), results)
	} else if err = nil; f.csv.given() {
		fmt.Fprintf(c.ErrOrStderr(), "no run of the matrix gave a result, so no CSV is written\n")
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s: %d stored, %d made in %s, %d failed; results are in %s\n",
		workload.Count(progress.Total, "run"), progress.Stored, progress.Run, time.Since(began).Round(time.Second/10), progress.Failed, f.store.path)
	if notYet != nil {
		return notYet
	}
	return failures(progress)
}

// failures is the error of runs that failed.
func failures(p sweep.Progress) error {
	if p.Failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s failed; the same command tries again", p.Failed, workload.Count(p.Total, "run"))
}

// list writes which runs there are, and which are stored.
func (f *sweepFlags) list(c *cobra.Command, plan *sweep.Plan) error {
	w := c.OutOrStdout()
	s, err := store.OpenExisting(f.store.path)
	if err != nil {
		return err
	}
	stored, n := make([]bool, plan.Len()), 0
	if s != nil {
		defer s.Close()
		if stored, n, err = sweep.Stored(s, plan); err != nil {
			return err
		}
	}
	for i, j := range plan.All() {
		state := "to run"
		if stored[i] {
			state = "stored"
		}
		fmt.Fprintf(w, "%s  cotenant %s\n", state, j.Command())
	}
	_, err = fmt.Fprintf(w, "%s, %d stored in %s\n", workload.Count(plan.Len(), "run"), n, f.store.path)
	if spooled := f.spooled(c.ErrOrStderr(), &progress{}); spooled != nil && err == nil {
		spooled.Show = w
		_, err = (&sweep.Runner{Store: s, Look: true, Executor: spooled}).Do(c.Context(), plan)
	}
	return err
}

// outputs are the CSV and the summary. The summary goes to standard output unless the CSV
// does.
func (f *sweepFlags) outputs(c *cobra.Command) *outputs[[]*experiment.Result] {
	out := &outputs[[]*experiment.Result]{stdout: func(results []*experiment.Result, w io.Writer) error { return experiment.WriteSummary(w, results) }}
	var csv form[[]*experiment.Result] = func(results []*experiment.Result, w io.Writer) error { return experiment.WriteSweepCSV(w, results) }
	if f.csvColumns != nil {
		csv = chosenColumns(c, true, f.csvColumns)
	}
	out.to(&f.csv, csv)
	return out
}
