package irc

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// bench is a controller with the packets that it has sent.
type bench struct {
	*Controller
	t    rig.T
	next uint64 // number of the next packet, its address
}

func testSpec() Spec { return Spec{SubQueues: 8, Depth: 16, Latency: 1, IntervalCycles: 200} }

// newBench is a controller with equal clocks, with tenants that have come in this order.
func newBench(t rig.T, spec Spec, tenants ...tenant.ID) *bench {
	return newBenchOf(t, Builder{}.WithSpec(spec).WithStoreBuffer(16), tenants...)
}

func newBenchOf(t rig.T, b Builder, tenants ...tenant.ID) *bench {
	c, err := b.WithDomain(rig.New(t, 1_000_000_000).Clock).Build("IRC")
	require.NoError(t, err)
	for _, id := range tenants {
		c.Arrive(id)
	}
	return &bench{Controller: c, t: t, next: 1}
}

// push puts n packets of a tenant into its queue, which may leave from a cycle on.
func (b *bench) push(n int, t tenant.ID, kind protocol.Kind, from uint64) {
	for range n {
		require.True(b.t, b.Room(kind, t))
		b.Push(&protocol.Packet{Addr: b.next, Kind: kind, Account: t.Account(0)}, from)
		b.next++
	}
}

// send lets as many packets leave as there are cycles from one on, and returns the
// tenant of each, with 'x' for a cycle in which none leaves.
func (b *bench) send(cycle uint64, cycles int) string {
	text := ""
	for i := range uint64(cycles) {
		b.Advance(cycle + i)
		p := b.Front(cycle + i)
		if p == nil {
			text += "x"
			continue
		}
		b.Pop()
		text += string('0' + rune(p.Tenant()))
	}
	return text
}

// rates makes the tenants' rates in requests; below 0: no limit.
func rates(of map[tenant.ID]float64, sensitive ...tenant.ID) *protocol.Rates {
	m := &protocol.Rates{On: true}
	for id, rate := range of {
		m.Of[id] = protocol.Rate{Given: true, Limited: rate >= 0, Requests: parts(max(rate, 0))}
	}
	for _, id := range sensitive {
		m.Of[id].Given, m.Of[id].Sensitive = true, true
	}
	return m
}

// TestFigure5 has two requests of K1, which is latency-sensitive, and six of K2; K1 has one
// among the first five. A plain queue serves 1 + 4, and priority serves 2 + 3 (CCBP 4.2).
func TestFigure5(t *testing.T) {
	order := []tenant.ID{1, 1, 0, 1, 1, 1, 0, 1}
	served := func(b *bench) (k1, k2 int) {
		for _, id := range order {
			if b.queues[id].share == 0 {
				id = 0 // one queue for both
			}
			b.push(1, id, protocol.Read, 0)
		}
		for _, id := range b.send(0, 5) {
			if id == '0' {
				k1++
			} else {
				k2++
			}
		}
		return k1, k2
	}
	b := newBench(t, testSpec(), 0, 1)
	require.True(t, b.Control(rates(nil, 0)))
	k1, k2 := served(b)
	require.Equal(t, [2]int{2, 3}, [2]int{k1, k2})

	// The order of a plain queue is that of one tenant's.
	b = newBench(t, testSpec(), 0)
	for range order {
		b.push(1, 0, protocol.Read, 0)
	}
	first := 0
	for i := range uint64(5) {
		p := b.Front(i)
		require.Equal(t, i+1, p.Addr)
		if order[p.Addr-1] == 0 {
			first++
		}
		b.Pop()
	}
	require.Equal(t, 1, first, "1 + 4")
}

func TestOneClassTakesTurns(t *testing.T) {
	b := newBench(t, testSpec(), 0, 1, 2, 9)
	for _, id := range []tenant.ID{0, 1, 2, 9} {
		b.push(3, id, protocol.Read, 0)
	}
	require.Equal(t, "012901290129", b.send(0, 12))
	require.Equal(t, "x", b.send(12, 1))
}

// Of tenants that are not sensitive none is passed over because a sensitive one has
// had the turn between.
func TestClassesTakeTurnsOfTheirOwn(t *testing.T) {
	b := newBench(t, testSpec(), 0, 1, 2)
	b.Control(rates(nil, 0))
	b.push(20, 1, protocol.Read, 0)
	b.push(20, 2, protocol.Read, 0)
	got := ""
	for i := range uint64(6) {
		b.push(1, 0, protocol.Read, 0)
		got += b.send(2*i, 2)
	}
	require.Equal(t, "010201020102", got)

	b = newBench(t, testSpec(), 0, 1, 2)
	b.Control(rates(nil, 1, 2))
	b.push(4, 1, protocol.Read, 0)
	b.push(4, 2, protocol.Read, 0)
	b.push(2, 0, protocol.Read, 0)
	require.Equal(t, "1212121200", b.send(0, 10))
}

