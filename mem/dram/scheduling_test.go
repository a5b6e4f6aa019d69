package dram_test

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/mem/dram"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hitBehindMiss opens row 0 of bank 0, then asks for row 1 and again for row 0.
func hitBehindMiss(h *channel) []send {
	return []send{
		{addr: h.addr(0, 0, 0)},
		{cycle: 20, addr: h.addr(0, 1, 0)},
		{cycle: 21, addr: h.addr(0, 0, 128)},
	}
}

func TestRowHitIsServedBeforeOlderRowMiss(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	h.run(hitBehindMiss(h)...)
	assert.Less(t, h.first(t, dram.Read, 2), h.first(t, dram.Precharge, 1))
	s := h.Stats()
	total := s.Total()
	assert.Equal(t, []uint64{1, 1, 1}, []uint64{total.RowMisses, total.RowHits, total.RowConflicts})
}

func TestFCFSServesABankInOrderWhateverRowIsOpen(t *testing.T) {
	spec := gddr5
	spec.Scheduler = "fcfs"
	h := newChannel(t, spec, oneChannel)
	h.run(hitBehindMiss(h)...)
	assert.Less(t, h.first(t, dram.Read, 1), h.first(t, dram.Read, 2))
	s := h.Stats()
	total := s.Total()
	assert.Equal(t, []uint64{1, 0, 2}, []uint64{total.RowMisses, total.RowHits, total.RowConflicts})
}

func TestColumnCommandGoesBeforeAnOlderRowCommandInFRFCFSOnly(t *testing.T) {
	for scheduler, want := range map[string][2]uint64{"frfcfs": {103, 102}, "fcfs": {102, 103}} {
		spec := gddr5
		spec.Scheduler = scheduler
		layout := oneChannel
		layout.Slices = 2
		h := newChannel(t, spec, layout)
		// Two rows are open; then come a conflict in one bank and a hit in the
		// other in one cycle, the conflict at the port that goes first.
		h.run(send{addr: h.addr(0, 0, 0)}, send{addr: h.addr(1, 0, 0)},
			send{cycle: 100, addr: h.addr(0, 1, 0)}, send{cycle: 100, addr: h.addr(1, 0, 128), port: 1})
		assert.Equal(t, want, [2]uint64{h.first(t, dram.Precharge, 2), h.first(t, dram.Read, 3)}, scheduler)
	}
}

// writes are n writes to one row from a cycle on, one each cycle.
func writes(h *channel, cycle uint64, bank, n int) (sends []send) {
	for i := range n {
		sends = append(sends, send{cycle: cycle + uint64(i), addr: h.addr(bank, 0, i%16*128), write: true})
	}
	return sends
}

// reads are n reads of another bank, one every two cycles: as fast as they can
// be served.
func reads(h *channel, cycle uint64, bank, n int) (sends []send) {
	for i := range n {
		sends = append(sends, send{cycle: cycle + 2*uint64(i), addr: h.addr(bank, 0, i%16*128)})
	}
	return sends
}

func TestWritesWaitUntilTheHighWatermarkAndDrainToTheLow(t *testing.T) {
	spec := gddr5
	spec.WriteHigh, spec.WriteLow, spec.PortDepth = 8, 3, 64
	for waiting, want := range map[int]int{7: 0, 8: 5} {
		layout := oneChannel
		layout.Slices = 2 // writes have a port of their own
		h := newChannel(t, spec, layout)
		stream := reads(h, 0, 0, 200)
		both := append(stream, writes(h, 100, 1, waiting)...)
		for i := range both[len(stream):] {
			both[len(stream)+i].port = 1
		}
		h.run(both...)
		last := h.first(t, dram.Read, uint32(len(stream)-1))
		during := 0
		for _, c := range h.commands {
			if c.Kind == dram.Write && c.Cycle < last {
				during++
			}
		}
		assert.Equal(t, want, during, "%d writes wait", waiting)
		s := h.Stats()
		assert.Equal(t, uint64(1+min(want, 1)), s.Drains, "and the rest when no read waits")
	}
}

func TestRowsAreUsedBeforeTheDirectionChanges(t *testing.T) {
	c, e := load(t, gddr5, 5000, random(30, protocol.AllSectors))
	_ = e.Run()
	s := c.Stats()
	total := s.Total()
	assert.Greater(t, s.Drains, uint64(20))
	assert.Equal(t, total.RowMisses+total.RowConflicts, total.Activates, "no row is opened twice for one request")
}

func TestBusyCyclesCountOverlappingRequestsOnce(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	// The second is accepted at 31, while the first one's data, asked for at
	// 24, are on their way until 38.
	h.run(send{cycle: 10, addr: h.addr(0, 0, 0)}, send{cycle: 30, addr: h.addr(0, 0, 128)})
	require.Equal(t, uint64(32), h.first(t, dram.Read, 1))
	s := h.Stats()
	assert.Equal(t, uint64(32+12+2-11), s.BusyCycles)
}

