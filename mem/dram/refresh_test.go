package dram_test

import (
	"testing"

	"cotenant/mem/dram"

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
