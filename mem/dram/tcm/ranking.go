package tcm

import (
	"cmp"
	"slices"

	"cotenant/tenant"
)

// Use is what a tenant did at a channel in a quantum.
type Use struct {
	Requests uint64 // reads and writes served: its memory intensity
	Bursts   uint64 // of those: its bandwidth
	// OwnHits are the requests served to the row that the tenant's request before
	// had in the same bank: row hits if it had the channel to itself.
	OwnHits uint64
	// WaitClocks are the command clocks in which a request of the tenant waited,
	// BankClocks their sum over the banks that it waited for.
	WaitClocks, BankClocks uint64
}

// fine is the unit in which averages are compared: whole numbers give the same
// order on every machine.
const fine = 1 << 16

// parallelism is the mean number of banks that the tenant waited for while it
// waited, in 1/fine.
func (u *Use) parallelism() uint64 { return u.BankClocks * fine / max(u.WaitClocks, 1) }

// locality is the share of own hits, in 1/fine.
func (u *Use) locality() uint64 { return u.OwnHits * fine / max(u.Requests, 1) }

// Uses holds every tenant's Use.
type Uses [tenant.Max]Use

// Ranking is the order of tenants that follows from a quantum. The zero Ranking
// has all of them on the first rank.
type Ranking struct {
	latency [tenant.Max]uint8     // ranks of the latency cluster, and of tenants without requests
	cluster [tenant.Max]tenant.ID // the bandwidth cluster, nicest first
	size    int                   // of it
	first   uint8                 // its best rank
	alike   bool
}

// Rank ranks tenants by what they did at a channel.
//
// From the tenant with the fewest requests on, tenants join the latency cluster while
// the sum of their bursts is no more than its share of all. Tenants with equally many
// requests join together or not at all, and share a rank, so that tenants' numbers
// decide nothing. A tenant without requests has the first rank. The remaining tenants
// form the bandwidth cluster and rank behind.
func Rank(s Spec, banks int, uses *Uses) (r Ranking) {
	var order [tenant.Max]tenant.ID
	var total, sum uint64
	for t := range order {
		order[t] = tenant.ID(t)
		total += uses[t].Bursts
	}
	slices.SortFunc(order[:], func(a, b tenant.ID) int {
		return cmp.Or(cmp.Compare(uses[a].Requests, uses[b].Requests), cmp.Compare(a, b))
	})
	rest := order[:]
	for len(rest) > 0 {
		n := 0
		for n < len(rest) && uses[rest[n]].Requests == uses[rest[0]].Requests {
			sum += uses[rest[n]].Bursts
			n++
		}
		if sum*100 > total*uint64(s.ClusterPercent) {
			break
		}
		for _, t := range rest[:n] {
			r.latency[t] = r.first
		}
		rest = rest[n:]
		r.first++
	}
	r.size = copy(r.cluster[:], rest)
	r.sortByNiceness(s, banks, uses)
	return r
}

// sortByNiceness puts the nicest tenant first. A tenant is nice by the number of tenants
// below it in bank parallelism, which makes it easy to delay, less the number below it
// in row locality, by which it delays the rest.
func (r *Ranking) sortByNiceness(s Spec, banks int, uses *Uses) {
	cluster := r.cluster[:r.size]
	var nice [tenant.Max]int
	var parallelism, locality spread
	for _, t := range cluster {
		u := &uses[t]
		parallelism.add(u.parallelism())
		locality.add(u.locality())
		for _, other := range cluster {
			o := &uses[other]
			if o.parallelism() < u.parallelism() {
				nice[t]++
			}
			if o.locality() < u.locality() {
				nice[t]--
			}
		}
	}
	slices.SortFunc(cluster, func(a, b tenant.ID) int {
		return cmp.Or(cmp.Compare(nice[b], nice[a]), cmp.Compare(a, b))
	})
	bound := uint64(s.AlikePercent) * fine
	r.alike = parallelism.width()*100 < bound*uint64(banks) && locality.width()*100 < bound
}

// spread is the range of some values.
type spread struct {
	least, most uint64
	any         bool
}

func (s *spread) add(v uint64) {
	if !s.any {
		*s = spread{v, v, true}
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
}

func (s *spread) width() uint64 { return s.most - s.least }

// Shuffles reports whether shuffling changes anything.
func (r *Ranking) Shuffles() bool { return r.size > 1 }

// At is the rank of each tenant, 0 the first, after a number of shuffles. The
// seed is that of a shuffle at random.
func (r *Ranking) At(shuffles, seed uint64) [tenant.Max]uint8 {
	ranks := r.latency
	cluster := r.cluster
	n := r.size
	switch {
	case n == 2 && shuffles%2 == 1:
		slices.Reverse(cluster[:n])
	case n > 2 && r.alike && shuffles > 0:
		for i := n - 1; i > 0; i-- {
			seed = scramble(seed + shuffles)
			j := seed % uint64(i+1)
			cluster[i], cluster[j] = cluster[j], cluster[i]
		}
	case n > 2:
		slices.Reverse(cluster[:insertion(n, shuffles)])
	}
	for i, t := range cluster[:n] {
		ranks[t] = r.first + uint8(i)
	}
	return ranks
}

// insertion is the insertion shuffle of n tenants: how many of them, from the nicest on,
// stand in reverse after a number of shuffles. It grows by one with each shuffle up to
// n, and falls again. So a less nice tenant reaches the first rank as often as a nice
// one, and spends the rest of the time on the last ranks.
func insertion(n int, shuffles uint64) int {
	step := int(shuffles % uint64(2*n))
	return min(step, 2*n+1-step)
}

// scramble is splitmix64 (Steele et al., OOPSLA 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
