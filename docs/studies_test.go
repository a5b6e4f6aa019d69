package docs

import (
	"regexp"
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
