package figurepage

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/reproduce"
	"cotenant/observe/browsertest"
)

// Every number of the page and every bar of its charts is that of the report's JSON, as --json
// writes it; another number is told.
func TestNumbersOfTheFiguresPageAreTheReports(t *testing.T) {
	n := func(v float64) *float64 { return &v }
	r := report()
	r.Rows[0].Mixes, r.Rows[0].OfMixes, r.Rows[0].Low, r.Rows[0].High = 3, 3, n(1.2), n(1.3125)
	r.Rows[1].Mixes, r.Rows[1].OfMixes, r.Rows[1].Low, r.Rows[1].High = 2, 3, n(1.4), n(1.6)
	r.Rows[2].Mixes, r.Rows[2].OfMixes = 1, 1
	r.Rows = append(r.Rows, reproduce.Row{Label: "time", Unit: "us", Paper: n(2345.678), From: "table 9", Ours: n(0.00123456)})
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var result map[string]any
	require.NoError(t, json.Unmarshal(text, &result))
	p := browsertest.Render(t, written(t, r), 1280, browsertest.Reading+`
found.charts = [...document.querySelectorAll(".chart")].map((c) => ({ title: c.closest("section").querySelector("h2").textContent, labels: chartOf(c).getOption().yAxis[0].data, series: series(c) }));
found.table = cells(document.querySelectorAll("table tbody tr"));
found.further = further("table, pre");`)
	assert.Empty(t, p.Wrong)
	row := func(i int) map[string]any { return result["rows"].([]any)[i].(map[string]any) }
	cell := func(v any) any {
		if v == nil {
			return "–"
		}
		return v
	}
	want := func() any {
		bars := func(title string, labels []any, rows ...int) map[string]any {
			paper, ours, published := []any{}, []any{}, false
			for _, i := range rows {
				for key, list := range map[string]*[]any{"paper": &paper, "ours": &ours} {
					value := row(i)[key]
					if value == nil {
						value = "-"
					} else if key == "paper" {
						published = true
					}
					*list = append(*list, value)
				}
			}
			series := []any{map[string]any{"name": "ours", "data": ours}}
			if published {
				series = append([]any{map[string]any{"name": "the paper", "data": paper}}, series...)
			}
			return map[string]any{"title": title, "labels": labels, "series": series}
		}
		table := []any{}
		for i := range r.Rows {
			x := row(i)
			interval, mixes, difference := any("–"), any("–"), any("–")
			if x["low"] != nil {
				interval = fmt.Sprintf("%v to %v", x["low"], x["high"])
			}
			if x["mixes"].(float64) > 0 {
				mixes = x["mixes"]
			}
			if x["mixes"] != x["of_mixes"] {
				mixes = fmt.Sprintf("%v of %v", x["mixes"], x["of_mixes"])
			}
			if x["paper"] != nil && x["ours"] != nil {
				difference = x["ours"].(float64) - x["paper"].(float64)
			}
			table = append(table, []any{x["label"], x["unit"], cell(x["paper"]), cell(x["ours"]), interval, mixes, difference, x["paper_source"]})
		}
		return map[string]any{"table": table,
			"charts": []any{bars("STP", []any{"C+M, Spart", "C+M, SMK"}, 0, 1), bars("STP, %", []any{"C+M, SMK over Spart", "M+M, SMK over Spart"}, 2, 3),
				bars("Others", []any{hostile}, 5), bars("Others, us", []any{"time"}, 6)},
			"further": []any{fmt.Sprintf("%v, and ours", result["source"]),
				fmt.Sprintf("On %v. Mixes: %v; policies: %v; each ran for %v cycles, inputs of size %v; simulations, single applications included: %v.", result["gpu"], result["mixes"], result["policies"], result["cycles"], result["size"], result["simulations"]),
				"The paper gives 4 of these 7 values as numbers. Values that it only draws, or leaves out, have no bar and no difference here."}}
	}
	browsertest.RequireTold(t, p.Found, result, want, 4)
}
