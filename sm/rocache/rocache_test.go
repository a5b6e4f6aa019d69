package rocache

import (
	"fmt"
	"testing"

	"cotenant/components"
	"cotenant/components/limits"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/sm/l1"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// bench is a cache between a miss queue and a waiter that notes what it is told.
type bench struct {
	*Cache
	t     *testing.T
	queue *egress.FIFO
	told  []string
}

func (b *bench) AccessDone(op uint32) { b.told = append(b.told, fmt.Sprint(op)) }

func (b *bench) AccessDoneAt(op uint32, cycle uint64) {
	b.told = append(b.told, fmt.Sprintf("%d at %d", op, cycle))
}

const testTag = 77

// testSpec has two lines in the first level and sixteen in the second.
func testSpec() Spec {
	return Spec{Sets: 1, Ways: 2, Sectored: true, HitLatency: 25, SecondSets: 4, SecondWays: 4, SecondLatency: 81,
		MissLatency: 10, MSHRs: 2, MSHRMerge: 2}
}

func newBench(t *testing.T, spec Spec) *bench {
	b := &bench{t: t, queue: egress.NewFIFO(8, 8)}
	b.Cache = New(spec, Parts{SM: 7, Slice: func(line uint64) int { return int(line >> 7 & 3) },
		Packets: &components.Pool[protocol.Packet]{}, Waiter: b, Queue: b.queue, Tag: testTag})
	return b
}

// load looks up sectors of a line of tenant 2, by its number, at cycle 100.
func (b *bench) load(op uint32, line uint64, sectors uint8) l1.Outcome {
	return b.Access(&l1.Request{Op: op, Account: 2}, &l1.Access{Line: line * protocol.LineBytes, Sectors: sectors}, 100)
}

// sent takes a packet from the queue, which may leave from cycle 110 on.
func (b *bench) sent() *protocol.Packet {
	b.t.Helper()
	require.Nil(b.t, b.queue.Front(109))
	p := b.queue.Front(110)
	require.NotNil(b.t, p)
	b.queue.Pop()
	return p
}

// fetch loads a line and has its packet come back.
func (b *bench) fetch(op uint32, line uint64, sectors uint8) {
	b.t.Helper()
	require.Equal(b.t, l1.Missed, b.load(op, line, sectors))
	b.Reply(b.sent())
	b.requireTold(fmt.Sprint(op))
}

func (b *bench) requireTold(told ...string) {
	b.t.Helper()
	require.Equal(b.t, told, b.told)
	b.told = nil
}

func TestMissIsReadFromTheL2(t *testing.T) {
	b := newBench(t, testSpec())
	require.Equal(t, l1.Missed, b.load(5, 6, 0b0110))
	require.Equal(t, 1, b.Outstanding())
	p := b.sent()
	require.Equal(t, protocol.Packet{Kind: protocol.Read, Addr: 6 * 128, Sectors: 0b0110, Account: 2, SM: 7, Slice: 2, Tag: testTag, Sent: 100}, *p)
	require.Empty(t, b.told)
	b.Reply(p)
	b.requireTold("5")
	require.Zero(t, b.Outstanding())
	require.Equal(t, l1.Due, b.load(6, 6, 0b0100))
	b.requireTold("6 at 124")
	require.Equal(t, TenantStats{Accesses: 2, Hits: 1, Misses: 1}, *b.Stats(2))
	require.Zero(t, *b.Stats(3))
}

func TestUnsectoredMissReadsTheLine(t *testing.T) {
	spec := testSpec()
	spec.Sectored = false
	b := newBench(t, spec)
	b.load(5, 6, 0b0001)
	p := b.sent()
	require.Equal(t, uint8(protocol.AllSectors), p.Sectors)
	b.Reply(p)
	require.Equal(t, l1.Due, b.load(6, 6, 0b1000))
}

func TestSecondLevelHasWhatTheFirstHasDisplaced(t *testing.T) {
	b := newBench(t, testSpec())
	for line := range uint64(3) {
		b.fetch(1, line, 1)
	}
	require.Equal(t, l1.Due, b.load(2, 0, 1))
	b.requireTold("2 at 180")
	require.Equal(t, l1.Due, b.load(3, 0, 1), "and the first has it again")
	b.requireTold("3 at 124")
	require.Equal(t, TenantStats{Accesses: 5, Hits: 1, SecondHits: 1, Misses: 3}, *b.Stats(2))

	spec := testSpec()
	spec.SecondSets = 0
	b = newBench(t, spec)
	for line := range uint64(3) {
		b.fetch(1, line, 1)
	}
	require.Equal(t, l1.Missed, b.load(2, 0, 1))
}

func TestSectorsOfBothLevelsMakeAHitOfTheSecond(t *testing.T) {
	b := newBench(t, testSpec())
	b.fetch(1, 0, 0b0001)
	b.fetch(1, 1, 1)
	b.fetch(1, 2, 1)      // the first level loses line 0
	b.fetch(1, 0, 0b0010) // and has another sector of it
	require.Equal(t, l1.Due, b.load(2, 0, 0b0011))
	b.requireTold("2 at 180")
	require.Equal(t, l1.Missed, b.load(3, 0, 0b0111))
	require.Equal(t, uint8(0b0100), b.sent().Sectors)
}

func TestHitsKeepLinesFromBeingDisplaced(t *testing.T) {
	b := newBench(t, testSpec())
	b.fetch(1, 0, 1)
	b.fetch(1, 1, 1)
	require.Equal(t, l1.Due, b.load(2, 0, 1))
	b.told = nil
	b.fetch(1, 2, 1) // in place of line 1
	b.load(3, 0, 1)
	b.load(4, 1, 1)
	b.requireTold("3 at 124", "4 at 180")
}

func TestMissesOfALineMerge(t *testing.T) {
	b := newBench(t, testSpec())
	require.Equal(t, l1.Missed, b.load(1, 6, 0b0011))
	require.Equal(t, l1.Missed, b.load(2, 6, 0b0110))
	require.Equal(t, l1.Refused, b.load(3, 6, 0b0001), "two is the limit")
	first, second := b.sent(), b.sent()
	require.Equal(t, uint8(0b0100), second.Sectors)
	b.Reply(first)
	b.requireTold("1")
	require.Equal(t, 1, b.Outstanding())
	b.Reply(second)
	b.requireTold("2")
	require.Equal(t, TenantStats{Accesses: 2, Misses: 2, Merges: 1}, *b.Stats(2))
}

func TestMissThatLacksSomethingIsRefusedAndChangesNothing(t *testing.T) {
	b := newBench(t, testSpec())
	b.load(1, 6, 1)
	b.load(2, 7, 1)
	require.Equal(t, l1.Refused, b.load(3, 8, 1), "two lines are outstanding")
	require.Equal(t, 2, b.queue.Len())

	b = newBench(t, testSpec())
	for b.queue.Room(protocol.Read, 2) {
		b.queue.Push(&protocol.Packet{}, 0)
	}
	require.Equal(t, l1.Refused, b.load(1, 6, 1), "the miss queue is full")
	require.Zero(t, b.Outstanding())
	require.Zero(t, *b.Stats(2))
	b.Refused(2)
	require.Equal(t, TenantStats{ReservationFailures: 1}, *b.Stats(2))
}

func TestInvalidationDropsATenantsLinesFromBothLevels(t *testing.T) {
	b := newBench(t, testSpec())
	b.fetch(1, 0, 1)
	b.Invalidate(3)
	require.Equal(t, l1.Due, b.load(2, 0, 1))
	b.Invalidate(2)
	require.Equal(t, l1.Missed, b.load(3, 0, 1))
}

func TestCacheWithoutSetsIsNone(t *testing.T) {
	require.Nil(t, New(Spec{}, Parts{}))
}

func TestRangesNameTheFieldAndItsLimits(t *testing.T) {
	require.NoError(t, limits.Check(Spec{}), "no cache, and no other field has a meaning")
	for _, c := range []struct {
		name     string
		field    func(*Spec) *int
		min, max int
	}{
		{"sets", func(s *Spec) *int { return &s.Sets }, 0, 4096},
		{"ways", func(s *Spec) *int { return &s.Ways }, 1, 256},
		{"hit_latency", func(s *Spec) *int { return &s.HitLatency }, 2, 1023},
		{"miss_latency", func(s *Spec) *int { return &s.MissLatency }, 1, 1023},
		{"mshrs", func(s *Spec) *int { return &s.MSHRs }, 1, 4096},
		{"mshr_merge", func(s *Spec) *int { return &s.MSHRMerge }, 1, 256},
		{"second_sets", func(s *Spec) *int { return &s.SecondSets }, 0, 4096},
		{"second_ways", func(s *Spec) *int { return &s.SecondWays }, 1, 256},
		{"second_latency", func(s *Spec) *int { return &s.SecondLatency }, 2, 1023},
	} {
		for _, value := range []int{-1, c.min - 1, c.max + 1} {
			spec := testSpec()
			*c.field(&spec) = value
			require.EqualError(t, limits.Check(spec), fmt.Sprintf("%s is %d, must be %d to %d", c.name, value, c.min, c.max))
		}
		for _, value := range []int{c.min, c.max} {
			spec := testSpec()
			*c.field(&spec) = value
			require.NoError(t, limits.Check(spec), "%s %d", c.name, value)
		}
	}
	spec := testSpec()
	spec.SecondSets, spec.SecondWays, spec.SecondLatency = 0, 0, 0
	require.NoError(t, limits.Check(spec), "no second level")
}

func TestLinearSetIndexLeavesAStrideOfAllSetsInOneSetOfBothLevels(t *testing.T) {
	for index, same := range map[cache.SetIndex]bool{"linear": true, "hash": false, "": false} {
		spec := testSpec()
		spec.Sets, spec.SetIndex = 4, index
		b := newBench(t, spec)
		for _, level := range []*cache.Tags{b.first, b.second} {
			require.Equal(t, same, level.Set(0) == level.Set(4*protocol.LineBytes), index)
		}
	}
	spec := testSpec()
	spec.Sets, spec.SetIndex = 32, "fermi"
	require.EqualError(t, spec.Validate(), "set_index is fermi, which goes with 32 or 64 sets, not 4")
	spec.SecondSets = 0
	require.NoError(t, spec.Validate())
}

func TestReadsCarryThePriorityOfTheirLine(t *testing.T) {
	b := newBench(t, testSpec())
	window := &workload.Window{Bytes: protocol.LineBytes, Eviction: workload.NewEviction(workload.EvictLast, 0, 1)}
	for line, want := range []workload.Priority{workload.EvictLast, workload.Unchanged} {
		addr := tenant.ID(2).Base() + uint64(line)*protocol.LineBytes
		require.Equal(t, l1.Missed, b.Access(&l1.Request{Account: 2, Window: window}, &l1.Access{Line: addr, Sectors: 1}, 100))
		require.Equal(t, want, b.sent().Priority)
	}
}
