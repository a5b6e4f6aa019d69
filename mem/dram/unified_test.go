package dram_test

import (
	"testing"

	"cotenant/mem/dram"
	"cotenant/protocol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unified is gddr5 with one queue for reads and writes.
func unified() dram.Spec {
	spec := gddr5
	spec.UnifiedQueue = true
	return spec
}

// Between a read and a write lie t_cl 12 + burst 2 + 2 - t_wl 4 clocks, between
// a write and a read t_wl 4 + burst 2 + t_wtr 5.
func TestUnifiedQueueTurnsTheBusRequestByRequest(t *testing.T) {
	h := newChannel(t, unified(), oneChannel)
	h.run(
		send{addr: h.addr(0, 0, 0)},
		send{cycle: 2, addr: h.addr(0, 0, 128), write: true},
		send{cycle: 3, addr: h.addr(0, 0, 256)},
		send{cycle: 4, addr: h.addr(0, 0, 384), write: true},
		send{cycle: 5, addr: h.addr(0, 0, 512), write: true})
	assert.Equal(t, 12, h.gap(t, dram.Read, 0, dram.Write, 1))
	assert.Equal(t, 11, h.gap(t, dram.Write, 1, dram.Read, 2))
	assert.Equal(t, 12, h.gap(t, dram.Read, 2, dram.Write, 3))
	assert.Equal(t, 2, h.gap(t, dram.Write, 3, dram.Write, 4))
	s := h.Stats()
	assert.Equal(t, uint64(2), s.Drains, "turns to writes")
}

func TestExplicitReadToWriteHoldsInAUnifiedQueue(t *testing.T) {
	spec := unified()
	spec.Timing.RTW = 20
	h := newChannel(t, spec, oneChannel)
	h.run(send{addr: h.addr(0, 0, 0)}, send{cycle: 2, addr: h.addr(0, 0, 128), write: true})
	assert.Equal(t, 20, h.gap(t, dram.Read, 0, dram.Write, 1))
}

// While the bus has to turn for the older write, reads of other banks go first.
func TestUnifiedQueueSendsWhatTheBusAllowsFirst(t *testing.T) {
	h := newChannel(t, unified(), oneChannel)
	h.run(send{addr: h.addr(0, 0, 0)}, send{addr: h.addr(1, 0, 0)}, // opens two banks
		send{cycle: 100, addr: h.addr(0, 0, 128)},
		send{cycle: 101, addr: h.addr(0, 0, 256), write: true},
		send{cycle: 102, addr: h.addr(1, 0, 128)})
	assert.Equal(t, []int{2, 2 + 12}, []int{h.gap(t, dram.Read, 2, dram.Read, 4), h.gap(t, dram.Read, 2, dram.Write, 3)})
}

func TestRowHitsOfEitherKindOvertakeAnOlderConflict(t *testing.T) {
	for _, oldest := range []bool{false, true} {
		h := newChannel(t, unified(), oneChannel)
		h.run(
			send{addr: h.addr(0, 0, 0)},
			send{cycle: 20, addr: h.addr(0, 1, 0), write: oldest},
			send{cycle: 21, addr: h.addr(0, 0, 128), write: !oldest},
			send{cycle: 22, addr: h.addr(0, 0, 256), write: oldest})
		var order []uint32
		for _, c := range h.commands {
			if c.Kind == dram.Read || c.Kind == dram.Write {
				order = append(order, c.tag)
			}
		}
		assert.Equal(t, []uint32{0, 2, 3, 1}, order, "hits by age, then the conflict")
	}
}

func TestMaxHitStreakCountsReadsAndWritesOfAUnifiedQueue(t *testing.T) {
	for _, most := range []int{1, 5, 16} {
		spec := unified()
		spec.MaxHitStreak = most
		h := newChannel(t, spec, oneChannel)
		sends := []send{{addr: h.addr(0, 0, 0)}, {cycle: 30, addr: h.addr(0, 1, 0), write: true}}
		for i := range uint64(100) {
			sends = append(sends, send{cycle: 15 + 2*i, addr: h.addr(0, 0, 128), write: i%3 == 0})
		}
		h.run(sends...)
		overtaken := map[dram.Kind]int{}
		for _, c := range h.commands {
			if (c.Kind == dram.Read || c.Kind == dram.Write) && c.Cycle < h.first(t, dram.Write, 1) && c.tag != 1 && sends[c.tag].cycle > 30 {
				overtaken[c.Kind]++
			}
		}
		assert.Equal(t, most, overtaken[dram.Read]+overtaken[dram.Write])
		if most > 1 {
			assert.NotZero(t, overtaken[dram.Read])
			assert.NotZero(t, overtaken[dram.Write])
		}
	}
}

func TestUnifiedQueueHoldsReadQueueRequestsOfBothKinds(t *testing.T) {
	for _, kinds := range []func(i int) bool{
		func(int) bool { return false }, func(int) bool { return true }, func(i int) bool { return i%2 == 0 },
	} {
		spec := unified()
		spec.ReadQueue, spec.WriteQueue, spec.WriteHigh, spec.WriteLow, spec.PortDepth = 4, 9, 9, 0, 2
		h := newChannel(t, spec, oneChannel)
		var sends []send
		for i := range 40 {
			sends = append(sends, send{addr: h.addr(0, uint64(i), 0), write: kinds(i)})
		}
		h.run(sends...)
		kind := dram.Read
		if kinds(0) {
			kind = dram.Write
		}
		// Four are accepted and two wait at the port before the first is sent.
		accepted := 0
		for _, p := range h.slices[0].Sent {
			if p.Cycle <= h.first(t, kind, 0) {
				accepted++
			}
		}
		assert.Equal(t, 6, accepted)
	}
}

func TestWriteQueueMeansNothingToAUnifiedQueue(t *testing.T) {
	commands := func(change func(*dram.Spec)) []told {
		spec := unified()
		change(&spec)
		h := newChannel(t, spec, oneChannel)
		h.run(append(reads(h, 0, 0, 200), writes(h, 0, 1, 200)...)...)
		return h.commands
	}
	want := commands(func(*dram.Spec) {})
	assert.Equal(t, want, commands(func(s *dram.Spec) { s.WriteQueue, s.WriteHigh, s.WriteLow = 1, 1, 0 }))
	assert.Equal(t, want, commands(func(s *dram.Spec) { s.WriteHigh, s.WriteLow = 3, 2 }))
}

func TestReadIsServedBehindAnOlderWriteOfItsLine(t *testing.T) {
	h := newChannel(t, unified(), oneChannel)
	target := h.addr(1, 3, 256)
	h.run(send{cycle: 1, addr: target, write: true}, send{cycle: 2, addr: target})
	assert.Equal(t, 11, h.gap(t, dram.Write, 0, dram.Read, 1))
	s := h.Stats()
	total := s.Total()
	assert.Zero(t, total.ForwardedReads)
	assert.Equal(t, uint64(32), total.ReadBytes)
}

func TestUnifiedQueueHasOneGauge(t *testing.T) {
	h := newChannel(t, unified(), oneChannel)
	gauges := h.Gauges()
	require.Len(t, gauges, 1)
	assert.Equal(t, "Queue", gauges[0].Name)
	assert.Equal(t, gddr5.ReadQueue, gauges[0].Max)
	h.slices[0].Send(1, located(h.addrs, &protocol.DRAMRequest{Addr: h.addr(0, 0, 0), Sectors: 1}),
		located(h.addrs, &protocol.DRAMRequest{Addr: h.addr(0, 1, 0), Sectors: 1, Write: true}))
	h.bench.RunTo(8)
	assert.Equal(t, 2, gauges[0].Level())
	h.bench.Run()
	assert.Zero(t, gauges[0].Level())
}
