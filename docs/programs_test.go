package docs

import (
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
	for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(read(t, "your-own-programs.md"), -1) {
		script.WriteString(block[1])
	}
	commands := script.String()
	for _, name := range []string{"cotenant", "vectoradd"} {
		commands = strings.NewReplacer("./"+name, filepath.Join(folder, name), "-o "+name, "-o "+filepath.Join(folder, name)).Replace(commands)
	}
	commands = strings.ReplaceAll(commands, "alone", filepath.Join(folder, "alone"))
	c := exec.Command("sh", "-e", "-c", commands)
	c.Dir = root
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", commands, out)
	require.Equal(t, 3, strings.Count(string(out), "PASSED"), "%s", out)
	require.Contains(t, string(out), "│ fcfs   │ cuda:")
	require.Contains(t, string(out), "│ even   │ cuda:")
	require.Contains(t, string(out), "│ fcfs   │ capture:")
	require.FileExists(t, filepath.Join(folder, "alone.json"))
}
