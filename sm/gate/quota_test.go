package gate

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// quotas is the control message with quotas for tenants 0, 1, ...
func quotas(by ...int32) *protocol.Quotas {
	m := &protocol.Quotas{On: true}
	for i, n := range by {
		m.Of[i] = protocol.Quota{Given: true, Amount: int64(n), Refill: protocol.RefillRestart}
	}
	return m
}

// held are the slots that the gate holds back on a scheduler.
func held(q *Quota, scheduler int) warps.Mask {
	all, memory := q.Masks(scheduler)
	if memory != 0 {
		panic("quotas are not for memory instructions alone")
	}
	return all
}

// issue has a slot issue an instruction n times.
func issue(q *Quota, scheduler, slot, n int) {
	for range n {
		q.Issued(scheduler, slot, make([]workload.Inst, 1))
	}
}

// issueTwo has a slot issue two instructions in one cycle.
func issueTwo(q *Quota, scheduler, slot int) { q.Issued(scheduler, slot, make([]workload.Inst, 2)) }

// two is a gate with quotas of two instructions for tenant 0, in slots 0 and 1,
// and three for tenant 1, in slot 5, all of scheduler 1 of 2.
func two() *Quota {
	q := NewQuota(2)
	q.Placed(1, 0, 0)
	q.Placed(1, 1, 0)
	q.Placed(1, 5, 1)
	q.Control(quotas(2, 3))
	return q
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
	q.Placed(0, 0, 0)
	q.Placed(0, 1, 1)
	issue(q, 1, 0, 2)
	require.Equal(t, []warps.Mask{0, 0b11}, []warps.Mask{held(q, 0), held(q, 1)})
}

func TestWarpsThatComeAreHeldBackWithTheirTenant(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	q.Placed(1, 9, 0)
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
	q.Placed(1, 6, 1)
	issue(q, 1, 0, 1)
	require.Equal(t, warps.Mask(0b11), held(q, 1), "two instructions since")
}

func TestTenantThatComesLastWaitsForNobodyElse(t *testing.T) {
	q := NewQuota(1)
	q.Control(quotas(1, 1))
	q.Placed(0, 3, 0)
	issue(q, 0, 3, 5)
	require.Zero(t, held(q, 0), "alone")
}

func TestQuotaOfZeroHoldsItsTenantBackWhileOthersHaveOne(t *testing.T) {
	q := NewQuota(1)
	q.Placed(0, 0, 0)
	q.Placed(0, 1, 1)
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

func TestQuotaTakesItsOwnMessageOnly(t *testing.T) {
	q := two()
	issue(q, 1, 0, 2)
	require.False(t, q.Control(&protocol.Ways{On: true}))
	require.True(t, q.Active())
	require.Equal(t, warps.Mask(0b11), held(q, 1))
	require.False(t, NewQuota(1).Active())
}

func TestQuotaAgreesWithAWrittenRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := [3]int32{rapid.Int32Range(0, 4).Draw(t, "0"), rapid.Int32Range(0, 4).Draw(t, "1"), rapid.Int32Range(0, 4).Draw(t, "2")}
		q := NewQuota(1)
		q.Control(quotas(by[:]...))
		left, owner := by, map[int]tenant.ID{}
		restart := func() {
			used := len(owner) > 0
			for _, id := range owner {
				used = used && left[id] <= 0
			}
			if used {
				left = by
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			slot := rapid.IntRange(0, 7).Draw(t, "slot")
			id, there := owner[slot]
			switch {
			case !there:
				owner[slot] = rapid.SampledFrom([]tenant.ID{0, 1, 2}).Draw(t, "tenant")
				q.Placed(0, slot, owner[slot])
			case rapid.IntRange(0, 4).Draw(t, "end") == 0:
				delete(owner, slot)
				q.Ended(0, slot)
			case held(q, 0)>>slot&1 == 0:
				n := rapid.IntRange(1, 2).Draw(t, "instructions")
				left[id] -= int32(n)
				q.Issued(0, slot, make([]workload.Inst, n))
			}
			restart()
			var want warps.Mask
			some := false
			for slot, id := range owner {
				if left[id] <= 0 {
					want |= 1 << slot
				} else {
					some = true
				}
			}
			if !some {
				want = 0 // not even new quotas let one issue
			}
			require.Equal(t, want, held(q, 0))
		}
	})
}
