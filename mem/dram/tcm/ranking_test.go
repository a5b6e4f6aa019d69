package tcm_test

import (
	"testing"

	"cotenant/mem/dram/tcm"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var spec = tcm.Spec{Quantum: 1000, ClusterPercent: 50, ShuffleInterval: 100, AlikePercent: 10}

// asks is a quantum in which tenants 0, 1, ... had these requests of a burst each.
func asks(requests ...uint64) *tcm.Uses {
	u := &tcm.Uses{}
	for t, n := range requests {
		u[t] = tcm.Use{Requests: n, Bursts: n}
	}
	return u
}

func TestFewestRequestsRankFirstUntilTheClustersShareIsFull(t *testing.T) {
	for name, c := range map[string]struct {
		percent  int
		requests []uint64
		want     []uint8 // the bandwidth cluster's before any shuffle
		shuffles bool    // it has more than one tenant
	}{
		"nobody asked":                    {50, []uint64{0, 0}, []uint8{0, 0}, false},
		"one alone takes more than half":  {50, []uint64{0, 7}, []uint8{0, 1}, false},
		"exactly half, by two":            {50, []uint64{199, 100, 99}, []uint8{3, 2, 1}, false},
		"the next would be above half":    {50, []uint64{101, 102, 99, 100}, []uint8{3, 4, 1, 2}, true},
		"as many requests share a rank":   {50, []uint64{10, 100, 10}, []uint8{1, 2, 1}, false},
		"and a cluster":                   {50, []uint64{10, 10}, []uint8{1, 2}, true},
		"nothing for the latency cluster": {0, []uint64{1, 100}, []uint8{1, 2}, true},
		"all for the latency cluster":     {100, []uint64{100, 1, 50}, []uint8{3, 1, 2}, false},
		"17 %":                            {17, []uint64{17, 40, 43}, []uint8{1, 2, 3}, true},
		"a per cent less":                 {16, []uint64{17, 40, 43}, []uint8{1, 2, 3}, true},
	} {
		s := spec
		s.ClusterPercent = c.percent
		r := tcm.Rank(s, 16, asks(c.requests...))
		ranks := r.At(0, 1)
		assert.Equal(t, c.want, ranks[:len(c.want)], name)
		assert.Equal(t, c.shuffles, r.Shuffles(), name)
	}
}

// 17 of 100 are in the latency cluster with 17 % and not with 16: only then are
// they shuffled, which moves all three.
func TestTheThresholdDecidesWhoIsShuffled(t *testing.T) {
	for percent, want := range map[int]uint8{17: 1, 16: 3} {
		s := spec
		s.ClusterPercent, s.AlikePercent = percent, 0
		r := tcm.Rank(s, 16, asks(17, 40, 43))
		assert.Equal(t, want, r.At(3, 1)[0], "%d %%", percent)
	}
}

// Bandwidth is what joins, intensity what sorts: tenant 0 has fewer requests, of
// four times as many bursts.
func TestRequestsSortAndBurstsFillTheCluster(t *testing.T) {
	u := &tcm.Uses{{Requests: 10, Bursts: 40}, {Requests: 20, Bursts: 20}}
	r := tcm.Rank(spec, 16, u)
	assert.True(t, r.Shuffles(), "40 of 60 are more than half")
	u[0].Bursts = 20
	r = tcm.Rank(spec, 16, u)
	assert.False(t, r.Shuffles())
	assert.Equal(t, []int{0, 1}, order(2, r.At(1, 1)))
}

// uneven are tenants that all have to be shuffled, with so much parallelism in
// banks and locality in per cent.
func uneven(parallelism, locality []uint64) *tcm.Uses {
	u := &tcm.Uses{}
	for t := range parallelism {
		u[t] = tcm.Use{Requests: 100, Bursts: 100, OwnHits: locality[t], WaitClocks: 50, BankClocks: 50 * parallelism[t]}
	}
	return u
}

// order lists the tenants with requests from the first rank on.
func order(n int, ranks [tenant.Max]uint8) []int {
	list := make([]int, n)
	for t, r := range ranks[:n] {
		list[r-1] = t
	}
	return list
}

// Niceness: 3 + 0, 0 - 3, 2 - 1, 1 - 2. Then one more of them stands in reverse
// with each shuffle, up to all, and one fewer down to none.
func TestInsertionShuffleTurnsTheNicestRoundOneByOne(t *testing.T) {
	r := tcm.Rank(spec, 16, uneven([]uint64{9, 2, 7, 5}, []uint64{10, 80, 30, 60}))
	want := [][]int{
		{0, 2, 3, 1}, {0, 2, 3, 1}, {2, 0, 3, 1}, {3, 2, 0, 1}, {1, 3, 2, 0},
		{1, 3, 2, 0}, {3, 2, 0, 1}, {2, 0, 3, 1},
	}
	for shuffles := range uint64(24) {
		assert.Equal(t, want[shuffles%8], order(4, r.At(shuffles, 5)), "%d", shuffles)
	}
}

func TestTwoTenantsSwap(t *testing.T) {
	for _, u := range []*tcm.Uses{uneven([]uint64{2, 9}, []uint64{80, 10}), uneven([]uint64{5, 5}, []uint64{40, 40})} {
		r := tcm.Rank(spec, 16, u)
		first := order(2, r.At(0, 5))
		for shuffles := range uint64(5) {
			want := []int{first[shuffles%2], first[1-shuffles%2]}
			assert.Equal(t, want, order(2, r.At(shuffles, 5)))
		}
	}
	nicer := tcm.Rank(spec, 16, uneven([]uint64{2, 9}, []uint64{80, 10}))
	assert.Equal(t, []int{1, 0}, order(2, nicer.At(0, 5)), "many banks and few row hits go first")
}

// random reports whether the tenants are shuffled at random: the insertion
// shuffle repeats after six steps.
func random(r tcm.Ranking) bool {
	for shuffles := range uint64(60) {
		if r.At(shuffles, 5) != r.At(shuffles+6, 5) {
			return true
		}
	}
	return false
}

func TestOnlyTenantsAlikeInBothAreShuffledAtRandom(t *testing.T) {
	// Of 20 banks, 10 % are two; of 100 requests, ten.
	for name, c := range map[string]struct {
		parallelism, locality []uint64
		want                  bool
	}{
		"alike":                    {[]uint64{4, 5, 5}, []uint64{40, 45, 49}, true},
		"two banks apart":          {[]uint64{4, 5, 6}, []uint64{40, 45, 49}, false},
		"ten per cent of locality": {[]uint64{4, 5, 5}, []uint64{40, 45, 50}, false},
	} {
		assert.Equal(t, c.want, random(tcm.Rank(spec, 20, uneven(c.parallelism, c.locality))), name)
	}
	never := spec
	never.AlikePercent = 0
	assert.False(t, random(tcm.Rank(never, 20, uneven([]uint64{5, 5, 5}, []uint64{40, 40, 40}))))
}

func TestRandomShuffleFollowsTheSeedAndUsesEveryOrder(t *testing.T) {
	r := tcm.Rank(spec, 16, uneven([]uint64{5, 5, 5}, []uint64{40, 40, 40}))
	seen, differ := map[[tenant.Max]uint8]int{}, false
	for shuffles := range uint64(601) {
		ranks := r.At(shuffles, 5)
		assert.Equal(t, ranks, r.At(shuffles, 5))
		differ = differ || ranks != r.At(shuffles, 6)
		if shuffles > 0 {
			seen[ranks]++
		}
	}
	assert.True(t, differ)
	require.Len(t, seen, 6)
	for _, n := range seen {
		assert.InDelta(t, 100, n, 40)
	}
}

// A plain reading of the rule: sort, fill, and give ranks.
func TestAnyUseGivesRanksOfTheTwoClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec
		s.ClusterPercent = rapid.IntRange(0, 100).Draw(t, "percent")
		s.AlikePercent = rapid.SampledFrom([]int{0, 10, 100}).Draw(t, "alike")
		u := &tcm.Uses{}
		for i := range rapid.IntRange(0, tenant.Max).Draw(t, "tenants") {
			n := rapid.Uint64Range(0, 6).Draw(t, "requests")
			u[i] = tcm.Use{Requests: n, Bursts: n * rapid.Uint64Range(1, 3).Draw(t, "bursts"), OwnHits: n / 2, WaitClocks: 10, BankClocks: rapid.Uint64Range(10, 90).Draw(t, "banks")}
		}
		r := tcm.Rank(s, 16, u)
		ranks := r.At(rapid.Uint64Range(0, 100).Draw(t, "shuffles"), 7)
		total := uint64(0)
		for i := range u {
			total += u[i].Bursts
		}
		inLatency := func(i int) bool { // all that ask for no more fit
			sum := uint64(0)
			for j := range u {
				if u[j].Requests <= u[i].Requests {
					sum += u[j].Bursts
				}
			}
			return sum*100 <= total*uint64(s.ClusterPercent)
		}
		taken := map[uint8]bool{}
		for i := range u {
			require.Less(t, ranks[i], uint8(tenant.Max))
			if u[i].Requests == 0 {
				require.Zero(t, ranks[i])
			}
			for j := range u {
				switch {
				case inLatency(i) && !inLatency(j):
					require.Less(t, ranks[i], ranks[j])
				case inLatency(i) && u[i].Requests < u[j].Requests:
					require.Less(t, ranks[i], ranks[j])
				case inLatency(i) && u[i].Requests == u[j].Requests:
					require.Equal(t, ranks[i], ranks[j])
				}
			}
			if !inLatency(i) {
				require.False(t, taken[ranks[i]], "no two of the bandwidth cluster share a rank")
				taken[ranks[i]] = true
			}
		}
	})
}
