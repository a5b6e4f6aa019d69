package record

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment/reproduce"
)

//go:embed head.md
var head string

// WriteMarkdown writes the document: for each record the values that the paper gives beside
// ours, and the reason of each value outside the tolerance.
func (b *Book) WriteMarkdown(w io.Writer) error {
	var out strings.Builder
	out.WriteString(head)
	b.summary(&out)
	paper := ""
	for _, r := range b.Records {
		if p := paperOf(r.Report); p != paper {
			paper = p
			fmt.Fprintf(&out, "\n## %s\n", paper)
		}
		b.section(&out, r)
	}
	b.rest(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

// paperOf is the paper of a report, as its source names it.
func paperOf(r *reproduce.Report) string {
	paper, _, _ := strings.Cut(r.Source, ",")
	return paper
}

// published are a report's rows with a published value.
func published(r *reproduce.Report) (rows []reproduce.Row) {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row reproduce.Row) bool { return row.Paper == nil })
}

// agreeing counts rows within the tolerance.
func agreeing(rows []reproduce.Row) (n int) {
	for _, row := range rows {
		if Agrees(row) {
			n++
		}
	}
	return n
}

// scale says how much of the paper's runs a report has.
func scale(r *reproduce.Report) string {
	length := "to the end"
	switch {
	case r.Mixes == 0:
		return "no run"
	case r.OwnWindows:
		length = "own windows"
	case r.Cycles > 0:
		length = strconv.FormatUint(r.Cycles, 10) + " cycles"
	}
	if r.Quick {
		return "quick, " + length
	}
	return "full, " + length
}

func (b *Book) summary(out *strings.Builder) {
	var short, longs []*Record
	for _, r := range b.Records {
		if r.Long() {
			longs = append(longs, r)
		} else {
			short = append(short, r)
		}
	}
	fmt.Fprintf(out, "\n## Summary\n\nQuick runs, and experiments without runs%s:\n", builds(short))
	summarise(out, short)
	if len(longs) > 0 {
		fmt.Fprintf(out, "\nThe papers' windows%s:\n", builds(longs))
		summarise(out, longs)
	}
}

// builds says of which builds records are.
func builds(records []*Record) string {
	seen := map[string]bool{}
	for _, r := range records {
		seen[r.Commit] = true
	}
	if len(seen) == 1 {
		return ", all of one build"
	}
	return fmt.Sprintf(", of %d builds", len(seen))
}

func summarise(out *strings.Builder, records []*Record) {
	fmt.Fprint(out, "\n| Figure or table | published values | of them within the tolerance | scale | commit |\n|---|--:|--:|---|---|\n")
	all, good := 0, 0
	for _, r := range records {
		rows := published(r.Report)
		n := agreeing(rows)
		all, good = all+len(rows), good+n
		fmt.Fprintf(out, "| [%s](#%s), %s | %d | %d | %s | %s |\n", r.Report.Source, anchor(r.Name()), r.Report.Name, len(rows), n, scale(r.Report), r.Commit)
	}
	fmt.Fprintf(out, "| all | %d | %d | | |\n", all, good)
}

// anchor is the address of a section.
func anchor(name string) string { return strings.ReplaceAll(name, ".", "") }

// command makes the report of a record anew.
func command(r *reproduce.Report) string {
	words := "cotenant reproduce " + r.Name
	if r.Quick {
		words += " --quick"
		if r.Cycles == reproduce.Full.Cycles {
			words += " --cycles 2M"
		}
	}
	return words
}

// own is the source of figures that no paper has.
const own = "a table of our own"

// table writes rows of ours: a column for each metric, with which the rows' labels begin, and a row for
// each remainder of labels.
func table(out *strings.Builder, rows []reproduce.Row) {
	var metrics, cases []string
	values := map[string]string{}
	for i := range rows {
		metric, of, _ := strings.Cut(rows[i].Label, ", ")
		if !slices.Contains(metrics, metric) {
			metrics = append(metrics, metric)
		}
		if !slices.Contains(cases, of) {
			cases = append(cases, of)
		}
		values[rows[i].Label] = number(rows[i].Ours)
	}
	fmt.Fprintf(out, "\n| | %s |\n|---|%s\n", strings.Join(metrics, " | "), strings.Repeat("--:|", len(metrics)))
	for _, of := range cases {
		fmt.Fprintf(out, "| %s |", of)
		for _, metric := range metrics {
			fmt.Fprintf(out, " %s |", values[metric+", "+of])
		}
		out.WriteString("\n")
	}
}

func (b *Book) section(out *strings.Builder, r *Record) {
	report := r.Report
	fmt.Fprintf(out, "\n### %s\n\n%s (%s). `%s`, commit %s, %s. %s\n", r.Name(), strings.ToUpper(report.About[:1])+report.About[1:], report.Source,
		command(report), r.Commit, r.Date, report.Conditions())
	rows := published(report)
	switch {
	case len(rows) == 0 && report.Source == own:
		table(out, report.Rows)
		return
	case len(rows) == 0:
		fmt.Fprintf(out, "\nThe paper shows its values in a drawing only; ours are in [%[1]s.json](../%[2]s/%[1]s.json).\n", r.Name(), Folder)
		return
	}
	fmt.Fprint(out, "\n| | unit | paper | ours | 95 % interval | mixes | |\n|---|---|--:|--:|--:|--:|---|\n")
	because := map[int][]string{}
	var order []int
	for _, row := range rows {
		mark := ""
		if !Agrees(row) {
			mark = "outside"
			i := b.reason(report.Name, row.Label)
			if because[i] == nil {
				order = append(order, i)
			}
			because[i] = append(because[i], row.Label)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", strings.ReplaceAll(row.Label, "|", `\|`), row.Unit, number(row.Paper), number(row.Ours), row.Interval(), row.Count(), mark)
	}
	if len(order) > 0 {
		fmt.Fprintln(out, "\nOutside the tolerance:")
		fmt.Fprintln(out)
	}
	for _, i := range order {
		reason := "NO REASON"
		if i >= 0 {
			reason = strings.Join(strings.Fields(b.Reasons[i].Reason), " ")
		}
		fmt.Fprintf(out, "* **%s**: %s\n", strings.Join(because[i], "; "), reason)
	}
	if n := len(report.Rows) - len(rows); n > 0 {
		fmt.Fprintf(out, "\n%d further rows without a published number are in [%[2]s.json](../%[3]s/%[2]s.json).\n", n, r.Name(), Folder)
	}
}

// number is a value with three digits, "-" for none.
func number(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'f', 3, 64)
}

// rest lists experiments without a record, if there are any.
func (b *Book) rest(out *strings.Builder) {
	head := "\n## Without a record\n\nThese experiments have no record of one build yet:\n\n"
	for _, e := range reproduce.All() {
		if b.of(e.Name) == nil && b.of(e.Name+long) == nil {
			fmt.Fprintf(out, "%s* `%s`: %s (%s)\n", head, e.Name, e.About, e.Source)
			head = ""
		}
	}
}
