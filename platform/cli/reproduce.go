package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/experiment/reproduce"
	"cotenant/experiment/store"
	"cotenant/experiment/sweep"
	"cotenant/observe/figurepage"
	"cotenant/options"
	"cotenant/platform/presets"
	"cotenant/workload"
)

// reproduceFlags are the flags of the reproduce command.
type reproduceFlags struct {
	batch
	list, quick bool
	stored      bool
	dryRun      bool
	gpu         string
	programs    string
	cycles      uint64
	maxCycles   uint64
	json, csv   outputFlag
	html, into  outputFlag
}

func newReproduceCommand() *cobra.Command {
	f := &reproduceFlags{}
	c := &cobra.Command{
		Use:               "reproduce NAME",
		ValidArgsFunction: complete(experimentNames),
		Short:             "Run the simulations of a published figure or table, and compare the values",
		Long: "reproduce makes the runs of a published figure or table, and prints the paper's values, its own and the difference. " +
			"Like sweep, it keeps results in a store: a repeated command makes only the missing runs, and figures share runs.\n\n" +
			fmt.Sprintf("The full version runs windows of %d cycles, which takes hours for some figures; --quick runs %d cycles, and fewer mixes and goals where a figure has many, which takes minutes. HeteroCore's windows are five times as long.",
				reproduce.Full.Cycles, reproduce.Quick.Cycles),
		Example: "  cotenant reproduce --list\n  cotenant reproduce smk-table2 --quick\n  cotenant reproduce smk-fig12 --dry-run\n  cotenant reproduce smk-table2 --quick --gpu 'smk16?sm.issue_width=2'\n  cotenant reproduce smk-fig12 --store smk.sqlite --json fig12.json --csv fig12.csv --html fig12.html\n  cotenant reproduce qos-fig6 --quick --cycles 2M --into notes.md\n  cotenant reproduce qos-fig6 --stored\n  cotenant reproduce smk-fig12 --executor slurm --slurm-time 30",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || f.list && len(args) > 0 || !f.list && len(args) == 0 {
				return usagef("reproduce takes one experiment or --list, got %s; valid: reproduce NAME, reproduce --list", workload.Count(len(args), "experiment"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			paths, err := f.open(c)
			if err != nil {
				return err
			}
			if f.list && (f.json.given() || f.csv.given() || f.html.given() || f.into.given()) {
				return usagef("--list makes no report; valid: without --json, --csv, --html and --into")
			}
			if f.dryRun && (f.list || f.stored || f.json.given() || f.csv.given() || f.html.given() || f.into.given()) {
				return usagef("--dry-run makes no run and no report, and --list has run counts of its own; valid: without --list, --stored, --json, --csv, --html and --into")
			}
			if f.list {
				return f.listExperiments(c)
			}
			e, err := reproduce.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			return f.run(c, paths, e)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&f.list, "list", false, "list the experiments, with the number of their runs and about the time that these take, by the speed of the runs in the store; or the parts that this build lacks")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "make no run; list the runs, mark the stored ones, and tell the time that the rest takes; searches make further runs by the results of these")
	c.Flags().BoolVar(&f.quick, "quick", false, "run shorter windows and fewer mixes, for a first look")
	bindCount(c, &f.cycles, "cycles", 1, maxCycles, "core cycles of every window, instead of the experiment's")
	c.Flags().BoolVar(&f.stored, "stored", false, "make no run: report each row over the mixes with all results in the store, such as while another command makes them; rows of samples, which repeat runs, have no value")
	c.Flags().StringVar(&f.gpu, "gpu", "", "`NAME` of a preset, or a YAML file, either with options, to run instead of the paper's machine")
	c.Flags().StringVar(&f.programs, "programs", "", "`FOLDER` with the compiled CUDA programs of a figure that runs some, and their inputs (docs/silicon.md)")
	bindOutput(c, &f.json, wholeOrStandard, "json", "write the report as JSON to `FILE`, or to standard output if it is -")
	bindOutput(c, &f.csv, wholeOrStandard, "csv", "write the report as CSV to `FILE`, one line for each row, or to standard output if it is -")
	bindOutput(c, &f.html, wholeFile, "html", "write a page to `FILE` that shows the paper's values beside ours")
	bindOutput(c, &f.into, wholeFile, "into", "put the report into a document `FILE`, between the lines <!-- NAME --> and <!-- end of NAME -->")
	bindMaxCycles(c, &f.maxCycles)
	f.bind(c)
	return c
}

func (f *reproduceFlags) scale() reproduce.Scale {
	s := reproduce.Full
	if f.quick {
		s = reproduce.Quick
	}
	s.GPU, s.Window, s.Programs = f.gpu, f.cycles, f.programs
	return s
}

// run carries out one experiment.
func (f *reproduceFlags) run(c *cobra.Command, paths *files, e *reproduce.Experiment) error {
	scale := f.scale()
	if f.gpu != "" {
		if _, err := paths.gpu(f.gpu); err != nil {
			return err
		}
	}
	if _, err := e.Check(scale); err != nil {
		return err
	}
	if f.programs != "" && !e.TakesPrograms() {
		return usagef("%s runs no CUDA programs; valid: without --programs", e.Name)
	}
	out := f.outputs(c, e)
	defer out.discard()
	if out.err != nil {
		return out.err
	}
	plan, enter, err := f.plan(paths)
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.dry(c, plan, e)
	}
	data := reproduce.NewData(scale, presets.Load, nil, nil)
	next, all := e.Runs(scale), []experiment.Spec(nil)
	if f.maxCycles > 0 && next != nil && !slices.ContainsFunc(next, func(r experiment.Spec) bool { return r.Cycles == 0 }) {
		return usagef("--max-cycles bounds runs to the end, and %s has none; valid: without it", e.Name)
	}
	if f.cycles > 0 && next != nil && !slices.ContainsFunc(next, func(r experiment.Spec) bool { return r.Cycles > 0 }) {
		return usagef("--cycles sets the length of windows, and %s has none: its runs go to the end; valid: without it", e.Name)
	}
	for ; next != nil; next = e.More(data) {
		for _, r := range next {
			if r.Cycles == 0 {
				r.MaxCycles = f.maxCycles
			}
			if err := plan.Add(r); err != nil {
				err = fmt.Errorf("%s: %w", e.Name, err)
				if f.gpu != "" { // which is then not one for this experiment
					return usageUnlessInput(err)
				}
				return err
			}
		}
		if err := enter(); err != nil {
			return err
		}
		results, err := f.results(c, paths, plan)
		if err != nil {
			return err
		}
		all = append(all, next...)
		before := data.Results()
		if data = reproduce.NewData(scale, presets.Load, all, results); f.stored && data.Results() == before {
			break // what is missing stays so
		}
	}
	if data.Partial = f.stored; !f.stored { // sampling repeats runs
		data.Sampled = reproduce.Sampler(c.Context(), presets.Load)
		data.Measured = reproduce.Microkernels(c.Context())
	}
	report, err := e.Report(data, plan.Len())
	if err != nil {
		return err
	}
	return out.write(c.OutOrStdout(), report)
}

// results makes the runs of a plan, or reads the runs that the store has.
func (f *reproduceFlags) results(c *cobra.Command, paths *files, plan *sweep.Plan) ([]*experiment.Result, error) {
	if f.stored {
		s, err := store.OpenToRead(f.store.path)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return sweep.Results(s, plan)
	}
	results, progress, err := f.do(c, paths, plan)
	if err != nil {
		return nil, err
	}
	return results, failures(progress)
}

// again is the command that makes the section of a document anew.
func (f *reproduceFlags) again(name string) string {
	words := []string{"go run ./platform reproduce", name}
	if f.quick {
		words = append(words, "--quick")
	}
	if f.cycles > 0 {
		words = append(words, "--cycles", strconv.FormatUint(f.cycles, 10))
	}
	if f.gpu != "" {
		words = append(words, "--gpu", options.Quoted(f.gpu))
	}
	if f.programs != "" {
		words = append(words, "--programs", options.Quoted(f.programs))
	}
	return strings.Join(words, " ")
}

// outputs are the forms of the report.
func (f *reproduceFlags) outputs(c *cobra.Command, e *reproduce.Experiment) *outputs[*reproduce.Report] {
	out := &outputs[*reproduce.Report]{stdout: (*reproduce.Report).WriteTable}
	out.to(&f.json, asJSON)
	out.to(&f.csv, (*reproduce.Report).WriteCSV)
	if f.into.given() {
		name := e.Name
		form, err := into(f.into.path, "<!-- "+name+" -->", "<!-- end of "+name+" -->", func(r *reproduce.Report, w io.Writer) error { return r.WriteMarkdown(w, f.again(name)) })
		if out.err = err; err == nil {
			out.to(&f.into, form)
		}
	}
	out.to(&f.html, func(r *reproduce.Report, w io.Writer) error {
		return figurepage.Write(w, r, asked(c), f.allRuns(e))
	})
	return out
}

// allRuns is a command that shows all runs of an experiment: the page of its mixes, or a table if
// each run is of one application.
func (f *reproduceFlags) allRuns(e *reproduce.Experiment) string {
	store := options.Quoted(f.store.path)
	if slices.ContainsFunc(e.Runs(f.scale()), func(r experiment.Spec) bool { return len(r.Apps) > 1 }) {
		return "cotenant report sweep " + store + " --html sweep.html"
	}
	return "cotenant query " + store
}
