package gate

import (
	"maps"
	"math/bits"
	"slices"
	"testing"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rule is what Quota does, written plainly.
type rule struct {
	lanes, perSM bool
	quotas       map[tenant.ID]protocol.Quota
	left         map[where]int64
	owner        map[place]tenant.ID // of warps
	open         map[where]bool      // who may issue, since the last edge
}

// where is a counter: a tenant's at a scheduler, or at scheduler 0 for the SM.
type where struct {
	scheduler int
	tenant    tenant.ID
}

type place struct{ scheduler, slot int }

func newRule() *rule {
	return &rule{quotas: map[tenant.ID]protocol.Quota{}, left: map[where]int64{}, owner: map[place]tenant.ID{}, open: map[where]bool{}}
}

func (r *rule) at(scheduler int, t tenant.ID) where {
	if r.perSM {
		scheduler = 0
	}
	return where{scheduler, t}
}

func (r *rule) control(m *protocol.Quotas) {
	if m.Lanes != r.lanes || m.PerSM != r.perSM {
		clear(r.left)
	}
	r.lanes, r.perSM = m.Lanes, m.PerSM
	for t, quota := range m.Of {
		if !quota.Given {
			continue
		}
		if quota.Unlimited {
			quota = protocol.Quota{Unlimited: true}
		}
		r.quotas[tenant.ID(t)] = quota
		for i := range 4 {
			at := where{i, tenant.ID(t)}
			if quota.Keep && r.left[at] > 0 {
				r.left[at] += quota.Amount
			} else {
				r.left[at] = quota.Amount
			}
		}
	}
}

func (r *rule) issue(scheduler int, t tenant.ID, insts []workload.Inst) {
	n := int64(len(insts))
	if r.lanes {
		n = 0
		for _, inst := range insts {
			n += int64(bits.OnesCount32(inst.Active))
		}
	}
	if !r.quotas[t].Unlimited {
		r.left[r.at(scheduler, t)] -= n
	}
}

// edge refills counters and finds who may issue.
func (r *rule) edge() {
	clear(r.open)
	for scheduler := range 4 {
		if r.perSM && scheduler > 0 {
			return
		}
		present, unlimited := map[where]bool{}, map[where]bool{}
		for p, t := range r.owner {
			if at := r.at(p.scheduler, t); at.scheduler == scheduler && r.quotas[t].Unlimited {
				unlimited[at] = true
			} else if at.scheduler == scheduler {
				present[at] = true
			}
		}
		if !r.some(present) {
			for t := range tenant.ID(tenant.Max) {
				at, quota := where{scheduler, t}, r.quotas[t]
				switch {
				case len(present) == 0:
				case quota.Refill == protocol.RefillRestart:
					r.left[at] = quota.Amount
				case quota.Refill == protocol.RefillAdd && present[at]:
					for r.left[at] <= 0 && quota.Amount > 0 {
						r.left[at] += quota.Amount
					}
				}
			}
		}
		some, first := r.some(present), false
		for at := range present {
			first = first || r.quotas[at.tenant].First && r.left[at] > 0
		}
		for at := range present {
			quota := r.quotas[at.tenant]
			r.open[at] = r.left[at] > 0 && (quota.First || !first) || !some && quota.Refill == protocol.RefillRestart
		}
		for at := range unlimited {
			r.open[at] = !first
		}
	}
}

// some reports whether any of those present has something left.
func (r *rule) some(present map[where]bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(present)), func(at where) bool { return r.left[at] > 0 })
}

