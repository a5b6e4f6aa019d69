package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/even" // policies register themselves
	_ "cotenant/cta_dispatcher/policy/fcfs"
	_ "cotenant/cta_dispatcher/policy/spart"
	"cotenant/experiment"
	"cotenant/mem"
	"cotenant/platform/monitor"
	"cotenant/platform/presets"
	"cotenant/workload/source"
	"cotenant/workload/traceg"
)

// Limits of the numbers on the command line.
const (
	maxCycles   = 1_000_000_000_000 // days of simulation
	maxParallel = 1024
)

// runFlags are the flags of the run command.
type runFlags struct {
	gpu, policy   string
	apps          []string
	cycles        uint64
	until         string
	seed          uint64
	json, csv     string
	isolated      string
	unknownOpcode string
	monitor       string
	parallel      uint64
	quiet         bool
}

func newRunCommand() *cobra.Command {
	f := &runFlags{unknownOpcode: "error", seed: 1}
	c := &cobra.Command{
		Use:   "run --app APP [--app APP]... [flags]",
		Short: "Run a mix of applications on a GPU under a sharing policy",
		Long: "run simulates applications that share a GPU, then each of them alone for the same time, and reports what every tenant got.\n\n" +
			"An application is " + source.Forms + "; `cotenant list kernels` has the names. " +
			"A profile or an application of real kernels may be followed by ?arch=ARCH, which says whose demands its kernels have where there are several, the latter also by ?size=tiny, small or medium, and by ?lower=-RULE,... which switches rules of lowering PTX to machine instructions off.",
		Example: "  cotenant run --app profile:sgemm --app profile:lbm --policy spart --cycles 200k\n" +
			"  cotenant run --app 'profile:sad?arch=k20c' --gpu k20c --json result.json\n" +
			"  cotenant run --app traceg:traces/bfs --app traceg:traces/backprop --until done --csv -",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.apps, "app", nil, fmt.Sprintf("application `APP` of a tenant; repeat it for more tenants, up to %d", mem.MaxTenants))
	flags.StringVar(&f.gpu, "gpu", "gtx980", "`NAME` of a preset (cotenant list presets), or a YAML file, which may extend one")
	flags.StringVar(&f.policy, "policy", "fcfs", "sharing policy, `NAME[:option=value,...]` (cotenant list policies)")
	bindCount(c, &f.cycles, "cycles", 1, maxCycles, "length of the run in core cycles; applications that end earlier start again")
	bindChoice(c, &f.until, "until", []string{"done"}, "run each application once, to its end, as without --cycles")
	bindCount(c, &f.seed, "seed", 0, math.MaxUint64, "seed of the statistical profiles")
	flags.StringVar(&f.isolated, "isolated", "", "isolated `IPC,...` of the applications, in their order, instead of measuring it; 0 to measure one")
	bindChoice(c, &f.unknownOpcode, "unknown-opcode", []string{"error", "alu"}, "take an opcode of a trace that the tables do not know as an error, or as an integer instruction")
	flags.StringVar(&f.json, "json", "", "write the result as JSON to `FILE`, or to standard output if it is -")
	flags.StringVar(&f.csv, "csv", "", "write the result as CSV to `FILE`, one row for each tenant, or to standard output if it is -")
	flags.StringVar(&f.monitor, "monitor", "", "show the simulation in the browser at `HOST:PORT` of this machine's loopback; :0 for any free port")
	bindCount(c, &f.parallel, "parallel", 1, maxParallel, "isolated runs at a time; by default one for each processor")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return c
}

// run carries out the command: everything that can be wrong is looked for
// before the simulation starts.
func (f *runFlags) run(c *cobra.Command) error {
	if err := noneEmpty(c); err != nil {
		return err
	}
	r, err := f.mix()
	if err != nil {
		return err
	}
	out, err := f.openOutputs()
	if err != nil {
		return err
	}
	progress := newProgress(c.ErrOrStderr(), f.quiet)
	r.Progress = func(p experiment.Progress) { progress.update(p.Phase, p) }
	if f.monitor != "" {
		defer watch(c.Context(), r, f.monitor, c.ErrOrStderr())()
	}
	result, err := r.Do(c.Context())
	progress.clear()
	if err != nil {
		return err
	}
	return out.write(c.OutOrStdout(), result)
}

// mix makes the run that the flags describe.
func (f *runFlags) mix() (*experiment.Run, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	isolated, err := f.isolatedIPC()
	if err != nil {
		return nil, err
	}
	if _, err := policy.Parse(f.policy); err != nil {
		return nil, usageError{err}
	}
	gpu, err := presets.Load(f.gpu)
	if err != nil {
		return nil, usageUnlessInput(err)
	}
	apps, err := openApps(f.apps, source.Options{Seed: f.seed, Trace: traceg.Options{UnknownOpcodeALU: f.unknownOpcode == "alu"}})
	if err != nil {
		return nil, err
	}
	return &experiment.Run{GPU: gpu, Policy: f.policy, Apps: apps, Cycles: f.cycles, Seed: f.seed,
		Isolated: isolated, Parallel: int(f.parallel), Version: version()}, nil
}

// noneEmpty refuses flags that are given without a value.
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
	case len(f.apps) == 0:
		return usagef("no application; valid: --app APP, APP one of %s", source.Forms)
	case len(f.apps) > mem.MaxTenants:
		return usagef("%d applications; valid: 1 to %d", len(f.apps), mem.MaxTenants)
	case f.until != "" && f.cycles > 0:
		return usagef("--cycles and --until exclude each other; valid: one of them")
	case f.json != "" && f.json == f.csv:
		return usagef("--json and --csv both write to %s; valid: different files", f.json)
	}
	if f.monitor != "" {
		if _, err := monitor.Loopback(f.monitor); err != nil {
			return usagef("--monitor: %w", err)
		}
	}
	return nil
}

// isolatedIPC reads the isolated IPCs that are given; nil if none is.
func (f *runFlags) isolatedIPC() ([]float64, error) {
	if f.isolated == "" {
		return nil, nil
	}
	fields := strings.Split(f.isolated, ",")
	if len(fields) != len(f.apps) {
		return nil, usagef("--isolated has %d values for %d applications; valid: one for each", len(fields), len(f.apps))
	}
	list := make([]float64, len(fields))
	for i, text := range fields {
		ipc, err := strconv.ParseFloat(text, 64)
		if err != nil || !(ipc >= 0) || math.IsInf(ipc, 0) {
			return nil, usagef("--isolated: %q is not an IPC; valid: a number above 0, or 0 to measure it", text)
		}
		list[i] = ipc
	}
	return list, nil
}

func openApps(specs []string, o source.Options) ([]experiment.App, error) {
	var apps []experiment.App
	for _, spec := range specs {
		app, err := source.Open(spec, o)
		if err != nil {
			return nil, usageUnlessInput(err)
		}
		apps = append(apps, experiment.App{Spec: spec, Workload: app})
	}
	return apps, nil
}
