package pager

import (
	"encoding/json"
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func nvlink() Spec {
	return Spec{Link: "nvlink", MigrateNs: 12_000, AllocateNs: 10_000, Occupancy: Full}
}

func newRig(t rig.T, s Spec, hz uint64) (*rig.Bench, *Pager, *rig.Peer[*protocol.RegionFault]) {
	b := rig.New(t, hz)
	p, err := Builder{}.WithSpec(s).WithDomain(b.Clock).Build("Pager")
	require.NoError(t, err)
	fill := rig.NewPeer[*protocol.RegionFault](b, "Fill", 4, p.Fill)
	fill.Width = 4
	return b, p, fill
}

func TestAnswerComesTwoCyclesBeforeTheEndOfTheService(t *testing.T) {
	// A service lasts from the cycle after the fault has been seen. The fill unit
	// sees the answer two cycles before its end, at which SMs are told.
	for hz, want := range map[uint64]uint64{1_000_000_000: 12_000, 500_000_000: 6_000, 1_216_000_000: 14_592, 1_000_001: 13} {
		b, p, fill := newRig(t, nvlink(), hz)
		fill.Send(9, &protocol.RegionFault{Class: protocol.Migrate, Account: 2, Bytes: 4096})
		ticks := b.Ticks(&p.Module)
		b.Run()
		require.Equal(t, []uint64{10 + 1 + want - 2}, rig.Cycles(fill.Got), "%d Hz", hz)
		require.Equal(t, TenantStats{Migrates: 1, Bytes: 4096, BusyCycles: want}, p.Stats(11 + want).Tenants[2])
		require.LessOrEqual(t, *ticks, 5)
	}
}

func TestPagerIsBusyWhileAFaultWaitsOrIsServed(t *testing.T) {
	b, p, fill := newRig(t, nvlink(), 1_000_000_000)
	require.False(t, p.Busy())
	fill.Send(0, &protocol.RegionFault{Class: protocol.Allocate})
	fill.Send(0, &protocol.RegionFault{Class: protocol.Allocate})
	b.RunTo(1)
	require.True(t, p.Busy(), "it is on its way")
	b.RunTo(100)
	require.True(t, p.Busy())
	b.RunTo(15_000)
	require.True(t, p.Busy())
	b.Run()
	require.False(t, p.Busy())
	require.Equal(t, []uint64{10_000, 20_000}, rig.Cycles(fill.Got))
}

// Link and CPU can be held for longer than a service takes: the next one waits then while none
// is being served.
func TestPagerIsBusyWhileAFaultWaitsForTheLinkAlone(t *testing.T) {
	s := nvlink()
	s.Occupancy = 30_000
	b, p, fill := newRig(t, s, 1_000_000_000)
	fill.Send(0, &protocol.RegionFault{Class: protocol.Allocate}, &protocol.RegionFault{Class: protocol.Allocate})
	b.RunTo(20_000)
	require.Len(t, fill.Got, 1)
	require.Empty(t, p.serving)
	require.True(t, p.Busy())
	b.Run()
	require.False(t, p.Busy())
	require.Equal(t, []uint64{10_000, 40_000}, rig.Cycles(fill.Got))
}

func TestServicesThatEndAtOnceAreAnsweredInOrder(t *testing.T) {
	s := nvlink()
	s.Occupancy = 0
	b, _, fill := newRig(t, s, 1_000_000_000)
	for i := range uint64(4) {
		fill.Send(0, &protocol.RegionFault{Region: i})
	}
	b.Run()
	for i, e := range fill.Got {
		require.Equal(t, rig.At(uint64(10_000), e.Msg), e)
		require.Equal(t, uint64(i), e.Msg.Region)
	}
	require.Len(t, fill.Got, 4)
}

func TestTimeIsChargedAsItPasses(t *testing.T) {
	for occupancy, held := range map[Occupancy]uint64{Full: 12_000, 2_000: 2_000, 0: 0} {
		s := nvlink()
		s.Occupancy = occupancy
		b, p, fill := newRig(t, s, 1_000_000_000)
		fill.Send(9, &protocol.RegionFault{Class: protocol.Migrate, Account: 2})
		fill.Send(9, &protocol.RegionFault{Class: protocol.Migrate, Account: 3})
		const first = 11 // cycle of the first service
		second, end := first+held, first+2*held
		for _, cycle := range []uint64{1, first, first + 1, first + held/2, second, second + 1, second + held/2, end, end + 1, 30_000} {
			b.RunTo(cycle)
			tenants := &p.Stats(cycle).Tenants
			require.Equal(t, min(max(cycle, first), second)-first, tenants[2].BusyCycles, "%v at %d", occupancy, cycle)
			require.Equal(t, min(max(cycle, second), end)-second, tenants[3].BusyCycles, "%v at %d", occupancy, cycle)
		}
	}
}

// The pager against plain arithmetic: first come, first served, each for its time.
func TestServicesBeginInOrderAndEndAtTheirTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{Link: "x", MigrateNs: rapid.IntRange(3, 50).Draw(t, "migrate"), AllocateNs: rapid.IntRange(3, 50).Draw(t, "allocate"),
			Occupancy: Occupancy(rapid.IntRange(-1, 60).Draw(t, "occupancy"))}
		b, p, fill := newRig(t, s, 1_000_000_000)
		want := map[uint64]uint64{} // by region
		at, free, busy, wait := uint64(0), uint64(0), uint64(0), uint64(0)
		for i := range rapid.IntRange(1, 40).Draw(t, "faults") {
			at += rapid.Uint64Range(1, 60).Draw(t, "pause")
			m := &protocol.RegionFault{Region: uint64(i), Class: protocol.Allocate, Account: tenant.ID(1).Account(3)}
			cost := uint64(s.AllocateNs)
			if rapid.Bool().Draw(t, "migrates") {
				m.Class, cost = protocol.Migrate, uint64(s.MigrateNs)
			}
			fill.Send(at, m)
			start := max(at+2, free)
			held := uint64(s.Occupancy)
			if s.Occupancy == Full {
				held = cost
			}
			free, busy, wait = start+held, busy+held, wait+start-at-2
			want[m.Region] = start + cost - 2
		}
		b.Run()
		require.Len(t, fill.Got, len(want))
		for _, e := range fill.Got {
			require.Equal(t, want[e.Msg.Region], e.Cycle, "fault %d", e.Msg.Region)
		}
		k := p.Stats(free).Tenants[1]
		require.Equal(t, [2]uint64{busy, wait}, [2]uint64{k.BusyCycles, k.WaitCycles})
		require.Equal(t, uint64(len(want)), k.Migrates+k.Allocates)
	})
}

