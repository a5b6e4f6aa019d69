package docs

import (
	"regexp"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/presets"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program understands the commands of heterocore.md: its policies and their options, and the GPUs.
func TestGuideToHeteroCoreNamesWhatThereIs(t *testing.T) {
	text := read(t, "heterocore.md")
	specs := regexp.MustCompile("(?:--policy |`)((?:heterocore(?:-agnostic|-static)?|fixed)(?::[a-z0-9_=,.+/-]+)?)[ `]").FindAllStringSubmatch(text, -1)
	require.Greater(t, len(specs), 10)
	for _, m := range specs {
		_, err := policy.Parse(m[1])
		assert.NoError(t, err, m[1])
	}
	options := regexp.MustCompile("`((?:profile|margin|preempt)=[a-z0-9.]+)`").FindAllStringSubmatch(text, -1)
	require.Len(t, options, 6)
	for _, m := range options {
		_, err := policy.Parse("heterocore:" + m[1])
		assert.NoError(t, err, m[1])
	}
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		assert.FileExists(t, m[1])
	}
	gpus := regexp.MustCompile("(?:gpu |`)((?:heterocore-[0-9]+b|fermi)[0-9a-z]+)").FindAllStringSubmatch(text, -1)
	require.Greater(t, len(gpus), 5)
	for _, m := range gpus {
		_, err := presets.Load(m[1])
		assert.NoError(t, err, m[1])
	}
}
