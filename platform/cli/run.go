package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	_ "cotenant/cta_dispatcher/policy/all" // policies register themselves
	"cotenant/experiment"
	"cotenant/experiment/fields"
	"cotenant/observe/loopback"
	_ "cotenant/platform/blocks/all" // so do blocks
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"
)

// Limits of the numbers on the command line.
const (
	maxCycles   = 1_000_000_000_000 // days of simulation
	maxParallel = 1024
)

// runFlags are the flags of the run command.
type runFlags struct {
	experiment.Spec
	stdin            bool
	json, csv        outputFlag
	csvColumns       []string
	html             outputFlag
	timeline, vcd    outputFlag
	power            outputFlag
	vcdInterval      uint64
	samples          outputFlag
	hot              outputFlag
	hotLaunches      bool
	timelineRequests uint64
	latencies        bool
	overTime         bool

	samplesInterval uint64
	isolated        string
	cache           string
	monitor         string
	parallel        uint64
	quiet           bool
	dumpArrays      outputFlag
	noDumps         bool
	checkAsync      bool
	sample          bool
	partial         bool
}

func newRunCommand() *cobra.Command {
	f := &runFlags{Spec: experiment.Spec{GPU: "gtx980", Policy: "fcfs", Seed: 1}, vcdInterval: defaultWaveInterval, samplesInterval: defaultSamplesInterval}
	c := &cobra.Command{
		Use:   "run --app APP [--app APP]... [flags]",
		Short: "Run a mix of applications on a GPU under a sharing policy",
		Long: "run simulates applications that share a GPU, then each of them alone for the same time, and reports what every tenant got.\n\n" +
			"`cotenant help apps` explains how to write an application and its options, `cotenant help gpus` how to write a GPU.",
		Example: "  cotenant run --app profile:sgemm --app profile:lbm --policy spart --cycles 200k\n" +
			"  cotenant run --app 'profile:sad?arch=k20c' --gpu k20c --json result.json\n" +
			"  cotenant run --app traceg:traces/bfs --app traceg:traces/backprop --until done --csv -\n" +
			"  cotenant run --gpu k20c --app 'sgemm?size=tiny' --app 'spmv?size=tiny&arrival=20us&priority=2' --until replays=3\n" +
			"  cotenant run --app 'sgemm?qos=0.8' --app lbm --cycles 200k\n" +
			"  cotenant run --gpu plain16 --app spmv --sample\n" +
			"  cotenant run --app 'cuda:./vectoradd?args=100000' --app lbm --cycles 200k --policy even\n" +
			"  cotenant run --gpu pagefault16 --app 'sgemm?size=tiny' --pages demand --html run.html\n" +
			"  cotenant run --app sgemm --app lbm --cycles 200k --html run.html --timeline run.json.gz --vcd run.vcd",
		Args: noArgs,
		RunE: opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.Apps, "app", nil, fmt.Sprintf("application `APP` of a tenant; repeat it for more tenants, up to %d", tenant.Max))
	flags.StringVar(&f.GPU, "gpu", f.GPU, "`NAME` of a preset (cotenant list presets), or a YAML file, which may extend one; either may be followed by ?KEY=VALUE&... that sets single fields")
	flags.StringVar(&f.Policy, "policy", f.Policy, "sharing policy, `NAME[:option=value,...]` (cotenant list policies)")
	bindCount(c, &f.Cycles, "cycles", 1, maxCycles, "length of the run in core cycles; applications that end earlier start again")
	bindUntil(c, &f.Until)
	bindMaxCycles(c, &f.MaxCycles)
	bindCount(c, &f.Seed, "seed", 0, math.MaxUint64, "seed of the statistical profiles")
	flags.BoolVar(&f.sample, "sample", false, "estimate the cycles of one application from a few of its kernel launches, with an error bound; executes all other launches without timing")
	flags.StringVar(&f.isolated, "isolated", "", "known `IPC[@TURNAROUND][:WIPC][#INSTRUCTIONS],...` of each application alone, in their order; 0 measures it; some policies need WIPC; qos_time needs INSTRUCTIONS, the thread instructions of one run")
	flags.StringVar(&f.IsolatedGPU, "isolated-gpu", "", "`NAME` of the GPU on which applications run alone, with the core clock of --gpu; goals and policies take their figures from it; default --gpu")
	bindUnknownOpcode(c, &f.UnknownOpcodeALU)
	bindHostTimeout(c, &f.HostTimeout)
	bindCheck(c, &f.Check)
	flags.BoolVar(&f.Strict, "strict", false, "end the run with an error if a CUDA program, started again, makes other calls than the first time, or --check finds a fault")
	bindOutside(c, &f.Outside)
	for _, x := range experiment.AllParameters() {
		flags.Var(x.Of(&f.Parameters), x.Name, x.Usage)
	}
	flags.BoolVar(&f.stdin, "stdin", false, "read the run as JSON, as a sweep writes it, from standard input instead of flags")
	if err := flags.MarkHidden("stdin"); err != nil {
		panic(err)
	}
	flags.BoolVar(&f.partial, "partial", false, "when interrupted, write what the run has reached, marked as partial; a second interrupt writes nothing")
	bindOutput(c, &f.json, wholeOrStandard, "json", "write the result as JSON to `FILE`, or to standard output if it is -")
	bindOutput(c, &f.csv, wholeOrStandard, "csv", "write the result as CSV to `FILE`, one row for each tenant, or to standard output if it is -")
	flags.StringSliceVar(&f.csvColumns, "csv-columns", nil, "`NAME,...` of the columns of --csv instead of the usual ones, as query takes them: 'stats.sm.l1_*,total.noc.*'")
	bindOutput(c, &f.html, wholeFile, "html", "write a page with charts of the run to `FILE`")
	bindOutput(c, &f.timeline, wholeFile, "timeline", "write the run's events as a trace for Perfetto to `FILE`, compressed if it ends in .gz")
	bindCount(c, &f.timelineRequests, "timeline-requests", 1, maxCycles, "in --timeline, follow the first load of each tenant in each `N` core cycles from the SM to the memory and back (default none)")
	bindOutput(c, &f.vcd, wholeFile, "vcd", "write thread blocks, SM states, quotas and queues as a wave (VCD) to `FILE`, compressed if it ends in .gz")
	bindOutput(c, &f.hot, wholeOrStandard, "hot", "write what each line of the programs cost to `FILE`, as JSON or CSV by its ending, and into the page of --html; - prints the costliest lines")
	flags.BoolVar(&f.hotLaunches, "hot-launches", false, "tell the launches of a kernel apart in --hot")
	flags.BoolVar(&f.latencies, "latencies", false, "measure how long memory requests take, by stage, for --json, --csv-columns and --html")
	flags.BoolVar(&f.overTime, "over-time", false, "keep the tenants' progress over time in --json, for report compare")
	bindOutput(c, &f.power, wholeOrStandard, "power", "write the energy of each tenant's events over time to `FILE`, as JSON or CSV by its ending, and into the page of --html; - prints the sums")
	bindOutput(c, &f.samples, wholeFile, "samples", "write all counters over time as CSV to `FILE`, compressed if it ends in .gz")
	bindCount(c, &f.samplesInterval, "samples-interval", 1, maxCycles, "core cycles between two rows of --samples")
	bindCount(c, &f.vcdInterval, "vcd-interval", 1, maxCycles, "core cycles between two samples of the queues for --vcd")
	bindOutput(c, &f.dumpArrays, newFolder, "dump-arrays", "write the final contents of all arrays of real kernels to the folder `DIR`, new or empty")
	flags.BoolVar(&f.checkAsync, "check-async", false, checkAsyncUsage)
	flags.BoolVar(&f.noDumps, "no-dumps", false, "write no files for the dump steps of launch manifests")
	bindCache(c, &f.cache)
	flags.StringVar(&f.monitor, "monitor", "", "show the simulation in the browser at `HOST:PORT` of this machine's loopback; :0 for any free port")
	bindCount(c, &f.parallel, "parallel", 1, maxParallel, "isolated runs at a time; by default one for each processor")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return c
}

