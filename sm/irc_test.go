package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/irc"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// testIRC is a controller with as many entries as testSpec has in its miss queue.
func testIRC() irc.Spec { return irc.Spec{SubQueues: 2, Depth: 16, Latency: 1, IntervalCycles: 200} }

// rated is a wide SM with a controller and one scheduler.
func rated() Spec {
	spec := wide()
	spec.IRC = irc.Spec{SubQueues: 8, Depth: 16, Latency: 1, IntervalCycles: 200}
	return spec
}

// limits has the SM given rates at a cycle, requests in an interval by tenant; below
// 0: no limit.
func (b *bench) limits(cycle uint64, by ...int) {
	m := &protocol.Rates{On: true}
	for i, n := range by {
		m.Of[i] = protocol.Rate{Given: true, Limited: n >= 0, Requests: uint32(max(n, 0)) * protocol.RateOne}
	}
	b.driver.Send(cycle, m)
}

// sentBy lists when the memory has seen the packets of a tenant.
func (b *bench) sentBy(id tenant.ID) (at []uint64) {
	for i := range b.memory.seen {
		if b.memory.seen[i].Tenant() == id {
			at = append(at, b.memory.at[i])
		}
	}
	return at
}

// With one tenant and no rates the controller is the plain queue of as many packets.
func TestOneTenantWithoutRatesFindsThePlainQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		for i := range blocks {
			blocks[i].tenant = 15
		}
		chained := rapid.Bool().Draw(t, "chained")
		spec.IRC = irc.Spec{SubQueues: rapid.IntRange(1, 8).Draw(t, "of"), Depth: 16, Latency: 1, IntervalCycles: 7}
		spec.L1.MissQueue = spec.IRC.Entries()
		plain := spec
		plain.IRC = irc.Spec{}
		want, wantWarps := runBlocks(t, plain, blocks, chained, 0)
		got, gotWarps := runBlocks(t, spec, blocks, chained, 0)
		for i := range wantWarps {
			require.Equal(t, wantWarps[i].issued, gotWarps[i].issued)
		}
		require.Equal(t, want.memory.at, got.memory.at)
		for i := range want.memory.seen {
			require.Equal(t, want.memory.seen[i].Addr, got.memory.seen[i].Addr)
		}
		require.Equal(t, rig.Cycles(want.driver.Got), rig.Cycles(got.driver.Got))
		require.Equal(t, *want.sm.Stats(1 << 20), *got.sm.Stats(1 << 20))
	})
}

func TestRequestsLeaveAtTheirTenantsRate(t *testing.T) {
	for _, latency := range []int{1, 3} {
		spec := rated()
		spec.IRC.Latency = latency
		b := newBench(t, spec)
		b.limits(0, 4)
		b.placeAt(3, 0, program(scattered(1, 0)))
		b.placeAt(3, 1, program(scattered(1, 5000)))
		b.RunTo(190)
		first := len(b.sentBy(0))
		require.Equal(t, 32, first, "no limit before the first interval starts")
		require.Len(t, b.sentBy(1), 32)

		b = newBench(t, spec)
		b.limits(0, 4)
		b.placeAt(195, 0, program(scattered(1, 0)))
		b.placeAt(195, 1, program(scattered(1, 5000)))
		b.run()
		at := b.sentBy(0)
		require.Len(t, at, 32)
		for i := 4; i < 32; i += 4 {
			// What leaves at an edge is seen at the next.
			start := uint64(200*(i/4) + 200)
			require.Equal(t, []uint64{start + 1, start + 2, start + 3, start + 4}, at[i:i+4], "%d", i)
		}
		other := b.sentBy(1)
		require.Less(t, other[31], uint64(300), "it is not held up")
	}
}

