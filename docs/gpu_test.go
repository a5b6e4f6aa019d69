package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cotenant/platform/presets"

	"github.com/stretchr/testify/require"
)

func TestGPUsInTheReadmeLoad(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^  ```yaml\n(  extends:.*?)^  ```$").FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		path := filepath.Join(t.TempDir(), "gpu.yaml")
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(b[1], "\n  ", "\n")[2:]), 0o600))
		_, err := presets.Load(path)
		require.NoError(t, err)
	}
}