func anyQuotas(t *rapid.T) *protocol.Quotas {
	m := &protocol.Quotas{On: true, Lanes: rapid.Bool().Draw(t, "lanes"), PerSM: rapid.Bool().Draw(t, "per SM")}
	for i := range 4 {
		m.Of[i] = protocol.Quota{
			Given:     rapid.IntRange(0, 3).Draw(t, "given") > 0,
			Unlimited: rapid.IntRange(0, 3).Draw(t, "unlimited") == 0,
			Amount:    rapid.SampledFrom([]int64{0, 1, 2, 5, 20, 64, 300}).Draw(t, "amount"),
			Keep:      rapid.Bool().Draw(t, "keep"),
			Refill:    rapid.SampledFrom([]protocol.Refill{protocol.RefillNever, protocol.RefillAdd, protocol.RefillRestart}).Draw(t, "refill"),
			First:     rapid.IntRange(0, 3).Draw(t, "first") == 0,
		}
	}
	return m
}

func TestQuotaAgreesWithAWrittenRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schedulers := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "schedulers")
		q, r := NewQuota(schedulers), newRule()
		q.Control(&protocol.Quotas{On: true})
		ended := func(p place) {
			q.Ended(p.scheduler, p.slot)
			delete(r.owner, p)
			if !r.perSM {
				r.edge()
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "edges") {
			before := maps.Clone(r.left)
			open := maps.Clone(r.open)
			for _, scheduler := range rapid.Permutation([]int{0, 1, 2, 3}[:schedulers]).Draw(t, "order") {
				p := place{scheduler, rapid.IntRange(0, 5).Draw(t, "slot")}
				id, there := r.owner[p]
				if at := r.at(scheduler, id); !there || !open[at] {
					continue
				} else if q := r.quotas[id]; before[at] <= 0 && !q.Unlimited {
					require.Equal(t, protocol.RefillRestart, q.Refill, "it had nothing left at the edge before")
				}
				var insts []workload.Inst
				for range rapid.IntRange(1, 2).Draw(t, "instructions") {
					insts = append(insts, lanes(rapid.SampledFrom([]int{0, 1, 7, 32}).Draw(t, "active"))...)
				}
				if rapid.IntRange(0, 7).Draw(t, "last") == 0 {
					ended(p)
				}
				q.Issued(scheduler, p.slot, insts)
				r.issue(scheduler, id, insts)
			}
			q.Edge()
			r.edge()
			if p := (place{rapid.IntRange(0, schedulers-1).Draw(t, "scheduler"), rapid.IntRange(0, 5).Draw(t, "slot")}); rapid.Bool().Draw(t, "change") {
				if _, there := r.owner[p]; there {
					ended(p)
				} else {
					r.owner[p] = rapid.SampledFrom([]tenant.ID{0, 1, 2, 3}).Draw(t, "tenant")
					q.Placed(p.scheduler, p.slot, r.owner[p], 0)
				}
				q.Edge()
				r.edge()
			}
			if rapid.IntRange(0, 9).Draw(t, "control") == 0 {
				m := anyQuotas(t)
				q.Control(m)
				r.control(m)
				r.edge()
			}
			for i := range schedulers {
				want := warps.Mask(0)
				for p, id := range r.owner {
					if p.scheduler == i && !r.open[r.at(i, id)] {
						want |= 1 << p.slot
					}
				}
				all, memory := q.Masks(i)
				require.Equal(t, want, all)
				require.Zero(t, memory)
			}
			for id := range tenant.ID(4) {
				want := r.left[where{0, id}]
				for i := 1; i < schedulers && !r.perSM; i++ {
					want += r.left[where{i, id}]
				}
				require.Equal(t, want, q.Left(id))
			}
		}
	})
}

// TestOverdraftIsLessThanWhatIssuesAtAnEdge: less than schedulers x 2 instructions
// x 32 lanes are issued beyond the quota.
func TestOverdraftIsLessThanWhatIssuesAtAnEdge(t *testing.T) {
	least := int64(0)
	for amount := range int64(600) {
		q := pair(4)
		q.Control(goals("naive", amount+1, protocol.QuotaLimit))
		for held(q, 0)&1 == 0 {
			for i := range 4 {
				q.Issued(i, 0, lanes(32, 32))
			}
			q.Edge()
		}
		least = min(least, left(q, 1)[0])
	}
	require.Equal(t, int64(-(4*2*32 - 1)), least)
}
