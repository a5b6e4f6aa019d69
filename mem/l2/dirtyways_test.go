package l2

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/protocol"
)

// dirtyLines is the number of dirty lines of the small slice's one set.
func (r *bench) dirtyLines() (n int) {
	for line := range r.slice.spec.Ways {
		if r.slice.tags.Dirty(line) {
			n++
		}
	}
	return n
}

// fourWays is a slice of one set of four lines, of which two may be dirty.
func fourWays() Spec {
	s := spec()
	s.Ways, s.DirtyWays = 4, 2
	return s
}

func TestOneDirtyLineTooManyHasTheLeastRecentlyUsedWritten(t *testing.T) {
	s := fourWays()
	r := newRig(t, s)
	r.at(0, write(line(0), 0b0011, 0b0001))
	r.at(20, write(line(1), 1, 1))
	r.at(40, write(line(0), 0b0011, 0b0001)) // dirty already, and more recently used
	third := r.at(60, write(line(2), 1, 1))
	r.run(t)

	require.Len(t, r.writebacks(), 1)
	written := r.writebacks()[0]
	assert.Equal(t, line(1), written.Msg.Addr)
	assert.Equal(t, seenAt(60, s)-1+uint64(s.DRAMLatency)+1, written.Cycle, "it leaves at the edge of the write")
	assert.Equal(t, seenAt(60, s), r.seen(third), "the write does not wait for it")
	assert.Equal(t, uint8(1), r.script[third].DRAMAccesses)
	assert.Equal(t, 2, r.dirtyLines())
	assert.Equal(t, uint64(1), r.slice.Stats().Accounts.Get(0).DRAMAccesses)
}

func TestCleanedLineStaysAndIsWrittenOnce(t *testing.T) {
	r := newRig(t, fourWays())
	for n := range 3 {
		r.at(uint64(20*n), write(line(n), protocol.AllSectors, protocol.AllSectors))
	}
	hit := r.at(100, read(line(0), protocol.AllSectors))
	for n := range 4 {
		r.at(uint64(200+100*n), read(line(10+n), 1)) // displace all
	}
	r.run(t)
	assert.Zero(t, r.script[hit].DRAMAccesses)
	var order []uint64
	for _, w := range r.writebacks() {
		order = append(order, w.Msg.Addr)
	}
	assert.Equal(t, []uint64{line(0), line(1), line(2)}, order)
}

// Writes to lines that are there wait for a DRAM that takes a request every tenth cycle.
func TestWritesWaitForRoomToCleanALine(t *testing.T) {
	for _, c := range []struct{ dirtyWays, most int }{{0, 12}, {4, 4}} {
		s := fourWays()
		s.Ways, s.DirtyWays, s.DRAMQueue = 12, c.dirtyWays, 2
		r := newRig(t, s)
		r.memory.Deaf = func(cycle uint64) bool { return cycle%10 != 0 }
		for n := range 12 {
			r.at(0, read(line(n), 1))
		}
		for n := range 12 {
			r.at(1000+uint64(n), write(line(n), 1, 1))
		}
		r.run(t)
		assert.Equal(t, c.most, r.dirtyLines())
		assert.Len(t, r.writebacks(), 12-c.most)
	}
}

// With fetch_on_write a write waits in an MSHR entry. When its data come it goes on, room or not.
func TestWriteThatHasWaitedGoesOnWithoutRoom(t *testing.T) {
	s := fourWays()
	s.DirtyWays, s.FetchOnWrite, s.DRAMQueue = 1, true, 2
	r := newRig(t, s)
	for n := range 12 {
		r.at(uint64(n), write(line(n), 1, 0))
	}
	r.run(t)
	assert.LessOrEqual(t, r.dirtyLines(), 2)
	assert.GreaterOrEqual(t, len(r.writebacks()), 10)
}

func TestDirtyWaysAreAtMostTheWays(t *testing.T) {
	s := spec()
	s.DirtyWays = 3
	require.EqualError(t, s.Validate(), "dirty_ways is 3, must be at most ways, 2")
}
