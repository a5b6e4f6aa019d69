package docs

import (
	"regexp"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What quality-of-service.md runs is understood: its policies, all of which keep
// goals, and what it says of tenants.
func TestGuideToGoalsNamesWhatThereIs(t *testing.T) {
	text := read(t, "quality-of-service.md")
	// Without the scheme that the guide adds.
	specs := regexp.MustCompile(`(?:--policy |`+"`"+`)((?:spart-)?qos(?::[a-z0-9=,-]+)?)[ `+"`"+`]`).FindAllStringSubmatch(strings.ReplaceAll(text, "qos:scheme=rollover-all", ""), -1)
	require.Greater(t, len(specs), 5)
	for _, m := range specs {
		p, err := policy.Parse(m[1])
		if assert.NoError(t, err) {
			assert.True(t, p.Needs().Goals, m[1])
		}
	}
	apps := regexp.MustCompile(`[a-z]\?([a-z0-9_=.&]+)['"]`).FindAllStringSubmatch(text, -1)
	require.Greater(t, len(apps), 5)
	for _, m := range apps {
		var a tenant.Attributes
		for _, option := range strings.Split(m[1], "&") {
			key, value, _ := strings.Cut(option, "=")
			known, err := a.Set(key, value)
			assert.NoError(t, err, m[0])
			assert.True(t, known, m[0])
		}
	}
}
