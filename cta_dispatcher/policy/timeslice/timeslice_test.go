package timeslice

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// A slice is over only once the change of turns before it is complete, and its
// tenant has issued something or has nothing to issue.
func TestTurnIsSettledOnceEverySMIsEmptiedAndItsTenantHasIssued(t *testing.T) {
	for name, c := range map[string]struct {
		issued   uint64
		running  int
		reserved bool
		want     bool
	}{
		"issued":                       {issued: 1, running: 1, want: true},
		"has nothing to issue":         {want: true},
		"has issued nothing":           {running: 1},
		"an SM is still being emptied": {issued: 1, running: 1, reserved: true},
	} {
		var counters protocol.SMCounters
		counters.Tenants[1].WarpInstructions = c.issued
		counters.Tenants[0].WarpInstructions = 7 // another's do not count
		v := &policy.View{Tenants: []policy.Tenant{{}, {Running: c.running}}, SMs: []policy.SM{{}, {Reserved: c.reserved}},
			Windows: []protocol.Window{{Unit: protocol.Unit{Kind: protocol.KindSM}, To: 1000, Counters: counters}}}
		require.Equal(t, c.want, (&timeslice{current: 1}).settled(v), name)
	}
}
