package mmu_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/host/pager"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/pages"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// worked are the timelines of testdata/worked.json: from the specification's
// vectors, faults_results.json, "worked" (thesis Table 6.1, 6.5.3, 6.5.4).
func worked(t *testing.T) (w struct {
	Single struct {
		Total uint64
	} `json:"single_fault"`
	Concurrent []struct {
		Link, Kind string
		Regions    int
		Served     []uint64 `json:"served_at"`
	}
}) {
	text, err := os.ReadFile("testdata/worked.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &w))
	return w
}

func TestHitTakes70AndWalk570(t *testing.T) {
	r := newRig(t, pagefault(), nvlink, 2)
	r.ask(0, 0, 0x5000, false)
	r.ask(569, 1, 0x5000, false)
	r.ask(1000, 1, 0x5abc, true)
	r.ask(1000, 1, 0x6000, true)
	r.Run()
	require.Equal(t, []answer{{570, 0x5000, 0}}, r.answers(0))
	require.Equal(t, []answer{{639, 0x5000, 0}, {1070, 0x5000, 0}, {1570, 0x6000, 0}}, r.answers(1))
	k := r.tlb.Stats().Total()
	require.Equal(t, []uint64{4, 2, 2, 0, 0}, []uint64{k.Accesses, k.Hits, k.Misses, k.Merges, k.Faults})
	require.Empty(t, r.raised)
}

func TestWalkThatFindsNoWalkerWaits(t *testing.T) {
	s := pagefault()
	s.Fill.Queue = 65
	r := newRig(t, s, nvlink, 65)
	for i := range 65 {
		r.ask(0, i, uint64(i)<<12, false)
	}
	r.Run()
	for i := range 65 {
		want := uint64(570)
		if i == 64 {
			want = 1070
		}
		require.Equal(t, want, r.answers(i)[0].cycle, "walk %d", i)
	}
	require.Equal(t, uint64(500), r.fill.Stats().Total().WalkWaitCycles)
}

func TestRequestsOfOnePageMakeOneWalk(t *testing.T) {
	r := newRig(t, pagefault(), nvlink, 8)
	for i := range 32 {
		r.ask(uint64(i), i%8, 0x9000, i%2 == 1)
	}
	r.ask(540, 3, 0x9000, false) // looked up just before the walk has ended
	r.Run()
	for i := range 8 {
		for n, a := range r.answers(i) {
			if n < 4 {
				require.Equal(t, answer{570, 0x9000, 0}, a)
			}
		}
	}
	require.Equal(t, answer{610, 0x9000, 0}, r.answers(3)[4], "looked up after it")
	require.Equal(t, uint64(1), r.fill.Stats().Total().Walks)
	k := r.tlb.Stats().Total()
	require.Equal(t, [4]uint64{33, 1, 1, 31}, [4]uint64{k.Accesses, k.Hits, k.Misses, k.Merges})
}

func TestLifeOfAFault(t *testing.T) {
	want := worked(t).Single.Total
	r := newRig(t, pagefault(), nvlink, 3)
	r.retry(0)
	r.table.SetOther(1, pages.CPU, 0)
	page := tenant.ID(1).Base() + 3*region + 0x5000
	idle := ticks(r.Bench, &r.tlb.Module, &r.fill.Module, &r.pager.Module)
	r.ask(0, 1, page, true)
	r.RunTo(600)
	before := []int{*idle[0], *idle[1], *idle[2]}
	r.RunTo(12_560)
	require.Equal(t, before, []int{*idle[0], *idle[1], *idle[2]}, "12,000 cycles of waiting cost no tick")
	r.Run()
	require.Equal(t, []answer{{570, page, protocol.Migrate}, {want, page, 0}}, r.answers(1))
	require.Equal(t, uint64(13_140), want)
	for i := range 3 {
		require.Equal(t, []answer{{cycle: 12_570, page: page &^ (region - 1)}}, r.told(i), "every SM is told")
	}
	f := fill.Fault{Region: page &^ (region - 1), Account: 1, Class: protocol.Migrate, Raised: 570}
	require.Equal(t, []fill.Fault{f}, r.raised)
	require.Equal(t, []fill.Fault{f}, r.served)
	require.Equal(t, []uint64{12_570}, r.servedAt)
	require.Equal(t, []uint64{570}, r.started)
	k := r.fill.Stats().Total()
	require.Equal(t, fill.TenantStats{Walks: 2, Migrates: 1, Regions: 1, ServiceCycles: 12_000}, k)
	require.Equal(t, uint64(1), r.fill.Stats().PendingMaximum)
	require.Equal(t, pager.TenantStats{Migrates: 1, Bytes: region, BusyCycles: 12_000}, r.pager.Stats(math.MaxUint64).Tenants[1])
	require.False(t, r.pager.Busy())
	for _, n := range idle {
		require.Less(t, *n, 20)
	}
}

func TestFaultsAreServedOneByOneOverTheLink(t *testing.T) {
	for _, c := range worked(t).Concurrent {
		link, state, local := nvlink, pages.CPU, false
		switch c.Link {
		case "nvlink":
		case "pcie":
			link = pcie
		default:
			local = true
		}
		if c.Kind == "allocate" {
			state = pages.CPUClean
		}
		if local {
			state = pages.Lazy
		}
		s := pagefault()
		s.Fill.Local = local
		r := newRig(t, s, link, 4)
		r.retry(0)
		r.table.SetOther(0, state, 0)
		for i := range c.Regions {
			if local {
				// A handler of 20,000 cycles, of which the way back to the SMs takes three.
				r.sms[i].Answer = func(cycle uint64, m *protocol.Translation) {
					require.True(t, m.Local)
					r.faults[i].Send(cycle+20_000-3, &protocol.RegionHandled{Region: m.Region})
				}
			}
			r.ask(0, i, uint64(i)*region, true)
		}
		if local {
			r.RunTo(25_000)
			require.Equal(t, uint64(4), r.fill.Stats().Total().Locals)
			require.Empty(t, r.started, "the pager is not asked")
		} else {
			r.Run()
			require.Equal(t, append([]uint64{570}, c.Served[:3]...), r.started, "%+v", c)
			require.Equal(t, uint64(4), r.fill.Stats().PendingMaximum)
			wait := uint64(0)
			for _, s := range r.started {
				wait += s - 570
			}
			require.Equal(t, wait, r.pager.Stats(math.MaxUint64).Tenants[0].WaitCycles)
		}
		var got []uint64
		for _, a := range r.told(0)[:c.Regions] {
			got = append(got, a.cycle)
		}
		if local {
			// The four are told one after another at one edge.
			require.Equal(t, c.Served, got)
			continue
		}
		require.Equal(t, c.Served, got, "%+v", c)
		for i := range c.Regions {
			require.Equal(t, c.Served[i]+570, r.answers(i)[1].cycle)
		}
	}
}

func TestOccupancyBelowTheCostOverlapsServices(t *testing.T) {
	link := nvlink
	link.Occupancy = 2_000
	r := newRig(t, pagefault(), link, 4)
	r.table.SetOther(0, pages.CPU, 0)
	for i := range 4 {
		r.ask(0, i, uint64(i)*region, false)
	}
	r.Run()
	require.Equal(t, []uint64{12_570, 14_570, 16_570, 18_570}, r.servedAt)
	require.Equal(t, pager.TenantStats{Migrates: 4, Bytes: 4 * region, BusyCycles: 8_000, WaitCycles: 12_000}, r.pager.Stats(math.MaxUint64).Tenants[0])
}

func TestAllocationMayEndBeforeAMigrationThatBeganEarlier(t *testing.T) {
	link := nvlink
	link.Occupancy = 0
	r := newRig(t, pagefault(), link, 2)
	r.table.Set(0, 0, region, pages.CPU, 0)
	r.table.Set(0, region, region, pages.CPUClean, 0)
	r.ask(0, 0, 0, false)
	r.ask(0, 1, region, false)
	r.Run()
	require.Equal(t, []answer{{cycle: 10_570, page: region}, {cycle: 12_570}}, r.told(0))
}

func TestWalkOfAPendingRegionJoins(t *testing.T) {
	r := newRig(t, pagefault(), nvlink, 2)
	r.retry(0)
	r.table.SetOther(0, pages.CPU, 0)
	r.ask(0, 0, 0, false)
	r.ask(100, 1, 0x7000, false)
	r.ask(12_001, 1, 0x8000, true) // ends when the region is there
	r.ask(11_997, 1, 0x9000, true) // ends just before
	r.Run()
	require.Equal(t, []answer{{670, 0x7000, protocol.Migrate}, {12_567, 0x9000, protocol.Migrate}, {12_571, 0x8000, 0},
		{13_140, 0x7000, 0}, {13_140, 0x9000, 0}}, r.answers(1))
	require.Len(t, r.told(1), 1)
	k := r.fill.Stats().Total()
	require.Equal(t, []uint64{4, 3, 2, 1}, []uint64{k.Migrates + 1, k.Migrates, k.Merged, k.Regions})
}

// No SM is told of a fault at or after the edge at which it is told that the region
// is served: it would wait for ever.
func TestFaultIsSeenBeforeItsService(t *testing.T) {
	for at := uint64(11_990); at < 12_010; at++ {
		r := newRig(t, pagefault(), nvlink, 2)
		r.table.SetOther(0, pages.CPU, 0)
		r.ask(0, 0, 0, false)
		r.ask(at, 1, 0x7000, false)
		r.Run()
		a := r.answers(1)[0]
		require.Equal(t, at+570, a.cycle)
		if a.fault != protocol.NoFault {
			require.Less(t, a.cycle, r.told(1)[0].cycle)
		}
		require.Equal(t, at >= 12_000, a.fault == protocol.NoFault, "asked at %d", at)
	}
}

// An SM that takes no answers does not get a fault of a region that has been served
// meanwhile.
func TestFaultThatWaitsForItsSMIsNoneOnceItsRegionIsServed(t *testing.T) {
	r := newRig(t, pagefault(), nvlink, 2)
	r.table.SetOther(0, pages.CPU, 0)
	r.table.Set(0, 40*region, region, pages.Resident, 0)
	r.table.Set(0, 0x2000, 1, pages.CPU, pages.ReadOnly)
	r.sms[0].Deaf = rig.Before(13_000)
	for i := range 32 { // the SM's port is full of these
		r.ask(uint64(i), 0, 40*region, false)
	}
	r.ask(100, 0, 0, false)
	r.ask(100, 0, 0x1000, true)
	r.ask(101, 0, 0x2000, false)
	r.ask(101, 0, 0x2000, true)
	r.Run()
	got := r.answers(0)
	require.Len(t, got, 36)
	for _, a := range got[:35] {
		require.Equal(t, protocol.NoFault, a.fault)
	}
	require.Equal(t, protocol.ReadOnly, got[35].fault, "what ends the kernel does")
	require.Equal(t, uint64(1), r.fill.Stats().Total().Regions)
	require.Equal(t, uint64(2), r.fill.Stats().Total().Merged)
	require.Equal(t, uint64(1), r.tlb.Stats().Total().Faults)
}

func TestFaultsThatEndTheKernelAreAnsweredAndNotServed(t *testing.T) {
	r := newRig(t, pagefault(), nvlink, 1)
	r.table.SetOther(0, pages.Invalid, 0)
	r.table.Set(0, 2*region, region, pages.Resident, pages.ReadOnly)
	r.ask(0, 0, 0, false)
	r.ask(1, 0, region, false)
	r.ask(2, 0, 2*region, false)
	r.ask(3, 0, 2*region, true) // joins the walk of the read
	r.ask(2000, 0, 2*region, true)
	r.ask(2001, 0, 2*region, false)
	r.ask(2002, 0, 0, true) // no fault is kept
	r.Run()
	require.Equal(t, []answer{{570, 0, protocol.Invalid}, {571, region, protocol.Invalid}, {572, 2 * region, 0}, {572, 2 * region, protocol.ReadOnly},
		{2070, 2 * region, protocol.ReadOnly}, {2071, 2 * region, 0}, {2572, 0, protocol.Invalid}}, r.answers(0))
	require.Empty(t, r.raised)
	require.Equal(t, fill.TenantStats{Walks: 4, Invalids: 3, ReadOnlys: 1}, r.fill.Stats().Total())
	require.Equal(t, uint64(5), r.tlb.Stats().Total().Faults)
}

func TestFirstHandlerServesALazyRegionAndOthersAreLate(t *testing.T) {
	s := pagefault()
	s.Fill.Local = true
	r := newRig(t, s, nvlink, 2)
	r.table.Set(0, 0, region, pages.Lazy, 0)
	r.table.Set(0, region, region, pages.CPUClean, 0)
	r.ask(0, 0, 0, true)
	r.ask(0, 1, 0x1000, true)
	r.ask(0, 1, region, true)
	r.faults[1].Send(5_000, &protocol.RegionHandled{Region: 0})
	r.faults[0].Send(5_000, &protocol.RegionHandled{Region: 0})
	r.faults[0].Send(6_000, &protocol.RegionHandled{Region: region}) // the pager has it
	r.faults[0].Send(7_000, &protocol.RegionHandled{Region: 9 * region})
	r.Run()
	require.Equal(t, []answer{{cycle: 5_003}, {cycle: 10_570, page: region}}, r.told(0))
	require.Equal(t, r.told(0), r.told(1))
	k := r.fill.Stats().Total()
	require.Equal(t, fill.TenantStats{Walks: 3, Allocates: 3, Locals: 2, Merged: 1, Regions: 2, HandledLate: 3, ServiceCycles: 4_433 + 10_000}, k)
	require.Equal(t, []bool{true, false}, []bool{r.served[0].Local, r.served[1].Local})
	require.True(t, r.sms[0].Got[0].Msg.Local)
	require.False(t, r.sms[1].Got[1].Msg.Local)
}

func TestLazyRegionsAreThePagersWithoutHandlers(t *testing.T) {
	r := newRig(t, pagefault(), pcie, 1)
	r.table.SetOther(0, pages.Lazy, 0)
	r.ask(0, 0, 0, true)
	r.Run()
	require.Equal(t, []uint64{12_570}, r.servedAt)
	require.Equal(t, pager.TenantStats{Allocates: 1, BusyCycles: 12_000}, r.pager.Stats(math.MaxUint64).Tenants[0])
	require.False(t, r.sms[0].Got[0].Msg.Local)
}

// All that the unit does is the same whatever the order in which its modules tick.
func TestOrderOfModulesChangesNothing(t *testing.T) {
	rig.InAnyOrder(t, func(shuffle func(*rig.Bench)) (got [][]answer) {
		s := pagefault()
		s.L2TLB.MSHRs, s.L2TLB.Entries, s.L2TLB.LookupsPerCycle, s.Fill.Walkers, s.Fill.Queue = 6, 16, 2, 3, 2
		r := newRig(t, s, nvlink, 5)
		shuffle(r.Bench)
		r.retry(1)
		r.table.Set(0, 0, 3*region, pages.CPU, 0)
		for i := range 300 {
			r.ask(uint64(i/5*7), i%5, uint64(i*i%97)*0x1000, i%3 == 0)
		}
		r.Run()
		for i := range 5 {
			got = append(got, r.answers(i), r.told(i))
		}
		return got
	})
}

func TestMessagesOfUnknownTypeEndTheSimulation(t *testing.T) {
	for _, port := range []func(*bench) *components.Port{
		func(r *bench) *components.Port { return r.tlb.SMs[0] },
		func(r *bench) *components.Port { return r.tlb.Fill },
		func(r *bench) *components.Port { return r.fill.TLB },
		func(r *bench) *components.Port { return r.fill.SMs[0] },
		func(r *bench) *components.Port { return r.fill.Pager },
		func(r *bench) *components.Port { return r.pager.Fill },
	} {
		r := newRig(t, pagefault(), nvlink, 1)
		rig.RefusesStrangers(r.Bench, port(r))
	}
}
