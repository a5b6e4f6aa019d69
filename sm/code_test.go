package sm

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/icache"

	"github.com/stretchr/testify/require"
)

// codeFromMemory is withICache with misses that the memory serves; a read can leave a
// cycle after the fetch.
func codeFromMemory() Spec {
	spec := withICache()
	spec.FrontEnd.ICache.Misses, spec.FrontEnd.ICache.MissLatency = icache.FromMemory, 1
	return spec
}

// codeMiss is the time from a fetch that misses until the warp is fetched for again: a
// cycle until the read can leave, the memory's own, and one on each of the links.
const codeMiss = 1 + 1 + memoryLatency + 1

func TestMissedCodeIsReadFromMemory(t *testing.T) {
	b := newBench(t, codeFromMemory())
	r := b.place(3, code(independent(4)))[0]
	b.run()
	const first = 2 + codeMiss + 1 // fetched from 2 on
	require.Equal(t, []uint64{first, first + 1, first + 1 + codeMiss + 1, first + 1 + codeMiss + 2}, r.issued)
	require.Equal(t, icache.TenantStats{Accesses: 4, Misses: 2}, b.kernel(3).Icache)
	require.Equal(t, uint64(2), b.kernel(3).MemoryRequests)
	require.Len(t, b.memory.seen, 2)
	for i, p := range b.memory.seen {
		require.Equal(t, protocol.Read, p.Kind)
		require.Equal(t, uint8(protocol.AllSectors), p.Sectors)
		require.Equal(t, icache.LineAddress(uint64(i), p.Account), p.Addr)
		require.Equal(t, b.placed[0].Account, p.Account)
	}
	require.Zero(t, b.kernel(3).L1)
	require.Zero(t, b.sm.Outstanding())
}

// Each load touches a line of its own, and has its packet ready before the read of the
// code behind it, which waits for the port.
func TestReadsOfCodeLeaveWhenNoOtherPacketDoes(t *testing.T) {
	spec := codeFromMemory()
	spec.FrontEnd.ICache.LineBytes, spec.L1.MissLatency, spec.L1.MSHRs = 64, 1, 64
	wide := load(1, 0)
	wide.Stride = 128
	list := code(program(wide, independent(1)[0], independent(1)[0], independent(1)[0], independent(1)[0]))
	b := newBench(t, spec)
	b.place(0, list)
	b.run()
	require.Len(t, b.memory.seen, 34)
	codes := 0
	for i, p := range b.memory.seen {
		if p.Tag >= codeTag {
			codes++
			require.True(t, i == 0 || i == 33, "packet %d", i)
		}
	}
	require.Equal(t, 2, codes)
}

func TestSMSleepsWhileCodeIsOnItsWay(t *testing.T) {
	count := func(latency uint64) int {
		b := newBench(t, codeFromMemory())
		b.memory.latency = latency
		b.place(0, code(independent(4)))
		return ticks(b)
	}
	require.Equal(t, count(100), count(1000))
}
