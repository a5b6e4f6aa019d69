package l2tlb

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const pageBytes = 4096

func spec() Spec { return Spec{Entries: 4, Ways: 2, MSHRs: 4, Latency: 70, Queue: 4} }

// bench is a TLB between SMs and a fill unit that answers every walk with NoFault after
// a fixed time.
type bench struct {
	*rig.Bench
	tlb   *TLB
	sms   []*rig.Peer[*protocol.Translation]
	fill  *rig.Peer[sim.Msg]
	walks []uint64 // pages walked for, in order
}

// walkCycles is the time from the edge at which the fill unit sees a walk to the
// one at which it answers.
const walkCycles = 498

func newRig(t rig.T, s Spec, sms int) *bench {
	r := &bench{Bench: rig.New(t, 1_000_000_000)}
	var err error
	r.tlb, err = Builder{}.WithSpec(s).WithDomain(r.Clock).WithPageBytes(pageBytes).WithSMs(sms).Build("TLB")
	require.NoError(t, err)
	for i := range sms {
		p := rig.NewPeer[*protocol.Translation](r.Bench, "SM"+string(rune('A'+i)), 4, r.tlb.SMs[i])
		p.Width, p.Keep = 4, rig.Copy[protocol.Translation]
		r.sms = append(r.sms, p)
	}
	r.fill = rig.NewPeer[sim.Msg](r.Bench, "Fill", 8, r.tlb.Fill)
	r.fill.Width = 16
	r.fill.Answer = func(cycle uint64, m sim.Msg) {
		r.walks = append(r.walks, m.(*protocol.Walk).Page)
		r.fill.Send(cycle+walkCycles, m)
	}
	return r
}

func (r *bench) ask(cycle uint64, sm int, page uint64) {
	r.sms[sm].Send(cycle, &protocol.Translation{Page: page * pageBytes, SM: uint16(sm)})
}

func (r *bench) cycles(sm int) []uint64 { return rig.Cycles(r.sms[sm].Got) }

func TestLeastRecentlyUsedPageOfTheSetMakesRoom(t *testing.T) {
	r := newRig(t, spec(), 1)
	for i, page := range []uint64{0, 2, 0, 4, 0, 2} { // one set of two ways: 2 is displaced
		r.ask(uint64(i)*1000, 0, page)
	}
	r.ask(6000, 0, 1) // another set
	r.ask(7000, 0, 0)
	r.ask(8000, 0, 2)
	r.Run()
	require.Equal(t, []uint64{0, 2, 4, 2, 1}, pages(r.walks))
	require.Equal(t, []uint64{570, 1570, 2070, 3570, 4070, 5570, 6570, 7070, 8070}, r.cycles(0))
	k := r.tlb.Stats().Total()
	require.Equal(t, [3]uint64{9, 4, 5}, [3]uint64{k.Accesses, k.Hits, k.Misses})
}

func pages(addrs []uint64) (list []uint64) {
	for _, a := range addrs {
		list = append(list, a/pageBytes)
	}
	return list
}

func TestTenantsPagesAreTheirOwn(t *testing.T) {
	r := newRig(t, spec(), 1)
	r.ask(0, 0, 7)
	r.sms[0].Send(1000, &protocol.Translation{Page: tenant.ID(5).Base() + 7*pageBytes, Account: tenant.ID(5).Account(1)})
	r.ask(2000, 0, 7)
	r.Run()
	require.Equal(t, []uint64{570, 1570, 2070}, r.cycles(0))
	require.Equal(t, uint64(1), r.tlb.Stats().Accounts.Get(tenant.ID(5).Account(1)).Misses)
	require.Equal(t, uint64(1), r.tlb.Stats().Accounts.Get(0).Misses)
}

func TestMissWithoutAnMSHRHoldsUpThoseBehindAndThePorts(t *testing.T) {
	s := spec()
	s.MSHRs, s.Latency, s.Queue = 2, 3, 2
	r := newRig(t, s, 2)
	r.ask(0, 0, 1)
	r.ask(0, 0, 2)
	r.ask(1, 0, 3) // finds no MSHR
	for i := range uint64(20) {
		r.ask(2+i, 1, 1) // could join, but waits
	}
	r.Run()
	first := uint64(1+1+1+walkCycles+1) + 1 // walked for, answered
	require.Equal(t, []uint64{first, first, first + 500}, r.cycles(0), "the third walk begins at the edge at which the first is answered")
	require.Len(t, r.sms[1].Got, 20, "none is lost")
	require.Greater(t, r.sms[1].Sent[19].Cycle, uint64(400), "the ports hold the SM back")
	for _, c := range r.cycles(1) {
		require.Greater(t, c, first-2)
	}
	k := r.tlb.Stats().Total()
	require.Equal(t, uint64(3), k.Misses)
	require.Equal(t, first-1-4, k.MSHRStallCycles, "from 4 on: the third was sent when the port had room")
	require.Zero(t, r.tlb.mshrs.Len())
}

