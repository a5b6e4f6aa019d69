package l1

import (
	"testing"

	"cotenant/components"
	"cotenant/components/stats"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// bench is a cache between mocks. What it pushes is in sent, and when each packet
// may leave in from.
type bench struct {
	*Cache
	t      *testing.T
	queue  *MockMissQueue
	victim *MockVictim
	waiter *MockWaiter
	sent   []protocol.Packet
	from   []uint64
}

// testSpec has sets of two lines.
func testSpec() Spec {
	return Spec{Sets: 4, Ways: 2, Sectored: true, HitLatency: 30, MissLatency: 10, MSHRs: 4, MSHRMerge: 2,
		MissQueue: 8, StoreBuffer: 8, ReplyQueue: 4, Globals: "cached"}
}

func newBench(t *testing.T, spec Spec) *bench {
	ctrl := gomock.NewController(t)
	b := &bench{t: t, queue: NewMockMissQueue(ctrl), victim: NewMockVictim(ctrl), waiter: NewMockWaiter(ctrl)}
	b.victim.EXPECT().Hit(gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes()
	b.victim.EXPECT().Filled(gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes()
	b.victim.EXPECT().Evicted(gomock.Any(), gomock.Any()).AnyTimes()
	b.Cache = New(spec, Parts{SM: 7, Slice: func(line uint64) int { return int(line >> 7 & 3) },
		Packets: &components.Pool[protocol.Packet]{}, Waiter: b.waiter, Queue: b.queue, Victim: b.victim})
	return b
}

// room has the queue asked once, for a packet of a kind of a tenant.
func (b *bench) room(kind protocol.Kind, id tenant.ID, answer bool) *gomock.Call {
	return b.queue.EXPECT().Room(kind, id).Return(answer)
}

// push has the queue take one packet.
func (b *bench) push() *gomock.Call {
	return b.queue.EXPECT().Push(gomock.Any(), gomock.Any()).Do(func(p *protocol.Packet, from uint64) {
		b.sent, b.from = append(b.sent, *p), append(b.from, from)
	})
}

// sends has one packet of a kind of a tenant asked for and sent.
func (b *bench) sends(kind protocol.Kind, id tenant.ID) {
	gomock.InOrder(b.room(kind, id, true), b.push())
}

// picks has the victim rule asked once for a tenant.
func (b *bench) picks(id tenant.ID, way int) *gomock.Call {
	return b.victim.EXPECT().Pick(gomock.Any(), id).Return(way)
}

// load is a request of an operation of tenant 2 to load, by its line's number,
// sectors of a line.
func (b *bench) load(op uint32, line uint64, sectors uint8) Outcome {
	return b.Access(&Request{Op: op, Account: 2, Class: workload.Load}, &Access{Line: line * protocol.LineBytes, Sectors: sectors, Lanes: 32}, 100)
}

// miss is a load that misses and is given a way for its line.
func (b *bench) miss(op uint32, line uint64, sectors uint8, way int) {
	b.sends(protocol.Read, 2)
	b.picks(2, way)
	require.Equal(b.t, Missed, b.load(op, line, sectors))
}

// reply brings sectors of a line at cycle 500, and is to end the operations in
// their order.
func (b *bench) reply(line uint64, sectors uint8, ops ...uint32) {
	var calls []*gomock.Call
	for _, op := range ops {
		calls = append(calls, b.waiter.EXPECT().AccessDone(op))
	}
	gomock.InOrder(calls...)
	b.Reply(&protocol.Packet{Kind: protocol.ReadReply, Addr: line * protocol.LineBytes, Sectors: sectors, Account: 2}, 500)
}

func TestMissAsksForRoomAndALineAndSendsARead(t *testing.T) {
	b := newBench(t, testSpec())
	b.miss(5, 6, 0b0110, 1)
	require.Equal(t, []protocol.Packet{{Kind: protocol.Read, Addr: 6 * 128, Sectors: 0b0110, Account: 2, SM: 7, Slice: 2, Sent: 100}}, b.sent)
	require.Equal(t, []uint64{100 + 10}, b.from)
	require.Equal(t, TenantStats{Accesses: 1, Misses: 1, Sectors: 2, FetchedSectors: 2}, *b.Stats(2))
	require.Equal(t, 1, b.Outstanding())
	b.reply(6, 0b0110, 5)
	require.Zero(t, b.Outstanding())
	require.Equal(t, Hit, b.load(6, 6, 0b0100), "asks nobody")
	require.Equal(t, TenantStats{Accesses: 2, Hits: 1, Misses: 1, Sectors: 3, FetchedSectors: 2}, *b.Stats(2))
}

func TestUnsectoredMissReadsTheLine(t *testing.T) {
	spec := testSpec()
	spec.Sectored = false
	b := newBench(t, spec)
	b.miss(5, 6, 0b0001, 0)
	require.Equal(t, uint8(protocol.AllSectors), b.sent[0].Sectors)
	b.reply(6, protocol.AllSectors, 5)
	require.Equal(t, Hit, b.load(6, 6, 0b1000))
}

// unchanged checks that an access which is refused leaves no trace.
func (b *bench) unchanged(access func() Outcome) {
	b.t.Helper()
	counted, outstanding, tags := stats.Sum(b.stats), b.Outstanding(), b.tags.Held(2)
	require.Equal(b.t, Refused, access())
	require.Equal(b.t, counted, stats.Sum(b.stats))
	require.Equal(b.t, outstanding, b.Outstanding())
	require.Equal(b.t, tags, b.tags.Held(2))
}

func TestAccessWithoutRoomInTheQueueIsRefusedAndChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		kind    protocol.Kind
	}{
		"load":      {Request{Class: workload.Load}, protocol.Read},
		"bypass":    {Request{Class: workload.Load, Bypass: true}, protocol.Read},
		"store":     {Request{Class: workload.Store}, protocol.Write},
		"atomic":    {Request{Class: workload.Atomic}, protocol.Atomic},
		"reduction": {Request{Class: workload.Reduction}, protocol.Atomic},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testSpec())
			c.request.Account = 2
			b.miss(1, 6, 0b0001, 0)
			b.reply(6, 0b0001, 1)
			b.room(c.kind, 2, false)
			b.unchanged(func() Outcome {
				return b.Access(&c.request, &Access{Line: 6 * protocol.LineBytes, Sectors: 0b0010, Lanes: 1}, 200)
			})
			require.Equal(t, Hit, b.load(2, 6, 0b0001), "the line is still there")
		})
	}
}

