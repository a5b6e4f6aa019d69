package l2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/protocol"
)

func context(kind protocol.Kind, addr uint64, sectors uint8) protocol.Packet {
	return protocol.Packet{Kind: kind, Addr: addr, Sectors: sectors, Account: 2}
}

func TestSavedContextGoesStraightToTheDRAM(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	save := r.at(7, context(protocol.ContextSave, line(5), 0b0111))
	r.run(t)
	require.Len(t, r.memory.Got, 1)
	got := r.memory.Got[0]
	require.Equal(t, 7+1+uint64(s.HitLatency+s.DRAMLatency)+1, got.Cycle)
	require.True(t, got.Msg.Write && got.Msg.Context)
	require.Equal(t, []uint64{line(5), 0b0111, 2}, []uint64{got.Msg.Addr, uint64(got.Msg.Sectors), uint64(got.Msg.Account)})
	require.Equal(t, protocol.ContextSaved, r.script[save].Kind)
	require.Equal(t, seenAt(7, s), r.seen(save), "as soon as it is on its way")
	k := r.slice.Stats().Accounts.Get(2)
	require.Equal(t, uint64(1), k.ContextSaves)
	require.Zero(t, k.Accesses())
	require.Zero(t, r.slice.Held(2), "no line is taken")
}

func TestContextIsLoadedFromTheDRAM(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	load := r.at(7, context(protocol.ContextLoad, line(5), protocol.AllSectors))
	again := r.at(1000, context(protocol.ContextLoad, line(5), protocol.AllSectors))
	r.run(t)
	require.Equal(t, protocol.ContextLoaded, r.script[load].Kind)
	require.Equal(t, missSeenAt(7, s), r.seen(load))
	require.Equal(t, missSeenAt(1000, s), r.seen(again), "it is not cached")
	require.Equal(t, uint64(2), r.slice.Stats().Accounts.Get(2).ContextLoads)
	require.Equal(t, uint64(2*protocol.LineBytes), r.slice.Stats().Accounts.Get(2).ReplyBytes)
}

func TestContextsAndOtherRequestsShareTheSlice(t *testing.T) {
	s := spec()
	s.Sets = 8
	r := newRig(t, s)
	for i := range 200 {
		kinds := []protocol.Packet{context(protocol.ContextLoad, line(1000+i), 15), read(line(i%30), 15), context(protocol.ContextSave, line(2000+i), 15),
			write(line(i%30), 3, 1), context(protocol.ContextLoad, line(3000+i), 1)}
		r.at(uint64(i), kinds[i%len(kinds)])
	}
	r.run(t)
	require.Zero(t, r.slice.loading)
}

func TestLoadsOfContextsAreLimited(t *testing.T) {
	s := spec()
	s.DRAMQueue = 2
	r := newRig(t, s)
	for i := range 6 {
		r.at(0, context(protocol.ContextLoad, line(i), 15))
	}
	r.run(t)
	log := r.memory.Got
	require.GreaterOrEqual(t, log[2].Cycle-log[0].Cycle, uint64(dramCycles), "the third waits for the first to come back")
}
