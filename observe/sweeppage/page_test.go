package sweeppage

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/look"
	"cotenant/observe/look/vision"
)

// hostile is a name that must not become part of the page's code.
const hostile = `</script><b id="broken">&"'`

// point is a run with figures that follow from its two applications' normalised IPCs.
func point(mix, class, policy, gpu string, a, b float64) Point {
	return Point{Mix: strings.Split(mix, " + "), Class: class, Policy: policy, GPU: gpu, IPC: []float64{100 * a, 100 * b}, Isolated: []float64{100, 100}, IsolatedOn: gpu, Normalized: []float64{a, b},
		Metrics: [NumMetrics]float64{STP: a + b, ANTT: (1/a + 1/b) / 2, Fairness: min(a, b) / max(a, b), HSpeedup: 2 / (1/a + 1/b), TotalIPC: 100 * (a + b), OverGoal: math.NaN()},
		Command: []string{"cotenant", "run", "--gpu", gpu, "--policy", policy, "--app", "x"}}
}

// report has six C+M mixes under two policies, one M+M mix under either, and a run of a
// policy on a GPU of its own.
func report() *Report {
	r := &Report{Title: "Runs of " + hostile, About: "14 runs.", Notes: []string{hostile}, Command: "cotenant report sweep s --html " + hostile}
	for i := range 6 {
		mix := "app" + string(rune('a'+i)) + " + lbm"
		x := float64(i) / 20
		r.Points = append(r.Points, point(mix, "C+M", "spart", "smk16", 0.4+x, 0.6), point(mix, "C+M", "smk-pw", "smk16", 0.5+x, 0.7))
	}
	r.Points = append(r.Points, point("histo + lbm", "M+M", "spart", "smk16", 0.3, 0.5), point(hostile+" + lbm", "", "ccbp", "ccbp16", 0.5, 0.5))
	r.Points[0].Page = "pages/0123.html"
	return r
}

func written(t *testing.T, r *Report) string {
	var out bytes.Buffer
	require.NoError(t, Write(&out, r))
	return out.String()
}

func TestPageNeedsNothingElse(t *testing.T) {
	text := written(t, report())
	markup := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(text, "")
	assert.NotRegexp(t, `src=|href=|@import|url\(|<script`, markup)
	assert.NotContains(t, text, `<b id="broken"`)
	assert.Equal(t, text, written(t, report()), "equal reports give equal bytes")
	hashes, err := ScriptHashes()
	require.NoError(t, err)
	assert.Len(t, hashes, strings.Count(text, "<script>"))
}

func TestDataSaysOnceWhatPointsHaveInCommon(t *testing.T) {
	text, err := Data(report())
	require.NoError(t, err)
	var p struct {
		Mixes, Names, Classes, Policies, GPUs, Settings, Words []string
		Apps, Command                                          [][]int
		ClassOf, Mix, Policy, GPU                              []int
		Metric                                                 [][]*float64
		Tenant                                                 [][]*float64
		Pages                                                  map[string]string
	}
	require.NoError(t, json.Unmarshal(text, &p))
	assert.Len(t, p.Mix, 14)
	assert.Len(t, p.Mixes, 8)
	assert.Equal(t, []string{"C+M", "M+M", ""}, p.Classes)
	assert.Equal(t, []string{"spart", "smk-pw", "ccbp"}, p.Policies)
	assert.Equal(t, []string{"smk16", "ccbp16"}, p.GPUs)
	assert.Equal(t, []string{"appa", "lbm"}, []string{p.Names[p.Apps[0][0]], p.Names[p.Apps[0][1]]})
	var words []string
	for _, w := range p.Command[1] {
		words = append(words, p.Words[w])
	}
	assert.Equal(t, "cotenant run --gpu smk16 --policy smk-pw --app x", strings.Join(words, " "))
	assert.Len(t, p.Words, 2+2+3+1)
	assert.Equal(t, 1.3809524, *p.Metric[ANTT][11], "seven digits")
	assert.Nil(t, p.Metric[OverGoal][0])
	assert.Equal(t, 0.6, *p.Tenant[1][0])
	assert.Equal(t, map[string]string{"0": "pages/0123.html"}, p.Pages)
}

func TestAppsThatAMixHasNotAreAbsent(t *testing.T) {
	r := &Report{Points: []Point{point("a + b", "", "p", "g", 0.5, 0.5), {Mix: []string{"a", "b", "c"}, Normalized: []float64{0.1, 0.2, math.Inf(1)}}}}
	text, err := Data(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"tenant":[[0.5,0.1],[0.5,0.2],[null,null]]`)
	text, err = Data(&Report{})
	require.NoError(t, err)
	assert.NotContains(t, string(text), "null,\"", "lists of nothing are lists")
}

// Shades and changes grow darker, or away from the middle, to all readers alike, and
// the two ends of the changes differ.
func TestShadesAreOrderedToTheColourBlindToo(t *testing.T) {
	for name, eyes := range vision.Visions {
		light := func(colour string) float64 { return vision.Seen(colour, eyes)[0] }
		for i := range shades[1:] {
			assert.Greater(t, light(shades[i])-light(shades[i+1]), 0.08, "%s: shade %d", name, i)
		}
		middle := len(changes) / 2
		for i := range middle {
			assert.Greater(t, light(changes[i+1])-light(changes[i]), 0.05, "%s: worse %d", name, i)
			assert.Greater(t, light(changes[len(changes)-2-i])-light(changes[len(changes)-1-i]), 0.05, "%s: better %d", name, i)
			assert.Greater(t, vision.Apart(vision.Seen(changes[i], eyes), vision.Seen(changes[len(changes)-1-i], eyes)), 0.12, "%s: step %d of worse and better", name, i)
		}
	}
	assert.Equal(t, moreTints*len(look.Colours), 24)
}

func TestRunPagesAreKnownByTheirHeads(t *testing.T) {
	head := func(kind, hash string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`<head><meta name="generator" content="cotenant ` + kind + ` page"><meta name="cotenant-configuration" content="` + hash + `">`)}
	}
	folder := fstest.MapFS{"a.html": head("run", "01ab"), "pages/b.HTML": head("run", "02"), "sweep.html": head("sweep", "03"), "other.html": {Data: []byte("<p>")},
		"c.txt": head("run", "04"), ".hidden/d.html": head("run", "05"), "pages/deep/e.html": head("run", "06")}
	assert.Equal(t, map[string]string{"a.html": "01ab", "pages/b.HTML": "02", "sweep.html": ""}, Pages(folder))
}
