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
// tenants for threads: the requests of the tenant on the first rank first, of
// those the ones to the open row, of those the oldest. With equal ranks it is
// frfcfs.
//
// Ranks count among requests of one direction: drains begin and end as under any
// scheduler, and writes in them have their tenants' ranks. A row that was opened
// for a request serves that one before it is closed for another of a better rank,
// which loses nothing by it, since t_ras has to pass anyway. MaxHitStreak has no
// effect: while ranks stay, a request can wait for all those of better ranks, and
// a tenant's request for row hits of the same tenant.
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