func TestNeitherReadsNorWritesStarveWhenBothComeAsFastAsTheyCan(t *testing.T) {
	lines := gddr5
	lines.EntryPerBurst = true
	latest := lines
	latest.WriteHigh = 61 // above that 21 writes of three bursts would fill the queue and never drain
	for _, test := range []struct {
		spec    dram.Spec
		sectors uint8
	}{{gddr5, 1}, {lines, 1}, {lines, protocol.AllSectors}, {latest, 0b0111}} {
		layout := oneChannel
		layout.Slices = 2
		h := newChannel(t, test.spec, layout)
		sends := reads(h, 0, 0, 2000)
		for _, s := range writes(h, 0, 1, 2000) {
			s.port = 1
			sends = append(sends, s)
		}
		for i := range sends {
			sends[i].sectors = test.sectors
		}
		h.run(sends...)
		since := map[dram.Kind]uint64{}
		longest := map[dram.Kind]uint64{}
		end := min(h.first(t, dram.Read, 1999), h.first(t, dram.Write, 3999))
		for _, c := range h.commands {
			if c.Kind == dram.Read || c.Kind == dram.Write {
				if c.Cycle < end {
					longest[c.Kind] = max(longest[c.Kind], c.Cycle-since[c.Kind])
				}
				since[c.Kind] = c.Cycle
			}
		}
		// A turn is 64 bursts of 2 clocks each, and the two turnarounds.
		assert.LessOrEqual(t, longest[dram.Read], uint64(64*2+50))
		assert.LessOrEqual(t, longest[dram.Write], uint64(64*2+50))
	}
}

func TestReadOfSectorsInTheWriteQueueNeedsNoDRAM(t *testing.T) {
	spec := gddr5
	spec.ReturnLatency = 20
	h := newChannel(t, spec, oneChannel)
	target := h.addr(1, 3, 256)
	busy := reads(h, 0, 0, 50) // keep writes waiting
	n := uint32(len(busy))
	h.run(append(busy,
		send{cycle: 100, addr: target, write: true, sectors: 0b0011},
		send{cycle: 101, addr: target, sectors: 0b0010},
		send{cycle: 102, addr: target, sectors: 0b0110},
		send{cycle: 103, addr: target ^ 128, sectors: 0b0001})...)
	assert.Empty(t, h.at(dram.Read, n+1), "all its sectors wait to be written")
	assert.Len(t, h.at(dram.Read, n+2), 1, "one sector has to be read")
	assert.Len(t, h.at(dram.Read, n+3), 1, "another line")
	s := h.Stats()
	total := s.Total()
	assert.Equal(t, uint64(1), total.ForwardedReads)
	assert.Equal(t, uint64(50*32+32+32), total.ReadBytes)

	h = newChannel(t, spec, oneChannel)
	h.run(send{cycle: 1, addr: target, write: true}, send{cycle: 2, addr: target})
	assert.Equal(t, uint64(3+1+20+1), h.replied(t, 1), "accepted at 3, a clock and the way back")

	h = newChannel(t, spec, oneChannel)
	h.run(send{cycle: 1, addr: target, write: true}, send{cycle: 500, addr: target})
	assert.Len(t, h.at(dram.Read, 1), 1, "once written, it is read from DRAM")
}

func TestEqualAddressesOfTwoTenantsAreDifferentLines(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	addr := h.addr(1, 3, 256)
	h.run(send{cycle: 1, addr: addr, write: true}, send{cycle: 2, addr: addr | 1<<tenant.AddressShift, tenant: 1})
	s := h.Stats()
	assert.Zero(t, s.Accounts.Get(1).ForwardedReads)
	assert.Equal(t, uint64(1), s.Accounts.Get(0).Writes)
	assert.Equal(t, uint64(1), s.Accounts.Get(1).Reads)
}

func TestFullQueueHoldsRequestsBackWithoutLoss(t *testing.T) {
	spec := gddr5
	spec.ReadQueue, spec.PortDepth = 4, 2
	h := newChannel(t, spec, oneChannel)
	var sends []send
	for i := range uint64(40) {
		sends = append(sends, send{addr: h.addr(0, i, 0)}) // a row conflict each
	}
	h.run(sends...)
	assert.Len(t, h.slices[0].Got, 40)
	// Four are accepted and two wait at the port before the first is sent.
	accepted := 0
	for _, p := range h.slices[0].Sent {
		if p.Cycle <= h.first(t, dram.Read, 0) {
			accepted++
		}
	}
	assert.Equal(t, 6, accepted)
}

func TestFullWriteQueueHoldsWritesBack(t *testing.T) {
	spec := gddr5
	spec.WriteQueue, spec.WriteHigh, spec.WriteLow, spec.PortDepth = 3, 3, 0, 2
	h := newChannel(t, spec, oneChannel)
	var sends []send
	for i := range uint64(40) {
		sends = append(sends, send{addr: h.addr(0, i, 0), write: true})
	}
	h.run(sends...)
	accepted := 0
	for _, p := range h.slices[0].Sent {
		if p.Cycle <= h.first(t, dram.Write, 0) {
			accepted++
		}
	}
	assert.Equal(t, 3+2, accepted)
}

