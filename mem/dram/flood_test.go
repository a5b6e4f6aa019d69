package dram_test

import (
	"testing"

	"cotenant/mem/dram"
	"cotenant/protocol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// turns lists how many bursts of one kind the channel sends before it turns to the
// other kind, in order, up to a cycle.
func (h *channel) turns(until uint64) (lengths [2][]int) {
	last := -1
	for _, c := range h.commands {
		if c.Cycle >= until || c.Kind != dram.Read && c.Kind != dram.Write {
			continue
		}
		d := int(c.Kind - dram.Read)
		if d != last {
			lengths[d] = append(lengths[d], 0)
			last = d
		}
		lengths[d][len(lengths[d])-1]++
	}
	return lengths
}

// flood sends reads of one row and writes of another by separate ports. A read and a write
// in every clock are more than the channel can serve.
func flood(h *channel, n int, sectors uint8) (sends []send) {
	for i := range n {
		sends = append(sends, send{cycle: uint64(i), addr: h.addr(0, 0, i%16*128), sectors: sectors},
			send{cycle: uint64(i), addr: h.addr(1, 0, i%16*128), sectors: sectors, write: true, port: 1})
	}
	return sends
}

// While reads and writes both come faster than the channel serves them, a drain serves as
// many entries as the write queue holds, and the reads behind it as many as theirs holds.
// An entry is a request, or a burst of one under EntryPerBurst.
func TestDrainServesAWriteQueueAndThenLeavesTimeForAReadQueue(t *testing.T) {
	const n = 1500
	for _, test := range []struct {
		reads, writes, high, low int
		perBurst                 bool
		sectors                  uint8
	}{
		{64, 64, 56, 32, false, 1}, {16, 64, 56, 32, false, 1}, {64, 16, 12, 4, false, 1}, {48, 32, 32, 0, false, 1},
		{8, 24, 1, 0, false, protocol.AllSectors}, {64, 32, 29, 8, true, protocol.AllSectors},
		{24, 48, 40, 39, true, 0b0011},
	} {
		spec := gddr5
		spec.ReadQueue, spec.WriteQueue, spec.WriteHigh, spec.WriteLow = test.reads, test.writes, test.high, test.low
		spec.EntryPerBurst = test.perBurst
		layout := oneChannel
		layout.Slices = 2
		h := newChannel(t, spec, layout)
		h.run(flood(h, n, test.sectors)...)
		lengths := h.turns(min(h.first(t, dram.Read, 2*n-2), h.first(t, dram.Write, 2*n-1)))
		bursts := protocol.SectorCount(test.sectors)
		if test.perBurst {
			bursts = 1
		}
		for d, want := range [2]int{test.reads * bursts, test.writes * bursts} {
			require.Greater(t, len(lengths[d]), 6, "%+v", test)
			// The first turn fills the queues, the last one is cut off.
			for _, got := range lengths[d][1 : len(lengths[d])-1] {
				assert.Equal(t, want, got, "direction %d of %+v", d, test)
			}
		}
	}
}

// A drain that ends because few writes are left promises reads nothing: the next one begins
// as soon as WriteHigh writes wait again, even if a read queue has not been served since.
func TestDrainThatReachesTheLowMarkLeavesNoTimeToReads(t *testing.T) {
	spec := gddr5
	spec.WriteHigh, spec.WriteLow = 4, 1
	layout := oneChannel
	layout.Slices = 2
	h := newChannel(t, spec, layout)
	stream := reads(h, 0, 0, 300)
	sends := append([]send{}, stream...)
	for _, at := range []uint64{100, 160} { // 30 reads apart, and a read queue holds 64
		for _, s := range writes(h, at, 1, 4) {
			s.port = 1
			sends = append(sends, s)
		}
	}
	h.run(sends...)
	n := len(stream)
	last := h.first(t, dram.Read, uint32(n-1))
	require.Equal(t, []int{3, 4}, h.turns(last)[1], "the second finds the write that the first has left")
	// Three writes of the second four make it four that wait.
	assert.Equal(t, uint64(162+12), h.first(t, dram.Write, uint32(n+3)), "seen at 163; a read has gone at 162, and t_rtw is 12")
}
