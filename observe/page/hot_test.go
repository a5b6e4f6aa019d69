package page

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
	"cotenant/observe/hotlines"
	"cotenant/sm/hot"
	"cotenant/sm/tally"
	"cotenant/tenant"
	"cotenant/workload"
)

// withLines is a report of 50 lines, two of which come from each line of a source.
func withLines(t *testing.T) *Report {
	r := report(t, 2)
	var rows []*hot.Row
	for i := range uint64(50) {
		c := hot.Counts{Issues: 3*i + 1, Lanes: 40 * i, L1Sectors: 1000 + i, L2Sectors: i, DRAMSectors: 7, BankConflicts: 50 - i}
		c.Stalls[tally.Issued], c.Stalls[tally.RAWLong] = 3*i+1, 100_000-1000*i
		rows = append(rows, &hot.Row{Tenant: tenant.ID(i % 2), Code: uint32(i % 2), PC: uint32(16 * i), Counts: c,
			Place: workload.Place{File: "a/k.ptx", Line: int(i) + 1, Text: fmt.Sprintf("mov.u32 %%r%d, %s;", i, hostile), Source: "/nowhere/k.cu", SourceLine: int(i/4) + 1}})
	}
	r.Lines = hotlines.New(rows, r.Tenants, []string{"first", hostile}, false)
	return r
}

// Every number of the tables is that of the JSON form.
func TestTablesOfLinesShowTheNumbersOfTheReport(t *testing.T) {
	r := withLines(t)
	p := browsertest.Render(t, written(t, r), 1280, `
const cells = (id) => [...document.querySelectorAll("#" + id + " tbody tr")].map((tr) => [...tr.cells].map((td) => td.dataset.v === undefined ? td.textContent : Number(td.dataset.v)));
const shown = (id) => [...document.querySelectorAll("#" + id + " tbody tr")].filter((tr) => !tr.hidden).length;
found.lines = cells("hot-lines"); found.sources = cells("hot-sources"); found.top = shown("hot-lines");
found.bars = [...document.querySelectorAll("#hot-lines .bar")].slice(0, 2).map((b) => [...b.children].map((i) => i.getBoundingClientRect().width));
const section = document.querySelector('.find[data-for="hot-lines"]');
section.querySelector("button").click();
found.all = shown("hot-lines");
const head = document.querySelectorAll("#hot-lines th")[6].querySelector("button");
head.click();
found.most = cells("hot-lines")[0][6];
head.click();
found.least = cells("hot-lines")[0][6];
const field = section.querySelector("input");
field.value = "k.ptx:17 MOV";
field.dispatchEvent(new Event("input"));
found.searched = shown("hot-lines"); found.note = section.querySelector("span").textContent;`)
	assert.Empty(t, p.Wrong)
	assert.False(t, p.Broken)
	var f struct {
		Lines, Sources     [][]any
		Top, All, Searched int
		Most, Least        float64
		Note               string
		Bars               [][]float64
	}
	text, err := json.Marshal(p.Found)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &f))
	check := func(rows [][]any, lines []hotlines.Line, place func(*hotlines.Line) string) {
		totals := map[int]float64{}
		for i := range lines {
			totals[lines[i].Tenant] += float64(lines[i].Cycles)
		}
		require.Len(t, rows, len(lines))
		for i, row := range rows {
			l := &lines[i]
			require.Equal(t, []any{r.Tenants[l.Tenant], place(l)}, row[:2])
			require.InDeltaSlice(t, []float64{float64(l.Cycles), 100 * float64(l.Cycles) / totals[l.Tenant], float64(l.Issues), float64(l.Threads) / float64(l.Issues),
				float64(l.L1Sectors), float64(l.L2Sectors), float64(l.DRAMSectors), float64(l.BankConflicts)}, row[3:], 1e-9)
		}
	}
	check(f.Lines, r.Lines.Lines, func(l *hotlines.Line) string { return fmt.Sprintf("k.ptx:%d", l.Line) })
	check(f.Sources, r.Lines.BySource(), func(l *hotlines.Line) string { return fmt.Sprintf("k.cu:%d", l.SourceLine) })
	require.Len(t, f.Sources, 26, "lines of two tenants come from each of 13")
	require.Equal(t, []int{20, 50, 1}, []int{f.Top, f.All, f.Searched})
	require.Equal(t, "1 of 1", f.Note)
	require.InDeltaSlice(t, []float64{40 * 49 / 148.0, 0}, []float64{f.Most, f.Least}, 1e-9)
	require.Len(t, f.Bars[0], 2)
	require.InDelta(t, 120*float64(r.Lines.Lines[1].Stalls["raw_long"])/float64(r.Lines.Lines[0].Cycles), f.Bars[1][1], 0.5)
}

func TestTablesOfLinesFitASmallWindow(t *testing.T) {
	p := browsertest.Render(t, written(t, withLines(t)), 390, "")
	assert.Empty(t, p.Wrong)
	assert.LessOrEqual(t, p.Wide, 390)
}
