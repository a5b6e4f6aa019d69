package dram

import (
	"testing"

	"cotenant/mem/dram/tcm"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
)

// ranked makes a tcm scheduler of 20 banks which has everybody in the bandwidth
// cluster, but for what change does.
func ranked(change func(*Spec)) *clustered {
	s := Spec{Scheduler: "tcm", BusBytes: 4, BurstLength: 8, DataRate: 4}
	s.TCM = tcm.Spec{Quantum: 1000, ShuffleInterval: 10, AlikePercent: 10}
	if change != nil {
		change(&s)
	}
	made, _ := schedulers.New("scheduler", s.Scheduler, &site{Spec: s, banks: 20})
	return made.(*clustered)
}

// stay has a request wait for some banks from a cycle to another and be served.
func (t *clustered) stay(e entry, from, to uint64, banks ...uint8) {
	for _, b := range banks {
		t.accepted(&e, b, from)
	}
	for _, b := range banks {
		t.served(&e, b, to)
	}
}

func of(id tenant.ID) entry { return entry{account: id.Account(3), transfer: 1} }

func (t *clustered) first() tenant.ID {
	if t.ranks.Of(0) < t.ranks.Of(1) {
		return 0
	}
	return 1
}

func TestPostedWritesDoNotWaitForBanksButThoseOfAUnifiedQueueDo(t *testing.T) {
	for _, unified := range []bool{false, true} {
		s := ranked(func(s *Spec) { s.UnifiedQueue = unified })
		write := of(0)
		write.write = true
		s.stay(write, 0, 900, 0, 1, 2, 3)
		s.stay(of(1), 0, 900, 4, 5, 6, 7)
		s.rank(1000)
		assert.Equal(t, map[bool]tenant.ID{false: 1, true: 0}[unified], s.first())
	}
}

// Tenant 1 waits for reads from four banks, and so does tenant 0, from the last of them not
// quite as long: tenant 1 is nicer. Its drained write to such a bank changes nothing, whether it
// comes before the reads, while they wait, or until they have gone.
func TestDrainedWritesLeaveTheBanksThatReadsWaitFor(t *testing.T) {
	for _, write := range [][2]uint64{{0, 50}, {200, 300}, {50, 999}} {
		s := ranked(nil)
		posted := of(1)
		posted.write, posted.row = true, 9
		stays := []struct {
			entry
			from, to uint64
			banks    []uint8
		}{
			{of(1), 100, 990, []uint8{0, 1, 2, 3}}, {of(0), 100, 990, []uint8{0, 1, 2}}, {of(0), 100, 980, []uint8{3}},
			{posted, write[0], write[1], []uint8{3}},
		}
		for at := range uint64(1000) {
			for i := range stays {
				for _, bank := range stays[i].banks {
					if at == stays[i].from {
						s.accepted(&stays[i].entry, bank, at)
					}
					if at == stays[i].to {
						s.served(&stays[i].entry, bank, at)
					}
				}
			}
		}
		s.rank(1000)
		assert.Equal(t, tenant.ID(1), s.first(), "a write from %d to %d", write[0], write[1])
	}
}

func TestServedRequestsWaitNoMore(t *testing.T) {
	s := ranked(nil)
	s.stay(of(0), 0, 10, 0, 1, 2, 3, 4, 5)
	s.stay(of(0), 10, 999, 0)
	s.stay(of(1), 0, 999, 0, 1, 2)
	s.rank(1000)
	assert.Equal(t, tenant.ID(1), s.first())
}

// Tenant 0 asks least, and so is first, unless it moves more than half of the
// data: then tenant 1 is, which is nicer.
func TestBurstsOfARequestAreItsBandwidth(t *testing.T) {
	for sectors, nicest := range map[uint8]bool{0b1111: true, 0b0011: false} {
		s := ranked(func(s *Spec) { s.TCM.ClusterPercent = 50 })
		whole := of(0)
		whole.transfer = sectors
		s.stay(whole, 0, 1, 0)
		s.stay(of(1), 0, 1, 1, 2, 3)
		s.rank(1000)
		assert.Equal(t, nicest, s.first() == 1, "%b", sectors)
	}
}

func TestRowsOfRequestsAreTheirLocality(t *testing.T) {
	s := ranked(nil)
	for i := range uint64(10) {
		there, far := of(0), of(1)
		there.row, far.row = 7, i
		s.stay(there, i, i+1, 0)
		s.stay(far, i, i+1, 0)
	}
	s.rank(1000)
	assert.Equal(t, tenant.ID(1), s.first())
}

// 4, 5 and 5 banks of 20 are alike, so that the shuffle does not repeat.
func TestParallelismIsComparedWithTheNumberOfBanks(t *testing.T) {
	s := ranked(nil)
	s.stay(of(0), 0, 10, 0, 1, 2, 3)
	s.stay(of(1), 0, 10, 0, 1, 2, 3, 4)
	s.stay(of(2), 0, 10, 0, 1, 2, 3, 4)
	var seen []uint8
	for at := uint64(1000); at < 2000; at += 10 {
		s.rank(at)
		seen = append(seen, s.ranks.Of(0))
	}
	assert.NotEqual(t, seen[:90], seen[6:96], "the insertion shuffle of three repeats after six")
}
