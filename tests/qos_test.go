package tests

import (
	"context"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// quotaLedger adds up the quotas that policy qos sends to the SMs of a GPU.
type quotaLedger struct {
	*testing.T
	sms      int
	sum      [2]int64 // by tenant, since the last epoch
	messages int
	epochs   int // at which all SMs have been sent quotas
	sent     int
}

func (l *quotaLedger) listener() dispatcher.Listener {
	return dispatcher.Listener{
		Control: func(_ uint64, _ protocol.Unit, c protocol.Control) {
			m, ok := c.(*protocol.Quotas)
			if !ok {
				return
			}
			l.sent++
			if m.On && m.Of[0].Given && m.Of[1].Given {
				l.messages++
				for i := range l.sum {
					l.sum[i] += m.Of[i].Amount
				}
			}
		},
		Registers: func(_ uint64, list []policy.RegisterValue) {
			if l.messages == l.sms {
				l.epochs++
				for _, r := range list {
					if r.Name == "quota" {
						require.Equal(l, int64(r.Value), l.sum[r.Tenant], "epoch %d", l.epochs)
					}
				}
			}
			l.sum, l.messages = [2]int64{}, 0
		},
	}
}

// qosPair runs histo, with a goal, and sgemm on four SMs for 60,000 cycles.
func qosPair(t *testing.T, spec string, goal float64) (*quotaLedger, []uint64) {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	l := &quotaLedger{T: t, sms: 4}
	processes := []host.Process{
		{App: builtin(t, "histo"), Restart: true, Attributes: tenant.Attributes{Goal: goal}},
		{App: builtin(t, "sgemm"), Restart: true},
	}
	gpu, err := wiring.NewWatched(*preset(t, "plain16?sms=4"), p, processes, wiring.Listeners{Driver: l.listener()})
	require.NoError(t, err)
	require.NoError(t, gpu.Run(context.Background(), 60_000, nil))
	counters := gpu.Counters(60_000)
	var issued []uint64
	for i := range processes {
		issued = append(issued, counters.SM.Tenant(i).ThreadInstructions)
	}
	return l, issued
}

func TestLocalQuotasAddUpToTheManagers(t *testing.T) {
	l, _ := qosPair(t, "qos:epoch=2k", 60)
	require.Greater(t, l.epochs, 20)
}

func TestWithoutGoalsEverySchemeIsTheStaticAllocation(t *testing.T) {
	l, want := qosPair(t, "qos:epoch=2k", 0)
	require.Zero(t, l.sent)
	for _, spec := range []string{"qos:epoch=2k,scheme=naive", "qos:epoch=2k,scheme=elastic,history=off,preempt=ideal,adjust=off"} {
		l, got := qosPair(t, spec, 0)
		require.Zero(t, l.sent)
		require.Equal(t, want, got, spec)
	}
}
