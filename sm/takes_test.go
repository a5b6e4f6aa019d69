package sm

import (
	"reflect"
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

func TestAnSMTakesTheControlsOfItsParts(t *testing.T) {
	idle, active, quotas := reflect.TypeFor[*protocol.SampleIdle](), reflect.TypeFor[*protocol.ActiveTBs](), reflect.TypeFor[*protocol.Quotas]()
	s := testSpec()
	require.Equal(t, []reflect.Type{idle, active, quotas}, s.Takes())
	b := newBench(t, s)
	require.False(t, b.sm.control(&protocol.Rates{}), "there is no issue-rate controller")
	require.True(t, b.sm.control(&protocol.ActiveTBs{}))
	require.True(t, b.sm.control(&protocol.Quotas{}))
	require.True(t, b.sm.control(&protocol.SampleIdle{}))
	s.IRC = testIRC()
	require.Equal(t, []reflect.Type{idle, active, quotas, reflect.TypeFor[*protocol.Rates]()}, s.Takes())
	require.True(t, newBench(t, s).sm.control(&protocol.Rates{}))
}
