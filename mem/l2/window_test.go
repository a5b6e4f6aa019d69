package l2

import (
	"slices"
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// countersOf is what a window that begins with the simulation says of these counters.
func countersOf(s *Stats) (c protocol.L2Counters) {
	for id := range c.Tenants {
		k := s.Tenant(id)
		c.Tenants[id] = protocol.L2Tenant{Accesses: k.Reads + k.Writes + k.Atomics, Hits: k.Hits, Misses: k.Misses + k.SectorMisses,
			ReplyBytes: k.ReplyBytes, DRAMAccesses: k.DRAMAccesses}
	}
	return c
}

// A slice answers before it looks a request up at the edge at which it sees the question, so
// a window from one question to another holds what Stats has counted between the edges
// before.
func TestWindowIsTheDifferenceOfStats(t *testing.T) {
	var all protocol.L2Tenant
	rapid.Check(t, func(t *rapid.T) {
		x := drawTraffic(t)
		r := newRig(t, x.spec)
		driver := rig.NewPeer[sim.Msg](r.Bench, "SM driver", 4, r.slice.Driver)
		r.script = append([]sent(nil), x.packets...)
		for i, s := range r.script {
			p := s.Packet
			p.Tag = uint32(i)
			r.driver.Send(s.at, &p)
		}
		asked := rapid.SliceOfNDistinct(rapid.Uint64Range(0, x.packets[len(x.packets)-1].at+300), 2, 20, rapid.ID).Draw(t, "asked")
		slices.Sort(asked)
		for _, at := range asked {
			driver.Send(at, &protocol.Sample{})
		}
		var stats []Stats
		for _, at := range asked {
			r.RunTo(at + 1)
			stats = append(stats, *r.slice.Stats())
		}
		r.Run()
		require.Len(t, driver.Got, len(asked))
		counters := func(i int) protocol.Counters { return driver.Got[i].Msg.(*protocol.Sampled).Counters }
		for i := range asked[1:] {
			opened, closed := countersOf(&stats[i]), countersOf(&stats[i+1])
			require.Equal(t, closed.Since(opened), counters(i+1).Since(counters(i)), "from %d to %d", asked[i], asked[i+1])
		}
		for _, k := range counters(len(asked) - 1).(protocol.L2Counters).Tenants {
			all.Accesses += k.Accesses
			all.Hits += k.Hits
			all.Misses += k.Misses
			all.ReplyBytes += k.ReplyBytes
			all.DRAMAccesses += k.DRAMAccesses
		}
	})
	assert.True(t, all.Accesses > 0 && all.Hits > 0 && all.Misses > 0 && all.ReplyBytes > 0 && all.DRAMAccesses > 0, "%+v", all)
}
