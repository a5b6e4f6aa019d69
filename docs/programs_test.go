package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// The commands of your-own-programs.md, from the source to two policies.
func TestGuideToProgramsWorks(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	folder := t.TempDir()
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```").FindAllStringSubmatch(read(t, "your-own-programs.md"), -1) {
		if block[1] != "yaml" && block[1] != "" {
			continue
		}
		if block[1] == "" {
			script.WriteString(block[2])
			continue
		}
		for name, text := range map[string]string{"vectoradd.app.yaml": block[2], "sizes.txt": ""} {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
	}
	commands := script.String()
	for _, name := range []string{"cotenant", "vectoradd"} {
		commands = strings.NewReplacer("./"+name, filepath.Join(folder, name), "-o "+name, "-o "+filepath.Join(folder, name)).Replace(commands)
	}
	commands = strings.ReplaceAll(commands, "--app vectoradd.app.yaml", "--app "+filepath.Join(folder, "vectoradd.app.yaml"))
	commands = strings.ReplaceAll(commands, "alone", filepath.Join(folder, "alone"))
	c := exec.Command("sh", "-e", "-c", commands)
	c.Dir = root
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", commands, out)
	require.Equal(t, 4, strings.Count(string(out), "PASSED"), "%s", out)
	require.Contains(t, string(out), "│ fcfs   │ cuda:")
	require.Contains(t, string(out), "│ even   │ cuda:")
	require.Contains(t, string(out), "│ fcfs   │ capture:")
	require.FileExists(t, filepath.Join(folder, "alone.json"))
}
