package gate

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// quotas is the control message with quotas for tenants 0, 1, ...
func quotas(by ...int32) *protocol.Quotas {
	m := &protocol.Quotas{On: true}
	for i, n := range by {
		m.Of[i] = protocol.Quota{Given: true, Amount: int64(n), Refill: protocol.RefillRestart}
	}
	return m
}

// held are the slots that the gate holds back on a scheduler at the next edge.
func held(q *Quota, scheduler int) warps.Mask {
	q.Edge()
	all, memory := q.Masks(scheduler)
	if memory != 0 {
		panic("quotas are not for memory instructions alone")
	}
	return all
}

// issue has a slot issue an instruction at each of n edges.
func issue(q *Quota, scheduler, slot, n int) {
	for range n {
		q.Issued(scheduler, slot, make([]workload.Inst, 1))
		q.Edge()
	}
}

// issueTwo has a slot issue two instructions in one cycle.
func issueTwo(q *Quota, scheduler, slot int) {
	q.Issued(scheduler, slot, make([]workload.Inst, 2))
	q.Edge()
}

// two is a gate with quotas of two instructions for tenant 0, in slots 0 and 1,
// and three for tenant 1, in slot 5, all of scheduler 1 of 2.
func two() *Quota {
	q := NewQuota(2)
	q.Placed(1, 0, 0, 0)
	q.Placed(1, 1, 0, 0)
	q.Placed(1, 5, 1, 0)
	q.Control(quotas(2, 3))
	return q
}

func TestTenantWithoutAQuotaIsNotHeldBackAndKeepsNobodyWaiting(t *testing.T) {
	q := two()
	m := quotas(2, 0)
	m.Of[0].Refill = protocol.RefillNever
	m.Of[1] = protocol.Quota{Given: true, Unlimited: true, Amount: 7}
	q.Control(m)
	issue(q, 1, 5, 1000)
	issue(q, 1, 0, 2)
	require.Equal(t, warps.Mask(1|1<<1), held(q, 1), "its quota is used up, whatever the other issues")
	require.Zero(t, q.Left(1))
	m.Of[0].Refill = protocol.RefillRestart
	q.Control(m)
	issue(q, 1, 0, 2)
	require.Zero(t, held(q, 1), "it starts anew without waiting for the other")
	require.Equal(t, int64(2+2), q.Left(0), "of two schedulers")

	m.Of[0].First = true
	q.Control(m)
	require.Equal(t, warps.Mask(1<<5), held(q, 1), "the other goes first")
	m.Of[0].First, m.Of[1] = false, protocol.Quota{Given: true, Amount: 3, Keep: true}
	q.Control(m)
	require.Equal(t, int64(3+3), q.Left(1), "nothing is owed of the time without one")
}

func TestTenantIsHeldBackWhenItsQuotaIsUsedUp(t *testing.T) {
	q := two()
	issue(q, 1, 0, 1)
	require.Zero(t, held(q, 1))
	issue(q, 1, 1, 1)
	require.Equal(t, warps.Mask(0b11), held(q, 1), "by all of its warps together")
	issue(q, 1, 5, 2)
	require.Equal(t, warps.Mask(0b11), held(q, 1))
}

func TestTwoInstructionsOfACycleTakeTwoOffTheQuota(t *testing.T) {
	q := two()
	issueTwo(q, 1, 0)
	require.Equal(t, warps.Mask(0b11), held(q, 1))
	issueTwo(q, 1, 5)
	require.Equal(t, warps.Mask(0b11), held(q, 1), "one of three is left")
	issueTwo(q, 1, 5)
	require.Zero(t, held(q, 1), "both issue; all start anew")
	issueTwo(q, 1, 5)
	require.Zero(t, held(q, 1), "with three, whatever was issued before")
	issue(q, 1, 5, 1)
	require.Equal(t, warps.Mask(1<<5), held(q, 1))
}

