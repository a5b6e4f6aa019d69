package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/experiment/fields"
	"cotenant/experiment/store"
	"cotenant/options"
	"cotenant/workload"
)

// queryFlags are the flags of query.
type queryFlags struct {
	columns, where []string
	rows           fields.Kind
	names          bool
	csv            outputFlag
}

// queryColumns are the columns of a query that names none, by kind of rows.
var queryColumns = map[fields.Kind][]string{
	"run":    {"mix", "policy", "gpu", "cycles", "stp", "antt", "fairness", "hspeedup"},
	"tenant": {"mix", "policy", "gpu", "tenant", "app", "ipc", "isolated_ipc", "normalized_ipc", "ntt"},
	"launch": {"policy", "gpu", "tenant", "tenant.app", "launch", "kernel", "start_cycle", "end_cycle", "thread_instructions"},
}

func newQueryCommand() *cobra.Command {
	f := &queryFlags{rows: "tenant"}
	c := &cobra.Command{
		Use:   "query STORE|RESULT.json...",
		Short: "Print any fields and counters of stored runs",
		Long: "query reads stores of sweeps and reproduce, and results of run --json, and prints a row for each tenant, run or launch. " +
			"A column is any number or text of a result, by its name in the JSON form without kernels.N, launches.N and tenants.N; in rows of tenants and launches, total.NAME is the run's. A star stands for any characters. mix joins the applications of a run; a store also has each application's run alone. " +
			"Sources come in the order of the command; the rows of a store are ordered by number of applications, mix, GPU, policy, seed and core cycles.",
		Example: "  cotenant query cotenant.sqlite\n  cotenant query cotenant.sqlite --columns 'policy,app,ipc,stats.sm.l1_*' --where 'policy=smk*' --where 'normalized_ipc<0.5' --csv -\n" +
			"  cotenant query cotenant.sqlite --rows run --columns 'mix,policy,stp,noc.*'\n  cotenant query run.json --rows launch --csv launches.csv --columns '*'\n  cotenant query run.json --names",
		Args: arguments(1, math.MaxInt, "query takes stores and results of runs", "query STORE|RESULT.json..."),
		RunE: opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.columns, "columns", nil, "`NAME,...` of the columns; stars stand for any characters")
	flags.StringArrayVar(&f.where, "where", nil, "keep the rows that meet `CONDITION`: NAME=VALUE, with one of = != < <= > >=; repeat it for rows that meet all")
	c.Flags().Var(options.Choice[fields.Kind]{Value: &f.rows, Valid: fields.Kinds}, "rows", "what a row is about")
	flags.BoolVar(&f.names, "names", false, "list the names of all fields instead of rows")
	bindOutput(c, &f.csv, wholeOrStandard, "csv", "write the rows as CSV in full precision to `FILE`, or to standard output if it is -, instead of a table")
	return c
}

func (f *queryFlags) run(c *cobra.Command, paths *files, sources []string) error {
	var conditions []fields.Condition
	for _, text := range f.where {
		condition, err := fields.ParseCondition(text)
		if err != nil {
			return usagef("--where: %v", err)
		}
		conditions = append(conditions, condition)
	}
	if err := fields.CheckPatterns(f.columns...); err != nil {
		return usagef("--columns: %v", err)
	}
	if err := paths.reads("query", sources...); err != nil {
		return err
	}
	out := &outputs[*fields.Table]{}
	defer out.discard()
	if f.csv.path == "" {
		out.stdout = (*fields.Table).WriteTable
	}
	if out.to(&f.csv, (*fields.Table).WriteCSV); out.err != nil {
		return out.err
	}
	t := fields.New()
	for _, path := range sources {
		if err := f.read(c, t, path, len(sources) > 1); err != nil {
			return err
		}
	}
	if f.names {
		for _, name := range t.Names() {
			fmt.Fprintln(c.OutOrStdout(), name)
		}
		return nil
	}
	if err := t.Keep(conditions...); err != nil {
		return usagef("--where: %v", err)
	}
	if f.columns == nil {
		f.columns = queryColumns[f.rows]
		if len(sources) > 1 {
			f.columns = append([]string{"source"}, f.columns...)
		}
	}
	if err := t.Choose(f.columns...); err != nil {
		return usagef("--columns: %v", err)
	}
	if err := out.write(c.OutOrStdout(), t); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s\n", workload.Count(t.Len(), "row"))
	return nil
}

