package dram_test

import (
	"slices"
	"testing"

	"cotenant/mem/dram"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streak is a request to row 1 of bank 0 behind a steady stream of hits to
// row 0.
func streak(h *channel) []send {
	sends := []send{{addr: h.addr(0, 0, 0)}, {cycle: 30, addr: h.addr(0, 1, 0)}}
	for i := range uint64(200) {
		sends = append(sends, send{cycle: 14 + 2*i, addr: h.addr(0, 0, 128)})
	}
	return sends
}

func TestEndlessRowHitsStarveAnOlderMissWithoutACap(t *testing.T) {
	h := newChannel(t, gddr5, oneChannel)
	sends := streak(h)
	h.run(sends...)
	assert.Greater(t, h.first(t, dram.Read, 1), h.first(t, dram.Read, uint32(len(sends)-1)))
}

func TestMaxHitStreakBoundsWhatOvertakesAnOlderMiss(t *testing.T) {
	for _, most := range []int{1, 5, 16} {
		spec := gddr5
		spec.MaxHitStreak = most
		h := newChannel(t, spec, oneChannel)
		sends := streak(h)
		h.run(sends...)
		overtaken := 0
		for _, c := range h.commands {
			if c.Kind == dram.Read && c.Cycle < h.first(t, dram.Read, 1) && c.tag != 1 && sends[c.tag].cycle >= 30 {
				overtaken++
			}
		}
		assert.Equal(t, most, overtaken)
	}
}

// The hits that have overtaken a miss do not count for the row that is opened for it: as many
// of that row overtake the next of the first.
func TestMaxHitStreakBeginsAnewWithEachRow(t *testing.T) {
	spec := gddr5
	spec.MaxHitStreak = 2
	h := newChannel(t, spec, oneChannel)
	sends := streak(h)
	first := uint32(len(sends))
	for i := range uint64(10) {
		sends = append(sends, send{cycle: 50 + i, addr: h.addr(0, 1, 128)})
	}
	h.run(sends...)
	served := servedIn(h, 0)
	behind := served[slices.Index(served, 1)+1:]
	require.Greater(t, len(behind), 3)
	assert.Equal(t, []bool{true, true, false}, []bool{behind[0] >= first, behind[1] >= first, behind[2] >= first}, "of row 1: %v", behind[:3])
}