func TestQuotasStartAnewWhenAllAreUsedUp(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	issue(q, 1, 5, 3)
	require.Zero(t, held(q, 1))
	issue(q, 1, 5, 3)
	require.Equal(t, warps.Mask(1<<5), held(q, 1), "the quota is whole again, not more")
	issue(q, 1, 0, 1)
	require.Equal(t, warps.Mask(1<<5), held(q, 1))
	issue(q, 1, 0, 1)
	require.Zero(t, held(q, 1))
}

func TestSchedulersCountForThemselves(t *testing.T) {
	q := two()
	q.Placed(0, 0, 0, 0)
	q.Placed(0, 1, 1, 0)
	issue(q, 1, 0, 2)
	require.Equal(t, []warps.Mask{0, 0b11}, []warps.Mask{held(q, 0), held(q, 1)})
}

func TestWarpsThatComeAreHeldBackWithTheirTenant(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	q.Placed(1, 9, 0, 0)
	require.Equal(t, warps.Mask(1<<9|0b11), held(q, 1))
	q.Ended(1, 0)
	require.Equal(t, warps.Mask(1<<9|0b10), held(q, 1))
}

func TestTenantThatLeavesKeepsNobodyWaiting(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	q.Ended(1, 5)
	require.Zero(t, held(q, 1), "only tenant 0 is left, whose quota starts anew")
	issue(q, 1, 0, 1)
	q.Placed(1, 6, 1, 0)
	issue(q, 1, 0, 1)
	require.Equal(t, warps.Mask(0b11), held(q, 1), "two instructions since")
}

func TestTenantThatComesLastWaitsForNobodyElse(t *testing.T) {
	q := NewQuota(1)
	q.Control(quotas(1, 1))
	q.Placed(0, 3, 0, 0)
	issue(q, 0, 3, 5)
	require.Zero(t, held(q, 0), "alone")
}

func TestQuotaOfZeroHoldsItsTenantBackWhileOthersHaveOne(t *testing.T) {
	q := NewQuota(1)
	q.Placed(0, 0, 0, 0)
	q.Placed(0, 1, 1, 0)
	q.Control(quotas(0, 2))
	require.Equal(t, warps.Mask(0b01), held(q, 0))
	issue(q, 0, 1, 4)
	require.Equal(t, warps.Mask(0b01), held(q, 0), "the other's starts anew alone")
	q.Ended(0, 1)
	require.Zero(t, held(q, 0), "nobody has a quota")
}

func TestNewQuotasStartAnew(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	require.True(t, q.Control(quotas(4, 4)))
	require.Zero(t, held(q, 1))
	issue(q, 1, 0, 3)
	require.Zero(t, held(q, 1))
	issue(q, 1, 0, 1)
	require.Equal(t, warps.Mask(0b11), held(q, 1))
}

func TestQuotasCanEnd(t *testing.T) {
	q := two()
	require.True(t, q.Active())
	issue(q, 1, 0, 2)
	require.True(t, q.Control(&protocol.Quotas{}))
	require.False(t, q.Active())
	require.Zero(t, held(q, 1))
}

func TestInstructionThatEndsATenantsLastWarpCountsForTheQuotaThatStartsAnew(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	q.Ended(1, 5)
	q.Issued(1, 5, make([]workload.Inst, 1))
	require.Zero(t, held(q, 1))
	q.Placed(1, 6, 1, 0)
	issue(q, 1, 6, 1)
	require.Zero(t, held(q, 1))
	issue(q, 1, 6, 1)
	require.Equal(t, warps.Mask(1<<6), held(q, 1), "the third of three")
}

func TestQuotaTakesItsOwnMessageOnly(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	require.False(t, q.Control(&protocol.ActiveTBs{}))
	require.True(t, q.Active())
	require.Equal(t, warps.Mask(0b11), held(q, 1))
	require.False(t, NewQuota(1).Active())
}
