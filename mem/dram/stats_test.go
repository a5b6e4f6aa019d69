package dram_test

import (
	"testing"

	"cotenant/mem/dram"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Saved bytes are written and loaded bytes read, by the tenant that owns the context; a load
// that finds its sectors in the write queue counts too, and other requests do not.
func TestContextsAreCountedByDirection(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	request := func(cycle, addr uint64, sectors uint8, a tenant.Account, write, context bool) {
		h.slices[0].Send(cycle, located(h.addrs, &protocol.DRAMRequest{Addr: addr, Sectors: sectors, Write: write, Account: a, Context: context}))
	}
	first, second := tenant.ID(1).Account(2), tenant.ID(2).Account(0)
	request(1, h.addr(0, 0, 0), 0b0111, first, true, true)
	request(2, h.addr(0, 0, 0), 0b0011, first, false, true) // forwarded
	request(3, h.addr(1, 0, 0), 0b1111, second, false, true)
	request(4, h.addr(2, 0, 0), 0b1111, second, true, false)
	request(5, h.addr(3, 0, 0), 0b1111, second, false, false)
	h.bench.Run()
	s := h.Stats()
	require.Equal(t, uint64(1), s.Accounts.Get(first).ForwardedReads)
	assert.Equal(t, [2]uint64{96, 64}, [2]uint64{s.Accounts.Get(first).SavedBytes, s.Accounts.Get(first).LoadedBytes})
	assert.Equal(t, [2]uint64{0, 128}, [2]uint64{s.Accounts.Get(second).SavedBytes, s.Accounts.Get(second).LoadedBytes})
}

// The read is accepted at 11; its data end with clock 37, as TestBusyCyclesCountOverlappingRequestsOnce has it.
func TestBusyCyclesGrowWhileDataMove(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	h.slices[0].Send(10, located(h.addrs, &protocol.DRAMRequest{Addr: h.addr(0, 0, 0), Sectors: 1}))
	for cycle := uint64(1); cycle < 50; cycle++ {
		h.bench.RunTo(cycle)
		if now := h.bench.Cycle(); now > 11 { // the last edge at which anything has happened
			s := h.Stats()
			assert.Equal(t, min(now, 38)-11, s.BusyCycles, "%d", now)
		}
	}
	require.Equal(t, uint64(24), h.first(t, dram.Read, 0))
}
