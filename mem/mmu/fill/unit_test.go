package fill

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/mem/pages"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const region = 65536

type bench struct {
	*rig.Bench
	table *pages.Table
	unit  *Unit
	tlb   *rig.Peer[sim.Msg]
	pager *rig.Peer[*protocol.RegionFault]
	sms   []*rig.Peer[sim.Msg]
}

func spec() Spec { return Spec{Walkers: 2, WalkLatency: 500, Queue: 4, RegionBytes: region} }

func newRig(t rig.T, s Spec, sms int) *bench {
	r := &bench{Bench: rig.New(t, 1_000_000_000)}
	var err error
	r.table, err = pages.NewTable(4096, region)
	require.NoError(t, err)
	r.unit, err = Builder{}.WithSpec(s).WithDomain(r.Clock).WithTable(r.table).WithSMs(sms).Build("Fill")
	require.NoError(t, err)
	r.tlb = rig.NewPeer[sim.Msg](r.Bench, "TLB", 8, r.unit.TLB)
	r.tlb.Width = 8
	r.pager = rig.NewPeer[*protocol.RegionFault](r.Bench, "Pager", 4, r.unit.Pager)
	for i := range sms {
		p := rig.NewPeer[sim.Msg](r.Bench, "SM"+string(rune('A'+i)), 2, r.unit.SMs[i])
		p.Width = 2
		r.sms = append(r.sms, p)
	}
	return r
}

func (r *bench) walk(cycle, page uint64) { r.tlb.Send(cycle, &protocol.Walk{Page: page}) }

func TestWalkersTakeWalksInOrderAsTheyAreFree(t *testing.T) {
	r := newRig(t, spec(), 1)
	r.walk(69, 0)
	r.walk(169, 1<<12)
	r.walk(170, 2<<12)
	r.walk(170, 3<<12)
	r.walk(180, 4<<12)
	r.Run()
	var got []uint64
	for _, e := range r.tlb.Got {
		got = append(got, e.Msg.(*protocol.Walk).Page>>12)
	}
	require.Equal(t, []uint64{0, 1, 2, 3, 4}, got)
	// Seen at 70, walked to 570 at the SM: at the L2 TLB a cycle before.
	require.Equal(t, []uint64{569, 669, 1069, 1169, 1569}, rig.Cycles(r.tlb.Got))
	k := r.unit.Stats().Total()
	require.Equal(t, uint64(5), k.Walks)
	require.Equal(t, uint64(570-171+670-171+1070-181), k.WalkWaitCycles)
}

func TestTLBIsToldACycleBeforeTheSMs(t *testing.T) {
	r := newRig(t, spec(), 3)
	r.table.SetOther(0, pages.CPU, 0)
	r.sms[1].Deaf = rig.Before(3000)
	r.pager.Answer = func(cycle uint64, m *protocol.RegionFault) {
		require.Equal(t, protocol.RegionFault{Region: m.Region, Class: protocol.Migrate, Bytes: region}, *m)
		r.pager.Send(cycle+100, m)
	}
	for i := range uint64(4) {
		r.walk(69+600*i, i*region)
	}
	r.Run()
	require.Equal(t, []uint64{569, 669 + 2, 1169, 1271, 1769, 1871, 2369, 2471}, rig.Cycles(r.tlb.Got))
	require.Equal(t, []uint64{672, 1272, 1872}, rig.Cycles(r.sms[0].Got)[:3])
	require.Len(t, r.sms[0].Got, 4, "each is told once, though another is slow")
	require.Len(t, r.sms[2].Got, 4)
	for i, e := range r.sms[1].Got {
		require.Equal(t, uint64(i)*region, e.Msg.(*protocol.RegionServed).Region, "a slow SM loses none")
	}
	require.Len(t, r.sms[1].Got, 4)
	require.Zero(t, r.unit.Pending())
	require.Empty(t, r.unit.news)
}

func TestFaultsWaitForRoomAtThePager(t *testing.T) {
	s := spec()
	s.Walkers = 20
	r := newRig(t, s, 1)
	r.table.SetOther(0, pages.CPUClean, 0)
	r.pager.Deaf = rig.Before(5000)
	r.pager.Answer = func(cycle uint64, m *protocol.RegionFault) { r.pager.Send(cycle+10, m) }
	for i := range uint64(20) {
		r.walk(i, i*region)
	}
	r.RunTo(4000)
	require.Equal(t, 20, r.unit.Pending())
	r.Run()
	require.Zero(t, r.unit.Pending())
	for i, e := range r.pager.Got {
		require.Equal(t, uint64(i)*region, e.Msg.Region, "first come, first served")
	}
	require.Equal(t, uint64(20), r.unit.Stats().PendingMaximum)
	require.Equal(t, uint64(20), r.unit.Stats().Total().Regions)
	r.walk(r.Cycle()+1, 30*region)
	r.Run()
	require.Equal(t, uint64(20), r.unit.Stats().PendingMaximum, "one alone is less")
}

