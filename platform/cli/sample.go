package cli

import (
	"io"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/experiment/sampling"
)

// checkSample refuses flags that --sample has no use for.
func (f *runFlags) checkSample(c *cobra.Command) error {
	for _, name := range []string{"csv", "html", "timeline", "vcd", "power", "samples", "dump-arrays", "monitor"} {
		if c.Flags().Changed(name) {
			return usagef("--sample simulates a part of the run, and --%s would show it as the whole; valid: --json, or without --sample", name)
		}
	}
	if err := sampling.Check(&f.Spec); err != nil {
		return usageError{err}
	}
	return nil
}

// sampled carries out the command with --sample.
func (f *runFlags) sampled(c *cobra.Command, r *experiment.Run) error {
	out := &outputs[*sampling.Result]{stdout: func(r *sampling.Result, w io.Writer) error { return sampling.WriteTable(w, r) }}
	defer out.discard()
	out.to(&f.json, asJSON)
	if out.err != nil {
		return out.err
	}
	progress := f.follow(c, r)
	result, err := sampling.Do(c.Context(), r, sampling.Default)
	progress.clear()
	if err != nil {
		return err
	}
	if err := out.write(c.OutOrStdout(), result); err != nil {
		return err
	}
	return result.Unexpected()
}
