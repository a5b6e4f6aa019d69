package pages

import (
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const pageBytes, regionBytes = 4096, 65536

func table(t require.TestingT) *Table {
	tab, err := NewTable(pageBytes, regionBytes)
	require.NoError(t, err)
	return tab
}

func TestWalkFindsTheFaultOfThePage(t *testing.T) {
	for _, c := range []struct {
		state  State
		access Access
		write  bool
		want   Walk
	}{
		{Resident, 0, true, Walk{}},
		{CPU, 0, false, Walk{Fault: protocol.Migrate}},
		{CPUClean, 0, true, Walk{Fault: protocol.Allocate}},
		{Lazy, 0, true, Walk{Fault: protocol.Allocate, Lazy: true}},
		{Invalid, 0, false, Walk{Fault: protocol.Invalid}},
		{Resident, ReadOnly, false, Walk{}},
		{Resident, ReadOnly, true, Walk{Fault: protocol.ReadOnly}},
		{CPU, ReadOnly, true, Walk{Fault: protocol.ReadOnly}},
		{CPU, ReadOnly, false, Walk{Fault: protocol.Migrate}},
	} {
		tab := table(t)
		tab.Set(3, 7*regionBytes, regionBytes, c.state, c.access)
		require.Equal(t, c.want, tab.Walk(tenant.ID(3).Base()+7*regionBytes+5*pageBytes, c.write), "%+v", c)
		require.Equal(t, Walk{}, tab.Walk(tenant.ID(2).Base()+7*regionBytes, true), "another tenant's")
		require.Equal(t, Walk{}, tab.Walk(tenant.ID(3).Base()+8*regionBytes, true), "the region behind")
		require.Equal(t, Walk{}, tab.Walk(tenant.ID(3).Base()+7*regionBytes-1, true), "the region before")
	}
}

func TestRegionWithAPageOfTheCPUsIsMigratedAndNotServedByAHandler(t *testing.T) {
	tab := table(t)
	tab.Set(0, 0, regionBytes, Lazy, 0)
	require.True(t, tab.Walk(0, true).Lazy)
	tab.Set(0, 5*pageBytes, 1, CPUClean, 0)
	require.Equal(t, Walk{Fault: protocol.Allocate}, tab.Walk(0, true), "the CPU has a page of it")
	require.Zero(t, tab.Moves(pageBytes))
	tab.Set(0, 6*pageBytes, pageBytes+1, CPU, 0)
	require.Equal(t, Walk{Fault: protocol.Migrate}, tab.Walk(0, true), "one service brings all of them")
	require.Equal(t, uint64(2*pageBytes), tab.Moves(pageBytes))
}

func TestServedMakesThePagesOfTheRegionResidentThatCanBe(t *testing.T) {
	tab := table(t)
	tab.SetOther(0, CPU, 0)
	tab.Set(0, regionBytes, pageBytes, Invalid, 0)
	tab.Set(0, regionBytes+pageBytes, pageBytes, CPU, ReadOnly)
	tab.Set(0, regionBytes+2*pageBytes, pageBytes, Lazy, 0)
	tab.Served(regionBytes + 9*pageBytes)
	require.Equal(t, protocol.Invalid, tab.Walk(regionBytes, false).Fault)
	require.Equal(t, protocol.ReadOnly, tab.Walk(regionBytes+pageBytes, true).Fault, "rights stay")
	require.Equal(t, protocol.NoFault, tab.Walk(regionBytes+pageBytes, false).Fault)
	require.Equal(t, protocol.NoFault, tab.Walk(regionBytes+2*pageBytes, false).Fault)
	require.Equal(t, protocol.NoFault, tab.Walk(2*regionBytes-1, true).Fault)
	require.Equal(t, protocol.Migrate, tab.Walk(0, true).Fault)
	require.Equal(t, protocol.Migrate, tab.Walk(2*regionBytes, true).Fault)
}

func TestLocalMemoryIsAlwaysThere(t *testing.T) {
	tab := table(t)
	tab.SetOther(1, Invalid, 0)
	tab.Set(1, local-regionBytes, ^uint64(0), Invalid, 0)
	require.Len(t, tab.tenants[1].regions, 1, "what reaches beyond global memory is left out")
	addr := tenant.ID(1).Base() | local | 12345
	require.Equal(t, Walk{}, tab.Walk(addr, true))
	tab.Served(addr)
	require.Equal(t, Walk{}, tab.Walk(addr, true))
	require.Equal(t, protocol.Invalid, tab.Walk(addr&^local, false).Fault)
}

func TestLargeArraysAreKeptByRegion(t *testing.T) {
	tab := table(t)
	tab.Set(0, pageBytes, 512<<20, Lazy, 0)
	m := &tab.tenants[0]
	require.Len(t, m.regions, 8193)
	split := 0
	for _, r := range m.regions {
		if r.pages != nil {
			split++
		}
	}
	require.Equal(t, 2, split, "the first and the last region are covered in part")
	tab.Set(0, 0, pageBytes, Lazy, 0)
	require.Nil(t, m.regions[0].pages, "alike again")
	last := uint64(512 << 20)
	require.NotNil(t, m.find(last/regionBytes).pages)
	tab.Served(last)
	require.Nil(t, m.find(last/regionBytes).pages, "all of it is there")
}

// The table agrees with a map from pages to states, whatever is said of them in
// whatever order.
func TestTableAgreesWithAMapOfPages(t *testing.T) {
	const span = 6 * regionBytes
	rapid.Check(t, func(t *rapid.T) {
		tab := table(t)
		model := map[[2]uint64]page{}
		var other [2]page
		state := rapid.SampledFrom([]State{Resident, CPU, CPUClean, Lazy, Invalid})
		access := rapid.SampledFrom([]Access{0, ReadOnly})
		for id := range other {
			other[id] = page{state.Draw(t, "other"), access.Draw(t, "rights of others")}
			tab.SetOther(tenant.ID(id), other[id].state, other[id].access)
		}
		at := func(id, n uint64) page {
			if p, ok := model[[2]uint64{id, n}]; ok {
				return p
			}
			return other[id]
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			id := rapid.Uint64Range(0, 1).Draw(t, "tenant")
			addr := rapid.Uint64Range(0, span-1).Draw(t, "address")
			if rapid.Bool().Draw(t, "served") {
				tab.Served(tenant.ID(id).Base() + addr)
				first := addr / regionBytes * 16
				for n := first; n < first+16; n++ {
					p := at(id, n)
					if p.state != Invalid {
						p.state = Resident
					}
					model[[2]uint64{id, n}] = p
				}
				continue
			}
			bytes := rapid.Uint64Range(0, span-addr).Draw(t, "bytes")
			p := page{state.Draw(t, "state"), access.Draw(t, "rights")}
			tab.Set(tenant.ID(id), tenant.ID(id).Base()+addr, bytes, p.state, p.access)
			for b := addr; b < addr+bytes; b = b/pageBytes*pageBytes + pageBytes {
				model[[2]uint64{id, b / pageBytes}] = p
			}
		}
		for id := range uint64(2) {
			for n := range uint64(span / pageBytes) {
				p, cpu, clean := at(id, n), 0, 0
				for k := n / 16 * 16; k < n/16*16+16; k++ {
					switch at(id, k).state {
					case CPU:
						cpu++
					case CPUClean:
						clean++
					}
				}
				addr := tenant.ID(id).Base() + n*pageBytes
				gotState, gotAccess := tab.At(addr)
				require.Equal(t, p, page{gotState, gotAccess})
				require.Equal(t, uint64(cpu*pageBytes), tab.Moves(addr))
				for _, write := range []bool{false, true} {
					want := Walk{}
					switch {
					case p.state == Invalid:
						want.Fault = protocol.Invalid
					case write && p.access&ReadOnly != 0:
						want.Fault = protocol.ReadOnly
					case p.state == Resident:
					case cpu > 0:
						want.Fault = protocol.Migrate
					default:
						want = Walk{protocol.Allocate, clean == 0}
					}
					require.Equal(t, want, tab.Walk(addr+4095, write), "tenant %d, page %d", id, n)
				}
			}
		}
	})
}

func TestSizesAreChecked(t *testing.T) {
	for _, sizes := range [][2]int{{0, 65536}, {4096, 0}, {4095, 65536}, {65536, 4096}, {64, 64}} {
		_, err := NewTable(sizes[0], sizes[1])
		require.ErrorContains(t, err, "valid: powers of two, at least 128, and a page no larger than a region", "%v", sizes)
	}
	_, err := NewTable(4096, 4096)
	require.NoError(t, err)
}
