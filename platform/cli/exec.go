package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/ptx/sass"
)

// execFlags are the flags of exec.
type execFlags struct {
	gpu     string
	timeout time.Duration
	check   string
	outside string
	count   bool
	// checkAsync looks for reads of what copies have not been waited for.
	checkAsync bool
	json       outputFlag
}

// checkAsyncUsage says what --check-async does.
const checkAsyncUsage = "end a kernel with an error if it reads data of cp.async before the copying thread has waited for them, or uses a result of wgmma before its warp has waited"

// noGPU is the value of --gpu that emulates without a model.
const noGPU = "none"

func newExecCommand() *cobra.Command {
	f := &execFlags{gpu: noGPU}
	c := &cobra.Command{
		Use:   "exec [flags] PROGRAM [ARGUMENTS]",
		Short: "Run a CUDA program alone",
		Long: "exec runs a program that `cotenant cc` has compiled, emulates its kernels, passes on its output, and ends with its exit status. " +
			"A name without a slash that is no file here is looked up in PATH.\n\n" +
			"With --gpu none, the default, kernels are emulated without a model of a GPU, which is fast and checks that the program computes what it should. " +
			"Events then tell the number of warp instructions as nanoseconds. The program sees a device like a V100: compute capability 7.0, 80 SMs, 16 GiB. " +
			"With the name of a GPU its kernels run on that GPU, and after the program's end a result follows as from `cotenant run`.\n\n" +
			"--check looks at each access to memory as compute-sanitizer does on a GPU, tells faults on standard error, and makes exec end with status 1 if there are any.",
		Example: "  cotenant exec ./vectoradd 100000\n" +
			"  cotenant exec --count ./vectoradd\n" +
			"  cotenant exec --check uninitialized,races ./vectoradd\n" +
			"  cotenant exec --gpu gtx980 --json result.json ./vectoradd",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("exec needs a program; valid: cotenant exec [flags] PROGRAM [ARGUMENTS]")
			}
			return nil
		},
		RunE: opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.SetInterspersed(false) // what follows the program is the program's
	flags.StringVar(&f.gpu, "gpu", f.gpu, "`NAME` of a preset (cotenant list presets), a YAML file, or none")
	bindHostTimeout(c, &f.timeout)
	bindCheck(c, &f.check)
	bindOutside(c, &f.outside)
	flags.BoolVar(&f.count, "count", false, "with --gpu none: tell on standard error how many warp instructions were emulated, and how fast")
	flags.BoolVar(&f.checkAsync, "check-async", false, checkAsyncUsage)
	bindOutput(c, &f.json, wholeFile, "json", "with a GPU: write the result as JSON to `FILE`")
	return c
}

// statusError is the exit status of a program, which has said itself what is wrong.
type statusError int

// Error is for a caller that does not know the type.
func (s statusError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func (f *execFlags) run(c *cobra.Command, paths *files, args []string) error {
	switch {
	case f.gpu != noGPU && f.count:
		return usagef("--count is for --gpu none; valid: one of --count and --gpu %s, the result of which counts", f.gpu)
	case f.gpu == noGPU && f.json.given():
		return usagef("--json is for a run on a GPU; valid: --gpu NAME with it")
	}
	spec := programs.Spec{Program: programOf(args[0]), Args: args[1:], Device: programs.Emulator, CPUTimeout: f.timeout, Sticky: true, CheckAsync: f.checkAsync,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if err := spec.Validate(); err != nil {
		return usageError{err}
	}
	spec.OutsideIsZero, _ = programs.ParseOutside(f.outside) // the flags have been checked
	if f.check != "" {
		spec.Check, _ = programs.ParseCheck(f.check)
	}
	err := f.perform(c, paths, spec)
	if own := (*programs.ExitError)(nil); errors.As(err, &own) && own.Status > 0 {
		return statusError(own.Status)
	}
	return err
}

// programOf is the file of a program: the file of the name or, if there is none and the name has no slash, the
// one in a folder of PATH.
func programOf(name string) string {
	if _, err := os.Stat(name); err == nil || strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return name
}

// perform runs the program.
func (f *execFlags) perform(c *cobra.Command, paths *files, spec programs.Spec) error {
	if f.gpu != noGPU {
		return f.simulate(c, paths, spec)
	}
	began := time.Now()
	e, err := programs.Emulate(c.Context(), spec, c.ErrOrStderr())
	if f.count {
		fmt.Fprintf(c.ErrOrStderr(), "cotenant: %s, %s, %.1f million a second of processor time; %v in all\n", workload.Count(e.Launches, "launch"),
			workload.Count(e.WarpInstructions, "warp instruction"), float64(e.WarpInstructions)/1e6/max(e.Emulating.Seconds(), 1e-9), time.Since(began).Round(time.Millisecond))
	}
	if err == nil {
		err = faulty(e.Faults)
	}
	return err
}

// faulty is the error of a program with faults that --check has found.
func faulty(n uint64) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("--check has found %s", workload.Count(n, "fault"))
}

// simulate runs the program on a GPU and writes the result.
func (f *execFlags) simulate(c *cobra.Command, paths *files, spec programs.Spec) error {
	gpu, err := paths.gpu(f.gpu)
	if err != nil {
		return err
	}
	if err := paths.reads(spec.Program, spec.Program); err != nil {
		return err
	}
	name := "cuda:" + spec.Program
	r := &experiment.Run{Spec: experiment.Spec{GPU: f.gpu, Policy: "fcfs", Apps: []string{name}}, Version: version(), GPU: gpu}
	spec.Device = r.Source(gpu).Device
	faults := uint64(0)
	spec.Found = func(text string) {
		faults++
		fmt.Fprintln(c.ErrOrStderr(), text)
	}
	app, err := programs.App(spec, gpu.Streams(), sass.For(gpu.Streams()))
	if err != nil {
		return err
	}
	r.Apps = []experiment.App{{Spec: name, Workload: app}}
	out := &runOutputs{stdout: asTable}
	defer out.discard()
	out.to(&f.json, asJSON)
	if out.err != nil {
		return out.err
	}
	result, err := r.Do(c.Context())
	if err != nil {
		return err
	}
	if err := out.write(c.OutOrStdout(), result); err != nil {
		return err
	}
	return faulty(faults)
}
