package dram_test

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawSpec(t *rapid.T) dram.Spec {
	between := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	s := gddr5
	s.PortDepth = between("port depth", 1, 8)
	s.ReadQueue = between("read queue", 1, 70)
	s.WriteQueue = between("write queue", 1, 70)
	s.WriteHigh = between("write high", 1, s.WriteQueue)
	s.WriteLow = between("write low", 0, s.WriteHigh-1)
	s.UnifiedQueue = rapid.Bool().Draw(t, "unified queue")
	if s.EntryPerBurst = rapid.Bool().Draw(t, "entry per burst"); s.EntryPerBurst {
		s.ReadQueue, s.WriteQueue = s.ReadQueue+4, s.WriteQueue+4
	}
	s.Scheduler = rapid.SampledFrom(dram.Schedulers()).Draw(t, "scheduler")
	s.TCM.Quantum = between("quantum", 1, 3000)
	s.TCM.ShuffleInterval = between("shuffle interval", 1, s.TCM.Quantum)
	s.TCM.ClusterPercent, s.TCM.AlikePercent = between("cluster percent", 0, 100), between("alike percent", 0, 100)
	s.MaxHitStreak = between("max hit streak", 0, 3)
	s.BankGroups = rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "bank groups")
	s.InterleaveBursts = rapid.Bool().Draw(t, "interleave bursts")
	s.BusBytes = rapid.SampledFrom([]int{4, 8, 16}).Draw(t, "bus bytes")
	s.DataRate = rapid.SampledFrom([]int{8, 4, 2}).Draw(t, "data rate")
	s.ReturnLatency = between("return latency", 0, 30)
	m := &s.Timing
	m.CL, m.WL = between("tCL", 1, 20), between("tWL", 1, 10)
	m.RCD, m.RP, m.RAS = between("tRCD", 1, 20), between("tRP", 1, 20), between("tRAS", 1, 40)
	m.RC = m.RAS + m.RP + between("tRC", 0, 10)
	m.RRD, m.FAW = between("tRRD", 1, 10), between("tFAW", 0, 50)
	m.CCD = s.BurstLength/s.DataRate + between("tCCD", 0, 2)
	if s.BankGroups > 1 {
		m.CCDL = m.CCD + between("tCCDL", 0, 2)
	}
	m.WR, m.RTP, m.WTR = between("tWR", 1, 20), between("tRTP", 1, 20), between("tWTR", 1, 10)
	m.RTW = rapid.SampledFrom([]int{0, max(1, m.CL+4), m.CL + 9}).Draw(t, "tRTW")
	if rapid.Bool().Draw(t, "refresh") {
		m.RFC = between("tRFC", 1, 60)
		m.REFI = m.RFC + between("tREFI", 300, 600)
		if rapid.Bool().Draw(t, "by bank") {
			m.RFCBank, m.REFI = between("tRFC of a bank", 1, 100), between("tREFI of each bank", 1900, 3000)
		}
	}
	return s
}

// drawTraffic mixes few hot rows with far away ones, reads with writes, bursts
// with pauses.
func drawTraffic(t *rapid.T, ports int, addrs *mem.AddressMap) []send {
	seed := rapid.Uint64().Draw(t, "seed")
	next := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed >> 33 % n
	}
	hot := 1 + next(64)
	writes := next(101)
	pause := next(40)
	var sends []send
	cycle := uint64(0)
	for range 400 {
		cycle += next(1 + pause)
		if next(100) == 0 {
			cycle += next(3000)
		}
		line := next(hot)
		if next(3) == 0 {
			line = next(1 << 20)
		}
		addr := line*protocol.LineBytes | next(2)<<tenant.AddressShift
		sends = append(sends, send{cycle: cycle, addr: addr, write: next(100) < writes,
			sectors: uint8(1 + next(15)), tenant: tenant.ID(addr >> tenant.AddressShift * 3), port: addrs.Rank(addrs.Slice(addr))})
	}
	return sends
}

func TestRandomTrafficKeepsAllConstraintsAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		layout := oneChannel
		layout.Slices = rapid.IntRange(1, 3).Draw(t, "slices")
		layout.Banks = 1 << rapid.IntRange(2, 4).Draw(t, "log2 of banks")
		h := newChannel(t, spec, layout)
		if rapid.Bool().Draw(t, "deaf") {
			h.slices[0].Deaf = rig.Before(3000)
		}
		sends := drawTraffic(t, layout.Slices, h.addrs)
		h.run(sends...)
		require.NoError(t, check(spec, layout.Banks, h.commands))
		conserved(t, h, sends)
		if spec.UnifiedQueue {
			lineOrderKept(t, h, sends)
		}
	})
}