// csvForm is the form of --csv.
func (f *runFlags) csvForm(c *cobra.Command) form[*experiment.Result] {
	if f.csvColumns == nil {
		return func(r *experiment.Result, w io.Writer) error { return experiment.WriteCSV(w, r) }
	}
	chosen := chosenColumns(c, false, f.csvColumns)
	return func(r *experiment.Result, w io.Writer) error { return chosen([]*experiment.Result{r}, w) }
}

// run carries out the command. All checks come before the simulation.
func (f *runFlags) run(c *cobra.Command, paths *files, _ []string) error {
	if !f.samples.given() && c.Flags().Changed("samples-interval") {
		return usagef("--samples-interval is for --samples; valid: both")
	}
	if err := fields.CheckPatterns(f.csvColumns...); err != nil {
		return usagef("--csv-columns: %v", err)
	}
	if !f.csv.given() && f.csvColumns != nil {
		return usagef("--csv-columns is for --csv; valid: both")
	}
	if f.timelineRequests > 0 && !f.timeline.given() {
		return usagef("--timeline-requests is for --timeline; valid: both")
	}
	if err := f.checkHot(); err != nil {
		return err
	}
	if f.overTime && !f.json.given() {
		return usagef("--over-time is for --json; valid: both")
	}
	if err := f.checkPower(); err != nil {
		return err
	}
	if !f.vcd.given() && c.Flags().Changed("vcd-interval") {
		return usagef("--vcd-interval is for --vcd; valid: both")
	}
	cache, err := paths.cache(f.cache)
	if err != nil {
		return err
	}
	if cache != nil {
		cache.Context = c.Context()
	}
	r, err := f.mix(c, paths, cache)
	if err != nil {
		return err
	}
	if f.sample {
		return f.sampled(c, r)
	}
	out := &runOutputs{stdout: asTable}
	defer out.discard()
	recorder := f.addRecorder(r)
	out.to(&f.json, f.asJSON(recorder))
	out.to(&f.csv, f.csvForm(c))
	if out.err != nil {
		return out.err
	}
	if err := f.views(c, r, out, recorder); err != nil {
		return err
	}
	dumps, err := f.dumps(r, paths, out)
	if err != nil {
		return err
	}
	if err := f.arrays(r, out); err != nil {
		return err
	}
	progress := f.follow(c, r)
	if f.monitor != "" {
		defer watch(c.Context(), r, f.monitor, c.ErrOrStderr())()
	}
	if r.Partial = f.partial; f.partial {
		setGrace(partialGrace)
	}
	result, err := r.Do(c.Context())
	progress.clear()
	if err != nil {
		return err
	}
	if err := out.write(c.OutOrStdout(), result); err != nil {
		return err
	}
	if result.Partial != "" {
		return &partialError{result.Partial}
	}
	if steps := unreached(r, result, dumps); len(steps) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "not reached before the end of the run: %s\n", oneLine(strings.Join(steps, "; ")))
	}
	return result.Unexpected()
}

