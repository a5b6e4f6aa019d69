package programs_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"cotenant/host"
	"cotenant/workload"
	"cotenant/workload/programs"
)

// Launches that are known to succeed wait for no reply; launches that fail are told at their call. What a
// program asks is the same, and so are the cycles. A program that shares memory with its kernels is not ahead.
func TestProgramsRunAheadOfTheirLaunches(t *testing.T) {
	path := compiled(t, "ahead.cu")[0]
	switches := func() int64 {
		var u unix.Rusage
		require.NoError(t, unix.Getrusage(unix.RUSAGE_CHILDREN, &u))
		return u.Nvcsw
	}
	for _, c := range []struct {
		way   string
		ahead bool
	}{{"device", true}, {"wrong", true}, {"stream", true}, {"left", true}, {"pinned", false}} {
		before := switches()
		w := platform(t, "gtx980", "fcfs", host.Process{App: open(t, path, c.way)})
		require.NoError(t, w.Run(t.Context(), 0, nil), c.way)
		waited := switches() - before
		require.EqualValues(t, 1000, w.Host.Stats(0).Processes[0].Launches, c.way)
		require.Equal(t, c.ahead, waited < 500, "%s: %d", c.way, waited)

		folder := filepath.Join(t.TempDir(), "calls")
		_, err := programs.Capture(t.Context(), programs.Spec{Program: path, Args: []string{c.way}, Device: programs.Emulator}, folder, &bytes.Buffer{})
		require.NoError(t, err)
		recording, err := programs.CaptureApp(programs.Spec{Program: folder, Device: programs.Emulator}, workload.Target{}, rules)
		require.NoError(t, err)
		r := platform(t, "gtx980", "fcfs", host.Process{App: recording})
		require.NoError(t, r.Run(t.Context(), 0, nil))
		require.Equal(t, r.Launches(0, r.Cycles(0)), w.Launches(0, w.Cycles(0)), c.way)
	}
}