func TestLookupsPerCycleAreSharedInTurns(t *testing.T) {
	s := spec()
	s.LookupsPerCycle = 1
	r := newRig(t, s, 3)
	r.ask(0, 0, 1)
	for i := range 3 {
		for range 4 {
			r.ask(1000, i, 1)
		}
	}
	r.Run()
	require.Equal(t, []uint64{570, 1072, 1075, 1078, 1081}, r.cycles(0))
	require.Equal(t, []uint64{1070, 1073, 1076, 1079}, r.cycles(1))
	require.Equal(t, []uint64{1071, 1074, 1077, 1080}, r.cycles(2))
}

func TestPortsHoldRequestsBackThatAreNotLookedUp(t *testing.T) {
	s := spec()
	s.LookupsPerCycle, s.Queue = 1, 1
	r := newRig(t, s, 3)
	for i := range 3 {
		for range 4 {
			r.ask(1000, i, 1)
		}
	}
	r.Run()
	require.Equal(t, []uint64{1000, 1002, 1005, 1008}, rig.Cycles(r.sms[0].Sent))
	require.Equal(t, []uint64{1000, 1003, 1006, 1009}, rig.Cycles(r.sms[1].Sent))
}

func TestRequestsHeldUpAreLookedUpAtTheSameRate(t *testing.T) {
	s := spec()
	s.LookupsPerCycle, s.MSHRs = 2, 1
	r := newRig(t, s, 1)
	r.ask(0, 0, 1)
	r.ask(1, 0, 2) // finds no MSHR
	for i := range uint64(6) {
		r.ask(2+i, 0, 1)
	}
	r.Run()
	require.Equal(t, []uint64{570, 570, 571, 571, 572, 572, 573, 1070}, r.cycles(0), "two in each cycle, that of the second page among them")
}

// A full fill unit holds up what misses, and loses nothing.
func TestMissWaitsForRoomAtTheFillUnit(t *testing.T) {
	s := spec()
	s.MSHRs, s.Entries, s.Ways = 16, 32, 2
	r := newRig(t, s, 1)
	r.fill.Deaf = rig.Before(2000)
	for page := range uint64(12) {
		r.ask(page, 0, page)
	}
	r.Run()
	require.Len(t, r.walks, 12)
	require.Len(t, r.sms[0].Got, 12)
	require.Equal(t, uint64(2001-77), r.tlb.Stats().Total().MSHRStallCycles, "eight are with the fill unit")
}

func TestHitsWithoutALimitAreAllLookedUpAtOnce(t *testing.T) {
	r := newRig(t, spec(), 3)
	r.ask(0, 0, 1)
	for i := range 3 {
		for range 4 {
			r.ask(1000, i, 1)
		}
	}
	r.Run()
	require.Equal(t, []uint64{570, 1070, 1070, 1070, 1070}, r.cycles(0))
	require.Equal(t, []uint64{1070, 1070, 1070, 1070}, r.cycles(2))
}

func TestGaugesShowWhatIsUnderWay(t *testing.T) {
	r := newRig(t, spec(), 1)
	r.ask(0, 0, 1)
	r.ask(0, 0, 2)
	gauges := r.tlb.Gauges()
	r.RunTo(10)
	require.Equal(t, [2]int{2, 0}, [2]int{gauges[0].Level(), gauges[1].Level()})
	r.RunTo(100)
	require.Equal(t, [2]int{0, 2}, [2]int{gauges[0].Level(), gauges[1].Level()})
	require.Equal(t, 4, gauges[1].Max)
}

