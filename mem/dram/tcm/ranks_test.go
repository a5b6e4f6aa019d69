package tcm_test

import (
	"testing"

	"cotenant/mem/dram/tcm"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ranksOf(r *tcm.Ranks) (list [tenant.Max]uint8) {
	for t := range list {
		list[t] = r.Of(tenant.ID(t))
	}
	return list
}

// serve has a tenant's requests be served, each in a row of its own.
func serve(r *tcm.Ranks, t tenant.ID, requests int) {
	for i := range requests {
		r.Served(t, 0, uint64(i), 1)
	}
}

func TestRanksChangeAtTheQuantumsEndAndNotBefore(t *testing.T) {
	r := tcm.New(spec, 16)
	require.Equal(t, uint64(1000), r.Next(0))
	serve(r, 0, 30)
	serve(r, 1, 10)
	assert.False(t, r.Advance(999))
	assert.Equal(t, []uint8{0, 0}, []uint8{r.Of(0), r.Of(1)}, "the first quantum has no ranks")
	assert.True(t, r.Advance(1000))
	assert.Equal(t, []uint8{2, 1}, []uint8{r.Of(0), r.Of(1)})
	assert.Equal(t, uint64(2000), r.Next(1000), "one tenant cannot be shuffled")

	// The next quantum counts alone, what is served in it first included.
	serve(r, 0, 5)
	serve(r, 1, 6)
	assert.False(t, r.Advance(1999))
	assert.True(t, r.Advance(2000))
	assert.Equal(t, []uint8{1, 2}, []uint8{r.Of(0), r.Of(1)})

	// Nothing in the one after it: no ranks.
	assert.True(t, r.Advance(3000))
	assert.Equal(t, []uint8{0, 0}, []uint8{r.Of(0), r.Of(1)})
}

func TestIdleQuantaAreForgottenWhereNobodyAdvanced(t *testing.T) {
	r := tcm.New(spec, 16)
	serve(r, 0, 30)
	serve(r, 1, 10)
	assert.False(t, r.Advance(2000), "the quantum before had no request")
	assert.Equal(t, []uint8{0, 0}, []uint8{r.Of(0), r.Of(1)})
	assert.Equal(t, uint64(3000), r.Next(2000))
}

func TestShufflesCountFromTheQuantumsBegin(t *testing.T) {
	s := spec
	s.ClusterPercent, s.ShuffleInterval = 0, 300
	r := tcm.New(s, 16)
	serve(r, 0, 10)
	serve(r, 1, 20)
	require.True(t, r.Advance(1000))
	ranks := func() []uint8 { return []uint8{r.Of(0), r.Of(1)} }
	even, odd := []uint8{1, 2}, []uint8{2, 1}
	require.Equal(t, even, ranks())
	for _, c := range []struct {
		at, next uint64
		want     []uint8
		changed  bool
	}{
		{1299, 1300, even, false}, {1300, 1600, odd, true}, {1599, 1600, odd, false},
		{1600, 1900, even, true}, {1900, 2000, odd, true},
	} {
		require.Equal(t, c.changed, r.Advance(c.at), "%d", c.at)
		require.Equal(t, c.want, ranks(), "%d", c.at)
		require.Equal(t, c.next, r.Next(c.at), "%d", c.at)
	}
}

// Tenant 1 waits for two banks in two of the three clocks in which it waits, five
// thirds on average; tenant 2 for two in 600 clocks of 1000, the last of which end
// with the quantum; tenant 0 for one, twice. The more the nicer.
func TestBanksThatATenantWaitsForMakeItNice(t *testing.T) {
	s := spec
	s.ClusterPercent, s.AlikePercent = 0, 0
	r := tcm.New(s, 4)
	r.Waits(2, 1, 0)
	r.Waits(0, 0, 0)
	r.Waits(0, 0, 10) // the same bank again
	for at := uint64(0); at < 1000; at += 4 {
		if at == 400 {
			r.Waits(2, 2, 400)
		}
		r.Waits(1, 0, at)
		r.Waits(1, 3, at+1)
		r.Leaves(1, 3, at+3)
		r.Leaves(1, 0, at+3)
	}
	for tenant := range tenant.ID(3) {
		serve(r, 2-tenant, 10)
	}
	require.True(t, r.Advance(1000))
	assert.Equal(t, []uint8{3, 1, 2}, []uint8{r.Of(0), r.Of(1), r.Of(2)})
}

func TestSeedDecidesTheRandomShuffle(t *testing.T) {
	shuffles := func(seed int, quantum uint64) (list [][tenant.Max]uint8) {
		s := spec
		s.ClusterPercent, s.ShuffleInterval, s.Seed = 0, 10, seed
		r := tcm.New(s, 16)
		r.Advance(quantum * 1000)
		for id := range tenant.ID(3) {
			serve(r, id, 10)
		}
		for step := range uint64(100) {
			r.Advance((quantum+1)*1000 + 10*step)
			list = append(list, ranksOf(r))
		}
		return list
	}
	assert.Equal(t, shuffles(1, 0), shuffles(1, 0))
	assert.NotEqual(t, shuffles(1, 0), shuffles(2, 0))
	assert.NotEqual(t, shuffles(1, 0), shuffles(1, 1), "each quantum has its own")
}

// Tenant 0 comes back to its row after requests of other tenants in the bank:
// alone it would hit.
func TestOwnRowsCountWhateverOthersOpenBetween(t *testing.T) {
	s := spec
	s.ClusterPercent, s.AlikePercent = 0, 0
	r := tcm.New(s, 4)
	for i := range 10 {
		r.Served(0, 1, 7, 1)
		r.Served(1, 1, uint64(i), 1)
		r.Served(1, 2, 0, 1) // every other request hits
		r.Served(0, 1, 7, 1)
		r.Served(2, uint8(i%4), 0, 1) // the first in each bank misses
		r.Served(2, 0, uint64(50+i), 1)
	}
	require.True(t, r.Advance(1000))
	assert.Equal(t, []uint8{3, 2, 1}, []uint8{r.Of(0), r.Of(1), r.Of(2)})
}

// Ranks that advance at every cycle are the same as ranks that advance when Next says, or,
// with nothing waiting, long after.
func TestRanksDoNotDependOnWhenTheyAreAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec
		s.Quantum = rapid.IntRange(1, 60).Draw(t, "quantum")
		s.ShuffleInterval = rapid.IntRange(1, s.Quantum).Draw(t, "interval")
		s.ClusterPercent = rapid.SampledFrom([]int{0, 20, 50}).Draw(t, "percent")
		s.AlikePercent = rapid.SampledFrom([]int{0, 100}).Draw(t, "alike")
		always, lazy := tcm.New(s, 4), tcm.New(s, 4)
		next, waiting := lazy.Next(0), 0
		var last struct { // the request that waits
			tenant tenant.ID
			bank   uint8
		}
		for now := uint64(1); now < 300; now++ {
			always.Advance(now)
			happens := rapid.IntRange(0, 3).Draw(t, "happens") == 0
			if now >= next && (waiting > 0 || happens) {
				lazy.Advance(now)
				next = lazy.Next(now)
				require.Greater(t, next, now)
			}
			if waiting > 0 || happens {
				require.Equal(t, ranksOf(always), ranksOf(lazy), "%d", now)
			}
			if !happens {
				continue
			}
			tenant, bank := tenant.ID(rapid.IntRange(0, 3).Draw(t, "tenant")), uint8(rapid.IntRange(0, 3).Draw(t, "bank"))
			for _, r := range []*tcm.Ranks{always, lazy} {
				if waiting == 0 {
					r.Waits(tenant, bank, now)
				} else {
					r.Leaves(last.tenant, last.bank, now)
					r.Served(last.tenant, last.bank, now%2, 1)
				}
			}
			if waiting = 1 - waiting; waiting == 1 {
				last.tenant, last.bank = tenant, bank
			}
		}
	})
}

func TestSpecErrorsNameFieldValueAndWhatIsValid(t *testing.T) {
	require.NoError(t, spec.Validate())
	for want, change := range map[string]func(*tcm.Spec){
		"quantum is 0, must be 1 to 1073741824":       func(s *tcm.Spec) { s.Quantum = 0 },
		"cluster_percent is 101, must be 0 to 100":    func(s *tcm.Spec) { s.ClusterPercent = 101 },
		"shuffle_interval is 1001, must be 1 to 1000": func(s *tcm.Spec) { s.ShuffleInterval = 1001 },
		"alike_percent is -1, must be 0 to 100":       func(s *tcm.Spec) { s.AlikePercent = -1 },
		"seed is -1, must be 0 to 1073741824":         func(s *tcm.Spec) { s.Seed = -1 },
	} {
		s := spec
		change(&s)
		assert.EqualError(t, s.Validate(), want)
	}
}
