package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// list returns the mixes, in order. count has found no fault in them.
func (x *Mixes) list() [][]string {
	switch {
	case x.Apps != nil:
		return [][]string{x.Apps}
	case x.Pairs != nil:
		return Pairs(x.Pairs)
	}
	return Draw(x.Random.Count, x.Random.Size, x.Random.From, uint64(x.Random.Seed))
}

// Pairs lists every two of a list of applications, the earlier one first.
func Pairs(apps []string) (mixes [][]string) {
	for i, a := range apps {
		for _, b := range apps[i+1:] {
			mixes = append(mixes, []string{a, b})
		}
	}
	return mixes
}

// Draw draws different mixes of size different entries of a list, in the list's order
// within a mix. The list must allow the number of mixes. Equal arguments give equal
// mixes, on every machine.
func Draw(mixes, size int, from []string, seed uint64) (drawn [][]string) {
	random := rand.NewPCG(seed, 0)
	seen := map[string]bool{}
	for len(drawn) < mixes {
		chosen := choose(random, size, len(from))
		key := fmt.Sprint(chosen)
		if seen[key] {
			continue
		}
		seen[key] = true
		var mix []string
		for _, i := range chosen {
			mix = append(mix, from[i])
		}
		drawn = append(drawn, mix)
	}
	return drawn
}

// choose draws k different numbers below n, ascending.
func choose(random *rand.PCG, k, n int) []int {
	var chosen []int
	for len(chosen) < k {
		// The bias of the remainder is below n in 2^64.
		if i := int(random.Uint64() % uint64(n)); !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return chosen
}
