// Package need skips a test that takes a program which the machine lacks, so that the tests
// run on any machine. Where the environment variable CI is true the test fails instead, so
// that no lack goes unseen. It also skips tests that take long.
package need

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// CI reports whether the machine has all that tests take (CI=true).
func CI() bool { return os.Getenv("CI") == "true" }

// Program returns the path of the first of some programs that is there. Without any,
// it skips the test, and fails it in CI. Debian's package of that name has one.
func Program(t testing.TB, debian string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "%s is not installed (Debian: %s)", strings.Join(names, ", "), debian)
	return ""
}

// File skips the test if a file of a Debian package is not there, and fails it in CI.
func File(t testing.TB, debian, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		Missing(t, "%s is not there (Debian: %s)", path, debian)
	}
}

// Missing skips the test because the machine lacks what it takes, and fails it in CI.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if CI() {
		t.Fatalf("with CI=true no test is skipped: "+format, args...)
		return
	}
	t.Skipf(format, args...)
}

// Slow reports whether tests may take long (SLOW=1, make slow): what they look at in part otherwise
// is then looked at in full.
func Slow() bool { return os.Getenv("SLOW") == "1" }

// Time skips a test that takes long, unless SLOW=1 asks for it: one that repeats in full what other
// tests look at in part, or that compiles much.
func Time(t testing.TB) {
	t.Helper()
	if !Slow() {
		t.Skip("takes long; SLOW=1 makes it")
	}
}
