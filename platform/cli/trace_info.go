package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"cotenant/workload/summary"
	"cotenant/workload/traceg"
)

// traceInfo is the JSON form of trace info.
type traceInfo struct {
	Schema   int              `json:"schema"` // version of this form
	Trace    string           `json:"trace"`
	Launches []summary.Launch `json:"launches"`
}

// traceInfoSchema grows when a field changes its meaning or goes.
const traceInfoSchema = 1

func newTraceInfoCommand() *cobra.Command {
	f, unknownOpcode := outputFlag{}, "error"
	c := &cobra.Command{
		Use:   "info DIR [flags]",
		Short: "Show what the launches of a trace do",
		Long: "info reads a trace, the folder that holds its kernelslist.g, and shows for each launch its kernel, grid and block, " +
			"the registers of a thread and shared memory of a thread block, thread blocks, instructions and their classes, " +
			"and the memory that its global accesses touch.",
		Example: "  cotenant trace info sgemm-trace\n  cotenant trace info sgemm-trace --json -",
	}
	bindOutput(c, &f, wholeOrStandard, "json", "write the figures as JSON to `FILE`, or to standard output instead of the table if it is -")
	bindChoice(c, &unknownOpcode, "unknown-opcode", []string{"error", "alu"}, "take an opcode that the tables do not know as an error, or as an integer instruction")
	c.RunE = func(c *cobra.Command, args []string) error {
		paths, err := openFiles(c)
		if err != nil {
			return err
		}
		if len(args) != 1 {
			return usagef("trace info takes one trace, got %d; valid: trace info DIR", len(args))
		}
		return showTrace(c, paths, args[0], &f, traceg.Options{UnknownOpcodeALU: unknownOpcode == "alu"})
	}
	return c
}

func showTrace(c *cobra.Command, paths *files, folder string, out *outputFlag, o traceg.Options) error {
	app, err := traceg.Open(folder, o)
	if err != nil {
		return err
	}
	if err := paths.reads("trace info", app.Files...); err != nil {
		return err
	}
	file, err := out.open()
	if err != nil {
		return err
	}
	if file != nil {
		defer file.discard()
	}
	info := traceInfo{Schema: traceInfoSchema, Trace: folder}
	if err := summary.Of(c.Context(), app, func(l summary.Launch) error {
		info.Launches = append(info.Launches, l)
		return nil
	}); err != nil {
		return err
	}
	asJSON := func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(info)
	}
	if out.standard() {
		return asJSON(c.OutOrStdout())
	}
	if file != nil {
		if err := file.stage(asJSON); err != nil {
			return err
		}
		if err := file.commit(); err != nil {
			return err
		}
	}
	return writeLaunches(c.OutOrStdout(), info.Launches)
}

// writeLaunches writes a row for each launch.
func writeLaunches(w io.Writer, launches []summary.Launch) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"#", "Kernel", "Grid", "Block", "Regs", "Shared", "TBs", "Warp inst", "Thread inst", "Touched KiB", "Classes, %"})
	var columns []table.ColumnConfig
	for i := range 10 {
		if i == 0 || i >= 4 {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(columns)
	for i, l := range launches {
		t.AppendRow(table.Row{i + 1, oneLine(l.Kernel), size(l.Grid), size(l.Block), l.RegistersPerThread, l.SharedBytesPerTB,
			l.TBs, l.WarpInstructions, l.ThreadInstructions, fmt.Sprintf("%.1f", float64(l.FootprintBytes)/1024), mix(&l)})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// size writes a grid or block without the sizes of 1 at its end.
func size(d [3]int) string {
	list := d[:]
	for len(list) > 1 && list[len(list)-1] == 1 {
		list = list[:len(list)-1]
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), "x"), "[]")
}

// mix lists the classes of a launch, the most frequent first.
func mix(l *summary.Launch) string {
	var names []string
	for name := range l.Classes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(l.Classes[b], l.Classes[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %.1f", name, 100*float64(l.Classes[name])/float64(l.WarpInstructions))
	}
	return strings.Join(names, ", ")
}
