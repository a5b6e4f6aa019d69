// Package draws sets the number of cases of random tests: few where a developer waits for
// them, all in CI.
package draws

import (
	"flag"
	"os"
	"strconv"
	"sync"
	"testing"

	"cotenant/tests/need"

	"github.com/stretchr/testify/require"
	_ "pgregory.net/rapid" // has the flag
)

// checks is rapid's flag for the number of cases of a property.
const checks = "rapid.checks"

// given reports whether the flag or the environment says how many cases to draw.
var given = sync.OnceValue(func() (given bool) {
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == checks })
	_, environment := os.LookupEnv("RAPID_CHECKS")
	return given || environment
})

// Of is the number of cases of a random test that counts them itself: few, and all in
// CI.
func Of(few, all int) int {
	if need.CI() {
		return all
	}
	return few
}

// Few makes properties draw n cases to the end of a test. In CI, and where
// -rapid.checks or RAPID_CHECKS gives a number, it changes nothing.
func Few(t *testing.T, n int) {
	t.Helper()
	if given() || need.CI() {
		return
	}
	before := flag.Lookup(checks).Value.String()
	require.NoError(t, flag.Set(checks, strconv.Itoa(n)))
	t.Cleanup(func() { require.NoError(t, flag.Set(checks, before)) })
}