func TestSlowSliceHoldsBackOnlyItsOwnReplies(t *testing.T) {
	layout := oneChannel
	layout.Slices = 2
	h := newChannel(t, gddr5, layout)
	h.slices[0].Deaf = rig.Before(1000)
	var sends []send
	for i := range 40 {
		sends = append(sends, send{addr: h.addr(i%16, 0, i/16*128), port: i % 2})
	}
	h.run(sends...)
	require.Len(t, h.slices[0].Got, 20)
	require.Len(t, h.slices[1].Got, 20)
	for i, r := range h.slices[1].Got {
		assert.Less(t, r.Cycle, uint64(400))
		assert.Equal(t, uint64(1000+i), h.slices[0].Got[i].Cycle)
	}
}

func TestPortsFillAScarceQueueInTurn(t *testing.T) {
	spec := gddr5
	spec.ReadQueue, spec.PortDepth = 2, 2
	layout := oneChannel
	layout.Slices = 3
	h := newChannel(t, spec, layout)
	var sends []send
	for i := range uint64(90) {
		sends = append(sends, send{addr: h.addr(int(i%16), i, 0), port: int(i % 3)})
	}
	h.run(sends...)
	for i, s := range h.slices {
		last := s.Got[len(s.Got)-1].Cycle
		first := h.slices[0].Got[len(s.Got)-1].Cycle
		assert.InDelta(t, first, last, 100, "slice %d", i)
	}
}

func TestWritesGoBackToThePool(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	list := writes(h, 0, 0, 100)
	made := map[*protocol.DRAMRequest]bool{}
	h.slices[0].Next = func() (*protocol.DRAMRequest, bool) {
		if len(list) == 0 {
			return nil, false
		}
		r := h.pool.Get()
		made[r] = true
		*r = protocol.DRAMRequest{Addr: list[0].addr, Sectors: 1, Write: true}
		list = list[1:]
		return located(h.addrs, r), true
	}
	h.slices[0].Start()
	h.bench.Run()
	assert.LessOrEqual(t, len(made), gddr5.WriteQueue+gddr5.PortDepth+1, "what queues and ports hold, and one to be sent")
	for range len(made) {
		r := h.pool.Get()
		assert.True(t, made[r], "each is in the pool once")
		delete(made, r)
	}
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	layout := oneChannel
	layout.Slices = 2
	for i := range layout.Slices {
		h := newChannel(t, gddr5, layout)
		rig.RefusesStrangers(h.bench, h.Port(i))
	}
}

func TestEntryPerBurstFillsTheQueueWithBursts(t *testing.T) {
	for _, test := range []struct {
		together bool
		write    bool
		sectors  uint8
		accepted int // of 40, before the first is sent: what eight entries and two places at the port hold
	}{
		{false, false, protocol.AllSectors, 2 + 2}, {false, false, 0b0011, 4 + 2}, {false, false, 0b0111, 2 + 2},
		{false, false, 0b1000, 8 + 2}, {false, true, protocol.AllSectors, 2 + 2}, {true, false, protocol.AllSectors, 2 + 2},
	} {
		spec := gddr5
		spec.EntryPerBurst, spec.InterleaveBursts = true, !test.together
		spec.ReadQueue, spec.WriteQueue, spec.WriteHigh, spec.WriteLow, spec.PortDepth = 8, 8, 5, 0, 2
		h := newChannel(t, spec, oneChannel)
		var sends []send
		for i := range uint64(40) {
			sends = append(sends, send{addr: h.addr(0, i, 0), sectors: test.sectors, write: test.write})
		}
		h.run(sends...)
		kind := dram.Read
		if test.write {
			kind = dram.Write
		}
		accepted := 0
		for _, p := range h.slices[0].Sent {
			if p.Cycle <= h.first(t, kind, 0) {
				accepted++
			}
		}
		assert.Equal(t, test.accepted, accepted, "%+v", test)
	}
}

// Entries come back burst by burst: the request at the port, of one burst, is
// accepted at the edge at which the first of four is sent, and activated at the
// next free edge of the command bus.
func TestEntryComesBackWithItsBurst(t *testing.T) {
	for perBurst, want := range map[bool]int{false: 7, true: 1} {
		spec := gddr5
		spec.EntryPerBurst, spec.InterleaveBursts, spec.PortDepth = perBurst, true, 8
		spec.ReadQueue = 1
		if perBurst {
			spec.ReadQueue = 4
		}
		h := newChannel(t, spec, oneChannel)
		h.run(send{addr: h.addr(0, 0, 0), sectors: protocol.AllSectors}, send{addr: h.addr(1, 0, 0)})
		assert.Equal(t, want, h.gap(t, dram.Read, 0, dram.Activate, 1), "an entry per burst: %v", perBurst)
	}
}
