package wiring

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/host/pager"
	"cotenant/mem/mmu"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/mmu/l2tlb"
	"cotenant/mem/pages"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// translating is a configuration of which nothing is set but what translates
// addresses: the thesis' Table 6.1, at 1 GHz.
func translating() Config {
	return Config{
		Name:   "test",
		Clocks: ClockSpec{Core: 1000, NoC: 1000, L2: 1000, DRAM: 1000},
		MMU: mmu.Spec{PageBytes: 4096,
			L2TLB: l2tlb.Spec{Entries: 1024, Ways: 8, MSHRs: 128, Latency: 70, Queue: 8},
			Fill:  fill.Spec{Walkers: 64, WalkLatency: 500, Queue: 64, RegionBytes: 65536}},
		Pager: pager.Spec{Link: "nvlink", MigrateNs: 12_000, AllocateNs: 10_000, Occupancy: pager.Full},
	}
}

func TestWiredUnitServesAFaultToTheCycle(t *testing.T) {
	c := translating()
	w := &wiring{Platform: &Platform{Config: c, engine: components.NewEngine()}}
	w.core = w.clock("core", c.Clocks.Core)
	var began, served []uint64
	w.makeMMU(2, Listeners{
		Faults: fill.Listener{Served: func(_ fill.Fault, cycle uint64) { served = append(served, cycle) }},
		Pager:  pager.Listener{InService: func(_ *protocol.RegionFault, start, _ uint64) { began = append(began, start) }},
	})
	require.NoError(t, w.err)
	b := rig.On(t, w.core)
	var tlbs []*rig.Peer[*protocol.Translation]
	var faults []*rig.Peer[sim.Msg]
	for i := range 2 {
		name := string(rune('A' + i))
		tlb, fault := &rig.Peer[*protocol.Translation]{}, &rig.Peer[sim.Msg]{}
		tlb.Init("TLB"+name, w.core, tlb)
		tlb.Out = tlb.NewPort("TLB", 4)
		fault.Init("Faults"+name, w.core, fault)
		fault.Out = fault.NewPort("Faults", 4)
		tlb.In, fault.In, tlb.Keep = tlb.Out, fault.Out, rig.Copy[protocol.Translation]
		w.joinMMU(i, tlb.Out, fault.Out)
		tlbs, faults = append(tlbs, tlb), append(faults, fault)
	}
	require.NoError(t, w.err)
	PagesDemand.fill(w.Pages, 0, nil)
	tlbs[1].Send(0, &protocol.Translation{Page: 0x5000, SM: 1})
	b.RunTo(1000)
	require.True(t, w.serving())
	require.False(t, w.stuck(10*stuckCycles, 0), "nothing issues, but there is something to wait for")
	b.Run()
	require.False(t, w.serving())
	require.Equal(t, []uint64{570}, rig.Cycles(tlbs[1].Got))
	require.Equal(t, protocol.Migrate, tlbs[1].Got[0].Msg.Fault)
	require.Empty(t, tlbs[0].Got)
	for i := range 2 {
		require.Equal(t, []uint64{12_570}, rig.Cycles(faults[i].Got))
	}
	require.Equal(t, [][]uint64{{570}, {12_570}}, [][]uint64{began, served})
	var names []string
	for _, m := range w.modules {
		names = append(names, m.Name())
	}
	require.Equal(t, []string{"GPU.L2TLB", "GPU.FillUnit", "Pager"}, names)
}

func TestWithoutEntriesThereIsNoUnit(t *testing.T) {
	c := translating()
	c.MMU.L2TLB.Entries, c.Pager = 0, pager.Spec{}
	require.NoError(t, c.validateMMU())
	w := &wiring{Platform: &Platform{Config: c, engine: components.NewEngine()}}
	w.core = w.clock("core", c.Clocks.Core)
	w.makeMMU(2, Listeners{})
	w.joinMMU(0, nil, nil)
	require.NoError(t, w.err)
	require.Empty(t, w.modules)
	require.Nil(t, w.Pages)
	require.False(t, w.serving())
}

func TestConfigurationNamesTheFieldOfTheUnitThatIsOutOfRange(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"mmu.l2_tlb.ways is 0, must be 1 to 1024":                                                func(c *Config) { c.MMU.L2TLB.Ways = 0 },
		"pager.link is empty, must be a name, such as nvlink":                                    func(c *Config) { c.Pager.Link = "" },
		"pager.migrate_ns is 2, 2 cycles of a clock of 1000000000 Hz; must be at least 3 cycles": func(c *Config) { c.Pager.MigrateNs = 2 },
	} {
		c := translating()
		change(&c)
		require.EqualError(t, c.validateMMU(), want)
	}
}

