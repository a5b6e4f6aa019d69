package tests

import (
	"testing"

	"cotenant/components/stats"
	"cotenant/mem/l2"
	"cotenant/platform/wiring"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// halves runs two applications to their ends on an L2 in two halves, and then until
// nothing is on its way.
func halves(t *testing.T, options string, apps ...*workload.App) *wiring.Platform {
	p := platform(t, preset(t, "plain16?sms=4&address.slices=8&address.channels=4&topology=halves"+options), "even", false, apps...)
	require.NoError(t, p.Run(t.Context(), 0, nil))
	const rest = 1_000_000 // cycles
	p.Engine().RunUntil(p.SMs[0].Domain().At(p.Cycles(0) + rest))
	return p
}

// Every request between slices arrives, is performed once and answered once, and so is
// every order to drop a copy.
func TestPacketsBetweenHalvesAreConserved(t *testing.T) {
	for _, options := range []string{"", "&l2.sets=2&l2.mshrs=2&far_noc.output_buffer=1", "&l2.sectored=false&l2.fetch_on_write=true"} {
		p := halves(t, options, opened(t, "histogram64?size=tiny"), opened(t, "stencil?size=tiny"))
		total := map[string]map[string]uint64{}
		groups, _ := p.Stats(p.Cycles(0), 2)
		for key, g := range groups {
			total[key] = map[string]uint64{}
			for _, c := range g.Total {
				total[key][c.Name] = c.Value
			}
			for _, name := range []string{"packets", "reads", "hits", "passed", "writes", "dropped"} {
				if want, ok := g.Total.Get(name); ok && len(g.Tenants) == 2 {
					first, _ := g.Tenants[0].Get(name)
					second, _ := g.Tenants[1].Get(name)
					require.Equal(t, want, first+second, "%s of %s, and of tenants", name, key)
				}
			}
		}
		requests, replies := total["far_request_noc"], total["far_reply_noc"]
		require.Equal(t, requests["inputs_packets"], requests["outputs_packets"])
		require.Equal(t, replies["inputs_packets"], replies["outputs_packets"])
		var copies l2.CopyTenantStats
		var work l2.TenantStats
		for _, s := range p.Slices {
			k, c := s.Stats().Total(), stats.Sum(s.Copies.Stats().Accounts)
			stats.Add(&work, &k)
			stats.Add(&copies, &c)
		}
		require.Positive(t, copies.Hits)
		require.Positive(t, copies.Passed)
		require.Positive(t, copies.Dropped)
		asked := requests["packets"] - copies.Passed
		require.LessOrEqual(t, asked, copies.Reads-copies.Hits)
		require.GreaterOrEqual(t, replies["packets"], requests["packets"]+copies.Dropped)
		// The L1s' requests, each looked up at its home or in a copy, and what copies asked.
		var sent uint64
		for _, m := range p.SMs {
			s := m.Stats(p.Cycles(0)).Total()
			sent += s.L1.Writes + s.L1.Atomics
		}
		require.Equal(t, sent, work.Writes+work.Atomics, "a home performs each write once")
		require.Equal(t, total["request_noc"]["outputs_packets"]+asked, work.Accesses())
	}
}
