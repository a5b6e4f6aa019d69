package l2

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"
)

// traffic is a random program for a random small slice.
type traffic struct {
	spec    Spec
	packets []sent
	takesAt uint64
	seed    uint64
}

const trafficLines = 12

func drawTraffic(t *rapid.T) traffic {
	number := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
	x := traffic{
		spec: Spec{
			Sets: number("sets", 1, 3), Ways: number("ways", 1, 3), Sectored: rapid.Bool().Draw(t, "sectored"),
			FetchOnWrite: rapid.Bool().Draw(t, "fetch on write"),
			MSHRs:        number("mshrs", 1, 4), MSHRMerge: number("merge", 1, 3),
			RequestQueue: number("requests", 1, 3), ReplyQueue: number("replies", 1, 3), DRAMQueue: number("dram", 2, 4),
			HitLatency: number("hit", 1, 6), DRAMLatency: number("path", 0, 6),
			DataPortBytes:  rapid.SampledFrom([]int{32, 64, 128}).Draw(t, "port"),
			AtomicInterval: number("interval", 1, 3),
		},
		takesAt: uint64(number("takes at", 0, 300)),
		seed:    rapid.Uint64().Draw(t, "seed"),
	}
	x.spec.DirtyWays = number("dirty ways", 0, x.spec.Ways)
	at := uint64(0)
	for range number("requests", 1, 80) {
		at += uint64(number("gap", 0, 3))
		sectors := uint8(number("sectors", 1, protocol.AllSectors))
		kernel := rapid.SampledFrom([]tenant.Account{0, 1, tenant.ID(1).Account(3)}).Draw(t, "account")
		x.packets = append(x.packets, sent{at: at, Packet: protocol.Packet{
			Kind:        protocol.Kind(number("kind", int(protocol.Read), int(protocol.Atomic))),
			Addr:        line(number("line", 0, trafficLines-1)) | kernel.Base(),
			Account:     kernel,
			Sectors:     sectors,
			FullSectors: sectors & uint8(number("full", 0, protocol.AllSectors)),
			Lanes:       uint8(number("lanes", 1, 4)),
		}})
	}
	return x
}

// play runs the traffic against a DRAM of random latency, and then reads enough
// clean lines to displace everything.
func (x *traffic) play(t rig.T) *bench {
	r := newRig(t, x.spec)
	random := rand.New(rand.NewPCG(x.seed, 0))
	r.latency = func() uint64 { return random.Uint64N(60) }
	r.driver.Deaf = rig.Before(x.takesAt)
	r.script = append([]sent(nil), x.packets...)
	for n := range 8 * x.spec.Sets * x.spec.Ways {
		p := read(line(1000+n), 1)
		p.Account = 2
		r.at(100_000, p)
	}
	r.run(t)
	return r
}

// sector names one sector of one line.
type sector struct {
	addr   uint64
	number int
}

func eachSector(addr uint64, mask uint8, f func(sector)) {
	for n := range protocol.SectorsPerLine {
		if mask>>n&1 != 0 {
			f(sector{addr, n})
		}
	}
}

func TestRandomTrafficIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTraffic(t)
		r := x.play(t) // every request is answered exactly once
		checkReplies(t, &x, r)
		checkOrder(t, r)
		checkWritebacks(t, &x, r)
		checkStats(t, r)
	})
}

func checkReplies(t *rapid.T, x *traffic, r *bench) {
	for i, before := range x.packets {
		after := r.script[i].Packet
		assert.Equal(t, before.Kind+protocol.ReadReply-protocol.Read, after.Kind)
		accesses := 2
		if x.spec.DirtyWays > 0 {
			accesses += x.spec.Ways
		}
		assert.LessOrEqual(t, int(after.DRAMAccesses), accesses)
		before.Kind, before.DRAMAccesses, before.Tag, before.Sent = after.Kind, after.DRAMAccesses, uint32(i), after.Sent
		assert.Equal(t, before.Packet, after, "nothing else of the packet changes")
	}
}

// checkOrder asserts that requests for one sector are answered in the order in
// which they were sent.
func checkOrder(t *rapid.T, r *bench) {
	last := map[sector]int{}
	for _, i := range r.order {
		p := &r.script[i]
		eachSector(p.Addr, p.Sectors, func(s sector) {
			assert.LessOrEqual(t, last[s], i)
			last[s] = i
		})
	}
}

// replyCycles bounds the time that replies spend in the queues of the small
// slice once the driver takes them.
const replyCycles = 40

