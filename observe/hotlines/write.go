package hotlines

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"

	"cotenant/experiment"
	"cotenant/sm/tally"
)

// WriteCSV writes a row for each line, under the names of the JSON form; stalls_CAUSE are its
// stalls.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	heads := []string{"tenant", "name", "kernel", "launch", "file", "line", "source", "source_line", "pc", "text", "source_text", "issues", "lanes", "cycles"}
	causes := r.causes()
	for _, cause := range causes {
		heads = append(heads, "stalls_"+cause.String())
	}
	_ = c.Write(append(heads, "l1_sectors", "l2_sectors", "dram_sectors", "bank_conflicts")) // Error has it
	count := func(n uint64) string { return strconv.FormatUint(n, 10) }
	for i := range r.Lines {
		l := &r.Lines[i]
		row := []string{strconv.Itoa(l.Tenant), l.Name, l.Kernel, strconv.FormatInt(l.Launch, 10), l.File, strconv.Itoa(l.Line), l.Source, strconv.Itoa(l.SourceLine),
			count(uint64(l.PC)), l.Text, l.SourceText, count(l.Issues), count(l.Threads), count(l.Cycles)}
		for _, cause := range causes {
			row = append(row, count(l.stalls[cause]))
		}
		_ = c.Write(append(row, count(l.L1Sectors), count(l.L2Sectors), count(l.DRAMSectors), count(l.BankConflicts)))
	}
	c.Flush()
	return c.Error()
}

// causes lists the causes of the CSV's columns: all but idle, and but an optional cause without cycles.
func (r *Report) causes() (list []tally.Cause) {
	for _, cause := range tally.Causes() {
		shown := slices.ContainsFunc(r.Lines, func(l Line) bool { return l.stalls[cause.Cause] > 0 })
		if cause.Cause != tally.Idle && (shown || !cause.Optional) {
			list = append(list, cause.Cause)
		}
	}
	return list
}

// shownLines is the number of lines of the table for people.
const shownLines = 20

// WriteTable writes the lines with the most cycles for people to read, by line of the
// source where it is known.
func (r *Report) WriteTable(w io.Writer) error {
	lines, totals := r.sums(true), map[int]uint64{}
	for i := range lines {
		totals[lines[i].Tenant] += lines[i].Cycles
	}
	var t experiment.Table
	rest := lines[min(shownLines, len(lines)):]
	for i := range lines[:len(lines)-len(rest)] {
		l := &lines[i]
		why := "-"
		if cause, any := l.Mostly(); any {
			why = cause.Info().Shown
		}
		t.Row("Tenant", clip(l.Name, 12), "Cycles %", number(100*float64(l.Cycles), totals[l.Tenant]), "Mostly", why,
			"Issues", l.Issues, "Lanes", number(float64(l.Threads), l.Issues), "Line", last(path.Base(l.where()), 18), "Text", clip(l.shown(), 34))
	}
	text := t.String()
	if text == "" {
		text = "no line has cycles: no warp was on an SM\n"
	}
	_, err := io.WriteString(w, text)
	if err == nil && len(rest) > 0 {
		_, err = fmt.Fprintf(w, "%d more lines; --hot FILE.csv has all\n", len(rest))
	}
	return err
}

// shown is the text that tells a person the most.
func (l *Line) shown() string {
	if l.SourceText != "" {
		return l.SourceText
	}
	return l.Text
}

func (l *Line) where() string {
	if l.SourceText != "" {
		return l.Origin()
	}
	return l.Place()
}

func number(v float64, of uint64) experiment.Number {
	if of == 0 {
		return "-"
	}
	return experiment.Number(strconv.FormatFloat(v/float64(of), 'f', 1, 64))
}

// clip shortens a text at its end, last at its beginning.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func last(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return s
}
