package dram

import (
	"cotenant/mem/dram/tcm"
	"cotenant/protocol"
)

func init() {
	schedulers.Add("tcm", func(s *site) scheduler {
		return &clustered{ranks: tcm.New(s.TCM, s.banks), bursts: s.burstTable(), unified: s.UnifiedQueue}
	})
}

// clustered is thread cluster memory scheduling (Kim et al., MICRO 2010), with
// tenants for threads: requests go by their tenant's rank, then row hits first, then
// the oldest. With equal ranks it is frfcfs.
//
// Ranks count among requests of one direction: drains begin and end as under any
// scheduler, and writes in them have their tenants' ranks. A row serves the request that
// opened it before it is closed for a better rank. That costs the better rank nothing,
// since t_ras must pass anyway. MaxHitStreak has no effect: while ranks stay, a request
// can wait for all requests of better ranks, and for row hits of its own tenant.
type clustered struct {
	ranks   *tcm.Ranks
	bursts  [1 << protocol.SectorsPerLine]uint8
	unified bool
}

func (t *clustered) target(w *waiting, _ int) *entry { return w.first(t.ranks.All(), true) }

func (t *clustered) priority(e *entry, hit bool) uint64 {
	return byRank(t.ranks.Of(e.account.Tenant()), e, hit)
}

func (t *clustered) rankedUntil(now uint64) uint64 { return t.ranks.Next(now) }

func (t *clustered) rank(now uint64) bool { return t.ranks.Advance(now) }

// posted reports whether a request waits for a drain, which says nothing of how
// many banks its tenant needs at once.
func (t *clustered) posted(e *entry) bool { return e.write && !t.unified }

func (t *clustered) accepted(e *entry, bank uint8, now uint64) {
	if !t.posted(e) {
		t.ranks.Waits(e.account.Tenant(), bank, now)
	}
}

func (t *clustered) served(e *entry, bank uint8, now uint64) {
	if !t.posted(e) {
		t.ranks.Leaves(e.account.Tenant(), bank, now)
	}
	t.ranks.Served(e.account.Tenant(), bank, e.row, t.bursts[e.transfer])
}
