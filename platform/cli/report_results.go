package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/experiment/reproduce"
	"cotenant/experiment/reproduce/record"
	"cotenant/workload"
)

// mostReports bounds the reports that are added at once.
const mostReports = 1000

// resultsFlags are the flags of report results.
type resultsFlags struct {
	commit, date, data string
	out                outputFlag
}

func newResultsCommand() *cobra.Command {
	f := &resultsFlags{}
	c := &cobra.Command{
		Use:   "results [REPORT.json...]",
		Short: "Write the document of published results, and add reports to it",
		Long: "results writes the published values beside ours, from the reports that it has, with the reason of each value outside the tolerance. " +
			"It first adds reports of reproduce NAME --json. After writing, it fails if a reason is missing or superfluous.",
		Example: "  cotenant report results --out docs/results.md\n" +
			"  cotenant report results t.json --commit 1a2b3c4d --date 2026-11-24 --out docs/results.md",
		Args: arguments(0, mostReports, "results takes reports", "report results [REPORT.json...]"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.commit, "commit", "", "`COMMIT` of the program that made the added reports; by default this program's own")
	flags.StringVar(&f.date, "date", "", "`DAY` on which it made them, as 2026-11-24")
	flags.StringVar(&f.data, "data", record.Folder, "folder of the `RECORDS`, to which reports are added")
	bindOutput(c, &f.out, wholeFile, "out", "write the document to `FILE`, not to standard output")
	return c
}

func (f *resultsFlags) run(c *cobra.Command, args []string) error {
	paths, err := openFiles(c)
	if err != nil {
		return err
	}
	if err := paths.reads("results", args...); err != nil {
		return err
	}
	if len(args) > 0 && !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(f.date) {
		return usagef("added reports need the day of their runs; valid: --date, as 2026-11-24")
	}
	out := &outputs[*record.Book]{}
	defer out.discard()
	if !f.out.given() {
		out.stdout = (*record.Book).WriteMarkdown
	}
	if out.to(&f.out, (*record.Book).WriteMarkdown); out.err != nil {
		return out.err
	}
	book, err := record.Read(os.DirFS(f.data))
	if err != nil {
		return fmt.Errorf("%s: %w; valid: the folder of the records, such as %s in the sources", f.data, err, record.Folder)
	}
	for _, path := range args {
		if err := f.add(book, path); err != nil {
			return err
		}
	}
	if err := out.write(c.OutOrStdout(), book); err != nil {
		return err
	}
	if faults := book.Faults(); len(faults) > 0 {
		return fmt.Errorf("reasons in %s: %s", filepath.Join(f.data, "reasons.yaml"), strings.Join(faults, "; "))
	}
	return nil
}

// add adds a report to the book and to the folder.
func (f *resultsFlags) add(book *record.Book, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r := &record.Record{Commit: f.commit, Date: f.date, Report: &reproduce.Report{}}
	if r.Commit == "" {
		_, r.Commit, _ = strings.Cut(version(), "+")
	}
	if err := json.Unmarshal(text, r.Report); err != nil {
		return workload.Errorf(path, 0, "it is no report of reproduce --json: %v", err)
	}
	if _, err := reproduce.Find(r.Report.Name); err != nil {
		return workload.Errorf(path, 0, "it is no report of reproduce --json: %v", err)
	}
	book.Add(r)
	to, err := openOutput(filepath.Join(f.data, r.Name()+".json"))
	if err != nil {
		return err
	}
	defer to.Remove()
	if err := to.stage(func(w io.Writer) error { return experiment.WriteJSON(w, r) }); err != nil {
		return err
	}
	return to.Commit()
}
