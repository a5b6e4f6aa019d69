package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersionIsWhatTheBuildKnows(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	changed := func(value string) debug.BuildSetting { return debug.BuildSetting{Key: "vcs.modified", Value: value} }
	for _, c := range []struct {
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"(devel)", nil, "0.1.0+unknown"},
		{"", nil, "0.1.0+unknown"},
		{"(devel)", []debug.BuildSetting{revision, changed("false")}, "0.1.0+0123456789ab"},
		{"v0.0.0-20260102030405-0123456789ab+dirty", []debug.BuildSetting{revision, changed("true")}, "0.1.0+0123456789ab.changes"},
		{"v1.2.3", nil, "1.2.3"},
	} {
		assert.Equal(t, c.want, versionOf(&debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}))
	}
	assert.Equal(t, "0.1.0+unknown", versionOf(nil))
}
