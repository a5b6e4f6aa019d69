package l1

import (
	"testing"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// prefetching is a cache with a prefetcher and a queue, and counts what has been done.
type prefetching struct {
	*Cache
	queue *egress.FIFO
	done  map[uint32]int
}

func (p *prefetching) AccessDone(op uint32)                 { p.done[op]++ }
func (p *prefetching) AccessDoneAt(op uint32, cycle uint64) { p.done[op]++ }

func newPrefetching(t *testing.T, spec Spec, kind Prefetcher) *prefetching {
	t.Helper()
	p := &prefetching{queue: egress.NewFIFO(spec.MissQueue, spec.StoreBuffer), done: map[uint32]int{}}
	p.Cache = New(spec, Parts{Slice: func(uint64) int { return 0 }, Packets: &components.Pool[protocol.Packet]{}, Waiter: p, Queue: p.queue, Prefetcher: kind})
	return p
}

// reads has an operation load the first sector of a line.
func (p *prefetching) reads(op uint32, line uint64) Outcome {
	return p.Access(&Request{Op: op, Class: workload.Load, PC: 0x40}, &Access{Line: line * protocol.LineBytes, Sectors: 1}, 0)
}

// fetched takes the packets that have been sent, by line, and answers them.
func (p *prefetching) fetched() (lines []uint64) {
	for p.queue.Len() > 0 {
		packet := *p.queue.Front(1 << 20)
		p.queue.Pop()
		lines = append(lines, packet.Addr/protocol.LineBytes)
		defer p.Reply(&packet, 0)
	}
	return lines
}

func prefetchSpec() Spec {
	spec := testSpec()
	spec.MSHRs = 8
	return spec
}

func TestNextLineFetchesWhatLiesBehindAMissAndBehindTheFirstUseOfAPrefetch(t *testing.T) {
	for degree, want := range map[int][][]uint64{1: {{8, 9}, {10}, nil}, 3: {{8, 9, 10, 11}, {12}, nil}} {
		p := newPrefetching(t, prefetchSpec(), nextLine{degree})
		require.Equal(t, Missed, p.reads(1, 8))
		require.Equal(t, want[0], p.fetched())
		require.Equal(t, 1, p.done[1])
		require.Equal(t, Hit, p.reads(2, 9), "it was prefetched")
		require.Equal(t, want[1], p.fetched(), "degree %d: those behind it that are not there yet", degree)
		require.Equal(t, Hit, p.reads(3, 9))
		require.Equal(t, want[2], p.fetched(), "only the first hit counts")
		require.Equal(t, Hit, p.reads(4, 8))
		require.Empty(t, p.fetched(), "a load brought it")
		s := p.Stats(0)
		require.Equal(t, []uint64{uint64(degree + 1), 1, 0, 0}, []uint64{s.Prefetches, s.PrefetchHits, s.PrefetchesLate, s.PrefetchesDropped})
		require.Zero(t, p.Outstanding())
	}
}

func TestALoadJoinsAPrefetchThatIsOnItsWay(t *testing.T) {
	p := newPrefetching(t, prefetchSpec(), nextLine{1})
	p.reads(1, 8)
	require.Equal(t, Missed, p.reads(2, 9))
	require.Equal(t, []uint64{8, 9, 10}, p.fetched(), "9 once")
	require.Equal(t, 1, p.done[2])
	require.Equal(t, uint64(1), p.Stats(0).PrefetchesLate)
	require.Equal(t, uint64(1), p.Stats(0).Merges)
	require.Equal(t, Hit, p.reads(3, 9))
	require.Zero(t, p.Stats(0).PrefetchHits, "a load waited for it")
	require.Empty(t, p.fetched())
}

// What is not free for a prefetch is free for loads: it takes nothing that they hold.
func TestAPrefetchThatFindsNoRoomIsForgotten(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"MSHRs":             func(s *Spec) { s.MSHRs = 1 },
		"the miss queue":    func(s *Spec) { s.MissQueue = 1 },
		"lines":             func(s *Spec) { s.Sets, s.Ways = 1, 1 },
		"MSHRs for sectors": func(s *Spec) { s.MSHRPerSector, s.Sectored, s.MSHRs = true, false, 7 },
	} {
		t.Run(name, func(t *testing.T) {
			spec := prefetchSpec()
			change(&spec)
			p := newPrefetching(t, spec, nextLine{1})
			require.Equal(t, Missed, p.reads(1, 8))
			require.Equal(t, uint64(1), p.Stats(0).PrefetchesDropped)
			require.Equal(t, []uint64{8}, p.fetched())
			require.Equal(t, 1, p.done[1])
			require.Zero(t, p.Outstanding())
		})
	}
}

// listener notes what it is told.
type listener struct{ seen []Lookup }

func (l *listener) Looked(at *Lookup, fetch []Fetch) []Fetch {
	l.seen = append(l.seen, *at)
	return fetch
}

func (l *listener) Invalidated(t tenant.ID) { l.seen = append(l.seen, Lookup{Tenant: t}) }

func TestAPrefetcherHearsOfEachLookupOnce(t *testing.T) {
	l := &listener{}
	spec := prefetchSpec()
	spec.MSHRs = 1
	p := newPrefetching(t, spec, l)
	p.reads(1, 8)
	require.Equal(t, Refused, p.reads(2, 9), "no MSHR is free")
	p.fetched()
	p.reads(2, 9)
	p.fetched()
	p.reads(3, 9)
	p.Invalidate(5)
	line := func(n uint64, hit bool) Lookup {
		return Lookup{Line: n * protocol.LineBytes, Sectors: 1, Hit: hit, PC: 0x40}
	}
	require.Equal(t, []Lookup{line(8, false), line(9, false), line(9, true), {Tenant: 5}}, l.seen)
}

func TestNewPrefetcherKnowsItsKinds(t *testing.T) {
	for kind, want := range map[string]Prefetcher{"": nil, "none": nil, "next-line": nextLine{2}} {
		p, err := NewPrefetcher(PrefetchSpec{Kind: kind, Degree: 2})
		require.NoError(t, err)
		require.Equal(t, want, p)
	}
	_, err := NewPrefetcher(PrefetchSpec{Kind: "stream"})
	require.EqualError(t, err, `kind is "stream", must be one of next-line, none`)
	for _, degree := range []int{0, 17} {
		_, err = NewPrefetcher(PrefetchSpec{Kind: "next-line", Degree: degree})
		require.ErrorContains(t, err, "degree is")
	}
}
