package l2

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/mem"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
)

func TestMergedRequestsCauseOneFetch(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	for n := range 3 {
		r.at(uint64(n), read(line(0), 0b0110))
	}
	r.run(t)
	require.Len(t, r.reads(), 1)
	for n, accesses := range []uint8{1, 0, 0} {
		assert.Equal(t, accesses, r.script[n].DRAMAccesses)
		// Two sectors hold the data port for two cycles.
		assert.Equal(t, missSeenAt(0, s)+2*uint64(n), r.seen(n))
	}
	stats := r.slice.Stats().Total()
	assert.Equal(t, TenantStats{Reads: 3, ReadSectors: 6, Misses: 1, Merges: 2, DRAMAccesses: 1,
		Fills: 1, FillBytes: 64, ReplyBytes: 3 * 64}, stats)
}

func TestSectorsDecideWhatAMissFetches(t *testing.T) {
	for _, c := range []struct {
		sectored bool
		fetched  []uint8
	}{
		{true, []uint8{0b0001, 0b0110}},
		{false, []uint8{protocol.AllSectors}},
	} {
		s := spec()
		s.Sectored = c.sectored
		r := newRig(t, s)
		r.at(0, read(line(0), 0b0001))
		r.at(1, read(line(0), 0b0111))
		r.at(500, read(line(0), 0b0111))
		r.run(t)
		var fetched []uint8
		for _, a := range r.reads() {
			assert.Equal(t, line(0), a.Msg.Addr)
			fetched = append(fetched, a.Msg.Sectors)
		}
		assert.Equal(t, c.fetched, fetched)
		assert.Equal(t, []int{0, 1, 2}, r.order)
		assert.Equal(t, uint64(1), r.slice.Stats().Total().Hits)
	}
}

func TestMergeLimitHoldsUpTheNextRequest(t *testing.T) {
	s := spec()
	s.MSHRMerge = 2
	r := newRig(t, s)
	for n := range 3 {
		r.at(uint64(n), read(line(0), 1))
	}
	r.run(t)
	assert.Equal(t, []int{0, 1, 2}, r.order)
	stats := r.slice.Stats().Total()
	assert.Equal(t, uint64(1), stats.Fills)
	assert.Equal(t, uint64(1), stats.Hits, "the third came in once the entry was free")
	assert.NotZero(t, stats.ReservationStalls)
}

func TestPinnedWaysHoldUpAMissOfTheSameSet(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	for n := range 3 {
		r.at(uint64(n), read(line(n), 1))
	}
	r.run(t)
	// As with full MSHRs: the second fill is answered first.
	lookedUp := missSeenAt(0, s) + 1
	assert.Equal(t, lookedUp+uint64(s.DRAMLatency)+1, r.reads()[2].Cycle)
	assert.Equal(t, lookedUp-uint64(2+1+s.HitLatency), r.slice.Stats().Total().ReservationStalls)
}

func TestWriteFetchesNothingAndIsWrittenBackWhenDisplaced(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	whole := r.at(0, write(line(0), 0b0110, 0b0110))
	part := r.at(1, write(line(1), 0b1001, 0b1000))
	// Both ways of the set are taken: the two misses displace the two writes.
	r.at(500, read(line(2), 0b0001))
	r.at(600, read(line(3), 0b0001))
	// The next two displace clean lines.
	r.at(700, read(line(4), 0b0001))
	r.run(t)

	assert.Equal(t, seenAt(0, s), r.seen(whole))
	assert.Equal(t, protocol.WriteAck, r.script[whole].Kind)
	assert.Equal(t, seenAt(1, s), r.seen(part))
	type message struct {
		addr    uint64
		sectors uint8
		write   bool
	}
	var got []message
	for _, a := range r.memory.Got {
		got = append(got, message{a.Msg.Addr, a.Msg.Sectors, a.Msg.Write})
	}
	assert.Equal(t, []message{
		{line(0), 0b0110, true}, {line(2), 0b0001, false},
		{line(1), 0b1001, true}, {line(3), 0b0001, false},
		{line(4), 0b0001, false},
	}, got)
}

func TestPartlyWrittenSectorIsFetchedWhenRead(t *testing.T) {
	r := newRig(t, spec())
	r.at(0, write(line(0), 0b0011, 0b0010))
	whole := r.at(100, read(line(0), 0b0010))
	part := r.at(200, read(line(0), 0b0011))
	r.at(500, read(line(1), 0b0001))
	r.at(600, read(line(2), 0b0001))
	r.run(t)
	assert.Zero(t, r.script[whole].DRAMAccesses)
	assert.Equal(t, uint8(1), r.script[part].DRAMAccesses)
	assert.Equal(t, uint8(0b0001), r.reads()[0].Msg.Sectors)
	require.Len(t, r.writebacks(), 1)
	assert.Equal(t, uint8(0b0011), r.writebacks()[0].Msg.Sectors, "filling does not clean")
}

