package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment/sweep"
	"cotenant/experiment/validation"
	"cotenant/platform/wiring"
)

// validationFlags are the flags of report validation.
type validationFlags struct {
	gpus      []string
	out, json outputFlag
	parallel  uint64
	quiet     bool
}

func newValidationCommand() *cobra.Command {
	f := &validationFlags{}
	c := &cobra.Command{
		Use:   "validation",
		Short: "Measure GPUs by microkernels, and compare with published figures",
		Long: "validation runs microkernels on GPUs, each for one latency or bandwidth, and compares the figures with published ones of the preset's machine. " +
			"After writing, it fails if a latency differs by more than 5 % or a bandwidth by more than 10 % without a stated reason, or if a stated reason is superfluous.",
		Example: "  cotenant report validation --gpu gtx980\n  cotenant report validation --gpu 'gtx980?sm.pipes.alu.latency=6' --json -\n  cotenant report validation --out docs/validation.md",
		Args:    noArgs,
		RunE:    opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.gpus, "gpu", nil, "`NAME` of a preset, or a YAML file; may be repeated (default every preset with published figures)")
	bindOutput(c, &f.out, wholeFile, "out", "write the document to `FILE`, not to standard output")
	bindOutput(c, &f.json, wholeOrStandard, "json", "write the figures as JSON to `FILE`, or to standard output if it is -, instead of the document")
	bindCount(c, &f.parallel, "parallel", 1, maxParallel, "microkernels that run at a time; by default one for each processor")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return c
}

func (f *validationFlags) run(c *cobra.Command, paths *files, _ []string) error {
	gpus, err := f.load(paths)
	if err != nil {
		return err
	}
	out := &outputs[*validation.Report]{}
	defer out.discard()
	if !f.out.given() {
		out.stdout = (*validation.Report).WriteMarkdown
	}
	out.to(&f.out, (*validation.Report).WriteMarkdown)
	if out.to(&f.json, asJSON); out.err != nil {
		return out.err
	}
	shown := newRunsProgress(c.ErrOrStderr(), f.quiet)
	report, err := validation.Measure(c.Context(), gpus, validation.Options{Parallel: int(f.parallel),
		Done: func(finished, total int) { shown.updateRuns(sweep.Progress{Total: total, Run: finished}) }})
	shown.clear()
	if err != nil {
		return err
	}
	if err := out.write(c.OutOrStdout(), report); err != nil {
		return err
	}
	if faults := report.Faults(); len(faults) > 0 {
		return fmt.Errorf("reasons in experiment/validation/published: %s", strings.Join(faults, "; "))
	}
	return nil
}

// load loads the GPUs; by default the presets with published figures.
func (f *validationFlags) load(paths *files) (gpus []*wiring.Config, err error) {
	names := f.gpus
	if len(names) == 0 {
		names = validation.Presets()
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, usagef("--gpu %s is given twice; once is enough", name)
		}
		gpu, err := paths.gpu(name)
		if err != nil {
			return nil, err
		}
		gpus = append(gpus, gpu)
	}
	return gpus, nil
}