func TestSpecNamesTheFieldThatIsOutOfRange(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"link is empty, must be a name, such as nvlink":               func(s *Spec) { s.Link = "" },
		"migrate_ns is 0, must be 1 to 1000000000":                    func(s *Spec) { s.MigrateNs = 0 },
		"allocate_ns is 1000000001, must be 1 to 1000000000":          func(s *Spec) { s.AllocateNs = 1_000_000_001 },
		"occupancy is -2, must be full or 0 to 1000000000 ns":         func(s *Spec) { s.Occupancy = -2 },
		"occupancy is 1000000001, must be full or 0 to 1000000000 ns": func(s *Spec) { s.Occupancy = 1_000_000_001 },
	} {
		s := nvlink()
		change(&s)
		require.EqualError(t, s.Validate(), want)
	}
	b := rig.New(t, 1_000_000_000)
	s := nvlink()
	s.AllocateNs = 2
	_, err := Builder{}.WithSpec(s).WithDomain(b.Clock).Build("Pager")
	require.EqualError(t, err, "Pager: allocate_ns is 2, 2 cycles of a clock of 1000000000 Hz; must be at least 3 cycles")
	_, err = Builder{}.WithSpec(nvlink()).Build("Pager")
	require.EqualError(t, err, "Pager: needs a clock")
	_, err = Builder{}.Build("Pager")
	require.EqualError(t, err, "Pager: link is empty, must be a name, such as nvlink")
}

func TestOccupancyIsReadAsItIsWritten(t *testing.T) {
	for _, o := range []Occupancy{Full, 0, 2_000, maxNs} {
		text, err := json.Marshal(o)
		require.NoError(t, err)
		var back Occupancy
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, o, back)
	}
	var o Occupancy
	for _, text := range []string{"", "half", "-1", "1.5"} {
		require.ErrorContains(t, o.UnmarshalText([]byte(text)), "is not full or 0 to 1000000000 ns")
	}
}
