// Package figurepage writes a published figure or table beside ours as a web page: bars
// by group, a table of differences, and the conditions of our runs. The page holds
// everything that it needs and opens without a network.
package figurepage

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"cotenant/experiment/reproduce"
	"cotenant/observe/look"
)

//go:embed figure.html
var pageText string

//go:embed figure.css
var style string

var pageTemplate = template.Must(template.New("figure").Parse(pageText))

// tableRow is a row of the table; a dash stands for a missing value.
type tableRow struct{ Label, Unit, Paper, Ours, Interval, Mixes, Difference, From string }

// Write writes the page of a report. Command makes the page again, store holds its runs.
// Equal arguments give equal bytes.
func Write(w io.Writer, r *reproduce.Report, command, store string) error {
	library, err := look.Library()
	if err != nil {
		return err
	}
	charts := charts(r.Rows)
	options, err := json.Marshal(charts)
	if err != nil {
		return fmt.Errorf("charts: %w", err)
	}
	published := 0
	var rows []tableRow
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Paper != nil {
			published++
		}
		difference := dash
		if x, ok := row.Difference(); ok {
			difference = fmt.Sprintf("%+.3f", x)
		}
		rows = append(rows, tableRow{row.Label, row.Unit, number(row.Paper), number(row.Ours), dashed(row.Interval()), dashed(row.Count()), difference, row.From})
	}
	return pageTemplate.Execute(w, struct {
		*reproduce.Report
		Conditions, Command, Store string
		Published                  int
		Charts                     []chart
		Table                      []tableRow
		Keys                       []key
		Style                      template.CSS
		Library, Script, Options   template.JS
	}{r, r.Conditions(), command, store, published, charts, rows, keys(), look.Style() + template.CSS(style),
		library, look.Drawing(), template.JS(options)})
}

// dash stands for an undefined or unpublished value.
const dash = "–"

func dashed(text string) string {
	if text == "-" {
		return dash
	}
	return text
}

func number(x *float64) string {
	if x == nil {
		return dash
	}
	return strconv.FormatFloat(*x, 'f', 3, 64)
}