// Whatever is asked for, however slow the neighbours are: every request is answered
// once, with what the walk of its page finds, and no page that is held is walked for.
func TestEveryRequestIsAnsweredOnceWithItsPagesFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{Ways: rapid.IntRange(1, 3).Draw(t, "ways"), MSHRs: rapid.IntRange(1, 4).Draw(t, "mshrs"), Latency: rapid.IntRange(2, 9).Draw(t, "latency"),
			LookupsPerCycle: rapid.IntRange(0, 2).Draw(t, "lookups"), Queue: rapid.IntRange(1, 3).Draw(t, "queue")}
		s.Entries = s.Ways * rapid.IntRange(1, 3).Draw(t, "sets")
		r := newRig(t, s, 3)
		faults := map[uint64][2]protocol.Fault{} // of reads and writes
		all := [][2]protocol.Fault{{}, {}, {0, protocol.ReadOnly}, {protocol.Migrate, protocol.Migrate}, {protocol.Migrate, protocol.ReadOnly}, {protocol.Invalid, protocol.Invalid}}
		for page := range uint64(8) {
			faults[page] = rapid.SampledFrom(all).Draw(t, "fault")
		}
		over := map[uint64]uint64{} // when the last walk for a page was to be answered
		wait := rapid.Uint64Range(0, 60).Draw(t, "walk")
		r.fill.Answer = func(cycle uint64, m sim.Msg) {
			w := m.(*protocol.Walk)
			page := w.Page / pageBytes
			require.LessOrEqual(t, over[page], cycle, "one walk for a page at a time")
			over[page] = cycle + wait
			w.Read, w.Written, w.Region = faults[page][0], faults[page][1], w.Page
			r.fill.Send(cycle+wait, m)
		}
		n := rapid.IntRange(1, 60).Draw(t, "requests")
		asked := make([]map[[2]uint64]int, 3)
		for i := range 3 {
			asked[i] = map[[2]uint64]int{}
			r.sms[i].Deaf = rig.Before(rapid.Uint64Range(0, 300).Draw(t, "deaf"))
			r.sms[i].Answer = func(_ uint64, m *protocol.Translation) {
				page, write := m.Page/pageBytes, uint64(0)
				if m.Write {
					write = 1
				}
				require.Equal(t, faults[page][write], m.Fault, "page %d", page)
				asked[i][[2]uint64{page, write}]--
			}
		}
		r.fill.Keep = func(m sim.Msg) sim.Msg { return rig.Copy(m.(*protocol.Walk)) }
		for range n {
			i, page, write := rapid.IntRange(0, 2).Draw(t, "sm"), rapid.Uint64Range(0, 7).Draw(t, "page"), rapid.Uint64Range(0, 1).Draw(t, "write")
			r.sms[i].Send(rapid.Uint64Range(0, 200).Draw(t, "at"), &protocol.Translation{Page: page * pageBytes, SM: uint16(i), Write: write == 1})
			asked[i][[2]uint64{page, write}]++
		}
		r.Run()
		for i := range 3 {
			for key, left := range asked[i] {
				require.Zero(t, left, "SM %d, %v", i, key)
			}
		}
		k := r.tlb.Stats().Total()
		require.Equal(t, uint64(n), k.Hits+k.Misses+k.Merges)
		require.Equal(t, uint64(n), k.Accesses)
		require.Zero(t, r.tlb.mshrs.Len())
		free := 0
		for at := r.tlb.free; at >= 0; at = r.tlb.waiters[at].next {
			free++
		}
		require.Len(t, r.tlb.waiters, free, "no waiter is left over")
	})
}

// Answers to an SM that takes none yet are of two regions, and one is served meanwhile:
// its page is there, or there to be read, and the other region's faults as before.
func TestServedRegionMakesItsFaultsGoodThatHaveNotBeenPassedOn(t *testing.T) {
	r := newRig(t, spec(), 1)
	r.sms[0].Deaf = rig.Before(3000)
	r.fill.Answer = func(cycle uint64, m sim.Msg) {
		w := m.(*protocol.Walk)
		w.Region, w.Read, w.Written = w.Page/pageBytes/10, protocol.Migrate, protocol.Migrate
		if w.Page == 11*pageBytes {
			w.Written = protocol.ReadOnly
		}
		r.fill.Send(cycle+10, m)
	}
	for i := range uint64(5) {
		r.ask(i, 0, 1) // fills the SM's port
	}
	for _, page := range []uint64{10, 11, 20} {
		r.ask(300, 0, page)
	}
	r.fill.Send(2000, &protocol.RegionServed{Region: 1})
	r.Run()
	got := map[uint64][2]any{}
	for _, e := range r.sms[0].Got {
		got[e.Msg.Page/pageBytes] = [2]any{e.Msg.Fault, e.Msg.ReadOnly}
	}
	require.Equal(t, map[uint64][2]any{1: {protocol.Migrate, true}, 10: {protocol.NoFault, false}, 11: {protocol.NoFault, true}, 20: {protocol.Migrate, true}}, got)
}

func TestBuilderNamesWhatIsMissing(t *testing.T) {
	_, err := Builder{}.WithSpec(spec()).Build("TLB")
	require.EqualError(t, err, "TLB: needs a clock, pages of at least 128 bytes and an SM")
	_, err = Builder{}.Build("TLB")
	require.EqualError(t, err, "TLB: entries is 0, must be 1 to 1048576")
}
