package dram_test

import (
	"testing"

	"cotenant/mem/dram"
	"cotenant/protocol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every distance below is the exact one: the command was ready to be sent and
// was held back by nothing else, so it was sent at t and not at t-1.

func TestIdleReadTakesActivateReadAndBurst(t *testing.T) {
	spec := gddr5
	spec.ReturnLatency = 100
	h := newChannel(t, spec, oneChannel)
	h.run(send{cycle: 10, addr: h.addr(3, 5, 0)})
	// Pushed at 10, accepted at 11, planned for 12.
	assert.Equal(t, []uint64{12}, h.at(dram.Activate, 0))
	assert.Equal(t, []uint64{12 + 12}, h.at(dram.Read, 0), "tRCD")
	// tCL 12, two clocks for 8 beats, 100 back, one for the link.
	assert.Equal(t, uint64(24+12+2+100+1), h.replied(t, 0))
	r := h.slices[0].Got[0].Msg
	assert.Equal(t, protocol.DRAMRequest{Addr: h.addr(3, 5, 0), Sectors: 1, Slice: 7}, protocol.DRAMRequest{Addr: r.Addr, Sectors: r.Sectors, Slice: r.Slice})
	s := h.Stats()
	assert.Equal(t, dram.TenantStats{Reads: 1, ReadBytes: 32, RowMisses: 1, Activates: 1, DataBusCycles: 2,
		ReadLatencyCycles: 24 + 12 + 2 - 11}, s.Total())
	assert.Equal(t, uint64(24+12+2-11), s.BusyCycles)
}

func TestLineOfFourSectorsTakesFourBurstsBackToBack(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	h.run(send{addr: h.addr(0, 0, 0), sectors: protocol.AllSectors})
	first := h.first(t, dram.Read, 0)
	assert.Equal(t, []uint64{first, first + 2, first + 4, first + 6}, h.at(dram.Read, 0))
	assert.Equal(t, first+6+12+2+1, h.replied(t, 0))
}

func TestWiderBurstsFetchTheNeighbouringSector(t *testing.T) {
	spec := gddr5
	spec.BusBytes = 8 // 64 B bursts
	for sectors, bursts := range map[uint8]int{0b0001: 1, 0b0011: 1, 0b0110: 2, 0b1111: 2, 0b1000: 1, 0b1001: 2} {
		h := newChannel(t, spec, oneChannel)
		h.run(send{addr: h.addr(0, 0, 0), sectors: sectors})
		assert.Len(t, h.at(dram.Read, 0), bursts, "sectors %04b", sectors)
		s := h.Stats()
		assert.Equal(t, uint64(2*bursts), s.Total().DataBusCycles)
	}
}

func TestEachParameterHoldsToTheCycle(t *testing.T) {
	const x = 0 // bank
	same := func(h *channel) []send {
		return []send{{addr: h.addr(x, 0, 0)}, {addr: h.addr(x, 0, 128)}}
	}
	conflict := func(write bool) func(h *channel) []send {
		return func(h *channel) []send {
			return []send{{addr: h.addr(x, 0, 0), write: write}, {addr: h.addr(x, 1, 0), write: write}}
		}
	}
	banks := func(n int) func(h *channel) []send {
		return func(h *channel) (sends []send) {
			for b := range n {
				sends = append(sends, send{addr: h.addr(b, 0, 0)})
			}
			return sends
		}
	}
	// A write to an open row, and a read to it that comes once the write has
	// been sent.
	writeThenRead := func(h *channel) []send {
		return []send{{addr: h.addr(x, 0, 0), write: true}, {cycle: 16, addr: h.addr(x, 0, 128)}}
	}
	readThenWrite := func(h *channel) []send {
		return []send{{addr: h.addr(x, 0, 0)}, {addr: h.addr(x, 0, 128), write: true}}
	}
	for _, test := range []struct {
		name    string
		change  func(*dram.Timing, int)
		sends   func(h *channel) []send
		from    dram.Kind
		fromTag uint32
		to      dram.Kind
		toTag   uint32
		// want is the distance for a parameter value v.
		want   func(v int) int
		values []int
	}{
		{"tRCD", func(m *dram.Timing, v int) { m.RCD = v }, same, dram.Activate, 0, dram.Read, 0, nil, []int{1, 2, 12, 13, 40}},
		{"tRP", func(m *dram.Timing, v int) { m.RP = v; m.RC = 28 + v }, conflict(false), dram.Precharge, 1, dram.Activate, 1, nil, []int{1, 12, 13}},
		{"tRAS", func(m *dram.Timing, v int) { m.RAS = v; m.RC = v + 12 }, conflict(false), dram.Activate, 0, dram.Precharge, 1, nil, []int{16, 28, 29}},
		{"tRC", func(m *dram.Timing, v int) { m.RC = v }, conflict(false), dram.Activate, 0, dram.Activate, 1, nil, []int{40, 41, 55}},
		{"tRRD", func(m *dram.Timing, v int) { m.RRD = v }, banks(2), dram.Activate, 0, dram.Activate, 1, nil, []int{1, 5, 6, 7}},
		{"tFAW", func(m *dram.Timing, v int) { m.FAW, m.RCD = v, 50 }, banks(5), dram.Activate, 0, dram.Activate, 4, nil, []int{25, 32, 33}},
		{"tFAW below four tRRD", func(m *dram.Timing, v int) { m.FAW, m.RCD = v, 50 }, banks(5), dram.Activate, 0, dram.Activate, 4,
			func(int) int { return 24 }, []int{0, 10, 24}},
		{"tCCD of reads", func(m *dram.Timing, v int) { m.CCD = v }, same, dram.Read, 0, dram.Read, 1, nil, []int{2, 3, 5}},
		{"tCCD of writes", func(m *dram.Timing, v int) { m.CCD = v }, func(h *channel) []send {
			return []send{{addr: h.addr(x, 0, 0), write: true}, {addr: h.addr(x, 0, 128), write: true}}
		}, dram.Write, 0, dram.Write, 1, nil, []int{2, 3, 5}},
		{"tRTP", func(m *dram.Timing, v int) { m.RTP = v }, conflict(false), dram.Read, 0, dram.Precharge, 1, nil, []int{17, 20}},
		{"tWR after the data", func(m *dram.Timing, v int) { m.WR = v }, conflict(true), dram.Write, 0, dram.Precharge, 1,
			func(v int) int { return 4 + 2 + v }, []int{11, 12, 13}},
		{"tWTR after the data", func(m *dram.Timing, v int) { m.WTR = v }, writeThenRead, dram.Write, 0, dram.Read, 1,
			func(v int) int { return 4 + 2 + v }, []int{1, 5, 6}},
		{"tWL before the data", func(m *dram.Timing, v int) { m.WL = v }, writeThenRead, dram.Write, 0, dram.Read, 1,
			func(v int) int { return v + 2 + 5 }, []int{3, 4, 5}},
		{"tRTW", func(m *dram.Timing, v int) { m.RTW = v }, readThenWrite, dram.Read, 0, dram.Write, 1, nil, []int{10, 11, 12}},
		{"tRTW derived from tCL", func(m *dram.Timing, v int) { m.CL = v }, readThenWrite, dram.Read, 0, dram.Write, 1,
			func(v int) int { return v + 2 + 2 - 4 }, []int{12, 15}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, v := range test.values {
				spec := gddr5
				test.change(&spec.Timing, v)
				h := newChannel(t, spec, oneChannel)
				h.run(test.sends(h)...)
				want := v
				if test.want != nil {
					want = test.want(v)
				}
				assert.Equal(t, want, h.gap(t, test.from, test.fromTag, test.to, test.toTag), "value %d", v)
			}
		})
	}
}

