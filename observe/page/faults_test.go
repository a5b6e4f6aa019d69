package page

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/stats"
	"cotenant/mem/mmu/l2tlb"
)

// faulting is a report of a run with page faults: tenant k has k+1 regions in flight
// all the time, and 64 warps are on the SMs, of which 1 waits at the first moment, 2 at
// the second and so on.
func faulting(t *testing.T) *Report {
	r := report(t, 2)
	r.Config.MMU.L2TLB = l2tlb.Spec{Entries: 1024}
	r.Config.MMU.Fill.RegionBytes = 65536
	r.Result.Pages = "demand"
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Warps, s.WaitingWarps = 64, i+1
		for k := range s.Tenants {
			s.Tenants[k].RegionCycles = uint64(k+1) * s.Cycle
		}
	}
	count := func(name string, n uint64) stats.Count { return stats.Count{Name: name, Value: n} }
	of := func(n uint64, names ...string) (list stats.Counts) {
		for i, name := range names {
			list = append(list, count(name, n+uint64(i)))
		}
		return list
	}
	r.Result.Stats = map[string]stats.Group{
		"fill": {Total: of(77, "pending_maximum"), Tenants: []stats.Counts{
			of(1001, "walks", "migrates", "allocates", "merged", "regions", "service_cycles"), of(2001, "walks")}},
		"pager":  {Tenants: []stats.Counts{{count("bytes", 65536), count("busy_cycles", 1600)}, nil}},
		"sm":     {Tenants: []stats.Counts{of(3001, "faults", "replays", "handled_faults"), nil}},
		"driver": {Total: of(4, "off_chip_max"), Tenants: []stats.Counts{of(4001, "block_switches"), nil}},
	}
	return r
}

func TestPageShowsRegionsInFlightAndActiveWarps(t *testing.T) {
	chart, ok := options(t, written(t, faulting(t)))["faults"]
	require.True(t, ok)
	require.Len(t, chart.Option.Series, 3)
	assert.Equal(t, []float64{1, 2}, []float64{constant(t, chart, 0), constant(t, chart, 1)})
	warps := chart.Option.Series[2]
	assert.Equal(t, "active warps", warps.Name)
	for i, d := range warps.Data {
		var n int
		require.NoError(t, json.Unmarshal(d.Value, &n))
		assert.Equal(t, 63-i, n)
	}
	assert.Len(t, chart.Option.YAxis, 2, "each has an axis")
}

func TestPageShowsFaultsOfEachTenant(t *testing.T) {
	r := faulting(t)
	table := r.faultTable()
	assert.Equal(t, "With --pages demand. At most 77 regions of 64 KiB were in flight at a time.", table.About)
	values := func(row int) (list []string) {
		for _, c := range table.Rows[row].Cells {
			list = append(list, c.Value)
		}
		return list
	}
	assert.Equal(t, []string{"app0", "1,001", "1,002", "1,003", "1,004", "1,005", "1.001", "3,003", "64", "50.0", "3,001", "3,002", "4,001"}, values(0))
	other := values(1)
	assert.Equal(t, []string{"2,001", "0", "0.0"}, []string{other[1], other[5], other[9]})
	r.Config.Driver.BlockSwitching.Extra = 4
	assert.Contains(t, r.faultTable().About, " An SM had at most 4 thread blocks off the chip.")
	text := written(t, r)
	assert.Contains(t, text, "<h2>Page faults</h2>")
	assert.Contains(t, text, "<td>1,005</td>")
}

func TestPageOfARunWithoutFaultsDoesNotSpeakOfThem(t *testing.T) {
	resident, plain, none := faulting(t), faulting(t), faulting(t)
	resident.Result.Pages = ""
	plain.Config.MMU.L2TLB.Entries = 0
	for i := range none.Samples {
		for k := range none.Samples[i].Tenants {
			none.Samples[i].Tenants[k].RegionCycles = 0
		}
	}
	for name, r := range map[string]*Report{"resident": resident, "no MMU": plain} {
		text := written(t, r)
		assert.NotContains(t, text, "<h2>Page faults</h2>", name)
		assert.NotContains(t, text, "Page faults in flight", name)
	}
	text := written(t, none)
	assert.Contains(t, text, "<h2>Page faults</h2>")
	assert.NotContains(t, text, "Page faults in flight")
}
