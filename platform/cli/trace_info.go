package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/workload"
	"cotenant/workload/source"
	"cotenant/workload/summary"
	"cotenant/workload/traceg"
)

// traceInfo is the JSON form of trace info.
type traceInfo struct {
	Schema   int              `json:"schema"`          // version of this form
	Trace    string           `json:"trace,omitempty"` // the folder, or
	App      string           `json:"app,omitempty"`   // the application as given
	Launches []summary.Launch `json:"launches"`
	// Arrays lists the arrays of an application of real kernels, by name.
	Arrays []arrayInfo `json:"arrays,omitempty"`
}

// arrayInfo is an array of an application.
type arrayInfo struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // of an element
	Length int    `json:"length"`
	Bytes  int    `json:"bytes"`
}

// traceInfoSchema grows when a field changes its meaning or goes.
const traceInfoSchema = 1

// infoFlags are the flags of trace info.
type infoFlags struct {
	emulation
	json outputFlag
}

func newTraceInfoCommand() *cobra.Command {
	f := &infoFlags{}
	c := &cobra.Command{
		Use:   "info DIR|--app APP [flags]",
		Short: "Show what the launches of a trace or an application do",
		Long: "info shows the launches of a trace, given by the folder with its kernelslist.g, or of an application, which it executes once, without timing. For each launch it shows kernel, grid and block, " +
			"the registers of a thread and shared memory of a thread block, thread blocks, instructions and their classes, " +
			"and the memory that global accesses touch. For an application of real kernels it shows the arrays as well.\n\n" +
			"An application is " + source.Forms + ".",
		Example: "  cotenant trace info sgemm-trace\n  cotenant trace info sgemm-trace --json -\n  cotenant trace info --app ptx:my.yaml",
	}
	flags := c.Flags()
	flags.StringVar(&f.app, "app", "", "application `APP` to show instead of a trace")
	bindOutput(c, &f.json, wholeOrStandard, "json", "write the figures as JSON to `FILE`, or to standard output instead of the table if it is -")
	f.bind(c)
	c.RunE = opened(f.run)
	return c
}

// open opens what is to be shown.
func (f *infoFlags) open(paths *files, info *traceInfo) (*workload.App, error) {
	if info.App != "" {
		apps, err := paths.apps([]string{info.App}, func(int) source.Options { return f.options() })
		if err != nil {
			return nil, err
		}
		return apps[0].Workload, nil
	}
	app, err := traceg.Open(info.Trace, f.options().Trace)
	if err != nil {
		return nil, err
	}
	return app, paths.reads("trace info", app.Files...)
}

func (f *infoFlags) run(c *cobra.Command, paths *files, args []string) error {
	info := &traceInfo{Schema: traceInfoSchema, App: f.app}
	switch n := len(args); {
	case f.app == "" && n != 1:
		return usagef("trace info takes one trace, got %d; valid: trace info DIR, or trace info --app APP", n)
	case f.app != "" && n > 0:
		return usagef("trace info has --app and the trace %s; valid: one of them", args[0])
	case f.app == "":
		info.Trace = args[0]
	}
	app, err := f.open(paths, info)
	if err != nil {
		return err
	}
	out := &outputs[*traceInfo]{stdout: (*traceInfo).writeTables}
	defer out.discard()
	if out.to(&f.json, asJSON); out.err != nil {
		return out.err
	}
	if err := info.fill(c.Context(), *app, summary.Options{Begun: f.begun(c.ErrOrStderr()), Long: f.long(c.ErrOrStderr()), Patience: f.maxInstructions}); err != nil {
		return f.failed(err)
	}
	return out.write(c.OutOrStdout(), info)
}

// writeTables is the form for people to read: a row for each launch, and one for each
// array.
func (info *traceInfo) writeTables(w io.Writer) error {
	var launches, arrays experiment.Table
	kibibytes := func(bytes float64) experiment.Number { return experiment.Number(fmt.Sprintf("%.1f", bytes/1024)) }
	for i := range info.Launches {
		l := &info.Launches[i]
		launches.Row("#", i+1, "Kernel", oneLine(l.Kernel), "Grid", size(l.Grid), "Block", size(l.Block), "Regs", l.RegistersPerThread,
			"Shared", l.SharedBytesPerTB, "TBs", l.TBs, "Warp inst", l.WarpInstructions, "Thread inst", l.ThreadInstructions,
			"Touched KiB", kibibytes(float64(l.FootprintBytes)), "Classes, %", experiment.Number(mix(l)))
	}
	for _, a := range info.Arrays {
		arrays.Row("Array", a.Name, "Elements", a.Length, "KiB", kibibytes(float64(a.Bytes)), "Type", a.Type)
	}
	_, err := io.WriteString(w, launches.String()+arrays.String())
	return err
}

// fill executes the application and notes what there is to show.
func (info *traceInfo) fill(ctx context.Context, app workload.App, o summary.Options) error {
	var program workload.Inspectable // nil if it has no arrays
	start := app
	app.Host = func() (workload.Host, error) {
		host, err := start.Start()
		program, _ = host.(workload.Inspectable)
		return host, err
	}
	err := summary.Of(ctx, &app, o, func(l summary.Launch) error {
		info.Launches = append(info.Launches, l)
		return nil
	})
	if err != nil || program == nil {
		return err
	}
	for _, a := range program.Arrays() {
		info.Arrays = append(info.Arrays, arrayInfo{a.Name, strings.TrimPrefix(a.Type, "type: "), a.Length, len(a.Data)})
	}
	return nil
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
	names := slices.SortedFunc(maps.Keys(l.Classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(l.Classes[b], l.Classes[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %.1f", name, 100*float64(l.Classes[name])/float64(l.WarpInstructions))
	}
	return strings.Join(names, ", ")
}
