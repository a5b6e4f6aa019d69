package sm

import (
	"errors"
	"fmt"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/irc"
	"cotenant/sm/ews"
	"cotenant/sm/frontend"
	"cotenant/sm/gate"
	"cotenant/sm/issuequeue"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/tlb"
	"cotenant/workload"
)

// maxLatency bounds every fixed latency: results wait in a timing wheel.
const maxLatency = wheelSlots - 1

// Spec holds the parameters of an SM. Latencies are in cycles of its clock.
type Spec struct {
	// Schedulers is the number of warp schedulers, 1 to 8.
	Schedulers int `yaml:"schedulers"`
	// Scheduler is the warp scheduling policy: gto, lrr, 2lvl-N, kernel-lrr.
	Scheduler string `yaml:"scheduler"`
	// IssueWidth is the number of instructions that a scheduler issues in one
	// cycle, all of one warp and each to another kind of unit; 1 or 2.
	IssueWidth int `yaml:"issue_width"`
	// IssueSameUnit lets the second of them go to the same kind of arithmetic
	// pipe as the first, if another pipe of that kind is free (Kepler).
	IssueSameUnit bool `yaml:"issue_same_unit"`

	// GroupSlots is the number of warp slots in the first of two groups that each
	// scheduler has, of which it considers one at a time (ews.Groups), 0 to 64. 0, or
	// as many as it has: there is one group. HeteroCore's big SMs have groups, of which
	// the first is as large as on a baseline SM (3.2).
	GroupSlots int `yaml:"group_slots"`

	// MemoryIssue says whose loads, stores and atomics of global memory may issue:
	// any, whoever's are ready; mil, no more of a tenant than a limit in flight,
	// which follows how often the L1 refuses its accesses; bmi, first the tenant's
	// that has sent fewest requests for a while (gate.MIL, gate.BMI).
	MemoryIssue string `yaml:"memory_issue"`

	// TBs is the number of thread-block slots.
	TBs int `yaml:"tbs"`
	// Threads is the number of threads that fit; warp slots are Threads/32,
	// at most 64 for each scheduler.
	Threads int `yaml:"threads"`
	// Registers is the size of the register file in 32-bit registers.
	Registers int `yaml:"registers"`
	// SharedBytes lists the sizes to which shared memory can be set, ascending;
	// one entry if it is fixed.
	SharedBytes []int `yaml:"shared_bytes"`

	FrontEnd frontend.Spec `yaml:"front_end"`
	// Queue holds the parameters of the issue queue, from which instructions issue out
	// of order. Without entries there is none, and warps issue in order from their
	// instruction buffers. With one the SM has one scheduler, whose IssueWidth counts for
	// nothing, fetch takes no cycle beside its own, and FrontEnd.BranchLatency is the
	// time from the issue of a control instruction to the fetch behind it.
	Queue issuequeue.Spec `yaml:"issue_queue"`
	// TLB holds those of the L1 TLB. Without entries addresses are not translated.
	TLB    tlb.Spec   `yaml:"tlb"`
	Faults FaultsSpec `yaml:"faults"`
	Pipes  PipesSpec  `yaml:"pipes"`
	LSU    lsu.Spec   `yaml:"lsu"`
	L1     l1.Spec    `yaml:"l1"`
	// IRC holds those of the issue-rate controller, which takes the place of the
	// miss queue. Without sub-queues there is none.
	IRC irc.Spec `yaml:"irc"`
}

// Capacity is what the SM offers to thread blocks.
func (s *Spec) Capacity() occupancy.Capacity {
	return occupancy.Capacity{TBs: s.TBs, Threads: s.Threads, Warps: s.Threads / workload.WarpSize,
		Registers: s.Registers, SharedOptions: s.SharedBytes}
}

// WarpSlots is the number of warp slots of the SM, all schedulers having the
// same.
func (s *Spec) WarpSlots() int {
	warps := s.Threads / workload.WarpSize
	return (warps + s.Schedulers - 1) / s.Schedulers * s.Schedulers
}

// missQueue is the number of packets that can wait to leave the SM.
func (s *Spec) missQueue() int {
	if s.IRC.SubQueues > 0 {
		return s.IRC.Entries()
	}
	return s.L1.MissQueue
}

// validateQueue reports what does not go with an issue queue.
func (s *Spec) validateQueue() error {
	if err := s.Queue.Validate(s.Faults.Scheme); err != nil || s.Queue.Entries == 0 {
		return err
	}
	for _, f := range []struct {
		set  bool
		what string
	}{
		{s.Schedulers != 1, "schedulers: 1"},
		{s.GroupSlots != 0, "group_slots: 0"},
		{s.MemoryIssue == "bmi", "memory_issue: any or mil"},
		{s.Pipes.Constant.Unit != "", "pipes.constant.unit: \"\""},
		{s.Pipes.BranchInterval > 1, "pipes.branch_interval: 0"},
		{s.Pipes.BarrierInterval > 1, "pipes.barrier_interval: 0"},
		{s.FrontEnd.ICache.Sets != 0, "front_end.icache.sets: 0"},
	} {
		if f.set {
			return fmt.Errorf("entries is %d, which goes with %s", s.Queue.Entries, f.what)
		}
	}
	return nil
}

// Validate reports the first field that is out of range, by its path.
func (s *Spec) Validate() error {
	const many = 1 << 30
	for _, f := range []struct {
		path            string
		value, min, max int
	}{
		{"schedulers", s.Schedulers, 1, maxSchedulers},
		{"issue_width", s.IssueWidth, 1, maxIssueWidth},
		{"group_slots", s.GroupSlots, 0, ews.MaxSlots},
		{"tbs", s.TBs, 1, 256},
		{"threads", s.Threads, workload.WarpSize, max(s.Schedulers, 1) * ews.MaxSlots * workload.WarpSize},
		{"registers", s.Registers, 1, many},
	} {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("%s is %d, must be %d to %d", f.path, f.value, f.min, f.max)
		}
	}
	for _, part := range []struct {
		path string
		err  error
	}{
		{"front_end", s.FrontEnd.Validate(maxLatency)}, {"lsu", s.LSU.Validate(maxLatency)}, {"l1", s.L1.Validate(maxLatency)},
		{"pipes", s.Pipes.validate()}, {"irc", s.IRC.Validate()},
		{"issue_queue", s.validateQueue()}, {"tlb", s.TLB.Validate()}, {"faults", s.Faults.validate(s)},
	} {
		if part.err != nil {
			return fmt.Errorf("%s.%w", part.path, part.err)
		}
	}
	if p, _ := l1.NewPrefetcher(s.L1.Prefetch); p != nil && s.TLB.Entries > 0 {
		return fmt.Errorf("l1.prefetch.kind is %q, which goes without a TLB (tlb.entries: 0): what it asks for would not be translated", s.L1.Prefetch.Kind)
	}
	if len(s.SharedBytes) == 0 || !slices.IsSorted(s.SharedBytes) || s.SharedBytes[0] < 0 {
		return errors.New("shared_bytes must list at least one size in bytes, ascending, none below 0")
	}
	if _, err := ews.New(s.Scheduler); err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	_, err := gate.NewMemory(s.MemoryIssue, s.Schedulers)
	return err
}
