package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment/workloads"
	"cotenant/workload"
	"cotenant/workload/kernels"
)

func newReportCommand() *cobra.Command {
	return newGroup(&cobra.Command{
		Use:     "report",
		Short:   "Write a report of many simulations, or of a GPU",
		Example: "  cotenant report validation --gpu gtx980\n  cotenant report workloads\n  cotenant report area\n  cotenant report sweep cotenant.sqlite --html sweep.html\n  cotenant report compare spart.json smk.json --html compare.html",
	}, newValidationCommand(), newReportSweepCommand(), newReportCompareCommand(), newWorkloadsCommand(), newResultsCommand(), newAreaCommand())
}

// workloadsFlags are the flags of report workloads.
type workloadsFlags struct {
	gpu, size  string
	data, into outputFlag
	least      uint64
	quiet      bool
}

func newWorkloadsCommand() *cobra.Command {
	f := &workloadsFlags{size: "small", least: 300_000}
	c := &cobra.Command{
		Use:   "workloads",
		Short: "Characterise the built-in applications of real kernels",
		Long: "workloads runs each built-in application of real kernels alone and writes its use of the GPU: resources, stalls, caches, crossbars, DRAM. " +
			"A run ends with the application, or once each of its kernels has run and 300,000 cycles have passed. The command takes minutes.",
		Example: "  cotenant report workloads\n  cotenant report workloads --gpu k20c --into docs/workloads.md",
		Args:    noArgs,
		RunE:    opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.gpu, "gpu", "gtx980", "`NAME` of a preset, or a YAML file")
	bindChoice(c, &f.size, "size", kernels.Sizes, "input of the applications")
	bindCount(c, &f.least, "cycles", 1, maxCycles, "least core cycles of a run that does not reach the application's end")
	bindOutput(c, &f.data, wholeFile, "data", "write the counters as JSON to `FILE`")
	bindOutput(c, &f.into, wholeFile, "into", "put the tables into a document `FILE`, between the lines "+beginTables+" and "+endTables)
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return c
}

// Between these lines of a document, its tables are written anew.
const (
	beginTables = "<!-- tables -->"
	endTables   = "<!-- end of tables -->"
)

func (f *workloadsFlags) run(c *cobra.Command, paths *files, _ []string) error {
	gpu, err := paths.gpu(f.gpu)
	if err != nil {
		return err
	}
	out := &outputs[*workloads.Data]{}
	defer out.discard()
	tables := func(d *workloads.Data, w io.Writer) error { return d.WriteMarkdown(w, gpu) }
	if f.into.given() {
		form, err := into(f.into.path, beginTables, endTables, tables)
		if err != nil {
			return err
		}
		out.to(&f.into, form)
	} else {
		out.stdout = tables
	}
	if out.to(&f.data, (*workloads.Data).Write); out.err != nil {
		return out.err
	}
	done := func(app string) {
		if !f.quiet {
			fmt.Fprintf(c.ErrOrStderr(), "%s is done\n", app)
		}
	}
	d, err := workloads.MeasureAll(c.Context(), gpu, f.size, f.least, done)
	if err != nil {
		return err
	}
	return out.write(c.OutOrStdout(), d)
}

// into is the form of a document in which a section, between two of its lines, is written
// anew.
func into[T any](path, begin, end string, section form[T]) (form[T], error) {
	text, err := workload.ReadFile(path, 16<<20)
	if err != nil {
		return nil, fmt.Errorf("--into: %s: %w; give the path of a document", path, err)
	}
	before, rest, begun := strings.Cut(string(text), begin+"\n")
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return nil, fmt.Errorf("%s has no lines %s and %s; give a document that has them, in this order", path, begin, end)
	}
	return func(result T, w io.Writer) error {
		_, begun := io.WriteString(w, before+begin+"\n")
		written := section(result, w)
		_, ended := io.WriteString(w, end+after)
		return errors.Join(begun, written, ended)
	}, nil
}
