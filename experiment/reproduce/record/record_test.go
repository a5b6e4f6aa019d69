package record

import (
	"bytes"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/reproduce"
)

func TestDocumentIsWhatTheCommandMakes(t *testing.T) {
	b, err := Read(os.DirFS("data"))
	require.NoError(t, err)
	require.NotEmpty(t, b.Records)
	assert.Empty(t, b.Faults())
	var text bytes.Buffer
	require.NoError(t, b.WriteMarkdown(&text))
	document, err := os.ReadFile("../../../docs/results.md")
	require.NoError(t, err)
	assert.True(t, text.String() == string(document), "docs/results.md differs: cotenant report results --out docs/results.md")
}

// The published values of a record are those that the experiment states today.
func TestRecordsHaveThePublishedValues(t *testing.T) {
	b, err := Read(os.DirFS("data"))
	require.NoError(t, err)
	for _, r := range b.Records {
		assert.Regexp(t, `^[0-9a-f]{8}$`, r.Commit, r.Report.Name)
		assert.Regexp(t, `^\d{4}-\d\d-\d\d$`, r.Date, r.Report.Name)
		e, err := reproduce.Find(r.Report.Name)
		require.NoError(t, err)
		assert.Equal(t, []string{e.About, e.Source}, []string{r.Report.About, r.Report.Source})
		assert.NotEmpty(t, r.Report.Rows, r.Report.Name)
	}
}

func value(x float64) *float64 { return &x }

func TestToleranceIsTenPerCentFivePointsOrTheInterval(t *testing.T) {
	for _, c := range []struct {
		row    reproduce.Row
		agrees bool
	}{
		{reproduce.Row{Paper: value(1), Ours: value(1.0999)}, true},
		{reproduce.Row{Paper: value(1), Ours: value(1.11)}, false},
		{reproduce.Row{Paper: value(-10), Ours: value(-9)}, true},
		{reproduce.Row{Paper: value(10), Ours: value(15), Unit: "%"}, true},
		{reproduce.Row{Paper: value(10), Ours: value(15.1), Unit: "%"}, false},
		{reproduce.Row{Paper: value(10), Ours: value(15)}, false},
		{reproduce.Row{Paper: value(1), Ours: value(2), Low: value(1), High: value(3)}, true},
		{reproduce.Row{Paper: value(1), Ours: value(2), Low: value(1.1), High: value(3)}, false},
		{reproduce.Row{Paper: value(1)}, false},
		{reproduce.Row{Ours: value(1)}, false},
	} {
		assert.Equal(t, c.agrees, Agrees(c.row), "%+v", c.row)
	}
}

func TestTableOfOurOwnHasAColumnForEachMetric(t *testing.T) {
	b := &Book{Records: []*Record{{Report: &reproduce.Report{Name: "n", About: "about", Source: own, Rows: []reproduce.Row{
		{Label: "STP, a+b, MPS", Ours: value(1.5)}, {Label: "ANTT, a+b, MPS", Ours: value(1.25)}, {Label: "STP, a+b, QoS"}, {Label: "ANTT, a+b, QoS", Ours: value(2)},
	}}}}}
	var text bytes.Buffer
	require.NoError(t, b.WriteMarkdown(&text))
	assert.Contains(t, text.String(), "\n| | STP | ANTT |\n|---|--:|--:|\n| a+b, MPS | 1.500 | 1.250 |\n| a+b, QoS | - | 2.000 |\n")
}

func TestMissingAndSuperfluousReasonsAreFaults(t *testing.T) {
	folder := fstest.MapFS{
		"reasons.yaml":    {Data: []byte("- {experiment: smk-table2, rows: ['a, *'], reason: because}\n- {experiment: smk-table2, rows: [b], reason: because}\n")},
		"smk-table2.json": {Data: []byte(`{"commit": "c", "date": "d", "report": {"name": "smk-table2", "rows": [{"label": "a, 7/4", "paper": 1, "ours": 2}, {"label": "b", "paper": 1, "ours": 1}, {"label": "c", "paper": 1, "ours": null}]}}`)},
	}
	b, err := Read(folder)
	require.NoError(t, err)
	assert.Equal(t, []string{`smk-table2: "c" is outside the tolerance and has no reason`, `smk-table2: no row of ["b"] is outside the tolerance`}, b.Faults())
	r := &Record{Report: &reproduce.Report{Name: "smk-table2"}}
	b.Add(r)
	assert.Equal(t, []*Record{r}, b.Records, "a new report takes the place of the old one")
}

// Quick runs and runs of the paper's windows are recorded side by side.
func TestLongRecordStandsBesideTheQuickOne(t *testing.T) {
	of := func(name string, quick bool, cycles uint64) *Record {
		rows := []reproduce.Row{{Label: "a", Paper: value(1), Ours: value(1)}}
		return &Record{Commit: "c", Report: &reproduce.Report{Name: name, About: "about", Source: "S, 1", Mixes: 3, Quick: quick, Cycles: cycles, Rows: rows}}
	}
	quick, wide, full, other := of("smk-fig10", true, 200_000), of("smk-fig10", true, 2_000_000), of("smk-fig10", false, 2_000_000), of("smk-fig12", true, 200_000)
	b := &Book{}
	for _, r := range []*Record{wide, other, full, quick} {
		b.Add(r)
	}
	assert.Equal(t, []*Record{quick, full, other}, b.Records)
	assert.Equal(t, []string{"smk-fig10", "smk-fig10-long", "smk-fig12"}, []string{quick.Name(), full.Name(), other.Name()})
	other.Commit = "d"
	var text bytes.Buffer
	require.NoError(t, b.WriteMarkdown(&text))
	for _, line := range []string{"Quick runs, and experiments without runs, of 2 builds:", "The papers' windows, all of one build:", "| all | 2 | 2 | | |", "| all | 1 | 1 | | |",
		"](#smk-fig10-long), smk-fig10 | 1 | 1 | full, 2000000 cycles | c |", "\n### smk-fig10-long\n"} {
		assert.Contains(t, text.String(), line)
	}
	assert.NotContains(t, text.String(), "* `smk-fig10`:", "it has a record")
}
