package sm

import (
	"reflect"
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

func TestAnSMTakesTheControlsOfItsParts(t *testing.T) {
	idle, active, quotas, ways := reflect.TypeFor[*protocol.SampleIdle](), reflect.TypeFor[*protocol.ActiveTBs](), reflect.TypeFor[*protocol.Quotas](), reflect.TypeFor[*protocol.Ways]()
	s := testSpec()
	require.Equal(t, []reflect.Type{idle, active, quotas}, s.Takes())
	s.L1.Victim = "ways"
	require.Equal(t, []reflect.Type{idle, active, quotas, ways}, s.Takes())
	for victim, want := range map[string]bool{"lru": false, "ways": true, "ucp": false} {
		s.L1.Victim, s.L1.UCPPeriod = victim, 100
		b := newBench(t, s)
		require.False(t, b.sm.control(&protocol.Rates{}), "there is no issue-rate controller")
		require.Equal(t, want, b.sm.control(&protocol.Ways{}), "as Takes says")
		require.True(t, b.sm.control(&protocol.ActiveTBs{}))
		require.True(t, b.sm.control(&protocol.Quotas{}))
		require.True(t, b.sm.control(&protocol.SampleIdle{}))
	}
	s.L1.Victim, s.IRC = "ways", testIRC()
	require.Equal(t, []reflect.Type{idle, active, quotas, ways, reflect.TypeFor[*protocol.Rates]()}, s.Takes())
	require.True(t, newBench(t, s).sm.control(&protocol.Rates{}))
}