// checkWritebacks asserts that what was written, and nothing else, reaches the
// DRAM, and does so after it was last written.
func checkWritebacks(t *rapid.T, x *traffic, r *bench) {
	written := map[sector]uint64{}
	for _, p := range r.script {
		if p.Kind != protocol.ReadReply {
			eachSector(p.Addr, p.Sectors, func(s sector) { written[s] = p.seen })
		}
	}
	reached := map[sector]uint64{}
	for _, a := range r.writebacks() {
		eachSector(a.Msg.Addr, a.Msg.Sectors, func(s sector) {
			assert.Contains(t, written, s)
			reached[s] = a.Cycle
		})
	}
	for s, at := range written {
		assert.Contains(t, reached, s)
		if at > x.takesAt+replyCycles {
			assert.Greater(t, reached[s]+replyCycles, at, "sector %v", s)
		}
	}
}

func checkStats(t *rapid.T, r *bench) {
	stats := r.slice.Stats()
	var want [tenant.Accounts]TenantStats
	accesses := uint64(0)
	for _, p := range r.script {
		k := &want[p.Account]
		_, bytes := p.Route()
		k.ReplyBytes += uint64(bytes)
		k.DRAMAccesses += uint64(p.DRAMAccesses)
		switch p.Kind {
		case protocol.ReadReply:
			k.Reads++
			k.ReadSectors += uint64(protocol.SectorCount(p.Sectors))
		case protocol.WriteAck:
			k.Writes++
			k.WrittenSectors += uint64(protocol.SectorCount(p.Sectors))
		case protocol.AtomicReply:
			k.Atomics++
		}
		accesses++
	}
	for _, a := range r.memory.Got {
		k := &want[a.Msg.Account]
		bytes := uint64(protocol.SectorBytes * protocol.SectorCount(a.Msg.Sectors))
		if a.Msg.Write {
			k.Writebacks++
			k.WritebackBytes += bytes
		} else {
			k.Fills++
			k.FillBytes += bytes
		}
	}
	for i := range want {
		got := stats.Accounts.Get(tenant.Account(i))
		assert.Equal(t, got.Accesses(), got.Hits+got.Misses+got.SectorMisses+got.Merges)
		got.Hits, got.Misses, got.SectorMisses, got.Merges = 0, 0, 0, 0
		got.ReservationStalls, got.QueueStalls = 0, 0
		assert.Equal(t, want[i], got, "kernel %d", i)
	}
	total := stats.Total()
	assert.Equal(t, accesses, total.Accesses())
	assert.Equal(t, total.DRAMAccesses, total.Fills+total.Writebacks)
	assert.Equal(t, uint64(len(r.memory.Got)), total.DRAMAccesses)
}

func TestSameTrafficGivesTheSameRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTraffic(t)
		a, b := x.play(t), x.play(t)
		assert.Equal(t, a.script, b.script)
		assert.Equal(t, a.slice.Stats(), b.slice.Stats())
	})
}

// TestFillFollowsAnEntryOfWhichNothingIsLeft: while replies cannot leave, a write
// completes the sector of a line that a read behind it has fetched again, so that
// the entry has nothing to perform when its turn comes; the fill behind it must
// not wait for another message.
func TestFillFollowsAnEntryOfWhichNothingIsLeft(t *testing.T) {
	x := traffic{spec: Spec{Sets: 1, Ways: 1, Sectored: true, MSHRs: 1, MSHRMerge: 2, RequestQueue: 1, ReplyQueue: 1, DRAMQueue: 2,
		HitLatency: 1, DataPortBytes: 32, AtomicInterval: 1}, takesAt: 82}
	for _, p := range []protocol.Packet{
		read(line(0), 1), read(line(0), 1),
		{Kind: protocol.Read, Addr: line(3) | tenant.ID(1).Base(), Account: 1, Sectors: 1},
		{Kind: protocol.Write, Addr: line(3) | tenant.ID(1).Base(), Account: 1, Sectors: 3},
		{Kind: protocol.Read, Addr: line(3) | tenant.ID(1).Base(), Account: 1, Sectors: 2},
		read(line(0), 1), read(line(0), 1),
	} {
		p.Lanes = 1
		x.packets = append(x.packets, sent{Packet: p})
	}
	x.play(t)
}

// TestHowOftenAndWhenTheSliceTicksDoesNotMatter ticks it at every edge, before or
// after its neighbours.
func TestHowOftenAndWhenTheSliceTicksDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTraffic(t)
		a, b := newRig(t, x.spec), newRig(t, x.spec)
		for _, r := range []*bench{a, b} {
			random := rand.New(rand.NewPCG(x.seed, 0))
			r.latency = func() uint64 { return random.Uint64N(60) }
			r.script = append([]sent(nil), x.packets...)
			r.driver.Deaf = rig.Before(x.takesAt)
		}
		b.Engine.Shuffle(x.seed)
		for cycle := range uint64(4000) {
			b.slice.WakeAt(cycle)
		}
		a.run(t)
		b.run(t)
		assert.Equal(t, a.script, b.script)
		assert.Equal(t, a.slice.Stats(), b.slice.Stats())
	})
}
