package dram_test

import (
	"cmp"
	"slices"
	"testing"

	"cotenant/components"
	"cotenant/mem/dram"
	"cotenant/mem/dram/tcm"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// clustered is gddr5 under the scheduler tcm, with quanta of a number of cycles.
func clustered(quantum int) dram.Spec {
	s := gddr5
	s.Scheduler = "tcm"
	s.TCM = tcm.Spec{Quantum: quantum, ClusterPercent: 50, ShuffleInterval: quantum, AlikePercent: 10}
	return s
}

// hungry has tenant 0 ask for a line in the first quantum, so that it ranks
// behind every other in the second.
func hungry(h *channel) send { return send{cycle: 10, addr: h.addr(5, 0, 0)} }

// Tenant 0 has opened a row, and asks for more of it before and after tenant 1
// asks for another row of the bank.
func TestLowerRankedRowHitsWaitBehindAHigherRankedMiss(t *testing.T) {
	for _, test := range []struct {
		at   uint64
		want []uint32
	}{
		{100, []uint32{1, 2, 4, 3}},  // in the first quantum all are alike
		{1100, []uint32{1, 3, 2, 4}}, // in the second tenant 0 waits
	} {
		h := newChannel(t, clustered(1000), oneChannel)
		h.run(hungry(h),
			send{cycle: test.at, addr: h.addr(0, 0, 0)},
			send{cycle: test.at + 5, addr: h.addr(0, 0, 128)},
			send{cycle: test.at + 6, addr: h.addr(0, 1, 0), tenant: 1},
			send{cycle: test.at + 7, addr: h.addr(0, 0, 256)})
		assert.Equal(t, test.want, servedIn(h, 0), "at %d", test.at)
		s := h.Stats()
		tenants := []dram.TenantStats{s.Tenant(0), s.Tenant(1)}
		assert.Equal(t, uint64(5), tenants[0].Reads+tenants[1].Reads)
	}
}

// servedIn lists the requests to a bank as they were served.
func servedIn(h *channel, bank int) (tags []uint32) {
	for _, c := range h.commands {
		if c.Bank == bank && (c.Kind == dram.Read || c.Kind == dram.Write) && !slices.Contains(tags, c.tag) {
			tags = append(tags, c.tag)
		}
	}
	return tags
}

// A row that is being opened for tenant 0 is used before it is closed for tenant
// 1, which comes meanwhile: closing it has to wait for t_ras anyway.
func TestAnOpenedRowIsUsedBeforeItIsClosedForABetterRank(t *testing.T) {
	h := newChannel(t, clustered(1000), oneChannel)
	h.run(hungry(h), send{cycle: 1100, addr: h.addr(0, 0, 0)}, send{cycle: 1104, addr: h.addr(0, 1, 0), tenant: 1})
	assert.Equal(t, []uint32{1, 2}, servedIn(h, 0))
	assert.Equal(t, 28, h.gap(t, dram.Activate, 1, dram.Precharge, 2))
	s := h.Stats()
	total := s.Total()
	assert.Equal(t, total.RowMisses+total.RowConflicts, total.Activates)
}

// As TestColumnCommandGoesBeforeAnOlderRowCommandInFRFCFSOnly: a command goes
// first by rank, then as a column command.
func TestRankGoesBeforeColumnCommands(t *testing.T) {
	for misses, want := range [2][2]uint64{{1103, 1102}, {1102, 1103}} {
		layout := oneChannel
		layout.Slices = 2
		h := newChannel(t, clustered(1000), layout)
		h.run(hungry(h), send{cycle: 1010, addr: h.addr(0, 0, 0)}, send{cycle: 1010, addr: h.addr(1, 0, 0)},
			send{cycle: 1100, addr: h.addr(0, 1, 0), tenant: tenant.ID(misses)},
			send{cycle: 1100, addr: h.addr(1, 0, 128), port: 1, tenant: tenant.ID(1 - misses)})
		assert.Equal(t, want, [2]uint64{h.first(t, dram.Precharge, 3), h.first(t, dram.Read, 4)}, "tenant %d misses", misses)
	}
}

// nudge wakes a controller at every cycle, for nothing.
type nudge struct {
	components.Module
	controller *dram.Controller
	until      uint64
}

func (n *nudge) Tick(now uint64) bool {
	n.controller.Wake()
	return now < n.until
}

// keepAwake has a channel's controller tick at every cycle up to one.
func keepAwake(h *channel, until uint64) {
	n := &nudge{controller: h.Controller, until: until}
	n.Init("Nudge", h.bench.Clock, n)
	n.Start()
}

// longRowCycle lets a bank open no other row for 500 cycles.
func longRowCycle(s dram.Spec) dram.Spec {
	s.Timing.RC = 500
	return s
}

// closed are an older request of tenant 0 and a younger request of tenant 1. Both wait,
// from cycle from on, for a bank that has just been used and opens at opensAt, not
// before.
func closed(h *channel, from uint64) []send {
	return []send{
		{cycle: from, addr: h.addr(0, 0, 0)},
		{cycle: from + 5, addr: h.addr(0, 1, 0)},
		{cycle: from + 6, addr: h.addr(0, 2, 0), tenant: 1},
	}
}

func opensAt(from uint64) uint64 { return from + 2 + 500 }

// The command of a cycle has been chosen before: ranks of the cycle before count,
// whether the controller has slept since the bank was closed or not.
func TestRanksOfAQuantumCountForCommandsAfterItsEnd(t *testing.T) {
	for _, awake := range []bool{false, true} {
		for late, want := range [4][]uint32{{0, 2, 1}, {0, 2, 1}, {0, 1, 2}, {0, 1, 2}} {
			h := newChannel(t, longRowCycle(clustered(int(opensAt(100))-2+late)), oneChannel)
			if awake {
				keepAwake(h, 1000)
			}
			h.run(closed(h, 100)...)
			assert.Equal(t, want, servedIn(h, 0), "awake %v, quantum of %d", awake, h.Spec().TCM.Quantum)
			assert.Equal(t, opensAt(100), h.first(t, dram.Activate, want[1]))
		}
	}
}

// Both are in the bandwidth cluster, and tenant 0 first until the shuffle.
func TestShuffledRanksCountForCommandsAfterTheInterval(t *testing.T) {
	const quantum = 2000
	for _, awake := range []bool{false, true} {
		for late, want := range [4][]uint32{{2, 4, 3}, {2, 4, 3}, {2, 3, 4}, {2, 3, 4}} {
			spec := longRowCycle(clustered(quantum))
			spec.TCM.ClusterPercent = 0
			spec.TCM.ShuffleInterval = int(opensAt(quantum+200)) - quantum - 2 + late
			h := newChannel(t, spec, oneChannel)
			if awake {
				keepAwake(h, 4000)
			}
			sends := []send{{addr: h.addr(5, 0, 0)}, {addr: h.addr(6, 0, 0), tenant: 1}}
			h.run(append(sends, closed(h, quantum+200)...)...)
			assert.Equal(t, want, servedIn(h, 0), "awake %v, interval of %d", awake, spec.TCM.ShuffleInterval)
			assert.Equal(t, opensAt(quantum+200), h.first(t, dram.Activate, want[1]))
		}
	}
}

func TestForwardedReadsAreNoAccesses(t *testing.T) {
	// Tenant 0 reads 3 lines, and its other 20 come from waiting writes of its
	// own: 3 + 1 accesses to tenant 1's 5.
	h := newChannel(t, clustered(3000), oneChannel)
	sends := []send{{addr: h.addr(1, 0, 0)}, {addr: h.addr(1, 1, 0)}, {addr: h.addr(1, 2, 0)}, {addr: h.addr(2, 0, 0), write: true}}
	for range 20 {
		sends = append(sends, send{cycle: 8, addr: h.addr(2, 0, 0)})
	}
	for i := range 5 {
		sends = append(sends, send{cycle: 200, addr: h.addr(3, uint64(i), 0), tenant: 1})
	}
	n := uint32(len(sends))
	h.run(append(sends, send{cycle: 3100, addr: h.addr(0, 0, 0)}, send{cycle: 3105, addr: h.addr(0, 1, 0), tenant: 1}, send{cycle: 3106, addr: h.addr(0, 2, 0)})...)
	s := h.Stats()
	require.Equal(t, uint64(20), s.Tenant(0).ForwardedReads)
	assert.Equal(t, []uint32{n, n + 2, n + 1}, servedIn(h, 0))
}

// Under equal ranks, tcm is frfcfs.
func TestWithoutRanksTheCommandsAreThoseOfFRFCFS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		spec.MaxHitStreak = 0
		spec.TCM = clustered(1 << 30).TCM
		var commands [2][]told
		sends := drawTraffic(t, 1, newChannel(t, spec, oneChannel).addrs)
		for i, name := range []string{"tcm", "frfcfs"} {
			spec.Scheduler = name
			h := newChannel(t, spec, oneChannel)
			h.run(sends...)
			commands[i] = h.commands
		}
		require.Equal(t, commands[1], commands[0])
	})
}

