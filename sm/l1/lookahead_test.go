package l1

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLookAheadGivesWaysByWhatTheySave(t *testing.T) {
	for _, c := range []struct {
		name string
		hits [][]uint32
		ways int
		want []int
	}{
		{"one to each, whatever it saves", [][]uint32{{0, 0}, {9, 9}}, 2, []int{1, 1}},
		{"to the one who hits more", [][]uint32{{50, 1, 1, 1}, {50, 9, 9, 9}}, 4, []int{1, 3}},
		{"several at once that save nothing apart", [][]uint32{{5, 4, 0, 0, 0}, {0, 0, 0, 30, 0}}, 5, []int{1, 4}},
		{"not if there are not so many", [][]uint32{{5, 4, 0, 0}, {0, 0, 0, 30}}, 3, []int{2, 1}},
		{"by the hits of each way, not their sum", [][]uint32{{0, 8, 0, 0, 0}, {0, 3, 3, 3, 1}}, 5, []int{2, 3}},
		{"evenly if nobody hits", [][]uint32{make([]uint32, 8), make([]uint32, 8), make([]uint32, 8)}, 8, []int{3, 3, 2}},
		{"all to one tenant", [][]uint32{{1, 1, 1}}, 3, []int{3}},
		{"what is over is given too", [][]uint32{{0, 7, 0, 0}, {0, 0, 0, 0}}, 4, []int{2, 2}},
	} {
		require.Equal(t, c.want, lookAhead(c.hits, c.ways), c.name)
	}
}

// anyHits draws hits of up to three tenants by position.
func anyHits(t *rapid.T) (hits [][]uint32, ways int) {
	ways = rapid.IntRange(1, 8).Draw(t, "ways")
	for range rapid.IntRange(1, min(3, ways)).Draw(t, "tenants") {
		hits = append(hits, rapid.SliceOfN(rapid.Uint32Range(0, 9), ways, ways).Draw(t, "hits"))
	}
	return hits, ways
}

// TestLookAheadAgreesWithItsDescription: at every step the best of all pairs of a
// tenant and a number of ways, by exact fractions.
func TestLookAheadAgreesWithItsDescription(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits, ways := anyHits(t)
		given := slices.Repeat([]int{1}, len(hits))
		for left := ways - len(hits); left > 0; {
			type choice struct {
				utility   *big.Rat
				who, more int
			}
			var all []choice
			for who := range hits {
				for more := 1; more <= left; more++ {
					sum := int64(0)
					for _, h := range hits[who][given[who] : given[who]+more] {
						sum += int64(h)
					}
					all = append(all, choice{big.NewRat(sum, int64(more)), who, more})
				}
			}
			best := slices.MinFunc(all, func(a, b choice) int { // the first of the smallest
				if c := b.utility.Cmp(a.utility); c != 0 {
					return c
				}
				return given[a.who] - given[b.who]
			})
			given[best.who] += best.more
			left -= best.more
		}
		require.Equal(t, given, lookAhead(hits, ways))
	})
}

// saves is the largest number of hits in the given ways, at least one for every tenant,
// over all divisions.
func saves(hits [][]uint32, ways int) (best uint64) {
	if len(hits) == 0 {
		return 0
	}
	sum := uint64(0)
	for n := 1; n <= ways-len(hits)+1; n++ {
		sum += uint64(hits[0][n-1])
		best = max(best, sum+saves(hits[1:], ways-n))
	}
	return best
}

// TestLookAheadIsTheBestDivisionWhereMoreWaysSaveLessAndLess: then it is the best
// of all divisions; else it is a good one, and it never gives more ways than there
// are, nor fewer.
func TestLookAheadIsTheBestDivisionWhereMoreWaysSaveLessAndLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits, ways := anyHits(t)
		total := func() (sum uint64) {
			n := 0
			for i, g := range lookAhead(hits, ways) {
				require.Positive(t, g)
				n += g
				for _, h := range hits[i][:g] {
					sum += uint64(h)
				}
			}
			require.Equal(t, ways, n)
			return sum
		}
		require.LessOrEqual(t, total(), saves(hits, ways))
		for _, h := range hits {
			slices.Sort(h)
			slices.Reverse(h)
		}
		require.Equal(t, saves(hits, ways), total())
	})
}
