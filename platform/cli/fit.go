package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment/fit"
	"cotenant/workload"
)

// fitFlags are the flags of fit.
type fitFlags struct {
	out     outputFlag
	name    string
	metrics bool
}

func newFitCommand() *cobra.Command {
	f := &fitFlags{}
	c := &cobra.Command{
		Use:   "fit REPORT.csv [flags]",
		Short: "Make a statistical profile of a program from Nsight Compute's counters",
		Long: "fit reads what ncu --csv --page raw reports of a program's launches, and writes a statistical profile with their shapes, mixes of instructions, sectors and hit rates. " +
			"run takes it as profile:FILE. It names the facts that the counters do not tell. Profiled programs can then share a simulated GPU.\n\n" +
			"On the machine with the GPU, ncu --metrics $(cotenant fit --metrics) --csv --page raw ./program > program.csv makes the report.",
		Example: "  cotenant fit --metrics\n  cotenant fit program.csv -o program.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if f.metrics != (len(args) == 0) || len(args) > 1 {
				return usagef("fit takes one report or --metrics; valid: fit REPORT.csv, fit --metrics")
			}
			return nil
		},
		RunE: opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	f.out.kind = wholeOrStandard
	flags.VarP(&f.out, "output", "o", "write the profile to `FILE`, or to standard output if it is -, the default")
	flags.StringVar(&f.name, "name", "", "`NAME` of the application in the profile; by default the report's file name")
	flags.BoolVar(&f.metrics, "metrics", false, "list the metrics that a profile is made of, joined as ncu --metrics takes them")
	return c
}

// fitted is a profile with its notes.
type fitted struct {
	profile string
	notes   []string
}

func (f *fitFlags) run(c *cobra.Command, paths *files, args []string) error {
	if f.metrics {
		_, err := fmt.Fprintln(c.OutOrStdout(), strings.Join(fit.Metrics(), ","))
		return err
	}
	if err := paths.reads("fit", args[0]); err != nil {
		return err
	}
	out := &outputs[*fitted]{}
	defer out.discard()
	form := func(p *fitted, w io.Writer) error {
		_, err := io.WriteString(w, p.profile)
		return err
	}
	if !f.out.given() {
		out.stdout = form
	}
	if out.to(&f.out, form); out.err != nil {
		return out.err
	}
	text, err := workload.ReadFile(args[0], 1<<30)
	if err != nil {
		return fmt.Errorf("%s: %w; give the output of ncu --csv --page raw", args[0], err)
	}
	launches, err := fit.Read(args[0], bytes.NewReader(text))
	if err != nil {
		return err
	}
	name := f.name
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	}
	p := &fitted{}
	if p.profile, p.notes, err = fit.Fit(args[0], name, launches); err != nil {
		return err
	}
	if err := out.write(c.OutOrStdout(), p); err != nil {
		return err
	}
	for _, note := range p.notes {
		fmt.Fprintf(c.ErrOrStderr(), "not fitted: %s\n", note)
	}
	return nil
}
