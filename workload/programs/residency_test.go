package programs

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// asks carries out a request and gives its answer.
func (s *Session) asks(t *testing.T, what handler, args ...uint64) reply {
	t.Helper()
	r := &request{}
	copy(r.args[:], args)
	s.reply = reply{}
	_, err := what(s, r)
	require.NoError(t, err)
	return s.reply
}

func TestWindowsHaveNumbers(t *testing.T) {
	s := &Session{}
	half := uint64(math.Float32bits(0.5))
	require.Nil(t, s.residency.of(0), "the program asks for nothing")
	require.False(t, s.residency.has(1<<windowShift))
	first := s.asks(t, (*Session).openWindow, 1<<20, 4096, half, 2|1<<8)
	other := s.asks(t, (*Session).openWindow, 1<<20, 4096, half, 2)
	require.Equal(t, []uint64{1, 2}, []uint64{first.values[0], other.values[0]})
	require.Equal(t, first, s.asks(t, (*Session).openWindow, 1<<20, 4096, half, 2|1<<8))
	require.True(t, s.residency.has(2<<windowShift|inGraph))
	require.False(t, s.residency.has(3<<windowShift))
	want := workload.Window{Base: 1 << 20, Bytes: 4096, Eviction: workload.NewEviction(workload.EvictLast, workload.EvictFirst, 0.5)}
	require.Equal(t, &workload.Residency{Window: want}, s.residency.of(1<<windowShift|1<<clusterShift))
	want.Eviction = workload.NewEviction(workload.EvictLast, workload.Unchanged, 0.5)
	require.Equal(t, want, s.residency.of(2<<windowShift).Window, "normal misses leave lines as they are")
	for _, wrong := range [][]uint64{{0, 0, half, 3}, {0, 0, half, 2 << 8}, {0, 0, uint64(math.Float32bits(1.5)), 0}, {0, 0, math.MaxUint32, 0}} {
		require.Equal(t, invalidValue, s.asks(t, (*Session).openWindow, wrong...).error, wrong)
	}
	for n := range uint64(maxWindows - 2) {
		require.Equal(t, n+3, s.asks(t, (*Session).openWindow, n, 128, half, 0).values[0])
	}
	require.Equal(t, outOfMemory, s.asks(t, (*Session).openWindow, 1<<40, 128, half, 0).error)
}

func TestLaunchesAskForWhatTheProgramHasSaid(t *testing.T) {
	s := &Session{spec: Spec{Device: Device{PersistingBytes: 3 << 20}}}
	require.Equal(t, invalidValue, s.asks(t, (*Session).setAside, 3<<20+1).error)
	require.Nil(t, s.residency.of(0))
	s.asks(t, (*Session).setAside, 3<<20)
	require.Equal(t, &workload.Residency{SetAside: 3 << 20}, s.residency.of(0))
	s.asks(t, (*Session).release)
	require.Equal(t, &workload.Residency{SetAside: 3 << 20, Reset: true}, s.residency.of(0))
	require.Equal(t, &workload.Residency{SetAside: 3 << 20}, s.residency.of(0), "one launch resets")
	s.asks(t, (*Session).setAside, 0)
	require.Equal(t, &workload.Residency{}, s.residency.of(0), "nothing from here on")
}