// follow has a run show its progress and its warnings.
func (f *runFlags) follow(c *cobra.Command, r *experiment.Run) *progress {
	progress := newProgress(c.ErrOrStderr(), f.quiet)
	r.Progress = func(p experiment.Progress) { progress.update(p.Phase, p) }
	r.Warn = func(text string) {
		progress.clear()
		warn(c.ErrOrStderr(), text)
	}
	return progress
}

// asTable is the form for people to read.
func asTable(r *experiment.Result, w io.Writer) error { return experiment.WriteTable(w, r) }

// mix makes the run that the flags describe.
func (f *runFlags) mix(c *cobra.Command, paths *files, cache *streamcache.Store) (*experiment.Run, error) {
	if err := f.describe(c.InOrStdin()); err != nil {
		return nil, err
	}
	if f.sample {
		if err := f.checkSample(c); err != nil {
			return nil, err
		}
	}
	if cache != nil {
		cache.ReplayOnly = f.Cycles > 0 || f.MaxCycles > 0
	}
	if f.dumpArrays.given() || f.hot.given() {
		cache = nil // a replay has neither arrays nor lines of PTX
	}
	paths.checkAsync = f.checkAsync
	r, err := paths.run(&f.Spec, cache)
	if err != nil {
		return nil, err
	}
	r.Parallel = int(f.parallel)
	if err := r.Check(); err != nil {
		return nil, usageError{err}
	}
	return r, nil
}

// describe completes the run's Spec.
func (f *runFlags) describe(stdin io.Reader) (err error) {
	if f.stdin {
		d := json.NewDecoder(stdin)
		d.DisallowUnknownFields()
		if err := d.Decode(&f.Spec); err != nil {
			return usagef("--stdin: standard input is not a run: %w", err)
		}
		return nil
	}
	if f.partial && f.sample {
		return usagef("--sample estimates a whole run, and --partial reports a part; valid: one of them")
	}
	if err := f.check(); err != nil {
		return err
	}
	f.Isolated, err = f.isolatedIPC()
	return err
}

// noneEmpty refuses flags without a value.
func noneEmpty(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" {
			err = usagef("--%s is empty; leave it out or give it a value", f.Name)
		}
	})
	return err
}

// check finds flags that contradict each other.
func (f *runFlags) check() error {
	switch {
	case len(f.Apps) == 0:
		return usagef("no application; valid: --app APP, APP one of %s", source.Forms)
	case len(f.Apps) > tenant.Max:
		return usagef("%d applications; valid: 1 to %d", len(f.Apps), tenant.Max)
	case f.MaxCycles > 0 && f.Cycles > 0 && !experiment.Timed(f.Apps...):
		return usagef("--max-cycles bounds a run to the end, and --cycles says when a run ends; valid: one of them")
	case f.Until != "" && f.Cycles > 0:
		return usagef("--cycles and --until exclude each other; valid: one of them")
	}
	if f.monitor != "" {
		if _, err := loopback.Address(f.monitor); err != nil {
			return usagef("--monitor: %w", err)
		}
	}
	return nil
}

// isolatedIPC reads the isolated IPCs that are given; nil if none is.
func (f *runFlags) isolatedIPC() ([]experiment.Isolated, error) {
	if f.isolated == "" {
		return nil, nil
	}
	fields := strings.Split(f.isolated, ",")
	if len(fields) != len(f.Apps) {
		return nil, usagef("--isolated has %s for %s; valid: one for each", workload.Count(len(fields), "value"), workload.Count(len(f.Apps), "application"))
	}
	list := make([]experiment.Isolated, len(fields))
	for i, text := range fields {
		alone, err := experiment.ParseIsolated(text)
		if err != nil {
			return nil, usagef("--isolated: %v", err)
		}
		if f.Replays() > 0 && alone.IPC > 0 && alone.Turnaround == 0 {
			return nil, usagef("--isolated: %q has no turnaround time, which --until replays compares; valid: IPC@TURNAROUND, or 0 to measure it", text)
		}
		list[i] = alone
	}
	return list, nil
}