// lineOrderKept checks that requests for one line, which come by one port, were
// served in their order, and that no read was answered from a write.
func lineOrderKept(t require.TestingT, h *channel, sends []send) {
	last := map[uint64]uint32{}
	for _, c := range h.commands {
		if c.Kind == dram.Read || c.Kind == dram.Write {
			before, found := last[c.addr]
			require.False(t, found && before > c.tag, "%d before %d, both for %#x", before, c.tag, c.addr)
			last[c.addr] = c.tag
		}
	}
	s := h.Stats()
	require.Zero(t, s.Total().ForwardedReads)
}

// conserved checks that every read was answered once and every write sent
// once, with all bursts, and that the counters say what the commands do.
func conserved(t require.TestingT, h *channel, sends []send) {
	type count struct{ reads, writes, answers int }
	seen := make([]count, len(sends))
	var want [tenant.Max]dram.TenantStats
	refreshes := uint64(0)
	for _, c := range h.commands {
		if c.none {
			if c.Kind == dram.Refresh || c.Kind == dram.RefreshBank {
				refreshes++
			}
			continue
		}
		k := &want[sends[c.tag].tenant]
		switch c.Kind {
		case dram.Activate:
			k.Activates++
		case dram.Precharge:
			k.Precharges++
		case dram.Read:
			seen[c.tag].reads++
		case dram.Write:
			seen[c.tag].writes++
		}
	}
	for p, s := range h.slices {
		for _, r := range s.Got {
			seen[r.Msg.Tag].answers++
			require.Equal(t, sends[r.Msg.Tag].port, p)
			require.Equal(t, sends[r.Msg.Tag].addr, r.Msg.Addr)
		}
	}
	spec := h.Spec()
	perBurst := spec.BurstLength * spec.BusBytes / protocol.SectorBytes
	for i, s := range sends {
		k := &want[s.tenant]
		bursts, sectors := 0, 0
		for first := 0; first < protocol.SectorsPerLine; first += perBurst {
			if n := protocol.SectorCount(s.sectors >> first & (1<<perBurst - 1)); n > 0 {
				bursts++
				sectors += n
			}
		}
		if s.write {
			k.Writes++
			k.WrittenBytes += uint64(sectors * protocol.SectorBytes)
			require.Equal(t, count{writes: bursts}, seen[i], "write %d", i)
		} else {
			k.Reads++
			if seen[i].reads == 0 {
				k.ForwardedReads++
			}
			require.LessOrEqual(t, seen[i].reads, bursts, "read %d", i)
			require.Equal(t, count{reads: seen[i].reads, answers: 1}, seen[i], "read %d", i)
		}
		k.DataBusCycles += uint64(seen[i].reads+seen[i].writes) * uint64(spec.BurstLength/spec.DataRate)
	}
	got := h.Stats()
	sum := dram.TenantStats{}
	for i := range want {
		k := got.Tenant(i)
		require.Equal(t, k.Reads+k.Writes, k.RowHits+k.RowMisses+k.RowConflicts+k.ForwardedReads)
		require.Equal(t, want[i], dram.TenantStats{Reads: k.Reads, Writes: k.Writes, ForwardedReads: k.ForwardedReads,
			WrittenBytes: k.WrittenBytes, Activates: k.Activates, Precharges: k.Precharges, DataBusCycles: k.DataBusCycles})
		sum.DataBusCycles += k.DataBusCycles
		sum.ReadBytes += k.ReadBytes
		sum.RowMisses += k.RowMisses + k.RowConflicts
	}
	total := got.Total()
	require.Equal(t, sum.DataBusCycles, total.DataBusCycles)
	require.LessOrEqual(t, sum.ReadBytes, sum.DataBusCycles*uint64(spec.BusBytes*spec.DataRate))
	require.LessOrEqual(t, sum.RowMisses, total.Activates)
	require.LessOrEqual(t, refreshes, got.Refreshes)
	require.GreaterOrEqual(t, got.BusyCycles, total.DataBusCycles)
}

func TestSameTrafficGivesTheSameCommands(t *testing.T) {
	spec := gddr5
	spec.Timing.REFI, spec.Timing.RFC = 1000, 60
	run := func() *channel {
		h := newChannel(t, spec, oneChannel)
		var sends []send
		seed := uint64(1)
		for i := range uint64(500) {
			seed = seed*6364136223846793005 + 1442695040888963407
			sends = append(sends, send{cycle: i, addr: seed >> 40 * protocol.LineBytes, write: seed>>39&1 == 0, sectors: protocol.AllSectors})
		}
		h.run(sends...)
		return h
	}
	a, b := run(), run()
	assert.Equal(t, a.commands, b.commands)
	assert.Equal(t, a.Stats(), b.Stats())
}