func TestPriorityGoesAtOnceAndStaysUntilItIsTaken(t *testing.T) {
	b := newBench(t, testSpec(), 0, 1)
	b.push(9, 0, protocol.Read, 0)
	b.push(9, 1, protocol.Read, 0)
	require.Equal(t, "01", b.send(0, 2))
	b.Control(rates(nil, 1))
	require.Equal(t, "11", b.send(2, 2))
	b.Control(rates(map[tenant.ID]float64{0: 5}))
	require.Equal(t, "1", b.send(4, 1), "of tenant 1 nothing was said")
	b.Control(rates(map[tenant.ID]float64{1: -1}))
	require.Equal(t, "0", b.send(5, 1))
	b.Control(rates(nil, 1))
	b.Control(&protocol.Rates{})
	require.Equal(t, "1010", b.send(6, 4), "tenant 0 was the last of the class")
	require.False(t, b.Control(&protocol.Quotas{On: true}))
}

func TestPacketLeavesAfterItsTimeAndTheLatency(t *testing.T) {
	for latency := 1; latency <= 4; latency++ {
		spec := testSpec()
		spec.Latency = latency
		b := newBench(t, spec, 0, 1)
		b.push(1, 0, protocol.Read, 10)
		b.push(1, 0, protocol.Read, 5) // behind the first, which leaves later
		b.push(1, 1, protocol.Read, 20)
		due := 10 + uint64(latency) - 1
		at, ok := b.Next(3)
		require.True(t, ok)
		require.Equal(t, due, at)
		require.Equal(t, "xx00", b.send(due-2, 4))
		at, ok = b.Next(due + 1)
		require.True(t, ok)
		require.Equal(t, 20+uint64(latency)-1, at)
		require.Equal(t, "x1", b.send(at-1, 2))
		_, ok = b.Next(30)
		require.False(t, ok)
	}
}

func TestCreditComesAtTheBoundaryNotBefore(t *testing.T) {
	for _, c := range []struct {
		core, noc, cycles int
		starts            []uint64 // of intervals, in core cycles
	}{
		{0, 0, 200, []uint64{200, 400, 600}},
		{1216, 1216, 200, []uint64{200, 400, 600}},
		{1800, 1200, 200, []uint64{300, 600, 900}},
		{1216, 1000, 200, []uint64{244, 487, 730}}, // 243.2, 486.4, 729.6
		{1000, 1400, 200, []uint64{143, 286, 429}}, // 142.9, 285.7, 428.6
		{1800, 1200, 1, []uint64{2, 3, 5}},
	} {
		spec := testSpec()
		spec.IntervalCycles = c.cycles
		b := newBenchOf(t, Builder{}.WithSpec(spec).WithClocks(c.core, c.noc), 0)
		b.Control(rates(map[tenant.ID]float64{0: 1}))
		b.push(20, 0, protocol.Read, 0)
		require.Equal(t, "00"[:min(2, c.cycles)], b.send(0, min(2, c.cycles)), "no limit before the first boundary")
		for i, start := range c.starts {
			if i > 0 && c.cycles > 1 {
				require.Equal(t, "x", b.send(start-1, 1), "%+v at %d", c, start-1)
				at, ok := b.Next(start - 1)
				require.True(t, ok)
				require.Equal(t, start, at, "%+v", c)
			}
			require.Equal(t, "0", b.send(start, 1), "%+v at %d", c, start)
		}
		if c.cycles == 1 {
			require.Equal(t, "0x", b.send(6, 2), "edges 6, and 7 of the same interval, which ends at 7.5")
		}
	}
}

func TestTenantWithoutCreditHoldsNobodyUp(t *testing.T) {
	b := newBench(t, testSpec(), 0, 1)
	b.Control(rates(map[tenant.ID]float64{0: 2}, 0))
	b.push(8, 0, protocol.Read, 0)
	b.push(8, 1, protocol.Read, 0)
	require.Equal(t, "00", b.send(198, 2))
	require.Equal(t, "001111", b.send(200, 6))
	require.Equal(t, "0011", b.send(400, 4))
	require.Equal(t, "11xx", b.send(404, 4))
	at, ok := b.Next(408)
	require.True(t, ok)
	require.Equal(t, uint64(600), at)
	b.Control(rates(map[tenant.ID]float64{0: 0}))
	_, ok = b.Next(408)
	require.False(t, ok, "no credit will come")
	require.Equal(t, "xx", b.send(600, 2))
	b.Control(&protocol.Rates{})
	require.Equal(t, "00x", b.send(602, 3), "without rates at once")
}

