package docs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment/reproduce"
	"cotenant/platform/presets"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	policyOption = regexp.MustCompile("`([a-z][a-z-]+:[a-z_]+=[^`]+)`")
	gpuOption    = regexp.MustCompile("`([a-z0-9_]+(?:\\.[a-z0-9_]+)+=[a-z0-9]+)`")
	figure       = regexp.MustCompile("`(?:reproduce )?((?:smk|qos|ccbp|heterocore|thesis)-[a-z0-9.]+)`")
)

// Options and figures of results-studies.md exist.
func TestOptionsOfTheStudiesAreValid(t *testing.T) {
	text := read(t, "results-studies.md")
	for _, m := range policyOption.FindAllStringSubmatch(text, -1) {
		_, err := policy.Parse(m[1])
		assert.NoError(t, err)
	}
	for _, m := range gpuOption.FindAllStringSubmatch(text, -1) {
		name := "ccbp16-irc?"
		if strings.HasPrefix(m[1], "host.") {
			name = "k20c?"
		} else if strings.HasPrefix(m[1], "sm.front_end") || strings.HasPrefix(m[1], "l2.") {
			name = "fermi16?"
		}
		_, err := presets.Load(name + m[1])
		assert.NoError(t, err)
	}
	known := map[string]bool{}
	for _, e := range reproduce.All() {
		known[e.Name] = true
	}
	list := figure.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, list)
	for _, m := range list {
		assert.True(t, known[m[1]] || strings.HasPrefix(m[1], "smk-p"), "no experiment is called %s", m[1])
	}
}

// The means of CCBP over the CTA oracle in long windows are those of the record's pairs.
func TestLongWindowsOfCCBPHaveTheMeansOfTheRecord(t *testing.T) {
	gains := map[string]float64{}
	for label, r := range recorded(t, "ccbp-fig10-long") {
		if pair, ok := strings.CutSuffix(label, ", CCBP over CTA_oracle"); ok {
			gains[strings.TrimPrefix(pair, "HSpeedup, ")] = *r.Ours
		}
	}
	delete(gains, "largest of all")
	require.Len(t, gains, 19)
	dram := map[string]bool{"CFD+FTD": true, "LAV+SAD": true, "SMV+LBM": true, "SMV+SRT": true, "KM+FTD": true}
	mean := func(ofDRAM bool, without ...string) string {
		sum, n := 0.0, 0
		for pair, gain := range gains {
			if dram[pair] == ofDRAM && !slices.Contains(without, pair) {
				sum, n = sum+math.Log(1+gain/100), n+1
			}
		}
		return fmt.Sprintf("%.1f %%", 100*(math.Exp(sum/float64(n))-1))
	}
	text := read(t, "results-studies.md")
	for row, want := range map[string]string{
		"14 pairs, LS and BI | 11 %":   mean(false),
		"without HG+SAD and BFS+LBM |": mean(false, "HG+SAD", "BFS+LBM"),
		"5 pairs, NBI and DBI | 12 %":  mean(true),
		"without SMV+SRT |":            mean(true, "SMV+SRT"),
	} {
		assert.Contains(t, text, "| "+row+" | "+want+" |")
	}
}
