package tally

import (
	"testing"

	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

func TestEveryCauseHasARowAndANameOfItsOwn(t *testing.T) {
	var counts CauseCounts
	for c := range NumCauses {
		require.Equal(t, c, c.Info().Cause)
		require.NotEmpty(t, c.Info().Shown, c)
		require.NotEmpty(t, c.Info().About, c)
		counts[c] = uint64(c) + 100
	}
	names := counts.ByName()
	require.Len(t, names, int(NumCauses))
	for c := range NumCauses {
		require.Equal(t, counts[c], names[c.String()])
	}
}

// A cause of few programs is named only where cycles are charged to it.
func TestAnOptionalCauseIsLeftOutWithoutCycles(t *testing.T) {
	var counts CauseCounts
	optional := 0
	for c := range NumCauses {
		if c.Info().Optional {
			optional++
		}
	}
	require.Positive(t, optional)
	require.Len(t, counts.ByName(), int(NumCauses)-optional)
	require.NotContains(t, counts.ByName(), "mbarrier_wait")
	counts[MBarrierWait] = 1
	require.Equal(t, uint64(1), counts.ByName()["mbarrier_wait"])
}

// Every charged cycle is in the total once, also a cycle that belongs to no account.
func TestTotalHasEveryChargedCycleOnce(t *testing.T) {
	var s Stats
	a, b := tenant.ID(1).Account(0), tenant.ID(2).Account(1)
	for c := range NumCauses {
		s.Charge(c, a, 10)
		s.Charge(c, b, 1)
	}
	total := s.Total()
	for c := range NumCauses {
		require.Equal(t, uint64(11), total.Stalls[c], c)
	}
	require.Zero(t, s.Accounts.Get(a).Stalls[Idle]+s.Accounts.Get(b).Stalls[Idle])
	require.Equal(t, uint64(10), s.Accounts.Get(a).Stalls[Quota])
}
