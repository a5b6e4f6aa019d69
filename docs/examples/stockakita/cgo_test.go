//go:build cgo

package stockakita

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// TestWithAkitasMemory runs the tests of memory_test.go, which are built without
// cgo.
func TestWithAkitasMemory(t *testing.T) {
	need.Time(t) // all packages are compiled anew
	c := exec.CommandContext(t.Context(), "go", "test", "-count=1", ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
