package dram_test

import (
	"slices"
	"testing"

	"cotenant/components/rig"
	"cotenant/mem/dram"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// countersOf is what a window that begins with the simulation says of these counters.
func countersOf(s *dram.Stats) (c protocol.DRAMCounters) {
	for id := range c.Tenants {
		k := s.Tenant(id)
		c.Tenants[id] = protocol.DRAMTenant{ReadBytes: k.ReadBytes, WrittenBytes: k.WrittenBytes, RowHits: k.RowHits, DataBusCycles: k.DataBusCycles}
	}
	return c
}

// The controller answers at the end of the edge at which it sees the question, so a window
// from one question to another holds what Stats has counted between the ends of their edges.
func TestWindowIsTheDifferenceOfStats(t *testing.T) {
	var all protocol.DRAMTenant
	rapid.Check(t, func(t *rapid.T) {
		h := newChannel(t, drawSpec(t), oneChannel)
		driver := rig.NewPeer[sim.Msg](h.bench, "Driver", 4, h.Driver)
		sends := drawTraffic(t, 1, h.addrs)
		for i, s := range sends {
			h.slices[0].Send(max(s.cycle, 1), located(h.addrs, &protocol.DRAMRequest{Addr: s.addr, Sectors: s.sectors, Write: s.write,
				Account: tenant.ID(i % 3).Account(i % 2)}))
		}
		asked := rapid.SliceOfNDistinct(rapid.Uint64Range(1, sends[len(sends)-1].cycle+2000), 2, 20, rapid.ID).Draw(t, "asked")
		slices.Sort(asked)
		for _, at := range asked {
			driver.Send(at, &protocol.Sample{})
		}
		var stats []dram.Stats
		for _, at := range asked {
			h.bench.RunTo(at + 2)
			stats = append(stats, h.Stats())
		}
		h.bench.Run()
		require.Len(t, driver.Got, len(asked))
		counters := func(i int) protocol.Counters { return driver.Got[i].Msg.(*protocol.Sampled).Counters }
		for i := range asked[1:] {
			opened, closed := countersOf(&stats[i]), countersOf(&stats[i+1])
			require.Equal(t, closed.Since(opened), counters(i+1).Since(counters(i)), "from %d to %d", asked[i], asked[i+1])
		}
		for _, k := range counters(len(asked) - 1).(protocol.DRAMCounters).Tenants {
			all.ReadBytes += k.ReadBytes
			all.WrittenBytes += k.WrittenBytes
			all.RowHits += k.RowHits
			all.DataBusCycles += k.DataBusCycles
		}
	})
	assert.True(t, all.ReadBytes > 0 && all.WrittenBytes > 0 && all.RowHits > 0 && all.DataBusCycles > 0, "%+v", all)
}
