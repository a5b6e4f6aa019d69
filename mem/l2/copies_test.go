package l2

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/mem"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pair is two slices that hold copies of each other's lines, joined without a crossbar,
// each between an SM and a DRAM.
type pair struct {
	*rig.Bench
	slices  [2]*Slice
	sms     [2]*rig.Peer[*protocol.Packet]
	fetches [2]*rig.Peer[*protocol.DRAMRequest]
	seen    map[uint32]uint64 // cycle of each reply, by tag
	kinds   map[uint32]protocol.Kind
	sent    uint32
}

func newPair(t rig.T, s Spec) *pair {
	addresses, err := mem.NewAddressMap(mem.AddressSpec{Slices: 2, Channels: 2, Banks: 16, InterleaveBytes: 256, RowBytes: 2048, Linear: true})
	require.NoError(t, err)
	p := &pair{Bench: rig.New(t, 1_000_000_000), seen: map[uint32]uint64{}, kinds: map[uint32]protocol.Kind{}}
	pool, packets := &components.Pool[protocol.DRAMRequest]{}, &components.Pool[protocol.Packet]{}
	for i, name := range []string{"L2[0]", "L2[1]"} {
		slice, err := Builder{}.WithSpec(s).WithDomain(p.Clock).WithAddresses(addresses, i).WithPool(pool).WithCopies([]int{1 - i}, packets).Build(name)
		require.NoError(t, err)
		p.slices[i] = slice
		p.sms[i] = rig.NewPeer[*protocol.Packet](p.Bench, "SM"+name[2:], 2, slice.Request, slice.Reply)
		p.sms[i].Answer = func(cycle uint64, m *protocol.Packet) { p.seen[m.Tag], p.kinds[m.Tag] = cycle, m.Kind }
		memory := rig.NewPeer[*protocol.DRAMRequest](p.Bench, "DRAM"+name[2:], 2, slice.DRAM)
		memory.Keep = rig.Copy[protocol.DRAMRequest]
		memory.Answer = func(cycle uint64, m *protocol.DRAMRequest) {
			if m.Write {
				pool.Put(m)
			} else {
				memory.Send(cycle+dramCycles, m)
			}
		}
		p.fetches[i] = memory
	}
	for i, s := range p.slices {
		other := p.slices[1-i].Copies
		join := func(a, b *components.Port) {
			_, err := components.Join(a, b)
			require.NoError(t, err)
		}
		join(s.Copies.Ask, other.Served)
		join(s.Copies.Answer, other.Told)
	}
	return p
}

// send sends a request to a slice, and returns its tag.
func (p *pair) send(slice int, cycle uint64, m protocol.Packet) uint32 {
	m.Tag = p.sent
	p.sent++
	p.sms[slice].Send(cycle, &m)
	return m.Tag
}

// finish runs to the end and checks that everything has been answered and given back.
func (p *pair) finish(t require.TestingT) {
	p.Run()
	require.Len(t, p.seen, int(p.sent))
	for _, s := range p.slices {
		require.Zero(t, s.mshrs.Len()+s.Copies.mshrs.Len()+s.Copies.passing)
		// Reads for copies, and what homes perform.
		s.allGivenBack(t, s.spec.MSHRs*(s.spec.MSHRMerge+1))
	}
}

// far is a line of slice 1, by number.
func far(n int) uint64 { return line(4*n + 2) }

func TestSecondReadOfAFarLineHitsTheCopy(t *testing.T) {
	p := newPair(t, spec())
	first := p.send(0, 0, read(far(0), 1))
	joined := p.send(0, 1, read(far(0), 1))
	second := p.send(0, 500, read(far(0), 1))
	p.finish(t)
	s := spec()
	miss := missSeenAt(0, s) + uint64(s.HitLatency) + 2 // the near lookup, and two links
	require.Equal(t, []uint64{miss, miss + 1, seenAt(500, s)}, []uint64{p.seen[first], p.seen[joined], p.seen[second]})
	near, home := p.slices[0], p.slices[1]
	require.Equal(t, CopyTenantStats{Reads: 3, Hits: 1}, near.Copies.stats.Accounts.Get(0))
	require.Equal(t, uint64(1), home.stats.Accounts.Get(0).Reads, "a read that joins another asks nothing")
	require.Equal(t, uint64(1), home.stats.Accounts.Get(0).Fills)
	require.Zero(t, near.stats.Accounts.Get(0).Fills)
}

// The home's lookup for another slice takes far_hit_latency, to the cycle; its own SM's
// takes hit_latency.
func TestHomeServesOtherSlicesAfterFarHitLatency(t *testing.T) {
	reads := func(s Spec) (far0, near uint64) {
		p := newPair(t, s)
		first := p.send(0, 0, read(far(0), 1))
		own := p.send(1, 500, read(far(0), 1))
		p.finish(t)
		return p.seen[first], p.seen[own]
	}
	s := spec()
	far0, near := reads(s)
	for _, sooner := range []int{-40, 1, s.HitLatency - 1} {
		changed := s
		changed.FarHitLatency = s.HitLatency - sooner
		gotFar, gotNear := reads(changed)
		require.Equal(t, []uint64{uint64(int(far0) - sooner), near}, []uint64{gotFar, gotNear}, "%d cycles sooner", sooner)
	}
}

