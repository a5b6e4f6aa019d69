package sm

import (
	"fmt"
	"strings"
	"testing"

	"cotenant/sm/ews"
	"cotenant/sm/l1"
	"cotenant/sm/tlb"

	"github.com/stretchr/testify/require"
)

func TestValidateNamesEachFieldAndItsLimits(t *testing.T) {
	valid := testSpec()
	require.NoError(t, valid.Validate())
	for _, c := range []struct {
		path     string
		field    func(s *Spec) *int
		min, max int
	}{
		{"schedulers", func(s *Spec) *int { return &s.Schedulers }, 1, 8},
		{"issue_width", func(s *Spec) *int { return &s.IssueWidth }, 1, 2},
		{"group_slots", func(s *Spec) *int { return &s.GroupSlots }, 0, 64},
		{"tbs", func(s *Spec) *int { return &s.TBs }, 1, 256},
		{"threads", func(s *Spec) *int { return &s.Threads }, 32, 2 * 64 * 32},
		{"registers", func(s *Spec) *int { return &s.Registers }, 1, 1 << 30},
		{"front_end.buffer_depth", func(s *Spec) *int { return &s.FrontEnd.BufferDepth }, 1, 64},
		{"front_end.fetch_width", func(s *Spec) *int { return &s.FrontEnd.FetchWidth }, 1, 64},
		{"front_end.fetch_latency", func(s *Spec) *int { return &s.FrontEnd.FetchLatency }, 1, 16},
		{"front_end.branch_latency", func(s *Spec) *int { return &s.FrontEnd.BranchLatency }, 1, maxLatency},
		{"pipes.alu.units", func(s *Spec) *int { return &s.Pipes.ALU.Units }, 1, 16},
		{"pipes.alu.interval", func(s *Spec) *int { return &s.Pipes.ALU.Interval }, 1, maxLatency},
		{"pipes.alu.latency", func(s *Spec) *int { return &s.Pipes.ALU.Latency }, 1, maxLatency},
		{"pipes.fp64.units", func(s *Spec) *int { return &s.Pipes.FP64.Units }, 1, 16},
		{"pipes.fp64.interval", func(s *Spec) *int { return &s.Pipes.FP64.Interval }, 1, maxLatency},
		{"pipes.fp64.latency", func(s *Spec) *int { return &s.Pipes.FP64.Latency }, 1, maxLatency},
		{"pipes.sfu.units", func(s *Spec) *int { return &s.Pipes.SFU.Units }, 1, 16},
		{"pipes.sfu.interval", func(s *Spec) *int { return &s.Pipes.SFU.Interval }, 1, maxLatency},
		{"pipes.sfu.latency", func(s *Spec) *int { return &s.Pipes.SFU.Latency }, 1, maxLatency},
		{"pipes.tensor.units", func(s *Spec) *int { return &s.Pipes.Tensor.Units }, 1, 16},
		{"pipes.tensor.interval", func(s *Spec) *int { return &s.Pipes.Tensor.Interval }, 1, maxLatency},
		{"pipes.tensor.latency", func(s *Spec) *int { return &s.Pipes.Tensor.Latency }, 1, maxLatency},
		{"lsu.queue_depth", func(s *Spec) *int { return &s.LSU.QueueDepth }, 1, 256},
		{"lsu.shared_latency", func(s *Spec) *int { return &s.LSU.SharedLatency }, 2, maxLatency - 32},
		{"lsu.shared_banks", func(s *Spec) *int { return &s.LSU.SharedBanks }, 1, 32},
		{"lsu.shared_atomic_interval", func(s *Spec) *int { return &s.LSU.SharedAtomicInterval }, 1, maxLatency},
		{"lsu.constant_latency", func(s *Spec) *int { return &s.LSU.ConstantLatency }, 2, maxLatency},
		{"lsu.texels_per_cycle", func(s *Spec) *int { return &s.LSU.TexelsPerCycle }, 1, 32},
		{"lsu.texture_lines_per_cycle", func(s *Spec) *int { return &s.LSU.TextureLinesPerCycle }, 1, 32},
		{"l1.sets", func(s *Spec) *int { return &s.L1.Sets }, 1, 4096},
		{"l1.ways", func(s *Spec) *int { return &s.L1.Ways }, 1, 256},
		{"l1.hit_latency", func(s *Spec) *int { return &s.L1.HitLatency }, 2, maxLatency},
		{"l1.miss_latency", func(s *Spec) *int { return &s.L1.MissLatency }, 1, maxLatency},
		{"l1.mshrs", func(s *Spec) *int { return &s.L1.MSHRs }, 1, 4096},
		{"l1.mshr_merge", func(s *Spec) *int { return &s.L1.MSHRMerge }, 1, 256},
		{"l1.miss_queue", func(s *Spec) *int { return &s.L1.MissQueue }, 1, 65536},
		{"l1.store_buffer", func(s *Spec) *int { return &s.L1.StoreBuffer }, 1, 65536},
		{"l1.reply_queue", func(s *Spec) *int { return &s.L1.ReplyQueue }, 1, 65536},
		{"l1.returns_per_cycle", func(s *Spec) *int { return &s.L1.ReturnsPerCycle }, 0, 256},
		{"l1.banks", func(s *Spec) *int { return &s.L1.Banks }, 1, 32},
	} {
		for _, value := range []int{-1, c.min - 1, c.max + 1} {
			spec := testSpec()
			*c.field(&spec) = value
			require.EqualError(t, spec.Validate(), fmt.Sprintf("%s is %d, must be %d to %d", c.path, value, c.min, c.max))
		}
		for _, value := range []int{c.min, c.max} {
			spec := testSpec()
			*c.field(&spec) = value
			require.NoError(t, spec.Validate(), "%s %d", c.path, value)
		}
	}
}

