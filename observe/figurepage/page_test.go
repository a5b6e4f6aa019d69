package figurepage

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/reproduce"
	"cotenant/observe/browsertest"
	"cotenant/observe/look"
	"cotenant/observe/look/vision"
)

// hostile is a name that must not become part of the page's code.
const hostile = `</script><b id="broken">&"'`

func report() *reproduce.Report {
	n := func(v float64) *float64 { return &v }
	return &reproduce.Report{Name: "fig", About: "about " + hostile, Source: "SMK, Figure 0", Notes: hostile, GPU: "smk16", Quick: true, Cycles: 1000, Size: "tiny", Mixes: 3, Policies: 2, Simulations: 9,
		Rows: []reproduce.Row{
			{Label: "STP, C+M, Spart", Paper: n(1.3), From: "text 1", Ours: n(1.25)},
			{Label: "STP, C+M, SMK", Ours: n(1.5)},
			{Label: "STP, C+M, SMK over Spart", Unit: "%", Paper: n(-10.5), From: "text 2", Ours: n(20)},
			{Label: "STP, M+M, SMK over Spart", Unit: "%", Paper: n(5)},
			{Label: "ANTT, undefined"},
			{Label: hostile, Ours: n(3)},
		}}
}

func written(t *testing.T, r *reproduce.Report) string {
	var out bytes.Buffer
	require.NoError(t, Write(&out, r, "cotenant reproduce fig", "cotenant report sweep s"))
	return out.String()
}

func TestRowsThatBeginAlikeAreBarsTogether(t *testing.T) {
	var got []string
	for _, g := range groups(report().Rows) {
		got = append(got, g.title+"|"+g.unit+"|"+strings.Join(g.labels, "|"))
	}
	assert.Equal(t, []string{"STP||C+M, Spart|C+M, SMK", "STP|%|C+M, SMK over Spart|M+M, SMK over Spart", "Others||" + hostile}, got)
}

func TestWhatIsNotThereHasNoBar(t *testing.T) {
	text, err := json.Marshal(charts(report().Rows))
	require.NoError(t, err)
	var list []struct {
		Unit   string
		Option struct {
			Series []struct {
				Name string
				Data []any
			}
		}
		Decals []any
	}
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list, 3)
	assert.Equal(t, []any{1.3, "-"}, list[0].Option.Series[0].Data)
	assert.Equal(t, []any{1.25, 1.5}, list[0].Option.Series[1].Data)
	assert.Equal(t, []any{20.0, "-"}, list[1].Option.Series[1].Data)
	assert.Equal(t, "%", list[1].Unit)
	require.Len(t, list[2].Option.Series, 1, "nothing of it is published")
	assert.Equal(t, "ours", list[2].Option.Series[0].Name)
	assert.Len(t, list[2].Decals, 1)
}

func TestPageNamesConditionsAndDifferences(t *testing.T) {
	text := written(t, report())
	markup := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(text, "")
	assert.NotRegexp(t, `src=|href=|@import|url\(|<script|<b id`, markup)
	assert.Contains(t, markup, "On smk16. Mixes: 3; policies: 2; each ran for 1000 cycles, inputs of size tiny")
	assert.Contains(t, markup, "The paper gives 3 of these 6 values as numbers")
	assert.Contains(t, markup, "quick: less than the paper ran")
	assert.Contains(t, markup, `<td>1.300</td><td>1.250</td><td>–</td><td>–</td><td>-0.050</td><td class="text">text 1</td>`)
	assert.Contains(t, markup, `<td>–</td><td>1.500</td><td>–</td>`)
	full := report()
	full.Quick = false
	assert.NotContains(t, written(t, full), "quick: less")
	assert.Equal(t, text, written(t, report()), "equal reports give equal bytes")
}

func TestPaperAndOursDifferToTheColourBlindToo(t *testing.T) {
	for name, eyes := range vision.Visions {
		assert.Greater(t, vision.Apart(vision.Seen(paperColour, eyes), vision.Seen(ourColour(), eyes)), 0.08, name)
	}
	assert.Positive(t, paperHatch.Line, "and one is hatched")
}

func TestBrowserDrawsBars(t *testing.T) {
	for _, width := range []int{1280, 390} {
		p := browsertest.Render(t, written(t, report()), width, "")
		assert.Empty(t, p.Wrong)
		assert.False(t, p.Broken)
		assert.LessOrEqual(t, p.Wide, width)
		require.Len(t, p.Charts, 3)
		for id, c := range p.Charts {
			assert.Greater(t, c.Colours[look.Colour(0)], 200, id)
			assert.Equal(t, id != "group-2", c.Colours[paperColour] > 100, id)
		}
	}
}

func TestPageOfNoRowsSaysSo(t *testing.T) {
	empty := report()
	empty.Rows = nil
	assert.Contains(t, written(t, empty), "No value is defined.")
}
