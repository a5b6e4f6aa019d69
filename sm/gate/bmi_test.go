package gate

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bmiOf makes a gate of two schedulers. Tenant i has a warp in slot i, and each of its
// instructions makes requests[i] requests.
func bmiOf(requests ...int) *BMI {
	b := NewBMI(2)
	for t, r := range requests {
		b.requests[t].mean = uint64(r)
		for i := range 2 {
			b.Placed(i, t, tenant.ID(t), uint64(t))
		}
	}
	b.Edge()
	return b
}

// turns keeps memory instructions of all tenants ready on scheduler 0 for n edges. An
// instruction issues at each; turns lists their tenants.
func turns(b *BMI, n int) (list []int) {
	for range n {
		first := b.First(0, ^warps.Mask(0))
		t := warps.First(first, 0)
		list = append(list, t)
		b.Sent(tenant.ID(t), int(b.requests[t].mean))
		b.Edge()
	}
	return list
}

func TestInstructionsGoInTheRatioOfQuotas(t *testing.T) {
	// 6 / 1, 6 / 2 and 6 / 3 instructions: who has most left, at first the first.
	require.Equal(t, []int{0, 0, 0, 0, 1, 0, 1, 2}, turns(bmiOf(1, 2, 3), 8))
	count := [3]int{}
	for _, who := range turns(bmiOf(1, 2, 3), 1100) {
		count[who]++
	}
	require.Equal(t, [3]int{602, 299, 199}, count, "602, 598 and 597 requests")
}

func TestTenantsWithEquallyMuchLeftBothGoFirst(t *testing.T) {
	b := bmiOf(2, 2, 4)
	require.Equal(t, []int64{2, 2, 1}, b.left[:3])
	require.Equal(t, warps.Mask(0b011), b.First(0, 0b111))
	require.Equal(t, warps.Mask(0b010), b.First(0, 0b110), "only what is ready counts")
	require.Equal(t, warps.Mask(0b100), b.First(1, 0b100))
	b.Placed(1, 9, 1, 9)
	require.Equal(t, warps.Mask(1<<9|0b010), b.First(1, ^warps.Mask(0)&^1), "all of its warps")
}

func TestQuotasAreAddedWhenOneIsUsedUp(t *testing.T) {
	b := bmiOf(1, 4)
	require.Equal(t, []int64{4, 1}, b.left[:2])
	b.Sent(0, 1)
	b.Sent(0, 1)
	b.Sent(0, 1)
	b.Edge()
	require.Equal(t, []int64{1, 1}, b.left[:2])
	b.Sent(0, 1)
	require.Equal(t, []int64{1, 1}, b.left[:2], "the edge has not ended")
	b.Edge()
	require.Equal(t, []int64{0 + 4, 1 + 1}, b.left[:2])
	for range 3 { // by schedulers that issue at one edge
		b.Sent(1, 4)
	}
	b.Edge()
	require.Equal(t, []int64{4 + 2*4, 2 - 3 + 2*1}, b.left[:2], "until nobody is without")
}

func TestTenantThatIsNotThereCountsForNothing(t *testing.T) {
	b := bmiOf(2, 3, 5)
	for i := range 2 {
		b.Ended(i, 2)
	}
	b.Sent(0, 2)
	b.Sent(0, 2)
	before := b.left
	b.Edge()
	require.Equal(t, []int64{before[0] - 2, before[1], before[2]}, b.left[:3])
	for range before[0] {
		b.Sent(0, 2)
	}
	b.Edge()
	require.Equal(t, []int64{-2 + 3, before[1] + 2, before[2]}, b.left[:3], "its requests do not count either")
	b.Placed(0, 7, 9, 100)
	b.Edge()
	require.Equal(t, []int64{1 + 3, before[1] + 2 + 2, 6}, []int64{b.left[0], b.left[1], b.left[9]}, "a newcomer has none")
}

func TestRequestsAreTheMeanOfThePeriodRounded(t *testing.T) {
	for _, c := range []struct{ few, many, size, want int }{
		{1024, 0, 1, 1}, {1, 1023, 8, 8}, {512, 512, 2, 2}, {513, 511, 2, 1}, {0, 1024, 32, 32}, {0, 1024, 40, 32},
	} {
		b := NewBMI(1)
		b.requests[3].mean = 7
		for range c.few {
			b.Sent(3, 1)
		}
		for i := range c.many {
			if c.few+i == 1023 {
				require.Equal(t, uint64(7), b.requests[3].mean, "not before the last")
			}
			b.Sent(3, c.size)
		}
		require.Equal(t, ratio{mean: uint64(c.want)}, b.requests[3])
	}
	require.Equal(t, uint64(1), NewBMI(1).requests[0].mean)
}

func TestCountersAreBounded(t *testing.T) {
	b := bmiOf(1, 31)
	b.left[0] = bmiLimit - 1
	b.Sent(1, 31)
	b.Edge()
	require.Equal(t, []int64{bmiLimit, 1}, b.left[:2])
	list := []int{}
	for r := range 16 {
		list = append(list, 32-r)
	}
	b = bmiOf(list...) // their least common multiple is 144403552893600
	require.Equal(t, int64(144403552893600/32), b.left[0])
	require.Equal(t, int64(144403552893600/17), b.left[15])
}

func TestBMIHoldsNobodyBack(t *testing.T) {
	b := bmiOf(1, 1)
	b.Sent(0, 1)
	b.Accessed(0, 5000, 50000)
	b.Done(0)
	require.False(t, b.Edge())
	require.False(t, b.Closed())
	require.Equal(t, []warps.Mask{0, 0}, memory(b))
	require.True(t, b.Active())
	require.False(t, b.Control(&protocol.Quotas{}))
}

// TestRequestsAreInBalance: two tenants that always have something to send send equally
// many requests, to within two rounds, however their warps become ready.
func TestRequestsAreInBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, c := rapid.IntRange(1, 32).Draw(t, "requests"), rapid.IntRange(1, 32).Draw(t, "requests")
		b := bmiOf(a, c)
		sent := [2]int{}
		for range rapid.IntRange(1, 300).Draw(t, "edges") {
			who := turns(b, 1)[0]
			sent[who] += []int{a, c}[who]
			round := int(multiple(uint64(a), uint64(c)))
			require.LessOrEqual(t, max(sent[0]-sent[1], sent[1]-sent[0]), 2*round)
			require.Positive(t, min(b.left[0], b.left[1]))
		}
	})
}

func TestMemoriesAreMadeByName(t *testing.T) {
	m, err := NewMemory("any", 2)
	require.NoError(t, err)
	require.Nil(t, m)
	m, err = NewMemory("mil", 2)
	require.NoError(t, err)
	require.IsType(t, &MIL{}, m)
	_, ordered := m.(Order)
	require.False(t, ordered)
	m, err = NewMemory("bmi", 2)
	require.NoError(t, err)
	require.Implements(t, (*Order)(nil), m)
	_, err = NewMemory("best", 2)
	require.EqualError(t, err, `memory_issue is "best", must be one of any, mil, bmi`)
}