func TestDataArrivesCLAfterTheReadCommand(t *testing.T) {
	for _, cl := range []int{1, 12, 13} {
		spec := gddr5
		spec.Timing.CL = cl
		h := newChannel(t, spec, oneChannel)
		h.run(send{addr: h.addr(0, 0, 0)})
		assert.Equal(t, uint64(cl+2+1), h.replied(t, 0)-h.first(t, dram.Read, 0))
	}
}

func TestBurstsOfOneBankGroupKeepCCDLAndAnotherGroupFillsTheGap(t *testing.T) {
	spec := gddr5
	spec.BankGroups, spec.InterleaveBursts = 4, true
	spec.Timing.CCDL = 4
	h := newChannel(t, spec, oneChannel)
	h.run(send{addr: h.addr(0, 0, 0), sectors: protocol.AllSectors})
	first := h.first(t, dram.Read, 0)
	assert.Equal(t, []uint64{first, first + 4, first + 8, first + 12}, h.at(dram.Read, 0))

	// Banks 0 and 1 are in different groups, 0 and 4 in one. The rows are
	// opened first, so that only the column commands compete.
	for other, want := range map[int][2][]uint64{
		1: {{0, 4, 8, 12}, {2, 6, 10, 14}},
		4: {{0, 4, 8, 12}, {16, 20, 24, 28}},
	} {
		h = newChannel(t, spec, oneChannel)
		h.run(send{addr: h.addr(0, 0, 0)}, send{addr: h.addr(other, 0, 0)},
			send{cycle: 60, addr: h.addr(0, 0, 128), sectors: protocol.AllSectors},
			send{cycle: 61, addr: h.addr(other, 0, 128), sectors: protocol.AllSectors})
		first := h.first(t, dram.Read, 2)
		for i, tag := range []uint32{2, 3} {
			cycles := h.at(dram.Read, tag)
			for j := range cycles {
				cycles[j] -= first
			}
			assert.Equal(t, want[i], cycles, "bank %d, request %d", other, tag)
		}
	}
}

func TestRowCommandsGoBetweenTheBurstsOfARequest(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	h.run(send{addr: h.addr(0, 0, 0)},
		send{cycle: 60, addr: h.addr(0, 0, 128), sectors: protocol.AllSectors},
		send{cycle: 61, addr: h.addr(1, 0, 0)})
	read := h.first(t, dram.Read, 1)
	require.Equal(t, uint64(62), read)
	// Accepted at 62, wanted for 63: free, between the reads at 62 and 64.
	assert.Equal(t, uint64(63), h.first(t, dram.Activate, 2))

	h = newChannel(t, gddr5, oneChannel)
	h.run(send{addr: h.addr(0, 0, 0)},
		send{cycle: 60, addr: h.addr(0, 0, 128), sectors: protocol.AllSectors},
		send{cycle: 62, addr: h.addr(1, 0, 0)})
	// Wanted for 64, which the second read has.
	assert.Equal(t, uint64(65), h.first(t, dram.Activate, 2))
}