func TestMissWithoutALineIsRefusedAndChangesNothing(t *testing.T) {
	b := newBench(t, testSpec())
	b.room(protocol.Read, 2, true)
	b.picks(2, cache.None)
	b.unchanged(func() Outcome { return b.load(5, 6, 1) })
	b.miss(5, 6, 1, 0) // asks again
}

func TestMissWithoutAnMSHRIsRefusedBeforeALineIsAskedFor(t *testing.T) {
	spec := testSpec()
	spec.MSHRs = 1
	b := newBench(t, spec)
	b.miss(5, 6, 1, 0)
	b.room(protocol.Read, 2, true)
	b.unchanged(func() Outcome { return b.load(6, 1, 1) })
}

func TestEverySectorOnItsWayTakesAnMSHRIfTheSpecSaysSo(t *testing.T) {
	spec := testSpec()
	spec.MSHRPerSector = true // of 4
	b := newBench(t, spec)
	b.miss(1, 6, 0b0011, 0)
	b.miss(2, 1, 0b0100, 0)
	b.room(protocol.Read, 2, true)
	b.unchanged(func() Outcome { return b.load(3, 3, 0b0011) })
	require.Equal(t, Missed, b.load(4, 6, 0b0010), "a sector on its way takes no other")
	b.sends(protocol.Read, 2)
	require.Equal(t, Missed, b.load(5, 1, 0b1100), "the fourth")
	b.room(protocol.Read, 2, true)
	b.unchanged(func() Outcome { return b.load(6, 3, 0b0001) })
	b.reply(6, 0b0011, 1, 4)
	b.miss(7, 3, 0b0011, 1)
}

