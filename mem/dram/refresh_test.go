package dram_test

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/protocol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refreshing is gddr5 with a refresh of 100 clocks every 1000.
func refreshing() dram.Spec {
	spec := gddr5
	spec.Timing.REFI, spec.Timing.RFC = 1000, 100
	return spec
}

func (h *channel) cyclesOf(kind dram.Kind) (cycles []uint64) {
	for _, c := range h.commands {
		if c.Kind == kind {
			cycles = append(cycles, c.Cycle)
		}
	}
	return cycles
}

func TestRefreshClosesAllRowsWhenDueAndBlocksForRFC(t *testing.T) {
	spec := refreshing()
	spec.Timing.RTP = 10
	h := newChannel(t, spec, oneChannel)
	// Row hits as fast as they can be served, beyond the refresh.
	h.run(reads(h, 900, 0, 200)...)
	require.Equal(t, []uint64{998 + 10}, h.cyclesOf(dram.PrechargeAll), "tRTP after the last read before 1000")
	assert.Equal(t, []uint64{1008 + 12}, h.cyclesOf(dram.Refresh), "tRP")
	activates := h.cyclesOf(dram.Activate)
	assert.Equal(t, uint64(1020+100), activates[len(activates)-1], "tRFC")
	s := h.Stats()
	total := s.Total()
	assert.Equal(t, uint64(1), s.Refreshes)
	assert.Equal(t, uint64(2), total.RowMisses, "a row closed by a refresh is a miss, not a conflict")
	assert.Zero(t, total.Precharges)
}

func TestNoCommandIsHeldBackBeforeTheRefreshIsDue(t *testing.T) {
	h := newChannel(t, refreshing(), oneChannel)
	// Activates planned for 999 and 1000.
	h.run(send{cycle: 997, addr: h.addr(0, 0, 0)})
	assert.Equal(t, uint64(999), h.first(t, dram.Activate, 0))
	h = newChannel(t, refreshing(), oneChannel)
	h.run(send{cycle: 998, addr: h.addr(0, 0, 0)})
	assert.Equal(t, []uint64{1000}, h.cyclesOf(dram.Refresh))
	assert.Equal(t, []uint64{1100}, h.at(dram.Activate, 0))
}

func TestRefreshesOfAnIdleChannelAreMadeUpForEachAtItsCycle(t *testing.T) {
	h := newChannel(t, refreshing(), oneChannel)
	h.run(send{addr: h.addr(0, 0, 0)}, send{cycle: 3050, addr: h.addr(0, 0, 0)})
	assert.Equal(t, []uint64{1000}, h.cyclesOf(dram.PrechargeAll))
	assert.Equal(t, []uint64{1012, 2000, 3000}, h.cyclesOf(dram.Refresh))
	assert.Equal(t, []uint64{3100}, h.at(dram.Activate, 1), "the last refresh is still going on")
	s := h.Stats()
	assert.Equal(t, uint64(3), s.Refreshes)
}

func TestIdleChannelKeepsItsRowOpenUntilTheRefresh(t *testing.T) {
	for cycle, hits := range map[uint64]uint64{900: 1, 1010: 0} {
		h := newChannel(t, refreshing(), oneChannel)
		h.run(send{addr: h.addr(0, 0, 0)}, send{cycle: cycle, addr: h.addr(0, 0, 0)})
		s := h.Stats()
		assert.Equal(t, hits, s.Total().RowHits)
	}
}

func TestRefreshesGoOnUnderLoad(t *testing.T) {
	h := newChannel(t, refreshing(), oneChannel)
	h.run(reads(h, 0, 0, 5000)...)
	cycles := h.cyclesOf(dram.Refresh)
	require.Greater(t, len(cycles), 9)
	for i, c := range cycles {
		assert.InDelta(t, 1000*(i+1), c, 60)
	}
}

// A row is closed for another one, and a refresh comes before that can be opened: the bank was
// closed by then, so that the request is a miss.
func TestRefreshBetweenPrechargeAndActivateMakesAConflictAMiss(t *testing.T) {
	for cycle, want := range map[uint64][2]uint64{900: {1, 1}, 990: {2, 0}} {
		h := newChannel(t, refreshing(), oneChannel)
		h.run(send{addr: h.addr(0, 0, 0)}, send{cycle: cycle, addr: h.addr(0, 1, 0)})
		assert.Equal(t, cycle == 990, h.first(t, dram.Activate, 1) > 1000)
		s := h.Stats()
		total := s.Total()
		assert.Equal(t, want, [2]uint64{total.RowMisses, total.RowConflicts}, "at %d", cycle)
		assert.Equal(t, uint64(1), total.Precharges)
	}
}