func TestValidateChecksTheSharedMemorySizes(t *testing.T) {
	for _, list := range [][]int{nil, {}, {-1}, {48 << 10, 16 << 10}} {
		spec := testSpec()
		spec.SharedBytes = list
		require.EqualError(t, spec.Validate(), "shared_bytes must list at least one size in bytes, ascending, none below 0")
	}
}

func TestMSHRsOfSectorsHoldALine(t *testing.T) {
	spec := testSpec()
	spec.L1.MSHRPerSector, spec.L1.MSHRs = true, 3
	require.EqualError(t, spec.Validate(), "l1.mshrs is 3, must be at least 4 with mshr_per_sector")
	spec.L1.MSHRs = 4
	require.NoError(t, spec.Validate())
}

func TestValidateChecksTheBytesOfBanksAndAccesses(t *testing.T) {
	for _, value := range []int{0, 16, 33, 256} {
		spec := testSpec()
		spec.L1.BankBytes = value
		require.EqualError(t, spec.Validate(), fmt.Sprintf("l1.bank_bytes is %d, must be 32, 64 or 128", value))
	}
	for _, value := range []int{0, 64, 256} {
		spec := testSpec()
		spec.L1.AccessBytes = value
		require.EqualError(t, spec.Validate(), fmt.Sprintf("l1.access_bytes is %d, must be 32 or 128", value))
	}
	for _, value := range []int{32, 64, 128} {
		spec := testSpec()
		spec.L1.BankBytes = value
		require.NoError(t, spec.Validate())
	}
}

func TestValidateChecksThePeriodOfUCPOnlyIfItIsUsed(t *testing.T) {
	for _, value := range []int{-1, 0, 1<<30 + 1} {
		spec := testSpec()
		spec.L1.UCPPeriod = value
		require.NoError(t, spec.Validate())
		spec.L1.Victim = "ucp"
		require.EqualError(t, spec.Validate(), fmt.Sprintf("l1.ucp_period is %d, must be 1 to 1073741824", value))
	}
	spec := testSpec()
	spec.L1.Victim, spec.L1.UCPPeriod = "ucp", 1
	require.NoError(t, spec.Validate())
}

func TestPrefetchingGoesWithoutATLB(t *testing.T) {
	spec := testSpec()
	spec.L1.Prefetch = l1.PrefetchSpec{Kind: "next-line", Degree: 1}
	require.NoError(t, spec.Validate())
	spec.TLB = tlb.Spec{Entries: 2, Ways: 1, MSHRs: 1}
	require.EqualError(t, spec.Validate(), `l1.prefetch.kind is "next-line", which goes without a TLB (tlb.entries: 0): what it asks for would not be translated`)
	spec.TLB, spec.L1.Prefetch.Degree = tlb.Spec{}, 0
	require.EqualError(t, spec.Validate(), "l1.prefetch.degree is 0, must be 1 to 16")
}

func TestValidateChecksTheScheduler(t *testing.T) {
	spec := testSpec()
	spec.Scheduler = "best"
	require.EqualError(t, spec.Validate(), `scheduler: unknown warp scheduler "best"; valid: `+strings.Join(ews.Names(), ", "))
}

func TestBuildNamesTheSMAndTheField(t *testing.T) {
	spec := testSpec()
	spec.L1.Ways = 0
	_, err := Builder{}.WithSpec(spec).Build("GPU.SM[3]")
	require.EqualError(t, err, "GPU.SM[3]: l1.ways is 0, must be 1 to 256")
}

func TestWarpSlotsCoverThreadsThatDoNotDivideBySchedulers(t *testing.T) {
	spec := testSpec()
	spec.Schedulers, spec.Threads = 3, 7*32+5
	b := newBench(t, spec)
	list := program(step)
	r := b.place(0, list, list, list, list, list, list, list)
	b.run()
	for _, w := range r {
		require.Len(t, w.issued, 1)
	}
}
