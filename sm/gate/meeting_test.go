package gate

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// TestTenantsThatWaitForHeldBackWarpsKeepNobodyWaiting has tenant 0, with quota, and
// tenant 1, without, on scheduler 0. Tenant 0 has used its quota up on scheduler 1,
// where tenant 2 has some.
func TestTenantsThatWaitForHeldBackWarpsKeepNobodyWaiting(t *testing.T) {
	type warp struct {
		scheduler, slot int
		tenant          tenant.ID
		tb              uint64
	}
	warpsOf := []warp{{0, 0, 0, 7}, {1, 0, 0, 7}, {0, 1, 1, 8}, {1, 1, 2, 9}}
	for name, c := range map[string]struct {
		more   []warp
		waits  [2]warps.Mask
		change func(m *protocol.Quotas)
		held   [2]warps.Mask
	}{
		"nobody waits":                    {held: [2]warps.Mask{0b10, 0b01}},
		"it waits":                        {waits: [2]warps.Mask{0b01, 0}, held: [2]warps.Mask{0, 0b01}},
		"both its warps wait":             {waits: [2]warps.Mask{0b01, 0b01}, held: [2]warps.Mask{0, 0b01}},
		"the other waits":                 {waits: [2]warps.Mask{0, 0b01}, held: [2]warps.Mask{0b10, 0b01}},
		"another of its warps may go on":  {more: []warp{{0, 2, 0, 7}}, waits: [2]warps.Mask{0b01, 0}, held: [2]warps.Mask{0b10, 0b01}},
		"another thread block of its may": {more: []warp{{0, 2, 0, 10}}, waits: [2]warps.Mask{0b01, 0}, held: [2]warps.Mask{0b10, 0b01}},
		"another tenant may":              {more: []warp{{0, 2, 3, 10}}, waits: [2]warps.Mask{0b01, 0}, held: [2]warps.Mask{0b10, 0b01}},
		"another thread block waits too":  {more: []warp{{0, 2, 0, 10}, {1, 2, 0, 10}}, waits: [2]warps.Mask{0b101, 0}, held: [2]warps.Mask{0, 0b101}},
		"another waits for what may go on": {more: []warp{{0, 2, 3, 10}, {1, 2, 3, 10}}, waits: [2]warps.Mask{0b101, 0},
			held: [2]warps.Mask{0b10, 0b01}},
		"without a refill": {waits: [2]warps.Mask{0b01, 0}, held: [2]warps.Mask{0b10, 0b01},
			change: func(m *protocol.Quotas) { m.Of[1].Refill = protocol.RefillNever }},
		"a counter for all": {waits: [2]warps.Mask{0b01, 0}, held: [2]warps.Mask{0b11, 0b01}, // tenant 2 alone has some
			change: func(m *protocol.Quotas) { m.PerSM = true }},
	} {
		t.Run(name, func(t *testing.T) {
			q := NewQuota(2)
			for _, w := range append(warpsOf, c.more...) {
				q.Placed(w.scheduler, w.slot, w.tenant, w.tb)
			}
			m := quotas(3, 2, 9, 9)
			if c.change != nil {
				c.change(m)
			}
			q.Control(m)
			q.Issued(1, 0, make([]workload.Inst, 3))
			q.Issued(0, 1, make([]workload.Inst, 2))
			q.Edge()
			for i, mask := range c.waits {
				q.Waiting(i, mask)
			}
			require.Equal(t, c.held[:], []warps.Mask{held(q, 0), held(q, 1)})
		})
	}
}

func TestTenantCountsAgainWhenItsBarrierOpens(t *testing.T) {
	q := NewQuota(2)
	q.Placed(0, 0, 0, 7)
	q.Placed(1, 0, 0, 7)
	q.Placed(0, 1, 1, 8)
	q.Placed(1, 1, 2, 9)
	q.Control(quotas(3, 2, 9))
	q.Issued(1, 0, make([]workload.Inst, 3))
	q.Issued(0, 0, make([]workload.Inst, 2))
	q.Waiting(0, 0b01)
	issue(q, 0, 1, 2)
	require.Zero(t, held(q, 0), "refilled, without tenant 0")
	issue(q, 0, 1, 2)
	require.Zero(t, held(q, 0), "and again")
	q.Issued(0, 1, make([]workload.Inst, 2))
	q.Waiting(0, 0)
	require.Equal(t, warps.Mask(0b10), held(q, 0), "tenant 0 has its quota of the restart")
	issue(q, 0, 0, 3)
	require.Zero(t, held(q, 0))
}

// A tenant that goes first lets the second tenant issue while it waits for its own
// warps.
func TestTenantThatGoesFirstAndWaitsKeepsNobodyWaiting(t *testing.T) {
	q := NewQuota(2)
	q.Placed(0, 0, 0, 7)
	q.Placed(1, 0, 0, 7)
	q.Placed(0, 1, 1, 8)
	q.Placed(1, 1, 1, 8)
	m := quotas(3, 5)
	m.Of[0].First, m.Of[0].Refill = true, protocol.RefillNever
	q.Control(m)
	require.Equal(t, warps.Mask(0b10), held(q, 0))
	issue(q, 1, 0, 3)
	require.Equal(t, warps.Mask(0b10), held(q, 0))
	q.Waiting(0, 0b01)
	require.Zero(t, held(q, 0))
	require.Equal(t, int64(10), q.Left(1), "it has quota left")
	q.Waiting(0, 0)
	require.Equal(t, warps.Mask(0b10), held(q, 0))
}
