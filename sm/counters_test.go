package sm

import (
	"slices"
	"testing"

	"cotenant/components/stats"
	"cotenant/irc"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// countersOf is what a window that begins with the simulation says of the counters of an SM
// and of its issue-rate controller.
func countersOf(s *Stats, rates *irc.Stats) (c protocol.SMCounters) {
	c.RateIntervals = rates.Intervals
	for id := range c.Tenants {
		k, r := s.Tenant(id), &rates.Tenants[id]
		c.Tenants[id] = protocol.SMTenant{WarpInstructions: k.WarpInstructions, ThreadInstructions: k.ThreadInstructions,
			MemoryRequests: k.MemoryRequests, MemoryStalls: k.Stalls[RAWLong] + k.Stalls[AsyncWait] + k.Stalls[MBarrierWait] + k.Stalls[LSUFull],
			Reads: r.Reads, Replies: r.Replies, DRAMAccesses: r.DRAMAccesses, Demand: r.Demand, ReadLatency: r.ReadLatency}
	}
	return c
}

// An SM counts nothing more at an edge after it has seen the question, so a window from one
// question to another holds what Stats has counted between the ends of their edges. The
// issue-rate controller counts an interval at the edge that ends it.
func TestWindowIsTheDifferenceOfStats(t *testing.T) {
	var all protocol.SMTenant
	var intervals uint64
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		b := newBench(t, spec)
		b.memory.Answer = func(cycle uint64, p *protocol.Packet) {
			p.DRAMAccesses = uint8(p.Addr / protocol.LineBytes % 4)
			b.memory.answer(cycle, p)
		}
		for _, c := range someRates(&spec, false) {
			b.driver.Send(0, c)
		}
		for i, blk := range anyBlocks(t) {
			b.placeLaunch(blk.tenant, blk.launch, blk.warps...)
			b.placed[i].Account = blk.tenant.Account(i % 2)
		}
		const placed = 20 // all messages before have been taken
		asked := rapid.SliceOfNDistinct(rapid.Uint64Range(placed, 2000), 2, 20, rapid.ID).Draw(t, "asked")
		slices.Sort(asked)
		for _, at := range asked {
			b.driver.Send(at, &protocol.Sample{})
		}
		var want []protocol.SMCounters
		for _, at := range asked {
			b.RunTo(at + 2)
			rates := irc.Stats{}
			if b.sm.RateController() != nil {
				rates = *b.sm.RateController().(*irc.Controller).Stats(at + 1)
			}
			want = append(want, countersOf(b.sm.Stats(at+2), &rates))
		}
		b.Run()
		var got []protocol.SMCounters
		for _, m := range b.driver.Got {
			if m, ok := m.Msg.(*protocol.Sampled); ok {
				got = append(got, m.Counters.(protocol.SMCounters))
			}
		}
		require.Len(t, got, len(asked))
		for i := range asked[1:] {
			require.Equal(t, stats.Since(want[i+1], want[i]), stats.Since(got[i+1], got[i]), "from %d to %d", asked[i], asked[i+1])
		}
		last := got[len(got)-1]
		intervals += last.RateIntervals
		for id := range tenant.ID(tenant.Max) {
			k := &last.Tenants[id]
			all.WarpInstructions += k.WarpInstructions
			all.ThreadInstructions += k.ThreadInstructions
			all.MemoryRequests += k.MemoryRequests
			all.MemoryStalls += k.MemoryStalls
			all.Reads += k.Reads
			all.Replies += k.Replies
			all.DRAMAccesses += k.DRAMAccesses
			all.Demand += k.Demand
			all.ReadLatency += k.ReadLatency
		}
	})
	assert.NotZero(t, intervals)
	assert.True(t, all.WarpInstructions > 0 && all.ThreadInstructions > 0 && all.MemoryRequests > 0 && all.MemoryStalls > 0 &&
		all.Reads > 0 && all.Replies > 0 && all.DRAMAccesses > 0 && all.Demand > 0 && all.ReadLatency > 0, "%+v", all)
}

// Three warps' loads take the unit for 32 cycles each while another tenant's warp issues.
// Then two wait for memory, also while the SM sleeps.
func TestEachWarpStallsForItself(t *testing.T) {
	spec := wide()
	spec.LSU.QueueDepth = 1
	b := newBench(t, spec)
	b.sm.CountWarpStalls()
	b.memory.latency = 1000
	loads := b.place(0, program(scattered(1, 0), use(1)), program(scattered(1, 40), use(1)), program(scattered(1, 80)))
	b.place(1, independent(20))
	b.RunTo(600)
	n := b.sm.WarpStallsOf(0, 600)
	require.Equal(t, []uint64{32, 64}, []uint64{loads[1].issued[0] - loads[0].issued[0], loads[2].issued[0] - loads[0].issued[0]})
	// The third is fetched a cycle behind the second, and the unit has room when the second issues.
	require.Equal(t, uint64(31+61), n.LSU)
	require.Zero(t, b.sm.WarpStallsOf(1, 600).Memory+b.sm.WarpStallsOf(1, 600).LSU)
	b.RunTo(700)
	later := b.sm.WarpStallsOf(0, 700)
	require.Equal(t, []uint64{200, 200, 0}, []uint64{later.Warps - n.Warps, later.Memory - n.Memory, later.LSU - n.LSU})
	b.run()
	require.Equal(t, later.LSU, b.sm.WarpStallsOf(0, b.Cycle()).LSU)
}
