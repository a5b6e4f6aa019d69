package throttle_test

import (
	"slices"
	"testing"

	"cotenant/components/rig"
	"cotenant/docs/examples/throttle"
	"cotenant/platform/blocks"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// limited gives each tenant three packets in 200 cycles.
var limited = throttle.Spec{Interval: 200, Credits: 3, Depth: 4}

// A packet sent at cycle c is seen by the throttle at c+1 and by the sink at
// c+2: the block costs the one cycle of its link, and nothing else.
func TestUnlimitedThrottlePassesPacketsOnUnchangedACycleLater(t *testing.T) {
	packet := &protocol.Packet{Addr: 0x1000, Sectors: 5, Kind: protocol.Write, Account: 2, WrittenBytes: 64, SM: 7, Slice: 3, Tag: 9}
	want := *packet
	r := newRig(t, throttle.Spec{Interval: 200, Credits: 0, Depth: 1})
	r.sm.Send(41, packet)
	r.Run()
	require.Equal(t, []uint64{43}, rig.Cycles(r.noc.Got))
	require.Same(t, packet, r.noc.Got[0].Msg)
	require.Equal(t, want, *packet)
}

func TestDepthOf2PassesAPacketEveryCycleAndDepthOf1EveryOther(t *testing.T) {
	for depth, want := range map[int][]uint64{1: {2, 4, 6, 8, 10}, 2: {2, 3, 4, 5, 6}, 3: {2, 3, 4, 5, 6}} {
		r := newRig(t, throttle.Spec{Interval: 200, Credits: 0, Depth: depth})
		r.sm.Send(0, burst(0, 1, 0, 0, 1)...)
		r.Run()
		require.Equal(t, want, rig.Cycles(r.noc.Got), "depth %d", depth)
		require.Zero(t, r.throttle.Stats().Tenants[0].WaitCycles)
	}
}

// A GPU's throttle has the full rate unless its file says otherwise.
func TestDefaultDepthHasTheFullRate(t *testing.T) {
	all := blocks.All()
	i := slices.IndexFunc(all, func(k blocks.Kind) bool { return k.Key == "throttle" })
	require.Equal(t, 2, all[i].Defaults().(throttle.Spec).Depth)
}

func TestCreditResetsAtCycle200Not199(t *testing.T) {
	r := newRig(t, limited)
	r.sm.Send(0, burst(0, 0, 0, 0, 0)...)
	r.RunTo(200) // all edges up to 199
	require.Equal(t, uint64(3), r.throttle.Stats().Tenants[0].Packets)
	r.RunTo(201)
	require.Equal(t, uint64(4), r.throttle.Stats().Tenants[0].Packets)
	r.Run()
	require.Equal(t, []uint64{2, 3, 4, 201, 202}, rig.Cycles(r.noc.Got))
}

func TestCreditThatIsNotUsedIsLost(t *testing.T) {
	r := newRig(t, limited)
	r.sm.Send(398, burst(0, 0, 0, 0, 0, 0)...)
	r.Run()
	// One packet in the second interval, at 399, and three in the third.
	require.Equal(t, []uint64{400, 401, 402, 403, 601, 602}, rig.Cycles(r.noc.Got))
}

func TestTenantsHaveCreditsOfTheirOwn(t *testing.T) {
	r := newRig(t, limited)
	r.sm.Send(0, burst(0, 1, 0, 1, 0, 1)...)
	r.Run()
	require.Equal(t, []uint64{2, 3, 4, 5, 6, 7}, rig.Cycles(r.noc.Got))
}

func TestPacketWithoutCreditHoldsUpThoseBehindIt(t *testing.T) {
	r := newRig(t, limited)
	r.sm.Send(0, burst(0, 0, 0, 0, 1)...)
	r.Run()
	require.Equal(t, []uint64{2, 3, 4, 201, 202}, rig.Cycles(r.noc.Got))
	require.Equal(t, tenant.ID(1), r.noc.Got[4].Msg.Tenant())
	// The fourth packet came to the front at cycle 4 and went on at 200.
	// Tenant 1's was never first in line without credit or room.
	require.Equal(t, throttle.TenantStats{Packets: 4, WaitCycles: 196}, r.throttle.Stats().Tenants[0])
	require.Equal(t, throttle.TenantStats{Packets: 1}, r.throttle.Stats().Tenants[1])
}

func TestWaitForAFullCrossbarSpendsNoCredit(t *testing.T) {
	r := newRig(t, limited)
	r.sm.Send(0, burst(0, 0, 0)...)
	r.noc.Deaf = rig.Before(50)
	r.Run()
	// Two packets wait in the sink's port. The room that the sink makes at 50
	// can be used at 51.
	require.Equal(t, []uint64{50, 51, 52}, rig.Cycles(r.noc.Got))
	require.Equal(t, throttle.TenantStats{Packets: 3, WaitCycles: 51 - 3}, r.throttle.Stats().Tenants[0])
}

func TestNoPacketIsLostAndNoCreditExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := throttle.Spec{
			Interval: rapid.IntRange(1, 1000).Draw(t, "interval"),
			Credits:  rapid.IntRange(1, 5).Draw(t, "credits"),
			Depth:    rapid.IntRange(1, 4).Draw(t, "depth"),
		}
		r := newRig(t, spec)
		var script []*protocol.Packet
		at := uint64(0)
		for range rapid.IntRange(0, 60).Draw(t, "packets") {
			at += uint64(rapid.SampledFrom([]int{0, 0, 1, 7, 600}).Draw(t, "pause"))
			packet := &protocol.Packet{Account: tenant.Account(rapid.IntRange(0, 2).Draw(t, "tenant"))}
			script = append(script, packet)
			r.sm.Send(at, packet)
		}
		period, busy := uint64(rapid.IntRange(1, 20).Draw(t, "period")), uint64(rapid.IntRange(0, 19).Draw(t, "busy"))
		r.noc.Deaf = func(cycle uint64) bool { return cycle%period < min(busy, period-1) }
		sent := rig.Watch[*protocol.Packet](r.Bench, r.throttle.Out, sim.HookPosPortMsgSend)
		r.Run()
		require.Len(t, r.noc.Got, len(script))
		for i := range script {
			require.Same(t, script[i], r.noc.Got[i].Msg)
		}
		passed := map[[2]uint64]int{} // by tenant and interval
		for _, e := range *sent {
			of := [2]uint64{uint64(e.Msg.Account), e.Cycle / uint64(spec.Interval)}
			passed[of]++
			require.LessOrEqual(t, passed[of], spec.Credits)
		}
	})
}

