package docs

import (
	"regexp"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/presets"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program understands the commands of ccbp.md: its policies, and the GPU.
func TestGuideToCCBPNamesWhatThereIs(t *testing.T) {
	text := read(t, "ccbp.md")
	specs := regexp.MustCompile(`(?:--policy |`+"`"+`)((?:ccbp|fixed|ws)(?::[a-z0-9_=,./-]+)?)[ `+"`"+`]`).FindAllStringSubmatch(text, -1)
	require.Greater(t, len(specs), 10)
	for _, m := range specs {
		_, err := policy.Parse(m[1])
		assert.NoError(t, err, m[1])
	}
	for _, m := range regexp.MustCompile("`((?:variant|metric|ls_unlimited|sustain|climb|preempt|epoch)=[a-z0-9.]+)`").FindAllStringSubmatch(text, -1) {
		_, err := policy.Parse("ccbp:" + m[1])
		assert.NoError(t, err, m[1])
	}
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		assert.FileExists(t, m[1])
	}
	gpu := regexp.MustCompile(`--gpu ([a-z0-9-]+)`).FindStringSubmatch(text)
	require.NotNil(t, gpu)
	_, err := presets.Load(gpu[1])
	require.NoError(t, err)
}
