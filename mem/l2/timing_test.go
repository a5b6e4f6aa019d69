package l2

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/rig"
	"cotenant/protocol"
)

func TestHitIsAnsweredAfterExactlyHitLatency(t *testing.T) {
	for _, latency := range []int{1, 10, 200} {
		s := spec()
		s.HitLatency = latency
		r := newRig(t, s)
		r.at(0, read(line(0), 1))
		hit := r.at(1000, read(line(0), 1))
		r.run(t)
		assert.Equal(t, seenAt(1000, s), r.seen(hit), "latency %d", latency)
		assert.Equal(t, protocol.ReadReply, r.script[hit].Kind)
	}
}

func TestMissAddsDRAMLatencyAndTheDRAMsRoundTrip(t *testing.T) {
	for _, latency := range []int{0, 5, 600} {
		s := spec()
		s.DRAMLatency = latency
		r := newRig(t, s)
		miss := r.at(7, read(line(0), 1))
		r.run(t)
		fetched := 7 + 1 + uint64(s.HitLatency+latency) + 1
		assert.Equal(t, fetched, r.reads()[0].Cycle)
		assert.Equal(t, missSeenAt(7, s), r.seen(miss))
	}
}

func TestHitsOfOneSectorAreAnsweredEveryCycle(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	r.at(0, read(line(0), protocol.AllSectors))
	for n := range 20 {
		r.at(1000+uint64(n), read(line(0), 1<<(n%4)))
	}
	r.run(t)
	for n := range 20 {
		assert.Equal(t, seenAt(1000+uint64(n), s), r.seen(1+n))
	}
}

func TestLineHoldsTheDataPortForItsBytes(t *testing.T) {
	for width, cycles := range map[int]uint64{32: 4, 64: 2, 128: 1} {
		s := spec()
		s.DataPortBytes = width
		r := newRig(t, s)
		r.at(0, read(line(0), protocol.AllSectors))
		for n := range 10 {
			r.at(1000+uint64(n), read(line(0), protocol.AllSectors))
		}
		r.run(t)
		for n := range 10 {
			assert.Equal(t, seenAt(1000, s)+uint64(n)*cycles, r.seen(1+n), "%d bytes per cycle", width)
		}
	}
}

func TestAtomicOccupiesTheSliceForItsConflictingLanes(t *testing.T) {
	for _, c := range []struct {
		sectors, lanes uint8
		conflicts      uint64
	}{{1, 1, 1}, {1, 8, 8}, {0b0011, 8, 4}, {0b0111, 8, 3}, {protocol.AllSectors, 2, 1}} {
		s := spec()
		r := newRig(t, s)
		r.at(0, read(line(0), protocol.AllSectors))
		atom := r.at(1000, atomic(line(0), c.sectors, c.lanes))
		second := r.at(1001, atomic(line(0), c.sectors, c.lanes))
		behind := r.at(1002, read(line(1), 1))
		r.run(t)
		busy := c.conflicts * uint64(s.AtomicInterval)
		assert.Equal(t, seenAt(1000, s)+busy-1, r.seen(atom), "the reply leaves in the last of %d cycles", busy)
		assert.Equal(t, seenAt(1000, s)+2*busy-1, r.seen(second))
		assert.Equal(t, missSeenAt(1000, s)+2*busy, r.seen(behind))
		assert.Equal(t, protocol.AtomicReply, r.script[atom].Kind)
	}
}

func TestRepliesThatFindNoRoomWait(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	r.at(0, read(line(0), 1))
	const reads, takesAt = 40, 2000
	r.driver.Deaf = rig.Before(takesAt)
	for n := range reads {
		r.at(1000+uint64(n), read(line(0), 1))
	}
	r.run(t)
	for n := range reads + 1 {
		require.Equal(t, n, r.order[n], "replies keep their order")
	}
	// Two replies wait at the driver, and the rest follow, one per cycle, once
	// the slice has seen room.
	assert.Equal(t, uint64(takesAt), r.seen(1))
	for n := range reads - 1 {
		assert.Equal(t, takesAt+2+uint64(n), r.seen(2+n))
	}
	// The first reply took a place of the two; the port, with another reply, and the
	// reply queue were full when the sixth hit was looked up.
	blocked := uint64(1000 + 1 + 5 + s.HitLatency)
	assert.Equal(t, takesAt+2-blocked, r.slice.Stats().Total().QueueStalls)
}

func TestSliceSleepsWhileItWaits(t *testing.T) {
	r := newRig(t, spec())
	r.latency = func() uint64 { return 5000 }
	r.at(0, read(line(0), 1))
	ticks := r.Ticks(&r.slice.Module)
	r.run(t)
	assert.LessOrEqual(t, *ticks, 8, "four that move something, and one after each that does not")
}

func TestFullMSHRsHoldUpTheNextMissUntilAFill(t *testing.T) {
	s := spec()
	s.MSHRs, s.Ways = 2, 4
	r := newRig(t, s)
	for n := range 4 {
		r.at(uint64(n), read(line(n), 1))
	}
	r.run(t)
	assert.Equal(t, []int{0, 1, 2, 3}, r.order)
	// Both fills arrive, one edge apart, before a request can be looked up: the
	// slice performs one per cycle, requests that wait for a fill first.
	first := missSeenAt(0, s)
	assert.Equal(t, first, r.seen(0))
	assert.Equal(t, first+1, r.seen(1))
	lookedUp := first + 1
	assert.Equal(t, lookedUp+uint64(s.DRAMLatency)+1, r.reads()[2].Cycle)
	assert.Equal(t, lookedUp+1+uint64(s.DRAMLatency)+1, r.reads()[3].Cycle)
	due := uint64(2 + 1 + s.HitLatency)
	assert.Equal(t, lookedUp-due, r.slice.Stats().Total().ReservationStalls)
}
