package programs_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
	"cotenant/workload/programs"
	"cotenant/workload/programs/cc"
)

// Whatever a program does, its run ends with an error that says what, or as if nothing had happened, and
// leaves no process.
func TestHostileProgramsEndInErrors(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	path := filepath.Join(t.TempDir(), "hostile")
	var messages bytes.Buffer
	err := cc.Run(t.Context(), []string{"-Wno-unused-result", "testdata/hostile.c", "-o", path}, &messages, &messages)
	require.NoError(t, err, messages.String())
	for what, want := range map[string]string{
		"garbage": "a request has version 42405; valid: 1, of a program that this build of cotenant has compiled",
		"part":    "a request ends after 5 bytes; valid: 72 and its payload",
		"long":    "a request MODULE has a payload of 2147483647 bytes; valid: up to 67108864",
		"numbers": "",
		"hang":    "has computed for 2s without a call of CUDA; valid: up to 1.5s, the host timeout",
		"sleep":   "waits for something and has made no call of CUDA for 1.5s; valid: up to that, the host timeout",
		"abort":   "the program has ended with signal: aborted; its last output: about to abort",
		"fork":    "",
		"threads": "",
		"close":   "waits for something and has closed its connection; valid: a program that ends then",
		"flood":   "the program has ended with exit status 5; its last output: the end",
		"overrun": "",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, err := programs.Emulate(t.Context(), programs.Spec{Program: path, Args: []string{what}, Device: programs.Emulator, CPUTimeout: 1500 * time.Millisecond}, &bytes.Buffer{})
			if want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, want)
			}
			assert.Less(t, time.Since(began), 30*time.Second)
		})
	}
	t.Cleanup(func() { requireNone(t, path) })
}