func TestMissBeyondTheMergeLimitIsRefused(t *testing.T) {
	b := newBench(t, testSpec())
	b.miss(1, 6, 0b0001, 0)
	require.Equal(t, Missed, b.load(2, 6, 0b0001), "the sector is on its way: nothing is asked for")
	b.unchanged(func() Outcome { return b.load(3, 6, 0b0001) })
	b.reply(6, 0b0001, 1, 2)
	require.Equal(t, TenantStats{Accesses: 2, Misses: 2, Merges: 1, Sectors: 2, FetchedSectors: 1}, *b.Stats(2))
}

func TestMergedMissSendsForTheSectorsThatNobodyHasSentFor(t *testing.T) {
	b := newBench(t, testSpec())
	b.miss(1, 6, 0b0011, 0)
	b.sends(protocol.Read, 2) // no line: the first has taken it
	require.Equal(t, Missed, b.load(2, 6, 0b0110))
	require.Equal(t, uint8(0b0100), b.sent[1].Sectors)
	b.reply(6, 0b0011, 1)
	require.Equal(t, 1, b.Outstanding())
	b.reply(6, 0b0100, 2)
	require.Zero(t, b.Outstanding())
}

func TestMissOfASectorKeepsItsLine(t *testing.T) {
	b := newBench(t, testSpec())
	b.miss(1, 6, 0b0001, 0)
	b.reply(6, 0b0001, 1)
	b.sends(protocol.Read, 2) // no victim is asked for
	require.Equal(t, Missed, b.load(2, 6, 0b0011))
	require.Equal(t, uint8(0b0010), b.sent[1].Sectors)
	b.reply(6, 0b0010, 2)
	require.Equal(t, Hit, b.load(3, 6, 0b0011))
}

func TestWaitersAreToldInTheOrderInWhichTheyCame(t *testing.T) {
	spec := testSpec()
	spec.MSHRMerge = 8
	b := newBench(t, spec)
	b.miss(9, 6, 0b0001, 0)
	for _, op := range []uint32{3, 7, 1} {
		require.Equal(t, Missed, b.load(op, 6, 0b0001))
	}
	b.reply(6, 0b0001, 9, 3, 7, 1)
}

func TestLineOnItsWayIsPinnedUntilItsReply(t *testing.T) {
	b := newBench(t, testSpec())
	pinned := func() (ways []int) {
		set := b.tags.Set(6 * protocol.LineBytes)
		for way := range set.Ways() {
			if set.Pinned(way) {
				ways = append(ways, way)
			}
		}
		return ways
	}
	b.miss(1, 6, 0b0001, 1)
	require.Equal(t, []int{1}, pinned())
	b.reply(6, 0b0001, 1)
	require.Empty(t, pinned())
	b.sends(protocol.Read, 2)
	b.load(2, 6, 0b1000)
	require.Equal(t, []int{1}, pinned(), "a miss of another sector pins it again")
	b.sends(protocol.Read, 2)
	b.load(3, 6, 0b0100)
	b.reply(6, 0b1000, 2)
	require.Equal(t, []int{1}, pinned(), "a sector is still on its way")
	b.reply(6, 0b0100, 3)
	require.Empty(t, pinned())
}

func TestLineThatIsDisplacedIsTheOnePicked(t *testing.T) {
	spec := testSpec()
	spec.Sets = 1
	b := newBench(t, spec)
	b.miss(1, 10, 1, 0)
	b.reply(10, 1, 1)
	b.miss(2, 20, 1, 1)
	b.reply(20, 1, 2)
	b.miss(3, 30, 1, 1) // the more recent one goes
	b.reply(30, 1, 3)
	require.Equal(t, Hit, b.load(4, 10, 1))
	b.miss(5, 20, 1, 0)
}

