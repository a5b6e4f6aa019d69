package need

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is a test that notes how it ends.
type told struct {
	testing.TB
	skipped, failed string
}

func (*told) Helper()                        {}
func (t *told) Skipf(f string, args ...any)  { t.skipped = fmt.Sprintf(f, args...) }
func (t *told) Fatalf(f string, args ...any) { t.failed = fmt.Sprintf(f, args...) }

func TestMissingProgramSkipsATestAndFailsItInCI(t *testing.T) {
	const text = "absent-a, absent-b is not installed (Debian: absent)"
	t.Setenv("CI", "")
	got := &told{}
	require.Empty(t, Program(got, "absent", "absent-a", "absent-b"))
	require.Equal(t, told{skipped: text}, *got)
	t.Setenv("CI", "true")
	got = &told{}
	require.Empty(t, Program(got, "absent", "absent-a", "absent-b"))
	require.Equal(t, told{failed: "with CI=true no test is skipped: " + text}, *got)
	got = &told{}
	require.NotEmpty(t, Program(got, "absent", "absent-a", "go"))
	require.Equal(t, told{}, *got)
}

// A test that looks for a program by itself would be skipped in CI unseen.
func TestTestsLookForProgramsHere(t *testing.T) {
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "browsertest") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NotContains(t, string(text), "exec."+"LookPath", path)
		return err
	}))
}