// Whatever is walked for: every walk is answered once, in order; a region has one
// record at a time; each that is raised is served, and told to all.
func TestRegionsAreRaisedOnceAndServedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{Walkers: rapid.IntRange(1, 4).Draw(t, "walkers"), WalkLatency: rapid.IntRange(3, 40).Draw(t, "latency"),
			Queue: rapid.IntRange(1, 3).Draw(t, "queue"), RegionBytes: region, Local: rapid.Bool().Draw(t, "local")}
		r := newRig(t, s, 2)
		states := []pages.State{pages.Resident, pages.CPU, pages.CPUClean, pages.Lazy, pages.Invalid}
		for i := range uint64(6) {
			r.table.Set(0, i*region, region, rapid.SampledFrom(states).Draw(t, "state"), 0)
		}
		raised := map[uint64]int{}
		pending, served := map[uint64]bool{}, 0
		r.unit.listener = Listener{
			Raised: func(f Fault) {
				require.False(t, pending[f.Region])
				pending[f.Region] = true
				raised[f.Region]++
				if f.Local {
					r.sms[1].Send(f.Raised+rapid.Uint64Range(1, 200).Draw(t, "handler"), &protocol.RegionHandled{Region: f.Region})
				}
			},
			Served: func(f Fault, cycle uint64) {
				require.True(t, pending[f.Region])
				require.Greater(t, cycle, f.Raised)
				delete(pending, f.Region)
				served++
			},
		}
		r.pager.Answer = func(cycle uint64, m *protocol.RegionFault) {
			r.pager.Send(cycle+rapid.Uint64Range(0, 200).Draw(t, "service"), m)
		}
		n := rapid.IntRange(1, 60).Draw(t, "walks")
		at := uint64(0)
		for i := range n {
			at += rapid.Uint64Range(0, 30).Draw(t, "pause")
			r.tlb.Send(at, &protocol.Walk{Page: rapid.Uint64Range(0, 5).Draw(t, "region") * region, Tag: uint32(i)})
		}
		r.Run()
		require.Empty(t, pending)
		require.Zero(t, r.unit.Pending())
		for _, times := range raised {
			require.Equal(t, 1, times, "nothing leaves the GPU's memory")
		}
		next := uint32(0)
		news := 0
		for _, e := range r.tlb.Got {
			if w, ok := e.Msg.(*protocol.Walk); ok {
				require.Equal(t, next, w.Tag)
				next++
			} else {
				news++
			}
		}
		require.Equal(t, n, int(next))
		require.Equal(t, served, news)
		require.Len(t, r.sms[0].Got, served)
		require.Len(t, r.sms[1].Got, served)
		require.Equal(t, uint64(served), r.unit.Stats().Total().Regions)
		require.Equal(t, len(raised), served)
	})
}

func TestPendingCyclesGrowWhileARegionIsInFlight(t *testing.T) {
	r := newRig(t, spec(), 1)
	r.table.Set(0, 0, region, pages.CPU, 0)
	r.table.Set(1, 0, region, pages.CPU, 0)
	r.pager.Answer = func(cycle uint64, m *protocol.RegionFault) { r.pager.Send(cycle+1000, m) }
	var raised, served uint64
	r.unit.listener = Listener{Raised: func(f Fault) { raised = f.Raised }, Served: func(_ Fault, cycle uint64) { served = cycle }}
	r.walk(0, 0)
	r.RunTo(900)
	require.Zero(t, served)
	require.Equal(t, []uint64{0, 0, 1, 400}, []uint64{r.unit.PendingCycles(0, raised-1), r.unit.PendingCycles(0, raised), r.unit.PendingCycles(0, raised+1), r.unit.PendingCycles(0, raised+400)})
	require.Zero(t, r.unit.PendingCycles(1, 900), "another tenant's")
	r.Run()
	require.Equal(t, served-raised, r.unit.PendingCycles(0, served+5000))
	require.Equal(t, served-raised, r.unit.Stats().Total().ServiceCycles)
}

func TestBuilderNamesWhatIsMissing(t *testing.T) {
	_, err := Builder{}.WithSpec(spec()).Build("Fill")
	require.EqualError(t, err, "Fill: needs a clock, a page table and an SM")
	_, err = Builder{}.Build("Fill")
	require.EqualError(t, err, "Fill: walkers is 0, must be 1 to 4096")
}