func TestEndOfRatesLetsTenantsGoAtOnce(t *testing.T) {
	b := newBench(t, testSpec(), 0)
	b.Control(rates(map[tenant.ID]float64{0: 1}))
	b.push(5, 0, protocol.Read, 0)
	require.Equal(t, "0x", b.send(200, 2))
	b.Control(&protocol.Rates{})
	require.Equal(t, "00", b.send(202, 2))
	require.Equal(t, "00", b.send(400, 2))
}

// stores pushes writes of a tenant, every second one an atomic, until there is no room
// for more, and returns how many there were.
func (b *bench) stores(t tenant.ID) (n int) {
	for ; b.Room(protocol.Write, t); n++ {
		require.True(b.t, b.Room(protocol.Atomic, t))
		b.push(1, t, []protocol.Kind{protocol.Write, protocol.Atomic}[n%2], 0)
	}
	require.False(b.t, b.Room(protocol.Atomic, t))
	return n
}

func TestTenantsDivideTheStoreBuffer(t *testing.T) {
	for _, c := range []struct {
		entries int
		want    []int // by arrival
	}{
		{16, []int{16}}, {16, []int{8, 8}}, {16, []int{6, 5, 5}}, {3, []int{2, 1}}, {1, []int{1}},
		{1, []int{1, 1, 1}}, {2, []int{1, 1, 1}}, // one each
		{1000, []int{64, 64}}, // the queue is full first
	} {
		b := newBenchOf(t, Builder{}.WithSpec(testSpec()).WithStoreBuffer(c.entries))
		for i := range c.want {
			b.Arrive(tenant.ID(9 - i))
		}
		for i, want := range c.want {
			require.Equal(t, want, b.stores(tenant.ID(9-i)), "%d entries, tenant %d of %d", c.entries, i, len(c.want))
		}
	}
}

// The first tenant gets no credit and fills its share. The stores of the second go out one a
// cycle, as if it were alone.
func TestStoresWithoutCreditHoldNobodysStoresUp(t *testing.T) {
	for _, entries := range []int{1, 2, 16} {
		b := newBenchOf(t, Builder{}.WithSpec(testSpec()).WithStoreBuffer(entries), 0, 1)
		b.Control(rates(map[tenant.ID]float64{0: 0}))
		b.Advance(200)
		for cycle := uint64(200); cycle < 250; cycle++ {
			b.stores(0)
			require.NotZero(t, b.stores(1), "cycle %d with %d entries", cycle, entries)
			require.Equal(t, "1", b.send(cycle, 1))
		}
		require.Zero(t, b.stats.Tenants[0].Requests)
	}
}

// A tenant that has more stores in the queue than a newcomer leaves it keeps them, and
// the buffer never holds more than its entries.
func TestNewcomersShareOfTheStoreBufferComesAsStoresLeave(t *testing.T) {
	b := newBenchOf(t, Builder{}.WithSpec(testSpec()).WithStoreBuffer(4), 0)
	require.Equal(t, 4, b.stores(0))
	b.Arrive(1)
	require.Zero(t, b.stores(1), "all entries are taken")
	require.Equal(t, "0", b.send(0, 1))
	require.Zero(t, b.stores(0), "it is above its share")
	require.Equal(t, 1, b.stores(1))
	require.Equal(t, "10", b.send(1, 2))
	require.Zero(t, b.stores(0), "it has its share")
	require.Equal(t, 2, b.stores(1))
	b.Leave(0)
	require.Equal(t, 0, b.stores(0))
	require.Equal(t, "10", b.send(3, 2))
	require.Equal(t, 2, b.stores(1), "all but the one that is still there")
	require.Equal(t, "101", b.send(5, 3))
	require.Equal(t, 3, b.stores(1))
	require.Equal(t, 4, b.Len())
}

