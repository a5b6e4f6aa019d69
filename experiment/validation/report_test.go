package validation

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/tests/need"
)

var update = flag.Bool("update", false, "rewrite docs/validation.md")

const document = "../../docs/validation.md"

// fillsL2 reports whether a microkernel fills half of the L2 or walks round it, which takes long.
func fillsL2(m *Microkernel) bool {
	return slices.ContainsFunc(m.Figures, func(f Figure) bool {
		return slices.Contains([]string{"chase-64k", "l2-rate", "noc-sectors", "noc-lines", "atomic-many"}, f.Name)
	})
}

// docs/validation.md is what report validation writes, and every difference above the bound
// has a reason: all of one GPU; in CI all but the streams of DRAM of four further GPUs, where each
// microkernel that fills the L2 runs on one of these GPUs in turn; with SLOW=1 all but the streams of
// each GPU whose L2 has at most 8 MB; and with -update all of all.
func TestDocumentIsWhatTheCommandMakes(t *testing.T) {
	const outdated = "make validation, or go test ./experiment/validation -update"
	written := func(list []*Microkernel, gpus ...*wiring.Config) string {
		report, err := measure(t.Context(), gpus, list, Options{})
		require.NoError(t, err)
		assert.Empty(t, report.Faults())
		var text bytes.Buffer
		require.NoError(t, report.WriteMarkdown(&text))
		return text.String()
	}
	var one *wiring.Config
	var others, all []*wiring.Config
	for _, name := range Presets() {
		gpu, err := presets.Load(name)
		require.NoError(t, err)
		all = append(all, gpu)
		if name == "fermi16" {
			one = gpu
		} else if !(&bench{gpu: gpu}).large() {
			others = append(others, gpu)
		}
	}
	switch {
	case need.Slow():
	case need.CI():
		others = slices.DeleteFunc(others, func(gpu *wiring.Config) bool { return gpu.Name == "reference16" || gpu.Name == "v100" })
	default:
		others = nil
	}
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(written(All(), all...)), 0o644))
		return
	}
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	sections := func(text string) []string { return strings.Split(text+"\n## ", "\n\n## ") }
	kept := sections(string(text))
	require.Len(t, kept, 3+len(all), "what is measured, and a section for each preset: "+outdated)
	for _, section := range sections(written(All(), one)) {
		title, _, _ := strings.Cut(section, "\n")
		require.True(t, slices.Contains(kept, section), "section %q: %s", title, outdated)
	}
	if len(others) == 0 {
		return
	}
	quick := slices.DeleteFunc(All(), func(m *Microkernel) bool { return strings.HasPrefix(m.Figures[0].Name, "dram-") && len(m.Figures) > 1 })
	require.Len(t, quick, len(All())-len(streams()))
	turn := 0
	for _, gpu := range others {
		list := slices.DeleteFunc(slices.Clone(quick), func(m *Microkernel) bool {
			if need.Slow() || !fillsL2(m) {
				return false
			}
			turn++
			return turn%len(others) != 0
		})
		section := sections(written(list, gpu))[2]
		lines := strings.Split(section, "\n")
		at := slices.IndexFunc(kept, func(text string) bool { return strings.HasPrefix(text, lines[0]+"\n") })
		require.GreaterOrEqual(t, at, 0, lines[0])
		for _, line := range lines {
			require.Contains(t, kept[at], line, "section %q: %s", lines[0], outdated)
		}
	}
}

// alone is a report of values that are all 1, but for one figure.
func alone(figure string, value float64, published ...Published) *Report {
	var values []float64
	for _, name := range figureNames() {
		v := 1.0
		if name == figure {
			v = value
		}
		values = append(values, v)
	}
	return &Report{Schema, []*GPUReport{compare("g", &Machine{Name: "m", Figures: published}, All(), values)}}
}

func TestLatenciesMayDifferByFivePerCentAndBandwidthsByTen(t *testing.T) {
	for _, c := range []struct {
		figure        string
		ours          float64
		value, reason string
		want          []string
	}{
		{"l2-chain", 105, "100", "", nil},
		{"l2-chain", 95, "100", "", nil},
		{"l2-chain", 105.1, "100", "", []string{"g: l2-chain is 105.1, +5.1 % beside the 100 of S, and no reason is given"}},
		{"l2-chain", 94.9, "100", "", []string{"g: l2-chain is 94.9, -5.1 % beside the 100 of S, and no reason is given"}},
		{"l2-chain", 94.9, "100", "R", nil},
		{"l2-chain", 95, "100", "R", []string{"g: l2-chain is 95, within 5 % of the 100 of S, and needs no reason"}},
		{"l2-rate", 90, "100", "", nil},
		{"l2-rate", 89.9, "100", "", []string{"g: l2-rate is 89.9, -10.1 % beside the 100 of S, and no reason is given"}},
		{"l2-chain", 150, "100 to 200", "", nil},
		{"l2-chain", 209, "100 to 200", "", nil},
		{"l2-chain", 211, "100 to 200", "", []string{"g: l2-chain is 211, +5.5 % beside the 100 to 200 of S, and no reason is given"}},
		{"l2-chain", 94, "100 to 200", "", []string{"g: l2-chain is 94, -6.0 % beside the 100 to 200 of S, and no reason is given"}},
	} {
		var value Range
		require.NoError(t, value.UnmarshalText([]byte(c.value)))
		r := alone(c.figure, c.ours, Published{Figure: c.figure, Value: value, Source: "S", Mark: "p", Reason: c.reason})
		assert.Equal(t, c.want, r.Faults(), "%v beside %s", c.ours, c.value)
	}
}

func TestDocumentHasARowForEverySourceOfAFigure(t *testing.T) {
	r := alone("l2-chain", 210, Published{Figure: "l2-chain", Value: Range{100, 100}, Source: "A", Mark: "p", Printed: "200 half cycles", Reason: "why"},
		Published{Figure: "l2-chain", Value: Range{200, 300}, Source: "B", Mark: "m"})
	var text bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&text))
	assert.Contains(t, text.String(), "\n## g\n\nPublished figures are of: m\n")
	assert.Contains(t, text.String(), "\n| `l2-chain` | 210 | cycles | 100 | A (p): 200 half cycles | +110.0 % | why |\n"+
		"| `l2-chain` | 210 | cycles | 200 to 300 | B (m) | 0 % | |\n")
	assert.Contains(t, text.String(), "\n| `dram-chain` | 1 | cycles | | | | |\n")

	text.Reset()
	require.NoError(t, (&Report{Schema, []*GPUReport{compare("g", nil, All(), make([]float64, len(figureNames())))}}).WriteMarkdown(&text))
	assert.Contains(t, text.String(), "\n## g\n\nNothing is published of this machine.\n")
}

func TestJSONHasWhatTheDocumentHas(t *testing.T) {
	r := alone("l2-chain", 210, Published{Figure: "l2-chain", Value: Range{100, 100}, Source: "A & B", Mark: "p", Reason: "why"})
	var text bytes.Buffer
	require.NoError(t, experiment.WriteJSON(&text, r))
	assert.Contains(t, text.String(), "A & B")
	var back Report
	require.NoError(t, json.Unmarshal(text.Bytes(), &back))
	assert.Equal(t, r, &back)
}

func TestFiguresAreReportedToFourDigits(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 4: 4, 343.94: 343.9, 0.996094: 0.9961, 123456: 123500, 0.00123456: 0.001235, 99.996: 100, 1.0 / 3: 0.3333} {
		assert.Equal(t, want, rounded(x))
	}
}