func TestDRAMAccessesCountFetchAndDirtyVictim(t *testing.T) {
	r := newRig(t, spec())
	for i, c := range []struct {
		protocol.Packet
		accesses uint8
	}{
		{read(line(0), 1), 1},
		{read(line(0), 1), 0},
		{write(line(0), 1, 1), 0},
		{write(line(1), 1, 0), 0}, // takes an empty way, fetches nothing
		{read(line(2), 1), 2},     // displaces line 0
		{write(line(3), 1, 1), 1}, // displaces line 1
		{atomic(line(3), 1, 1), 0},
		{atomic(line(4), 1, 1), 1}, // displaces line 2, clean
		{read(line(5), 1), 2},      // displaces line 3
		{read(line(6), 1), 2},      // displaces line 4, which the atomic made dirty
		{read(line(6), 2), 1},      // the line is there, the sector is not
	} {
		i := r.at(uint64(i)*200, c.Packet)
		defer func() { assert.Equal(t, c.accesses, r.script[i].DRAMAccesses, "request %d", i) }()
	}
	r.run(t)
}

func TestVictimIsTheLeastRecentlyUsedLine(t *testing.T) {
	r := newRig(t, spec())
	r.at(0, read(line(0), 1))
	r.at(100, read(line(1), 1))
	r.at(200, read(line(0), 1))
	r.at(300, read(line(2), 1))
	stays := r.at(400, read(line(0), 1))
	gone := r.at(500, read(line(1), 1))
	r.run(t)
	assert.Zero(t, r.script[stays].DRAMAccesses)
	assert.Equal(t, uint8(1), r.script[gone].DRAMAccesses)
}

func TestAtomicFetchesItsSectorsAndDirtiesThem(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	atom := r.at(0, atomic(line(0), 0b0100, 2))
	r.at(500, read(line(1), 1))
	r.at(600, read(line(2), 1))
	r.run(t)
	assert.Equal(t, uint8(0b0100), r.reads()[0].Msg.Sectors)
	assert.Equal(t, missSeenAt(0, s)+2*uint64(s.AtomicInterval)-1, r.seen(atom))
	require.Len(t, r.writebacks(), 1)
	assert.Equal(t, uint8(0b0100), r.writebacks()[0].Msg.Sectors)
}

func TestRequestsForOneSectorAreNotReordered(t *testing.T) {
	r := newRig(t, spec())
	r.at(0, read(line(0), 0b0001))
	r.at(200, atomic(line(0), 0b0011, 4)) // waits for its second sector
	r.at(201, read(line(0), 0b0001))      // would hit, but the atomic comes first
	other := r.at(202, write(line(0), 0b1000, 0b1000))
	r.run(t)
	assert.Equal(t, []int{0, other, 1, 2}, r.order)
}

func TestTenantsDoNotShareLines(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	for k := range tenant.Account(2) {
		p := read(line(0)|uint64(k)<<tenant.AddressShift, 1)
		p.Account = k
		r.at(uint64(k), p)
	}
	// The second tenant's line is displaced by the first.
	dirty := write(line(0)|1<<tenant.AddressShift, 1, 1)
	dirty.Account = 1
	r.at(200, dirty)
	r.at(300, read(line(1), 1)) // displaces tenant 0's own line
	r.at(400, read(line(2), 1)) // displaces tenant 1's
	r.run(t)

	require.Len(t, r.writebacks(), 1)
	rest := tenant.ID(1).Rest()
	assert.Equal(t, rest, r.writebacks()[0].Msg.Account, "data belong to their owner, and to no kernel of it")
	assert.Equal(t, line(0)|1<<tenant.AddressShift, r.writebacks()[0].Msg.Addr)
	k := r.slice.Stats().Accounts
	assert.Equal(t, TenantStats{Reads: 3, ReadSectors: 3, Misses: 3, DRAMAccesses: 4, Fills: 3, FillBytes: 96, ReplyBytes: 96}, k[0])
	assert.Equal(t, TenantStats{Reads: 1, Writes: 1, ReadSectors: 1, WrittenSectors: 1, Hits: 1, Misses: 1, DRAMAccesses: 1, Fills: 1, FillBytes: 32, ReplyBytes: 32}, k[1])
	assert.Equal(t, TenantStats{Writebacks: 1, WritebackBytes: 32}, k[rest])
	assert.Equal(t, 2, r.slice.Held(0))
	assert.Zero(t, r.slice.Held(1))
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	for _, port := range []func(*Slice) *components.Port{func(s *Slice) *components.Port { return s.Request }, func(s *Slice) *components.Port { return s.DRAM }} {
		r := newRig(t, spec())
		rig.RefusesStrangers(r.Bench, port(r.slice))
	}
}

// A slice counts its own lines: chunks of two, dealt to four slices.
func TestLinearSetIndexLeavesAStrideOfAllSetsInOneSet(t *testing.T) {
	addresses, err := mem.NewAddressMap(mem.AddressSpec{Slices: 4, Channels: 4, Banks: 16, InterleaveBytes: 256, RowBytes: 2048})
	require.NoError(t, err)
	for index, same := range map[cache.SetIndex]bool{"linear": true, "hash": false, "": false} {
		s := spec()
		s.Sets, s.SetIndex = 16, index
		r := newRigOf(t, s, addresses, 0)
		assert.Equal(t, same, r.slice.tags.Set(0) == r.slice.tags.Set(16*4*protocol.LineBytes), index)
	}
	s := spec()
	s.SetIndex = "fermi"
	assert.EqualError(t, s.Validate(), "set_index is fermi, which goes with 32 or 64 sets, not 1")
}
