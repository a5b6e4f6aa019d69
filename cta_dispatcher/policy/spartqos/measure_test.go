package spartqos

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// meterCounters belong to another kind of unit.
type meterCounters struct{}

func (c meterCounters) Since(protocol.Counters) protocol.Counters { return c }

// epoch is a View after an epoch of 100 cycles. On each of two SMs tenant 0 has issued the
// thread instructions, and tenant 1 a tenth; another unit counts too.
func epoch(instructions uint64, reserved bool) *policy.View {
	v := &policy.View{Event: policy.Epoch, SMs: make([]policy.SM, 2), Tenants: make([]policy.Tenant, 2)}
	v.SMs[1].Reserved = reserved
	for i := range v.SMs {
		var c protocol.SMCounters
		c.Tenants[0].ThreadInstructions, c.Tenants[1].ThreadInstructions = instructions, instructions/10
		v.Windows = append(v.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}, From: 1000, To: 1100, Counters: c})
	}
	v.Windows = append(v.Windows, protocol.Window{Unit: protocol.Unit{Kind: "meter"}, From: 7, To: 8, Counters: meterCounters{}},
		protocol.Window{Unit: protocol.Unit{Kind: "meter", Index: 1}})
	return v
}

func (m *measure) ipcs() (list []float64) {
	for tenant := range 2 {
		ipc, ok := m.of(tenant)
		if !ok {
			ipc = -1
		}
		list = append(list, ipc)
	}
	return list
}

func TestWindowIsTheMeanOfItsEpochs(t *testing.T) {
	m := measure{length: 3}
	m.begin(false)
	for i, instructions := range []uint64{100, 200, 600} {
		require.False(t, m.complete(), i)
		m.end(epoch(instructions, false), []int{0, 0})
	}
	require.True(t, m.complete())
	require.Equal(t, []float64{6, 0.6}, m.ipcs())
	m.begin(false)
	require.False(t, m.complete())
	require.Equal(t, []float64{-1, -1}, m.ipcs())
}

func TestEpochAfterAChangeDoesNotCount(t *testing.T) {
	m := measure{length: 3}
	m.begin(true)
	for _, instructions := range []uint64{9000, 100, 200} {
		require.False(t, m.complete())
		m.end(epoch(instructions, false), []int{0, 0})
	}
	require.True(t, m.complete(), "the window is as long as others")
	require.Equal(t, []float64{3, 0.3}, m.ipcs())
}

func TestWindowLastsLongerWhileAnSMIsEmptied(t *testing.T) {
	m := measure{length: 3}
	m.begin(true)
	for range 4 {
		m.end(epoch(9000, true), []int{0, 0})
	}
	m.end(epoch(9000, false), []int{0, 0}) // the SM was freed in it
	m.end(epoch(100, true), []int{0, 0})   // emptied for a tenant that is back
	require.False(t, m.complete())
	m.end(epoch(200, false), []int{0, 0})
	require.True(t, m.complete())
	require.Equal(t, []float64{3, 0.3}, m.ipcs())
}

func TestWindowOfOneEpochWaitsForOneThatCounts(t *testing.T) {
	m := measure{length: 1}
	m.begin(true)
	m.end(epoch(9000, false), []int{0, 0})
	require.False(t, m.complete())
	m.end(epoch(100, false), []int{0, 0})
	require.True(t, m.complete())
}

func TestWhoHasBorrowedSMsIsNotMeasured(t *testing.T) {
	m := measure{length: 2}
	m.begin(false)
	m.end(epoch(100, false), []int{0, 1})
	m.end(epoch(300, false), []int{0, 1})
	require.Equal(t, []float64{4, -1}, m.ipcs())
	m.end(epoch(100, false), []int{0, 0})
	require.Equal(t, 0.2, m.ipcs()[1])
}
