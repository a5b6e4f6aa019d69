package reproduce

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oneFigure is files with a paper and a figure.
func oneFigure(figure string) fstest.MapFS {
	return fstest.MapFS{
		"papers/p.yaml":  {Data: []byte("gpu: smk16\napplications:\n  - {name: sad, class: m}\n  - {name: lbm, class: m}\ngroups:\n  - {name: pairs, pairs: m}\nways:\n  - {name: A, policy: fcfs}\n  - {name: B, policy: smk}\nnotes:\n  - {name: n, text: Said.}\n")},
		"figures/f.yaml": {Data: []byte(figure)},
	}
}

const figureText = `paper: p
about: something
source: P, Figure 1
notes: "{n} And more."
from: text 1
rows:
  - {metrics: [STP, ANTT], groups: pairs, ways: [A, B]}
  - {metrics: STP, groups: pairs, ways: B, over: A}
published:
  - {metric: STP, way: [A, B], value: [1 / 4, 2]}
  - {metric: STP, over: A, value: 17, from: printed}
`

func TestPublishedValuesAreThoseOfTheirRows(t *testing.T) {
	figures, err := load(oneFigure(figureText))
	require.NoError(t, err)
	e := figures[0]
	assert.Equal(t, "f", e.Name)
	assert.Equal(t, "Said. And more.", e.Notes)
	rows, err := e.Rows(dataOf(e, Quick, equal))
	require.NoError(t, err)
	assert.Equal(t, Row{Label: "STP, pairs, A", Paper: new(0.25), From: "text 1", Ours: new(1.25), Mixes: 1, OfMixes: 1}, rows[0])
	assert.Equal(t, 2.0, *find(t, rows, "STP, pairs, B").Paper)
	assert.Nil(t, find(t, rows, "ANTT, pairs, B").Paper)
	assert.Equal(t, Row{Label: "STP, pairs, B over A", Unit: "%", Paper: new(17.0), From: "printed", Ours: new(0.0), Mixes: 1, OfMixes: 1}, rows[4])
}

// Every fault of a figure is an error that names its line, and what would be valid.
func TestFiguresThatSayWhatThereIsNotAreErrors(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"paper: p", "paper: q", `figures/f.yaml:1: unknown paper "q"; valid: p`},
		{"{n}", "{m}", `figures/f.yaml:4: unknown note "m"; valid: n`},
		{"[STP, ANTT]", "[STP, ATP]", `figures/f.yaml:7: unknown metric "ATP"; valid: ANTT, `},
		{"groups: pairs, ways: [A", "groups: trios, ways: [A", `figures/f.yaml:7: unknown group "trios"; valid: pairs`},
		{"ways: B", "ways: C", `figures/f.yaml:8: unknown way "C"; valid: A, B`},
		{"over: A}", "over: C}", `figures/f.yaml:8: unknown way "C"; valid: A, B`},
		{"over: A}", "over: A, change: more}", `figures/f.yaml:8: unknown change "more"; valid: gain, improved, `},
		{"rows:", "groups:\n  - {name: x, set: some}\nrows:", `figures/f.yaml:7: unknown set "some"; valid: `},
		{"rows:", "groups:\n  - {name: x, pairs: k}\nrows:", `figures/f.yaml:7: unknown class "k"; valid: m`},
		{"rows:", "ways:\n  - {name: x, policies: all}\nrows:", `figures/f.yaml:7: unknown list of policies "all"; valid: `},
		{"rows:", "ways:\n  - {name: x, machine: m}\nrows:", `figures/f.yaml:7: unknown machine "m"; valid: `},
		{"rows:", "line:", `figures/f.yaml:6: unknown key "line" in the figure; valid keys: paper, about, source, `},
		// A published value has one row.
		{"metric: STP, way: [A, B]", "metric: STP, way: [A, C]", `figures/f.yaml:10: no row has metric STP, way C with way "C"; valid: A, B`},
		{"metric: STP, way: [A, B]", "metric: SPT, way: [A, B]", `figures/f.yaml:10: no row has metric SPT, way A with metric "SPT"; valid: STP, ANTT`},
		{"metric: STP, way: [A, B]", "way: [A, B]", `figures/f.yaml:10: way A is several rows, such as metric STP, group pairs, way A and metric ANTT, group pairs, way A; say which`},
		{"metric: STP, over: A", "metric: STP, over: B", `figures/f.yaml:11: no row has metric STP, over B with over "B"; valid: none, A`},
		{"metric: STP, over: A", "metric: STP, way: A", `figures/f.yaml:11: metric STP, way A is published twice; once is enough`},
		{"[1 / 4, 2]", "[1, 2, 3]", `figures/f.yaml:10: value has 3 numbers for 2 rows; give one for each, or one for all`},
		{"[1 / 4, 2]", "[1 / 0, 2]", `figures/f.yaml:10: published[0].value[0] is "1 / 0"; it takes a number, or two with a slash between them`},
		{", value: 17", "", `figures/f.yaml:11: a published value is missing; give value`},
		{"from: text 1\n", "", `figures/f.yaml:9: a published value does not say where it stands; give from`},
	} {
		require.Equal(t, 1, strings.Count(figureText, c.before), c.before)
		_, err := load(oneFigure(strings.Replace(figureText, c.before, c.after, 1)))
		if assert.Error(t, err, c.after) {
			assert.True(t, strings.HasPrefix(err.Error(), c.want), "%s\n%s", err, c.want)
		}
	}
}

func TestPapersMayHaveTheApplicationsOfOthers(t *testing.T) {
	files := oneFigure(strings.Replace(figureText, "paper: p", "paper: q", 1))
	files["papers/q.yaml"] = &fstest.MapFile{Data: []byte("gpu: smk16\napplications_of: p\ngroups:\n  - {name: pairs, pairs: m}\nways:\n  - {name: A, policy: fcfs}\n  - {name: B, policy: smk}\nnotes:\n  - {name: n, text: Said.}\n")}
	figures, err := load(files)
	require.NoError(t, err)
	assert.Equal(t, []string{"sad", "lbm"}, figures[0].ofClass("m"))
	files["papers/q.yaml"] = &fstest.MapFile{Data: []byte("gpu: smk16\napplications_of: r\n")}
	_, err = load(files)
	assert.EqualError(t, err, `papers/q.yaml:2: unknown paper "r"; valid: p, q`)
}

// A way that the scale or the machine does not have has no rows.
func TestWaysMayBeOfOneScaleOrMachine(t *testing.T) {
	text := strings.Replace(figureText, "rows:", "machines:\n  - {name: small, preset: plain16}\nways:\n  - {name: B, policy: smk, only: quick}\n  - {name: C, policy: smk, machine: small}\nrows:", 1)
	text = strings.NewReplacer("ways: [A, B]}", "ways: [A, B, C]}", "way: [A, B], value: [1 / 4, 2]", "way: A, value: 1", "ways: B, over", "ways: C, over").Replace(text)
	figures, err := load(oneFigure(text))
	require.NoError(t, err)
	other := Quick
	other.GPU = "gtx980"
	for want, s := range map[string]Scale{"ABC": Quick, "AC": Full, "AB": other} {
		e, got := figures[0], ""
		rows, err := e.Rows(dataOf(e, s, equal))
		require.NoError(t, err)
		for _, r := range rows {
			if name, ok := strings.CutPrefix(r.Label, "ANTT, pairs, "); ok {
				got += name
			}
		}
		assert.Equal(t, want, got)
	}
}
