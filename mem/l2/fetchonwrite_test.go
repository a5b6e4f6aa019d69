package l2

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/protocol"
)

// fetching is spec with fetch on write.
func fetching(sectored bool) Spec {
	s := spec()
	s.FetchOnWrite, s.Sectored = true, sectored
	return s
}

func TestWriteWaitsForTheSectorsThatItCoversInPart(t *testing.T) {
	s := fetching(true)
	r := newRig(t, s)
	part := r.at(0, write(line(0), 0b0111, 0b0101))
	read1 := r.at(500, read(line(0), 0b0111))
	r.at(600, read(line(1), 1))
	r.at(700, read(line(2), 1)) // displaces line 0
	r.run(t)

	assert.Equal(t, missSeenAt(0, s), r.seen(part))
	assert.Equal(t, protocol.WriteAck, r.script[part].Kind)
	assert.Equal(t, uint8(1), r.script[part].DRAMAccesses)
	assert.Equal(t, uint8(0b0010), r.reads()[0].Msg.Sectors)
	assert.Equal(t, uint64(500)+1+uint64(s.HitLatency)+1, r.seen(read1), "all that was written is valid")
	require.Len(t, r.writebacks(), 1)
	assert.Equal(t, uint8(0b0111), r.writebacks()[0].Msg.Sectors)
	stats := r.slice.Stats().Total()
	assert.Equal(t, []uint64{1, 3, 1}, []uint64{stats.Writes, stats.Misses, stats.Hits})
}

func TestWriteOfWholeSectorsFetchesNothingWithSectorsAndTheLineWithout(t *testing.T) {
	for sectored, fetched := range map[bool]uint8{true: 0, false: protocol.AllSectors} {
		for _, sectors := range []uint8{0b0010, protocol.AllSectors} {
			s := fetching(sectored)
			r := newRig(t, s)
			w := r.at(0, write(line(0), sectors, sectors))
			r.run(t)
			if sectored {
				assert.Equal(t, seenAt(0, s), r.seen(w))
				assert.Empty(t, r.memory.Got)
				continue
			}
			assert.Equal(t, missSeenAt(0, s), r.seen(w))
			require.Len(t, r.memory.Got, 1)
			assert.Equal(t, fetched, r.reads()[0].Msg.Sectors)
		}
	}
}

func TestWriteToValidSectorsIsPerformedAtOnce(t *testing.T) {
	for _, sectored := range []bool{true, false} {
		s := fetching(sectored)
		r := newRig(t, s)
		r.at(0, read(line(0), 0b0001))
		hit := r.at(500, write(line(0), 0b0001, 0))
		r.run(t)
		assert.Equal(t, seenAt(500, s), r.seen(hit))
		assert.Len(t, r.reads(), 1)
	}
}

func TestWriteToAPresentLineFetchesTheSectorThatItLacks(t *testing.T) {
	s := fetching(true)
	r := newRig(t, s)
	r.at(0, read(line(0), 0b0001))
	part := r.at(500, write(line(0), 0b0011, 0))
	r.run(t)
	assert.Equal(t, missSeenAt(500, s), r.seen(part))
	assert.Equal(t, uint8(0b0010), r.reads()[1].Msg.Sectors)
	assert.Equal(t, uint64(1), r.slice.Stats().Total().SectorMisses)
}

func TestWritesToALineThatIsBeingFetchedFetchItOnce(t *testing.T) {
	for _, sectored := range []bool{true, false} {
		s := fetching(sectored)
		r := newRig(t, s)
		first := r.at(0, write(line(0), 0b0001, 0))
		second := r.at(1, write(line(0), 0b0001, 0))
		behind := r.at(2, read(line(0), 0b0001))
		r.run(t)
		assert.Len(t, r.reads(), 1)
		for n, i := range []int{first, second, behind} {
			assert.Equal(t, missSeenAt(0, s)+uint64(n), r.seen(i), "one each cycle, in order")
		}
		assert.Equal(t, uint64(2), r.slice.Stats().Total().Merges)
	}
}

func TestWriteThatFindsNoMSHRHoldsUpThoseBehindIt(t *testing.T) {
	for fetches, stalled := range map[bool]bool{false: false, true: true} {
		s := spec()
		s.FetchOnWrite, s.MSHRs = fetches, 1
		r := newRig(t, s)
		r.at(0, read(line(0), 1))
		r.at(1, write(line(1), 1, 0))
		r.run(t)
		assert.Equal(t, stalled, r.slice.Stats().Total().ReservationStalls > 0)
	}
}