// byBank is gddr5 whose 16 banks are refreshed one at a time, one every 100 clocks, for 60 clocks.
func byBank() dram.Spec {
	spec := refreshing()
	spec.Timing.REFI, spec.Timing.RFCBank = 1600, 60
	return spec
}

func TestRefreshOfABankLeavesTheOthersAlone(t *testing.T) {
	h := newChannel(t, byBank(), oneChannel)
	// Row hits of bank 0 and of bank 5 by turns, as fast as they can be served.
	hits := append(reads(h, 0, 0, 150), reads(h, 0, 5, 150)...)
	h.run(hits...)
	require.NoError(t, check(byBank(), 16, h.commands))
	var closed, opened uint64
	between := 0
	for _, c := range h.commands {
		switch {
		case c.Bank == 0 && c.Kind == dram.Precharge && closed == 0:
			require.True(t, c.none)
			closed = c.Cycle
		case c.Bank == 0 && c.Kind == dram.Activate && closed > 0 && opened == 0:
			opened = c.Cycle
		case c.Bank == 0 && c.Kind == dram.Read && closed > 0:
			require.NotZero(t, opened, "a read while the bank is refreshed")
		case c.Bank == 5 && c.Kind == dram.Read && closed > 0 && opened == 0:
			between++
		}
	}
	assert.Equal(t, uint64(101), closed, "due at 100, tRTP after the read at 99")
	assert.Equal(t, closed+12, h.cyclesOf(dram.RefreshBank)[0], "tRP")
	assert.Equal(t, closed+12+60, opened, "tRFC of a bank")
	assert.Greater(t, between, 30, "bank 5 has the bus for itself: a read every 2 clocks")
	s := h.Stats()
	total := s.Total()
	assert.Equal(t, uint64(4), total.RowMisses, "the first read of each of the two banks, at first and after its refresh")
	assert.Zero(t, total.Precharges)
	assert.Zero(t, total.RowConflicts)
}

func TestBanksAreRefreshedInTurnThoughTheChannelIsIdle(t *testing.T) {
	h := newChannel(t, byBank(), oneChannel)
	h.run(send{addr: h.addr(2, 0, 0)}, send{cycle: 350, addr: h.addr(1, 0, 0)}, send{cycle: 1750, addr: h.addr(0, 0, 0)})
	var banks, cycles []int
	for _, c := range h.commands {
		if c.Kind == dram.RefreshBank {
			banks, cycles = append(banks, c.Bank), append(cycles, int(c.Cycle))
		}
	}
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0}, banks)
	// Bank 2 has a row to close.
	assert.Equal(t, []int{100, 200, 312, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700}, cycles)
	assert.Equal(t, []uint64{352}, h.at(dram.Activate, 1))
	assert.Equal(t, []uint64{1700 + 60}, h.at(dram.Activate, 2), "it has just been refreshed")
	s := h.Stats()
	assert.Equal(t, uint64(17), s.Refreshes)
}

func TestRowServesTheRequestThatOpenedItBeforeItsBankIsRefreshed(t *testing.T) {
	h := newChannel(t, byBank(), oneChannel)
	h.run(send{cycle: 93, addr: h.addr(0, 0, 0)}, send{cycle: 190, addr: h.addr(7, 0, 0)})
	activate := h.first(t, dram.Activate, 0)
	require.Equal(t, uint64(95), activate)
	assert.Equal(t, []uint64{activate + 12}, h.at(dram.Read, 0), "tRCD")
	assert.Equal(t, []uint64{activate + 28 + 12, 200}, h.cyclesOf(dram.RefreshBank), "tRAS, tRP; bank 1")
}

func TestRefreshesOfBanksGoOnUnderLoad(t *testing.T) {
	h := newChannel(t, byBank(), oneChannel)
	h.run(reads(h, 0, 0, 2500)...)
	cycles := h.cyclesOf(dram.RefreshBank)
	require.Greater(t, len(cycles), 40)
	for i, c := range cycles {
		assert.InDelta(t, 100*(i+1), c, 20)
	}
}

func TestRefreshesOfAllBanksInTurnMustHaveTime(t *testing.T) {
	spec := byBank()
	spec.Timing.REFI = 700
	bench := rig.New(t, 1_750_000_000)
	addrs, err := mem.NewAddressMap(oneChannel)
	require.NoError(t, err)
	_, err = dram.Builder{}.WithSpec(spec).WithDomain(bench.Clock).WithAddressMap(addrs).WithPool(&components.Pool[protocol.DRAMRequest]{}).Build("DRAM")
	require.EqualError(t, err, "DRAM: timing.t_refi is 700, must be at least 768 with t_rfc_bank: the time to open, use and close a row of each bank")
}
