// Package tcm ranks tenants at one DRAM channel as thread cluster memory scheduling does
// (Kim et al., MICRO 2010, for threads of CPUs). Tenants that asked for little in the last
// quantum come first; the rest take turns.
//
// A DRAM controller sees no instructions, so it counts the requests that its channel
// serves. Each controller decides alone. A tenant has the first rank until the first
// quantum has ended, and after a quantum without requests.
package tcm

import "cotenant/tenant"

// MaxBanks is the number of banks that a channel can have.
const MaxBanks = 64

// Ranks are the tenants' ranks, and what they will follow from. It is told of
// events in the order of their cycles, and brought up to each by Advance.
type Ranks struct {
	spec    Spec
	banks   int
	of      [tenant.Max]uint8
	ranking Ranking
	quantum uint64 // number of the present one, from 0
	uses    Uses   // in it
	tenants [tenant.Max]watched
}

// watched is what must be known of a tenant to count its Use.
type watched struct {
	waiting [MaxBanks]uint32 // requests, by bank
	banks   uint64           // that requests wait for, how many
	since   uint64           // cycle up to which waiting has been counted
	rows    [MaxBanks]uint64 // of the last request served, by bank
	touched uint64           // mask of banks with such a row
}

// New makes the Ranks of a channel with a number of banks.
func New(s Spec, banks int) *Ranks { return &Ranks{spec: s, banks: banks} }

// Of is a tenant's rank, 0 the first and less than tenant.Max.
func (r *Ranks) Of(t tenant.ID) uint8 { return r.of[t] }

// All has every tenant's rank.
func (r *Ranks) All() *[tenant.Max]uint8 { return &r.of }

// Next is the first cycle at which ranks may change.
func (r *Ranks) Next(now uint64) uint64 {
	quantum, interval := uint64(r.spec.Quantum), uint64(r.spec.ShuffleInterval)
	begin := r.quantum * quantum
	if r.ranking.Shuffles() {
		return min(begin+quantum, now+interval-(now-begin)%interval)
	}
	return begin + quantum
}

// Advance has the ranks be those from a cycle on, and reports whether one has
// changed. What happens at the cycle itself belongs to the quantum that begins,
// but for what has been told before.
func (r *Ranks) Advance(now uint64) (changed bool) {
	length := uint64(r.spec.Quantum)
	if q := now / length; q != r.quantum {
		r.close(q * length)
		if q > r.quantum+1 {
			r.uses = Uses{} // nothing has been served in the last one
		}
		r.ranking = Rank(r.spec, r.banks, &r.uses)
		r.uses, r.quantum = Uses{}, q
	}
	before := r.of
	r.of = r.ranking.At(now%length/uint64(r.spec.ShuffleInterval), scramble(uint64(r.spec.Seed)<<32+r.quantum))
	return r.of != before
}

// close counts waiting up to a cycle.
func (r *Ranks) close(now uint64) {
	for t := range r.tenants {
		r.count(tenant.ID(t), now)
	}
}

func (r *Ranks) count(t tenant.ID, now uint64) {
	w, u := &r.tenants[t], &r.uses[t]
	if w.banks > 0 {
		u.WaitClocks += now - w.since
		u.BankClocks += (now - w.since) * w.banks
	}
	w.since = now
}

// Waits notes that a request of a tenant begins to wait for a bank.
func (r *Ranks) Waits(t tenant.ID, bank uint8, now uint64) {
	r.count(t, now)
	w := &r.tenants[t]
	if w.waiting[bank]++; w.waiting[bank] == 1 {
		w.banks++
	}
}

// Leaves notes that a request that Waits told of waits no more.
func (r *Ranks) Leaves(t tenant.ID, bank uint8, now uint64) {
	r.count(t, now)
	w := &r.tenants[t]
	if w.waiting[bank]--; w.waiting[bank] == 0 {
		w.banks--
	}
}

// Served notes that a request to a row has been served.
func (r *Ranks) Served(t tenant.ID, bank uint8, row uint64, bursts uint8) {
	w, u := &r.tenants[t], &r.uses[t]
	u.Requests++
	u.Bursts += uint64(bursts)
	if w.touched>>bank&1 != 0 && w.rows[bank] == row {
		u.OwnHits++
	}
	w.touched |= 1 << bank
	w.rows[bank] = row
}
