package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"cotenant/experiment/compare"
	"cotenant/observe/page"
	"cotenant/workload"
)

// compareFlags are the flags of report compare.
type compareFlags struct {
	html, csv outputFlag
	least     float64
}

func newReportCompareCommand() *cobra.Command {
	f := &compareFlags{least: 1}
	c := &cobra.Command{
		Use:   "compare RESULT.json RESULT.json... [--html FILE]",
		Short: "Put the results of runs beside one another",
		Long: "compare reads the results of two or more runs (run --json) and prints what differs: conditions, fields of the GPU, the figures of the mix and of each tenant, and every counter, with its change over the first run's. " +
			"Tenants are matched by their application, as it was given, or else by its name.",
		Example: "  cotenant report compare spart.json smk.json\n  cotenant report compare before.json after.json --html compare.html --csv compare.csv",
		Args:    arguments(2, math.MaxInt, "report compare takes the results of two or more runs", "report compare RESULT.json RESULT.json..."),
		RunE:    opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Float64Var(&f.least, "least", f.least, "least change of a counter in the table, as `PERCENT` of the first run's counter")
	bindOutput(c, &f.html, wholeFile, "html", "write a page with all numbers to `FILE`")
	bindOutput(c, &f.csv, wholeOrStandard, "csv", "write all numbers as CSV to `FILE`, or to standard output if it is -")
	return c
}

func (f *compareFlags) run(c *cobra.Command, paths *files, results []string) error {
	if f.least < 0 || math.IsNaN(f.least) {
		return usagef("--least is %g; valid: 0 or more", f.least)
	}
	if err := paths.reads("report compare", results...); err != nil {
		return err
	}
	out := &outputs[*compare.Comparison]{stdout: (*compare.Comparison).WriteTable}
	defer out.discard()
	out.to(&f.csv, (*compare.Comparison).WriteCSV)
	command := "cotenant report " + commandLine(c) + " " + quoted(results)
	if out.to(&f.html, func(r *compare.Comparison, w io.Writer) error { return page.WriteComparison(w, r, command) }); out.err != nil {
		return out.err
	}
	names := shortest(results)
	report := &compare.Comparison{Least: f.least}
	var gpus [][]byte
	for i, path := range results {
		text, err := workload.ReadFile(path, 1<<30)
		if err != nil {
			return fmt.Errorf("%s: %w; give a file that run --json wrote", path, err)
		}
		r, err := compare.Read(names[i], text)
		if err != nil {
			return err
		}
		report.Runs = append(report.Runs, r)
		document, err := gpuDocument(paths, r.Result.GPU)
		if err != nil {
			report.Notes = append(report.Notes, fmt.Sprintf("%s: the fields of GPU %s are not compared: %v", r.Name, r.Result.GPU, err))
		}
		gpus = append(gpus, document)
	}
	report.Rows = compare.Rows(report.Runs)
	var err error
	if report.GPU, err = compare.GPUFields(gpus); err != nil {
		return err
	}
	return out.write(c.OutOrStdout(), report)
}

// gpuDocument is a GPU in YAML, by the name in a result.
func gpuDocument(paths *files, name string) ([]byte, error) {
	config, err := paths.gpu(name)
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(config)
}

// shortest are names of files, without their folders if that leaves them different.
func shortest(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(paths) {
		return paths
	}
	return names
}