// arrays has an array of each origin; the first three lie in one page.
func arrays() []workload.Array {
	return []workload.Array{
		{Name: "in", Addr: 0x10000, Bytes: 0x100, Origin: workload.Uploaded},
		{Name: "constants", Addr: 0x10100, Bytes: 0x100, Origin: workload.Loaded, ReadOnly: true},
		{Name: "out", Addr: 0x10200, Bytes: 0x2e00, Origin: workload.Untouched},
		{Name: "table", Addr: 0x20000, Bytes: 0x1000, Origin: workload.Loaded, ReadOnly: true},
		{Name: "heap", Addr: 0x30000, Bytes: 0x20000, Origin: workload.Heap},
		{Name: "what", Addr: 0x60000, Bytes: 0x1000, Origin: workload.Unknown},
		{Name: "more constants", Addr: 0x70000, Bytes: 0x800, Origin: workload.Loaded, ReadOnly: true},
		{Name: "beside them", Addr: 0x70800, Bytes: 0x1000, Origin: workload.Untouched},
		{Name: "other grid", Addr: 0x5f000, Bytes: 0x1000, Origin: workload.Overwritten},
		{Name: "none", Addr: 0x20800, Bytes: 0, Origin: workload.Uploaded},
	}
}

func TestModesFillThePageTableByTheOriginsOfArrays(t *testing.T) {
	for mode, want := range map[PageMode]map[uint64]pages.State{
		PagesDemand: {0x10000: pages.CPU, 0x11000: pages.CPUClean, 0x12fff: pages.CPUClean, 0x13000: pages.CPU, 0x20000: pages.Resident,
			0x30000: pages.CPUClean, 0x4ffff: pages.CPUClean, 0x60000: pages.CPU, 0x99000: pages.CPU, 0x70000: pages.Resident, 0x71000: pages.CPUClean, 0x5f000: pages.CPU},
		PagesLazyOutput: {0x10000: pages.Resident, 0x11000: pages.Lazy, 0x12fff: pages.Lazy, 0x13000: pages.Resident, 0x20000: pages.Resident,
			0x30000: pages.Resident, 0x60000: pages.Resident, 0x5f000: pages.Lazy, 0x99000: pages.Resident},
		PagesLazyHeap: {0x10000: pages.Resident, 0x11000: pages.Resident, 0x30000: pages.Lazy, 0x4f000: pages.Lazy, 0x50000: pages.Resident,
			0x60000: pages.Resident, 0x5f000: pages.Resident, 0x99000: pages.Resident},
		PagesStrict: {0xffff: pages.Invalid, 0x10000: pages.Resident, 0x12fff: pages.Resident, 0x13000: pages.Invalid, 0x1ffff: pages.Invalid, 0x20000: pages.Resident,
			0x20fff: pages.Resident, 0x21000: pages.Invalid, 0x30000: pages.Resident, 0x4ffff: pages.Resident, 0x50000: pages.Invalid, 0x60000: pages.Resident,
			0x71fff: pages.Resident, 0x72000: pages.Invalid, 0x99000: pages.Invalid},
	} {
		for _, list := range [][]workload.Array{arrays(), reversed(arrays())} {
			table, err := pages.NewTable(4096, 65536)
			require.NoError(t, err)
			mode.fill(table, 2, list)
			for addr, state := range want {
				got, access := table.At(tenant.ID(2).Base() + addr)
				require.Equal(t, state, got, "%s: %#x", mode, addr)
				require.Equal(t, addr>>12 == 0x20, access == pages.ReadOnly, "%s: %#x: a page can be written if anything in it can be", mode, addr)
			}
			other, _ := table.At(tenant.ID(1).Base() + 0x10000)
			require.Equal(t, pages.Resident, other, "another tenant's")
		}
	}
}

func reversed(list []workload.Array) []workload.Array {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func TestModeSaysWhyItCannotBe(t *testing.T) {
	c, off := translating(), Config{Name: "plain"}
	known, unknown := &workload.App{Name: "a", Arrays: arrays()}, &workload.App{Name: "b"}
	for _, m := range []PageMode{"", PagesResident} {
		require.NoError(t, m.Check(&off, unknown))
	}
	for _, m := range []PageMode{PagesDemand, PagesLazyOutput, PagesLazyHeap, PagesStrict} {
		require.NoError(t, m.Check(&c, known))
	}
	require.NoError(t, PagesDemand.Check(&c, unknown), "all of its pages are the CPU's")
	require.EqualError(t, PagesDemand.Check(&off, known), "pages are demand, and GPU plain does not translate addresses; valid: resident, or a GPU with an MMU (mmu.l2_tlb.entries), such as pagefault16")
	require.EqualError(t, PagesLazyHeap.Check(&c, unknown), "pages are lazy-heap, and nobody knows the arrays of application b; valid: resident, demand, or an application of real kernels")
	require.EqualError(t, PagesStrict.Check(&c, unknown), "pages are strict, and nobody knows the arrays of application b; valid: resident, demand, or an application of real kernels")
	require.EqualError(t, PageMode("lazy").Check(&c, known), `pages are "lazy"; valid: resident, demand, lazy-output, lazy-heap, strict`)
}
