package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

func TestGPUsOfTheGuideLoad(t *testing.T) {
	text := read(t, "running.md")
	blocks := regexp.MustCompile("(?ms)^```yaml\n(extends:.*?)^```$").FindAllStringSubmatch(text, -1)
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		path := filepath.Join(t.TempDir(), "gpu.yaml")
		require.NoError(t, os.WriteFile(path, []byte(b[1]), 0o600))
		_, err := presets.Load(path)
		require.NoError(t, err)
	}
}