// An SM with requests that wait for credit does not tick until it comes.
func TestSMDoesNotTickWhileItsRequestsWaitForCredit(t *testing.T) {
	count := func(interval int) int {
		spec := rated()
		spec.IRC.IntervalCycles = interval
		b := newBench(t, spec)
		b.limits(0, 1)
		b.placeAt(uint64(interval)+1, 0, program(load(1, 0), load(2, 1<<20), use(2)))
		n := ticks(b)
		require.Equal(t, []uint64{uint64(2*interval) + 1}, b.sentBy(0)[1:])
		return n
	}
	require.Equal(t, count(500), count(9000))
}

func TestRequestThatWaitsForARateOfZeroGoesWhenItIsLifted(t *testing.T) {
	for _, c := range []struct {
		control *protocol.Rates
		leaves  uint64
	}{
		{&protocol.Rates{}, 901}, // taken at 900, behind the requests' stage
		{&protocol.Rates{On: true, Of: [tenant.Max]protocol.Rate{{Given: true}}}, 1000},
	} {
		b := newBench(t, rated())
		b.limits(0, 0)
		b.placeAt(300, 0, program(load(1, 0), use(1)))
		b.driver.Send(899, c.control)
		b.run()
		require.Equal(t, []uint64{c.leaves + 1}, b.sentBy(0))
	}
}

// Contexts of preempted thread blocks do not wait for credit, nor take any.
func TestContextsPassTheControllerBy(t *testing.T) {
	b := newBench(t, rated())
	b.limits(0, 0)
	e := b.preEng(rig.At[sim.Msg](500, &protocol.Packet{Kind: protocol.ContextSave, Sectors: protocol.AllSectors}))
	b.placeAt(300, 0, program(load(1, 0), use(1)))
	b.driver.Send(2000, &protocol.Rates{})
	b.run()
	require.Len(t, e.Got, 1)
	require.Equal(t, protocol.ContextSave, b.memory.seen[0].Kind)
	require.Equal(t, uint64(502), b.memory.at[0])
	require.Equal(t, uint64(1), b.sm.RateController().(*irc.Controller).Stats(9000).Tenants[0].Requests)
}

func TestSamplesHaveWhatTheControllerCounts(t *testing.T) {
	b := newBench(t, rated())
	b.place(2, program(scattered(1, 0), store(1<<30), use(1)))
	b.driver.Send(900, &protocol.Sample{})
	b.Run()
	var got protocol.SMCounters
	for _, m := range b.driver.Got {
		if s, ok := m.Msg.(*protocol.Sampled); ok {
			got = s.Counters.(protocol.SMCounters)
		}
	}
	require.Equal(t, uint64(4), got.RateIntervals)
	s := got.Tenants[2]
	require.Equal(t, uint64(33), s.MemoryRequests)
	require.Equal(t, uint64(32), s.Reads)
	require.Equal(t, uint64(33), s.Replies)
	require.Equal(t, uint64(33), s.Demand, "all left in the first interval")
	require.Equal(t, uint64(32*(missToUse-1)), s.ReadLatency, "from the access on")
	require.Zero(t, got.Tenants[0])
}

// Tenants share the queue as long as they have threads on the SM.
func TestSharesFollowTheTenantsOnTheSM(t *testing.T) {
	spec := rated()
	spec.IRC = testIRC()
	b := newBench(t, spec)
	room := func() (n [2]bool) {
		for id := range n {
			n[id] = b.sm.egress.Room(protocol.Read, tenant.ID(id))
		}
		return n
	}
	require.Equal(t, [2]bool{}, room())
	b.place(0, program(load(1, 0), use(1)))
	b.place(0, program(load(1, 0), use(1), use(2)))
	b.RunTo(20)
	require.Equal(t, [2]bool{true, false}, room())
	b.place(1, program(load(1, 1<<20), use(1)))
	b.RunTo(60)
	require.Equal(t, [2]bool{true, true}, room())
	b.run()
	require.Equal(t, [2]bool{}, room())
}

func TestFaultsOfTheControllerNameIt(t *testing.T) {
	spec := testSpec()
	spec.IRC = testIRC()
	require.NoError(t, spec.Validate())
	spec.IRC.Latency = 5
	require.EqualError(t, spec.Validate(), "irc.latency is 5, must be 1 to 4")
}