// database begins every store.
const database = "SQLite format 3"

// read adds the rows of a store, or of a result.
func (f *queryFlags) read(c *cobra.Command, t *fields.Table, path string, several bool) error {
	var further []fields.Field
	if several {
		further = append(further, fields.Field{Name: "source", Value: path})
	}
	add := func(r *queried) {
		t.Add(f.rows, r.fields, append(slices.Clip(further), fields.Field{Name: "mix", Value: r.mix})...)
	}
	begin, err := beginning(path, len(database))
	if err != nil {
		return err
	}
	if string(begin) != database {
		text, err := workload.ReadFile(path, 1<<30)
		var r *queried
		if err == nil {
			r, err = newQueried(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w, or a store of a sweep", path, err)
		}
		add(r)
		return nil
	}
	s, err := store.OpenToRead(path)
	if err != nil {
		return err
	}
	defer s.Close()
	unread := 0
	var runs []*queried
	var first error
	err = s.Each(c.Context(), func(string) bool { return false }, func(e *store.Entry, fault error) {
		var r *queried
		if fault == nil {
			r, fault = newQueried(e.Result)
		}
		if fault == nil {
			runs = append(runs, r)
		} else {
			if unread++; first == nil {
				first = fmt.Errorf("%s: %w", e.Key, fault)
			}
		}
	})
	slices.SortStableFunc(runs, (*queried).compare)
	for _, r := range runs {
		add(r)
	}
	if unread > 0 {
		warn(c.ErrOrStderr(), fmt.Sprintf("%s: %s cannot be read; the first is %v", path, workload.Count(unread, "run"), first))
	}
	return err
}

// queried is a run of a query, with what its place among the runs of a store depends on.
type queried struct {
	fields           []fields.Field
	apps             int
	mix, gpu, policy string
	seed, cycles     float64
	text             []byte // of the result
}

func newQueried(text []byte) (*queried, error) {
	list, err := fields.Of(text)
	if err != nil {
		return nil, err
	}
	r := &queried{fields: list, text: text}
	var apps []string
	for _, field := range list {
		switch v := field.Value.(type) {
		case string:
			switch {
			case field.Name == "app" && field.Tenant != fields.None:
				apps = append(apps, v)
			case field.Tenant == fields.None && field.Name == "gpu":
				r.gpu = v
			case field.Tenant == fields.None && field.Name == "policy":
				r.policy = v
			}
		case float64:
			switch {
			case field.Tenant == fields.None && field.Name == "seed":
				r.seed = v
			case field.Tenant == fields.None && field.Name == "cycles":
				r.cycles = v
			}
		}
	}
	r.apps, r.mix = len(apps), strings.Join(apps, " + ")
	return r, nil
}

// compare orders runs by what they have run; equal ones, by another build, by their results.
func (r *queried) compare(other *queried) int {
	return cmp.Or(cmp.Compare(r.apps, other.apps), strings.Compare(r.mix, other.mix), strings.Compare(r.gpu, other.gpu), strings.Compare(r.policy, other.policy),
		cmp.Compare(r.seed, other.seed), cmp.Compare(r.cycles, other.cycles), bytes.Compare(r.text, other.text))
}

// beginning is a file's first bytes, as many as there are.
func beginning(path string, bytes int) ([]byte, error) {
	file, err := workload.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; give a store or a result of run --json", path, workload.WithoutPath(err))
	}
	defer file.Close()
	text := make([]byte, bytes)
	n, err := io.ReadFull(file, text)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, fmt.Errorf("%s: %w; give a store or a result of run --json", path, workload.WithoutPath(err))
	}
	return text[:n], nil
}

// chosenColumns is the form of --csv-columns: the tenants of results, with the columns that
// patterns name. A pattern that matches nothing is an empty column, so that a long run is not
// lost, and warned of.
func chosenColumns(c *cobra.Command, numbered bool, patterns []string) form[[]*experiment.Result] {
	return func(results []*experiment.Result, w io.Writer) error {
		t, missing := fields.Results(results, numbered, patterns...)
		if t == nil {
			return missing
		}
		if missing != nil {
			warn(c.ErrOrStderr(), fmt.Sprintf("--csv-columns: %v", missing))
		}
		return t.WriteCSV(w)
	}
}