// Another request comes between two reads of one line. The home counts its own SM's reads,
// and the reads that miss the copy.
func TestWhatBecomesOfACopy(t *testing.T) {
	for name, c := range map[string]struct {
		slice   int
		request protocol.Packet
		reads   uint64
	}{
		"a read of the home's SM leaves it":            {1, read(far(0), 1), 2},
		"a write of the home's SM drops it":            {1, write(far(0), 1, 1), 2},
		"a write of another sector drops it":           {1, write(far(0), 2, 2), 2},
		"an atomic of the home's SM drops it":          {1, atomic(far(0), 1, 1), 2},
		"a write on its way to the home updates it":    {0, write(far(0), 1, 1), 1},
		"an atomic on its way to the home loses it":    {0, atomic(far(0), 1, 1), 2},
		"an atomic on another sector leaves the first": {0, atomic(far(0), 2, 1), 1},
	} {
		p := newPair(t, spec())
		p.send(0, 0, read(far(0), 1))
		p.send(c.slice, 200, c.request)
		p.send(0, 400, read(far(0), 1))
		p.finish(t)
		require.Equal(t, c.reads, p.slices[1].stats.Accounts.Get(0).Reads, name)
	}
}

func TestHomeThatDisplacesALineDropsItsCopies(t *testing.T) {
	p := newPair(t, spec()) // two ways
	p.send(0, 0, read(far(0), 1))
	p.send(1, 200, read(far(1), 1))
	p.send(1, 400, read(far(2), 1))
	again := p.send(0, 600, read(far(0), 1))
	p.finish(t)
	require.Equal(t, uint64(1), p.slices[0].Copies.stats.Accounts.Get(tenant.ID(0).Rest()).Dropped)
	require.Greater(t, p.seen[again], seenAt(600, spec()))
}

// A read behind a write to the same sector must not find the data that were on their way
// to the copy before.
func TestReadBehindAWriteAsksAnew(t *testing.T) {
	p := newPair(t, spec())
	p.send(0, 0, read(far(0), 1))
	written := p.send(0, 1, write(far(0), 1, 1))
	behind := p.send(0, 2, read(far(0), 1))
	p.finish(t)
	require.Greater(t, p.seen[behind], p.seen[written])
	require.Equal(t, uint64(2), p.slices[1].stats.Accounts.Get(0).Reads)
}

func TestContextsPassOnToTheirHome(t *testing.T) {
	p := newPair(t, spec())
	saved := p.send(0, 0, protocol.Packet{Kind: protocol.ContextSave, Addr: far(0), Sectors: protocol.AllSectors})
	loaded := p.send(0, 200, protocol.Packet{Kind: protocol.ContextLoad, Addr: far(0), Sectors: protocol.AllSectors})
	p.finish(t)
	require.Equal(t, []protocol.Kind{protocol.ContextSaved, protocol.ContextLoaded}, []protocol.Kind{p.kinds[saved], p.kinds[loaded]})
	require.Empty(t, p.fetches[0].Got)
	require.Len(t, p.fetches[1].Got, 2)
}

// Slices that ask each other for everything at once, with room for next to nothing, answer
// everything.
func TestSlicesNeverWaitForOneAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spec()
		s.Sectored, s.FetchOnWrite = rapid.Bool().Draw(t, "sectored"), rapid.Bool().Draw(t, "fetch on write")
		s.MSHRs, s.MSHRMerge = rapid.IntRange(1, 2).Draw(t, "mshrs"), rapid.IntRange(1, 2).Draw(t, "merge")
		s.RequestQueue, s.ReplyQueue, s.DRAMQueue, s.HitLatency = 1, 1, 2, rapid.IntRange(1, 3).Draw(t, "latency")
		p := newPair(t, s)
		n := rapid.IntRange(1, 60).Draw(t, "requests")
		asked := uint64(0)
		for range n {
			sectors := uint8(rapid.IntRange(1, 15).Draw(t, "sectors"))
			m := protocol.Packet{Addr: line(rapid.IntRange(0, 11).Draw(t, "line")), Sectors: sectors, FullSectors: sectors & 5, WrittenBytes: 32, Lanes: 2}
			m.Kind = rapid.SampledFrom([]protocol.Kind{protocol.Read, protocol.Read, protocol.Write, protocol.Atomic, protocol.ContextLoad, protocol.ContextSave}).Draw(t, "kind")
			p.send(rapid.IntRange(0, 1).Draw(t, "slice"), uint64(rapid.IntRange(0, 30).Draw(t, "cycle")), m)
			asked++
		}
		p.finish(t)
		var performed uint64
		for _, s := range p.slices {
			k, c := s.stats.Total(), s.Copies.stats.Accounts.Get(0)
			performed += k.Accesses() + k.ContextLoads + k.ContextSaves
			require.LessOrEqual(t, c.Hits, c.Reads)
		}
		require.GreaterOrEqual(t, performed, asked, "a read that misses its copy is looked up twice")
		for n := range 12 {
			number := p.slices[0].addresses.Slice(line(n))
			home, near := p.slices[number], p.slices[1-number]
			if _, valid := near.tags.Probe(line(n), protocol.AllSectors); valid != 0 {
				at, _ := home.tags.Probe(line(n), 0)
				require.NotEqual(t, cache.None, at, "the home has every line that has a copy")
				require.Equal(t, uint16(1), home.Copies.held[at], "and knows who has it")
			}
		}
	})
}
