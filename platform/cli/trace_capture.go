package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"cotenant/staging"
	"cotenant/workload"
	"cotenant/workload/programs"
)

// captureFlags are the flags of trace capture.
type captureFlags struct{ out outputFlag }

func newTraceCaptureCommand() *cobra.Command {
	f := &captureFlags{}
	c := &cobra.Command{
		Use:   "capture --out DIR PROGRAM [ARGUMENTS]",
		Short: "Record the calls of a CUDA program",
		Long: "capture runs a program that `cotenant cc` has compiled, as `cotenant exec` does, and records its CUDA calls with their data. " +
			"The recording is an application, --app capture:DIR, that needs neither compiler nor program nor the files that the program reads.",
		Example: "  cotenant trace capture --out vectoradd-calls ./vectoradd 100000",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("capture needs a program; valid: cotenant trace capture --out DIR PROGRAM [ARGUMENTS]")
			}
			return nil
		},
		RunE: opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.SetInterspersed(false) // what follows the program is the program's
	bindOutput(c, &f.out, newFolder, "out", "folder `DIR` for the recording, new or empty")
	return c
}

func (f *captureFlags) run(c *cobra.Command, paths *files, args []string) error {
	if !f.out.given() {
		return usagef("--out is needed; valid: --out DIR")
	}
	spec := programs.Spec{Program: args[0], Args: args[1:], Device: programs.Emulator, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if err := spec.Validate(); err != nil {
		return usageError{err}
	}
	if err := paths.reads(spec.Program, spec.Program); err != nil {
		return err
	}
	if err := staging.CheckFolder(f.out.path); err != nil {
		return err
	}
	done, err := programs.Capture(c.Context(), spec, f.out.path, c.ErrOrStderr())
	if own := (*programs.ExitError)(nil); errors.As(err, &own) && own.Status > 0 {
		return statusError(own.Status)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s: %s, %s, %s of data\n", f.out.path, workload.Count(done.Calls, "call"), workload.Count(done.Launches, "launch"), workload.Count(done.Bytes, "byte"))
	return nil
}
