package pcie

import (
	"slices"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// span is a copy's time with an engine.
type span struct{ start, end uint64 }

// spans has a command dispatcher send copies, and returns the time of each, by tag.
func spans(t rig.T, s Spec, shares []Share, sends ...send) (list []span, e *Engines) {
	b := rig.New(t, uint64(s.ClockMHz)*1_000_000)
	list = make([]span, len(sends))
	l := Listener{Copied: func(c *protocol.Copy, start, end uint64) { list[c.Tag] = span{start, end} }}
	e, err := Builder{}.WithSpec(s).WithDomain(b.Clock).WithListener(l).WithShares(shares).Build("PCIe")
	require.NoError(t, err)
	h := rig.NewPeer[sim.Msg](b, "Host", len(sends), e.Host)
	h.Width = len(sends)
	for i := range sends {
		sends[i].copy.Tag = uint32(i)
		h.Send(sends[i].at, rig.Copy(&sends[i].copy))
	}
	b.Run()
	require.False(t, e.Busy())
	return list, e
}

func toDevice(at, bytes uint64) send { return send{at, protocol.Copy{Bytes: bytes}} }
func toHost(at, bytes uint64) send   { return send{at, protocol.Copy{Bytes: bytes, ToHost: true}} }

func TestCopiesOfSeveralEnginesTakeTurnsByBurst(t *testing.T) {
	s := k20c
	s.Engines = 2
	// A burst takes 128 cycles. The first copy has 4, the second one and a half from 101 on: the
	// bus carries a a b a b a.
	list, e := spans(t, s, nil, toDevice(0, 4*4096), toHost(100, 4096+2048))
	require.Equal(t, []span{{1, 1 + 5*128 + 64}, {101, 1 + 4*128 + 64}}, list)
	require.Equal(t, TenantStats{Copies: 2, BytesToDevice: 4 * 4096, BytesToHost: 6144, Bursts: 6, BusyCycles: 4*128 + 128 + 64,
		TurnCycles: 128 + 64 + 28 + 2*128}, e.Stats().Tenants[0])
}

func TestThirdCopyWaitsForAnEngineAndNotForTheBus(t *testing.T) {
	s := k20c
	s.Engines = 2
	list, _ := spans(t, s, nil, toDevice(0, 3200), toHost(0, 320), toHost(0, 320))
	require.Equal(t, []span{{1, 101}, {1, 111}, {111, 121}}, list, "its direction is taken")
	s.Duplex = true
	list, _ = spans(t, s, nil, toDevice(0, 3200), toDevice(0, 320), toHost(0, 320))
	require.Equal(t, []span{{1, 101}, {101, 111}, {1, 11}}, list)
}

func TestDirectionsDoNotMeetOnADuplexBus(t *testing.T) {
	s := k20c
	s.Engines, s.Duplex = 2, true
	list, e := spans(t, s, nil, toDevice(0, 200_000), toHost(50, 200_000))
	require.Equal(t, []span{{1, 6251}, {51, 6301}}, list)
	require.Zero(t, e.Stats().Tenants[0].TurnCycles)
	s.Engines = 1
	list, _ = spans(t, s, nil, toDevice(0, 200_000), toHost(50, 200_000))
	require.Equal(t, []span{{1, 6251}, {6251, 12501}}, list, "one engine")
}

func TestTenantsOfAnotherShareHaveEnginesOfTheirOwn(t *testing.T) {
	s := k20c
	s.Duplex = true
	shares := []Share{{1, func(t int) bool { return t == 0 }}, {2, func(t int) bool { return t != 0 }}}
	sends := []send{toDevice(0, 4096*10), toDevice(1, 4096*10), toHost(2, 320), toHost(3, 320), toHost(4, 320)}
	for i, number := range []int{0, 0, 1, 1, 2} {
		sends[i].copy.Tenant = tenant.ID(number)
	}
	list, _ := spans(t, s, shares, sends...)
	require.Equal(t, []span{{1, 1281}, {1281, 2561}, {3, 13}, {13, 23}, {23, 33}}, list)
}

// slow is what an Engines does, cycle by cycle and burst by burst.
func slow(s Spec, engines []int, share func(tenant int) int, sends []send) []span {
	type moving struct {
		tag    int
		bursts []uint64
	}
	list := make([]span, len(sends))
	var waiting []int
	lanes := make([][]moving, 2)
	free := make([]uint64, 2)
	held := make([][]int, len(engines)) // tags, by share
	for cycle, left := uint64(0), len(sends); left > 0; cycle++ {
		for i := range lanes {
			for len(lanes[i]) > 0 && free[i] < cycle {
				m := lanes[i][0]
				free[i] += m.bursts[0]
				lanes[i] = lanes[i][1:]
				if m.bursts = m.bursts[1:]; len(m.bursts) > 0 {
					lanes[i] = append(slices.Clone(lanes[i]), m)
				} else {
					list[m.tag].end = free[i]
				}
			}
		}
		for i := range held {
			held[i] = slices.DeleteFunc(held[i], func(tag int) bool {
				over := list[tag].end > 0 && list[tag].end <= cycle
				if over {
					left--
				}
				return over
			})
		}
		for tag := range sends {
			if sends[tag].at+1 == cycle {
				waiting = append(waiting, tag)
			}
		}
		slices.SortStableFunc(waiting, func(a, b int) int {
			if s.Scheduler == "fcfs" {
				return 0
			}
			return sends[b].copy.Priority - sends[a].copy.Priority
		})
		waiting = slices.DeleteFunc(waiting, func(tag int) bool {
			c := &sends[tag].copy
			of := share(int(c.Tenant))
			if len(held[of]) == engines[of] || slices.ContainsFunc(held[of], func(tag int) bool { return sends[tag].copy.ToHost == c.ToHost }) {
				return false
			}
			held[of] = append(held[of], tag)
			way := 0
			if s.Duplex && c.ToHost {
				way = 1
			}
			m := moving{tag: tag}
			for left := c.Bytes; ; left -= uint64(s.BurstBytes) {
				size := min(left, uint64(s.BurstBytes))
				m.bursts = append(m.bursts, max(1, (8*size+uint64(s.Lanes*s.LaneBits)-1)/uint64(s.Lanes*s.LaneBits)+uint64(s.BurstGap)))
				if left <= uint64(s.BurstBytes) {
					break
				}
			}
			list[tag].start = cycle
			free[way] = max(free[way], cycle)
			lanes[way] = append(slices.Clone(lanes[way]), m)
			return true
		})
	}
	return list
}

func TestEveryCopyHasTheTimesOfASlowModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := k20c
		s.Scheduler = rapid.SampledFrom([]string{"fcfs", "npq"}).Draw(t, "scheduler")
		s.BurstGap = rapid.IntRange(0, 3).Draw(t, "gap")
		s.BurstBytes = rapid.SampledFrom([]int{64, 100, 256}).Draw(t, "burst")
		s.Duplex = rapid.Bool().Draw(t, "duplex")
		engines := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 2).Draw(t, "engines")
		share := func(tenant int) int { return tenant % len(engines) }
		var shares []Share
		for i := range engines {
			shares = append(shares, Share{engines[i], func(tenant int) bool { return share(tenant) == i }})
		}
		if len(engines) == 1 {
			s.Engines, shares = engines[0], nil
		}
		var sends []send
		at := uint64(0)
		for range rapid.IntRange(1, 20).Draw(t, "copies") {
			at += rapid.Uint64Range(0, 60).Draw(t, "pause")
			sends = append(sends, send{at, protocol.Copy{Bytes: rapid.Uint64Range(0, 3000).Draw(t, "bytes"), ToHost: rapid.Bool().Draw(t, "to host"),
				Priority: rapid.IntRange(0, 2).Draw(t, "priority"), Tenant: tenant.ID(rapid.IntRange(0, 3).Draw(t, "tenant"))}})
		}
		list, e := spans(t, s, shares, sends...)
		require.Equal(t, slow(s, engines, share, sends), list)
		busy, turn := uint64(0), uint64(0)
		for i := range sends {
			busy += s.Cycles(sends[i].copy.Bytes)
			turn += list[i].end - list[i].start
		}
		var got TenantStats
		for _, x := range e.Stats().Tenants {
			got.BusyCycles, got.TurnCycles = got.BusyCycles+x.BusyCycles, got.TurnCycles+x.TurnCycles
		}
		require.Equal(t, TenantStats{BusyCycles: busy, TurnCycles: turn - busy}, got)
	})
}

func TestBuilderRefusesShares(t *testing.T) {
	clock, _ := components.NewEngine().AddDomain("bus", 500_000_000)
	_, err := Builder{}.WithSpec(k20c).WithDomain(clock).WithShares([]Share{{0, func(int) bool { return true }}}).Build("PCIe")
	require.EqualError(t, err, "PCIe: share 0 has 0 engines, must have at least 1")
}