func TestNoTickAllocates(t *testing.T) {
	r := newRig(t, limited)
	packet, limit := &protocol.Packet{}, uint64(0)
	round := func() {
		r.sm.Send(limit, packet)
		limit += 100
		r.RunTo(limit)
		r.sm.Sent, r.noc.Got = r.sm.Sent[:0], r.noc.Got[:0]
	}
	for range 100 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(100, round))
	require.Equal(t, limit/100, r.throttle.Stats().Tenants[0].Packets)
}

type outcome struct {
	cycles []uint64
	stats  throttle.Stats
}

// How often modules are woken, and which of them ticks first, is not part of
// the model.
func TestNeedlessTicksAndTheirOrderChangeNothing(t *testing.T) {
	run := func(shuffle func(*rig.Bench), needless uint64) outcome {
		r := newRig(t, limited)
		shuffle(r.Bench)
		r.sm.Send(0, burst(0, 1, 0, 0, 0, 1, 1, 1)...)
		r.noc.Deaf = func(cycle uint64) bool { return cycle%3 == 0 }
		for cycle := range needless {
			r.sm.Wake()
			r.throttle.Wake()
			r.noc.Wake()
			r.RunTo(cycle)
		}
		r.Run()
		return outcome{rig.Cycles(r.noc.Got), *r.throttle.Stats()}
	}
	asNeeded := run(func(*rig.Bench) {}, 0)
	require.Len(t, asNeeded.cycles, 8)
	rig.InAnyOrder(t, func(shuffle func(*rig.Bench)) outcome {
		got := run(shuffle, 500)
		require.Equal(t, asNeeded, got)
		return got
	})
}

func TestParameterOutOfRangeIsNamed(t *testing.T) {
	for _, c := range []struct {
		change func(*throttle.Spec)
		want   string
	}{
		{func(s *throttle.Spec) { s.Interval = 0 }, "GPU.Throttle[0]: interval is 0, must be 1 to 1048576"},
		{func(s *throttle.Spec) { s.Credits = -1 }, "GPU.Throttle[0]: credits is -1, must be 0 to 1048576"},
		{func(s *throttle.Spec) { s.Depth = 5000 }, "GPU.Throttle[0]: depth is 5000, must be 1 to 4096"},
	} {
		spec := limited
		c.change(&spec)
		_, err := throttle.Builder{}.WithSpec(spec).Build("GPU.Throttle[0]")
		require.EqualError(t, err, c.want)
	}
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	r := newRig(t, limited)
	rig.RefusesStrangers(r.Bench, r.throttle.In)
}