func TestAllocationOnFillAsksForALineWhenDataArrive(t *testing.T) {
	spec := testSpec()
	spec.AllocateOnFill = true
	b := newBench(t, spec)
	b.sends(protocol.Read, 2)
	require.Equal(t, Missed, b.load(1, 6, 1))
	require.Zero(t, b.tags.Held(2))
	b.picks(2, 1)
	b.reply(6, 1, 1)
	require.Equal(t, Hit, b.load(2, 6, 1))
	require.Equal(t, 1, b.tags.Held(2))
}

func TestFillWithoutALineStillEndsTheLoads(t *testing.T) {
	spec := testSpec()
	spec.AllocateOnFill = true
	b := newBench(t, spec)
	b.sends(protocol.Read, 2)
	b.load(1, 6, 1)
	b.picks(2, cache.None)
	b.reply(6, 1, 1)
	require.Zero(t, b.Outstanding())
	require.Zero(t, b.tags.Held(2))
}

func TestFillOfALineThatIsThereAsksForNone(t *testing.T) {
	spec := testSpec()
	spec.AllocateOnFill = true
	b := newBench(t, spec)
	b.sends(protocol.Read, 2)
	b.load(1, 6, 0b0001)
	b.picks(2, 0)
	b.reply(6, 0b0001, 1)
	b.sends(protocol.Read, 2)
	b.load(2, 6, 0b0011)
	b.reply(6, 0b0010, 2)
	require.Equal(t, Hit, b.load(3, 6, 0b0011))
}

func TestDirectRepliesEndTheirOperationAndFillNothing(t *testing.T) {
	b := newBench(t, testSpec())
	b.sends(protocol.Read, 2)
	bypass := &Request{Op: 77, Account: 2, Class: workload.Load, Bypass: true}
	require.Equal(t, Missed, b.Access(bypass, &Access{Line: 6 * protocol.LineBytes, Sectors: 0b0100}, 100))
	require.Equal(t, uint8(0b0100), b.sent[0].Sectors)
	require.Equal(t, TenantStats{Bypasses: 1}, *b.Stats(2))
	b.waiter.EXPECT().AccessDone(uint32(77))
	p := b.sent[0]
	p.Kind = protocol.ReadReply
	b.Reply(&p, 500)
	b.miss(1, 6, 0b0100, 0)
}

func TestStoreIsPostedWithItsFullSectors(t *testing.T) {
	b := newBench(t, testSpec())
	b.sends(protocol.Write, 2)
	a := &Access{Line: 5 * protocol.LineBytes, Sectors: 0b0111, Written: [2]uint64{^uint64(0), 0xff}}
	require.Equal(t, Posted, b.Access(&Request{Op: 9, Account: 2, Class: workload.Store}, a, 40))
	require.Equal(t, []protocol.Packet{{Kind: protocol.Write, Addr: 5 * 128, Sectors: 0b0111, FullSectors: 0b0011, WrittenBytes: 96,
		Account: 2, SM: 7, Slice: 1, Tag: direct | 9, Sent: 40}}, b.sent)
	require.Equal(t, []uint64{50}, b.from)
	require.Equal(t, TenantStats{Writes: 1}, *b.Stats(2))
}