func TestRoomIsTheTenantsShare(t *testing.T) {
	b := newBenchOf(t, Builder{}.WithSpec(testSpec()).WithStoreBuffer(3), 4, 2)
	require.False(t, b.Room(protocol.Read, 0), "it is not there")
	b.push(2, 4, protocol.Write, 0)
	b.push(1, 2, protocol.Atomic, 0)
	for _, id := range []tenant.ID{4, 2} {
		require.False(t, b.Room(protocol.Write, id))
		require.False(t, b.Room(protocol.Atomic, id))
		require.True(t, b.Room(protocol.Read, id))
	}
	b.push(62, 4, protocol.Read, 0)
	require.False(t, b.Room(protocol.Read, 4), "64 of 128 entries")
	require.True(t, b.Room(protocol.Read, 2))
	require.Equal(t, "24", b.send(0, 2))
	require.True(t, b.Room(protocol.Read, 4))
	require.True(t, b.Room(protocol.Write, 2))
	b.Leave(4)
	require.False(t, b.Room(protocol.Read, 4))
	b.push(128-63, 2, protocol.Read, 0)
	require.False(t, b.Room(protocol.Read, 2), "all entries are taken")
	b.Arrive(7)
	require.False(t, b.Room(protocol.Read, 7))
	require.Equal(t, "2", b.send(2, 1), "tenant 4 was served before")
	require.True(t, b.Room(protocol.Read, 7))
	require.False(t, b.Room(protocol.Read, 2), "it has its 64")
	b.push(1, 7, protocol.Read, 0)
	require.Equal(t, 128, b.Len(), "what was there stays")
}

func TestMonitors(t *testing.T) {
	b := newBench(t, testSpec(), 0, 3)
	b.push(2, 3, protocol.Read, 100)
	b.Advance(10)
	b.push(1, 3, protocol.Write, 100)
	b.push(1, 3, protocol.Atomic, 100)
	b.push(1, 0, protocol.Write, 100)
	require.Equal(t, "03", b.send(150, 2))
	report := func() (c protocol.SMCounters) {
		b.Report(&c)
		return c
	}
	c := report()
	require.Zero(t, c.RateIntervals)
	require.Equal(t, uint64(1), c.Tenants[3].Reads)
	require.Zero(t, c.Tenants[0].Reads, "a write")

	b.Advance(200)
	c = report()
	require.Equal(t, uint64(1), c.RateIntervals)
	require.Equal(t, uint64(4), c.Tenants[3].Demand, "those sent and those that wait")
	require.Equal(t, uint64(1), c.Tenants[0].Demand)
	b.send(200, 5)
	b.Advance(800)
	c = report()
	require.Equal(t, uint64(4), c.RateIntervals)
	require.Equal(t, uint64(4+3), c.Tenants[3].Demand, "what was sent in the second; nothing since")
	require.Equal(t, uint64(3), c.Tenants[3].Reads)
	require.Equal(t, uint64(4), b.stats.Tenants[3].Requests)

	for _, r := range []struct {
		kind     protocol.Kind
		queued   uint64
		accesses uint8
	}{{protocol.ReadReply, 100, 1}, {protocol.AtomicReply, 700, 3}, {protocol.WriteAck, 0, 2}} {
		b.Replied(&protocol.Packet{Kind: r.kind, Queued: r.queued, DRAMAccesses: r.accesses, Account: tenant.ID(3).Account(2)})
	}
	c = report()
	require.Equal(t, uint64(3), c.Tenants[3].Replies)
	require.Equal(t, uint64(1+2+2), c.Tenants[3].DRAMAccesses, "two bits: at most 2")
	require.Equal(t, uint64(700+100), c.Tenants[3].ReadLatency)
	require.Equal(t, uint64(2), b.stats.Tenants[3].ReadReplies)
	require.Zero(t, c.Tenants[3].MemoryRequests, "the SM counts those")
}

func TestPacketsAreStampedWhenTheyCome(t *testing.T) {
	b := newBench(t, testSpec(), 0)
	b.Advance(17)
	p := &protocol.Packet{}
	b.Push(p, 40)
	require.Equal(t, uint64(17), p.Queued)
}

func TestExhaustedIntervalsAreCounted(t *testing.T) {
	b := newBench(t, testSpec(), 0)
	b.Control(rates(map[tenant.ID]float64{0: 2}))
	b.push(7, 0, protocol.Read, 0)
	b.send(0, 1)
	require.Equal(t, TenantStats{Requests: 1, Reads: 1, Demand: 7}, b.Stats(200).Tenants[0], "no limit yet")
	b.send(200, 9)
	b.send(400, 1)
	require.Equal(t, uint64(1), b.Stats(600).Tenants[0].Exhausted, "in the third a credit was left")
	b.send(600, 9)
	require.Equal(t, 1, b.Len())
	b.send(800, 2)
	require.Equal(t, uint64(2), b.Stats(1000).Tenants[0].Exhausted, "in the last nothing waited")
	require.Equal(t, uint64(5), b.stats.Intervals)
}
