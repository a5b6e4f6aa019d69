package l2

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/protocol"
	"cotenant/workload"
)

// with is a request with a priority.
func with(p workload.Priority, r protocol.Packet) protocol.Packet {
	r.Priority = p
	return r
}

// setAside is a slice with a set of four lines, of which a way is set aside.
func setAside() Spec {
	s := spec()
	s.Ways, s.SetAsideWays = 4, 1
	return s
}

// A line that is used once with EvictLast outlasts any number of reads; a read, a write and an
// atomic all say so.
func TestKeptLineOutlastsReads(t *testing.T) {
	for _, use := range []protocol.Packet{read(line(0), 1), write(line(0), 1, 1), atomic(line(0), 1, 1)} {
		for p, accesses := range map[workload.Priority]uint8{workload.EvictLast: 0, workload.Unchanged: 1} {
			r := newRig(t, setAside())
			r.at(0, with(p, use))
			for n := range 6 {
				r.at(uint64(100+100*n), read(line(1+n), 1))
			}
			again := r.at(1000, read(line(0), 1))
			r.run(t)
			assert.Equal(t, accesses, r.script[again].DRAMAccesses, "%v, %+v", p, use)
		}
	}
}

// A hit changes the priority of the line that has come for another access.
func TestHitSaysHowLongTheLineStays(t *testing.T) {
	for p, kept := range map[workload.Priority]int{workload.EvictLast: 1, workload.Unchanged: 0} {
		r := newRig(t, setAside())
		r.at(0, read(line(0), 1))
		r.at(200, with(p, read(line(0), 1)))
		r.run(t)
		assert.Equal(t, kept, r.slice.tags.Kept())
	}
}

func TestReleasedLineIsNotKept(t *testing.T) {
	r := newRig(t, setAside())
	r.at(0, with(workload.EvictLast, read(line(0), 1)))
	for n := range 4 {
		r.at(uint64(100+100*n), read(line(1+n), 1))
	}
	r.run(t)
	assert.Equal(t, 1, r.slice.tags.Kept())
	r.slice.Release()
	assert.Zero(t, r.slice.tags.Kept())
}

// The home keeps a line that a far SM has asked for so; the copy is not kept.
func TestPriorityHoldsAtTheHome(t *testing.T) {
	p := newPair(t, setAside())
	p.send(0, 0, with(workload.EvictLast, read(far(0), 1)))
	p.finish(t)
	assert.Equal(t, []int{0, 1}, []int{p.slices[0].tags.Kept(), p.slices[1].tags.Kept()})
}

func TestSetAsideIsAtMostThreeQuarters(t *testing.T) {
	s := spec()
	s.Ways, s.SetAsideWays = 4, 3
	assert.NoError(t, s.Validate())
	s.SetAsideWays = 4
	assert.EqualError(t, s.Validate(), "set_aside_ways is 4, must be at most three quarters of ways, 3")
}