func TestCommandsDoNotDependOnWhetherTheControllerSleeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		spec.Scheduler = "tcm"
		var commands [2][]told
		sends := drawTraffic(t, 1, newChannel(t, spec, oneChannel).addrs)
		for i := range sends {
			sends[i].tenant = tenant.ID(i * i % 7 % 4)
		}
		for i := range commands {
			h := newChannel(t, spec, oneChannel)
			if i == 1 {
				keepAwake(h, sends[len(sends)-1].cycle+20_000)
			}
			h.run(sends...)
			commands[i] = h.commands
		}
		require.Equal(t, commands[0], commands[1])
	})
}

// All requests come to one bank while its first row is being opened. Then the order is
// plain: the request with the row first; then always a request of the tenant that asked
// for least in the quantum before, to the open row if there is any, and of these the
// oldest.
func TestOneBankServesByRankThenRowThenAge(t *testing.T) {
	const quantum = 200_000
	rapid.Check(t, func(t *rapid.T) {
		spec := clustered(quantum)
		spec.TCM.ClusterPercent = 100 // no shuffles
		spec.Timing.RCD = 1000
		spec.UnifiedQueue = rapid.Bool().Draw(t, "unified")
		spec.InterleaveBursts = rapid.Bool().Draw(t, "interleave")
		writes := rapid.IntRange(0, 2).Draw(t, "writes") // none, all, or every other one
		h := newChannel(t, spec, oneChannel)
		var sends []send
		asked := map[tenant.ID]int{}
		for id := range tenant.ID(4) {
			asked[id] = rapid.IntRange(0, 4).Draw(t, "asked")
			for range asked[id] {
				sends = append(sends, send{addr: h.addr(1, 0, 0), tenant: id, sectors: 1})
			}
		}
		first := len(sends)
		sends = append(sends, send{cycle: quantum + 100, addr: h.addr(0, 0, 0), tenant: 9, sectors: 1})
		rows := map[uint32]uint64{}
		var left []uint32
		for i := range rapid.IntRange(0, 40).Draw(t, "requests") {
			tag := uint32(len(sends))
			rows[tag] = rapid.Uint64Range(0, 3).Draw(t, "row")
			left = append(left, tag)
			sends = append(sends, send{
				cycle: quantum + 110 + uint64(i), addr: h.addr(0, rows[tag], 0), tenant: tenant.ID(rapid.IntRange(0, 4).Draw(t, "tenant")),
				write: writes == 1 || writes == 2 && spec.UnifiedQueue && i%2 == 0, sectors: uint8(rapid.IntRange(1, 15).Draw(t, "sectors")),
			})
		}
		h.run(sends...)
		want := []uint32{uint32(first)}
		for row := uint64(0); len(left) > 0; row = rows[want[len(want)-1]] {
			next := slices.MinFunc(left, func(a, b uint32) int {
				return cmp.Or(cmp.Compare(asked[sends[a].tenant], asked[sends[b].tenant]),
					cmp.Compare(btoi(rows[a] != row), btoi(rows[b] != row)), cmp.Compare(a, b))
			})
			want = append(want, next)
			left = slices.DeleteFunc(left, func(tag uint32) bool { return tag == next })
		}
		require.Equal(t, want, servedIn(h, 0))
		conserved(t, h, sends)
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Two tenants that take all they can get are served about alike over a few
// quanta, by turns of the first rank: neither starves.
func TestTenantsThatAskForEverythingAreBothServed(t *testing.T) {
	for _, percent := range []int{0, 50} {
		spec := clustered(4000)
		spec.TCM.ClusterPercent, spec.TCM.ShuffleInterval = percent, 800
		n, seed := 0, uint64(1)
		c, e := load(t, spec, 40_000, func(r *protocol.DRAMRequest) {
			seed = seed*6364136223846793005 + 1442695040888963407
			*r = protocol.DRAMRequest{Addr: seed >> 30 &^ (protocol.LineBytes - 1), Sectors: protocol.AllSectors, Account: tenant.Account(n % 2)}
			n++
		})
		_ = e.Run()
		s := c.Stats()
		assert.Equal(t, []uint64{20_000, 20_000}, []uint64{s.Tenant(0).Reads, s.Tenant(1).Reads})
		mean := [2]float64{}
		for i := range mean {
			k := s.Tenant(i)
			mean[i] = float64(k.ReadLatencyCycles) / float64(k.Reads)
		}
		t.Logf("%d %%: mean latencies %.0f", percent, mean)
		assert.InEpsilon(t, mean[0], mean[1], 0.1, "%d %%", percent)
	}
}
