package l2

import (
	"testing"

	"cotenant/mem"

	"github.com/stretchr/testify/require"
)

func context(kind mem.Kind, addr uint64, sectors uint8) mem.Packet {
	return mem.Packet{Kind: kind, Addr: addr, Sectors: sectors, Kernel: 2}
}

func TestSavedContextGoesStraightToTheDRAM(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	save := r.at(7, context(mem.ContextSave, line(5), 0b0111))
	r.run(t)
	require.Len(t, r.memory.log, 1)
	got := r.memory.log[0]
	require.Equal(t, 7+1+uint64(s.HitLatency+s.DRAMLatency)+1, got.at)
	require.True(t, got.Write && got.Context)
	require.Equal(t, []uint64{line(5), 0b0111, 2}, []uint64{got.Addr, uint64(got.Sectors), uint64(got.Kernel)})
	require.Equal(t, mem.ContextSaved, r.driver.script[save].Kind)
	require.Equal(t, seenAt(7, s), r.seen(save), "as soon as it is on its way")
	k := r.slice.Stats().Kernels[2]
	require.Equal(t, uint64(1), k.ContextSaves)
	require.Zero(t, k.Accesses())
	require.Zero(t, r.slice.Held(2), "no line is taken")
}

func TestContextIsLoadedFromTheDRAM(t *testing.T) {
	s := spec()
	r := newRig(t, s)
	load := r.at(7, context(mem.ContextLoad, line(5), mem.AllSectors))
	again := r.at(1000, context(mem.ContextLoad, line(5), mem.AllSectors))
	r.run(t)
	require.Equal(t, mem.ContextLoaded, r.driver.script[load].Kind)
	require.Equal(t, missSeenAt(7, s), r.seen(load))
	require.Equal(t, missSeenAt(1000, s), r.seen(again), "it is not cached")
	require.Equal(t, uint64(2), r.slice.Stats().Kernels[2].ContextLoads)
	require.Equal(t, uint64(2*mem.LineBytes), r.slice.Stats().Kernels[2].ReplyBytes)
}

func TestContextsAndOtherRequestsShareTheSlice(t *testing.T) {
	s := spec()
	s.Sets = 8
	r := newRig(t, s)
	for i := range 200 {
		kinds := []mem.Packet{context(mem.ContextLoad, line(1000+i), 15), read(line(i%30), 15), context(mem.ContextSave, line(2000+i), 15),
			write(line(i%30), 3, 1), context(mem.ContextLoad, line(3000+i), 1)}
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
		r.at(0, context(mem.ContextLoad, line(i), 15))
	}
	r.run(t)
	log := r.memory.log
	require.GreaterOrEqual(t, log[2].at-log[0].at, uint64(dramCycles), "the third waits for the first to come back")
}