func TestAtomicsGoToTheL2AndDropTheLineUnlessItIsOnItsWay(t *testing.T) {
	for class, want := range map[workload.Class]Outcome{workload.Atomic: Missed, workload.Reduction: Posted} {
		b := newBench(t, testSpec())
		b.miss(1, 6, 1, 0)
		atomic := func() Outcome {
			b.sends(protocol.Atomic, 2)
			return b.Access(&Request{Op: 4, Account: 2, Class: class}, &Access{Line: 6 * protocol.LineBytes, Sectors: 1, Lanes: 9}, 40)
		}
		require.Equal(t, want, atomic())
		require.Equal(t, protocol.Packet{Kind: protocol.Atomic, Addr: 6 * 128, Sectors: 1, WrittenBytes: 32, Lanes: 9,
			Account: 2, SM: 7, Slice: 2, Tag: direct | 4, Sent: 40}, b.sent[1])
		b.reply(6, 1, 1)
		require.Equal(t, Hit, b.load(2, 6, 1), "it was on its way")
		require.Equal(t, want, atomic())
		b.miss(3, 6, 1, 0)
		require.Equal(t, uint64(2), b.Stats(2).Atomics)
	}
}

func TestInvalidateDropsTheTenantsLines(t *testing.T) {
	b := newBench(t, testSpec())
	b.miss(1, 6, 1, 0)
	b.reply(6, 1, 1)
	b.Invalidate(1)
	require.Equal(t, Hit, b.load(2, 6, 1))
	b.Invalidate(2)
	b.miss(3, 6, 1, 0)
}

func TestRefusedAccessesAreCountedByTenant(t *testing.T) {
	b := newBench(t, testSpec())
	b.Refused(2)
	b.Refused(2)
	b.Refused(3)
	require.Equal(t, []uint64{2, 1}, []uint64{b.Stats(2).ReservationFailures, b.Stats(3).ReservationFailures})
}

func TestVictimsAreMadeByName(t *testing.T) {
	v, err := NewVictim(&Spec{Victim: "lru"})
	require.NoError(t, err)
	require.Nil(t, v, "the tags' own rule")
	v, err = NewVictim(&Spec{Victim: "ucp"})
	require.NoError(t, err)
	require.IsType(t, &UCP{}, v)
	_, err = NewVictim(&Spec{Victim: "random"})
	require.EqualError(t, err, `victim is "random", must be one of lru, ucp`)
}

func TestLinearSetIndexLeavesAStrideOfAllSetsInOneSet(t *testing.T) {
	for index, same := range map[cache.SetIndex]bool{"linear": true, "hash": false, "": false} {
		spec := testSpec()
		spec.SetIndex = index
		b := newBench(t, spec)
		require.Equal(t, same, b.tags.Set(0) == b.tags.Set(4*protocol.LineBytes), index)
	}
}

// Every packet carries the priority that its instruction or its launch says for the address in the
// tenant's own memory.
func TestPacketsCarryThePriorityOfTheirLine(t *testing.T) {
	window := &workload.Window{Base: 6 * protocol.LineBytes, Bytes: protocol.LineBytes, Eviction: workload.NewEviction(workload.EvictLast, 0, 1)}
	first := workload.NewEviction(workload.EvictFirst, 0, 1)
	for _, c := range []struct {
		class    workload.Class
		kind     protocol.Kind
		bypass   bool
		line     uint64
		eviction workload.Eviction
		want     workload.Priority
	}{
		{workload.Load, protocol.Read, false, 6, 0, workload.EvictLast}, {workload.Load, protocol.Read, true, 6, 0, workload.EvictLast},
		{workload.Store, protocol.Write, false, 6, 0, workload.EvictLast}, {workload.Atomic, protocol.Atomic, false, 6, 0, workload.EvictLast},
		{workload.Load, protocol.Read, false, 7, 0, workload.Unchanged}, {workload.Load, protocol.Read, false, 6, first, workload.EvictFirst},
	} {
		b := newBench(t, testSpec())
		b.sends(c.kind, 2)
		if c.class == workload.Load && !c.bypass {
			b.picks(2, 0)
		}
		m := &Request{Account: 2, Class: c.class, Bypass: c.bypass, Eviction: c.eviction, Window: window}
		b.Access(m, &Access{Line: tenant.ID(2).Base() | c.line*protocol.LineBytes, Sectors: 1, Lanes: 1}, 100)
		require.Equal(t, c.want, b.sent[0].Priority, "%+v", c)
	}
}
