package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"cotenant/staging"
	"cotenant/workload"
	"cotenant/workload/export"
	"cotenant/workload/source"
	"cotenant/workload/traceg"
)

func newTraceCommand() *cobra.Command {
	return newGroup(&cobra.Command{
		Use:     "trace",
		Short:   "Write an application as a trace, or look into a trace or an application",
		Long:    "trace works with instruction traces in Accel-Sim's format, and records the calls of CUDA programs.",
		Example: "  cotenant trace export --app sgemm --out sgemm-trace\n  cotenant trace info sgemm-trace\n  cotenant trace info --app 'sgemm?size=tiny'\n  cotenant trace capture --out vectoradd-calls ./vectoradd",
	}, newTraceExportCommand(), newTraceInfoCommand(), newTraceCaptureCommand())
}

// exportFlags are the flags of trace export.
type exportFlags struct {
	emulation
	out      outputFlag
	compress bool
}

func newTraceExportCommand() *cobra.Command {
	f := &exportFlags{}
	c := &cobra.Command{
		Use:   "export --app APP --out DIR [flags]",
		Short: "Write an application as a trace",
		Long: "export executes an application once, without timing, and writes each of its launches as an instruction trace, " +
			"kernelslist.g and kernel-N.traceg, that cotenant (--app traceg:DIR) and Accel-Sim read.\n\n" +
			"An application is " + source.Forms + ". At the end export counts the facts that the format cannot express.",
		Example: "  cotenant trace export --app 'sgemm?size=tiny' --out sgemm-trace\n" +
			"  cotenant trace export --app ptx:my.yaml --out my-trace --compress",
		Args: noArgs,
		RunE: opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.app, "app", "", "application `APP` to write")
	bindOutput(c, &f.out, newFolder, "out", "folder `DIR` for the trace, new or empty")
	flags.BoolVar(&f.compress, "compress", false, "write kernels as .traceg.xz")
	f.bind(c)
	return c
}

func (f *exportFlags) run(c *cobra.Command, paths *files, _ []string) error {
	if f.app == "" || !f.out.given() {
		return usagef("--app and --out are needed; valid: --app APP, one of %s, and --out DIR", source.Forms)
	}
	apps, err := paths.apps([]string{f.app}, func(int) source.Options { return f.options() })
	if err != nil {
		return err
	}
	if err := staging.CheckFolder(f.out.path); err != nil {
		return err
	}
	counts, err := export.Trace(c.Context(), apps[0].Workload, f.out.path, export.Options{Compress: f.compress,
		Progress: f.begun(c.ErrOrStderr()), Long: f.long(c.ErrOrStderr()), Patience: f.maxInstructions})
	if err != nil {
		return f.failed(err)
	}
	return writeCounts(c.OutOrStdout(), f.out.path, &counts)
}

// writeCounts counts the parts of a trace, and the losses of the format.
func writeCounts(w io.Writer, folder string, c *traceg.Counts) error {
	fmt.Fprintf(w, "%s: %s, %s, %s, %s, %s\n", folder, workload.Count(c.Launches, "launch"), workload.Count(c.Copies, "copy"),
		workload.Count(c.TBs, "thread block"), workload.Count(c.WarpInstructions, "warp instruction"), workload.Count(c.ThreadInstructions, "thread instruction"))
	for _, n := range []struct {
		count      uint64
		noun, text string
	}{
		{uint64(c.Listed), "instruction", "with more registers than a line can tell; kernel-N.registers has them, which only cotenant reads"},
		{uint64(c.Ambiguous), "instruction", "with the line of another one, to be read with its registers"},
		{uint64(c.Texture), "instruction", "with accesses to texture memory, written as accesses to global memory"},
		{c.Constants, "load", "of several words of constant memory, to be read as of one: the format has no addresses for them"},
		{uint64(c.LocalAtomics), "atomic", "on local memory, written as on global memory"},
		{uint64(c.Barriers), "instruction", "about a barrier other than 0, or a number of warps, to be read as barrier 0 of all warps"},
		{uint64(c.CPUPhases), "CPU phase", "left out"},
		{uint64(c.Waits), "wait for launches of streams", "left out: what follows may overlap them"},
		{c.Branches, "branch", "without a visible target address; a replay may add or miss its refetch"},
		{uint64(c.Registers), "launch", "with registers that are not a number for each thread, from 1 to 255; the next such number is written"},
	} {
		if n.count > 0 {
			fmt.Fprintf(w, "  %s %s\n", workload.Count(n.count, n.noun), n.text)
		}
	}
	return nil
}
