package sm

import (
	"errors"
	"fmt"
	"slices"

	"cotenant/components/limits"
	"cotenant/components/occupancy"
	"cotenant/sm/egress"
	"cotenant/sm/ews"
	"cotenant/sm/frontend"
	"cotenant/sm/gate"
	"cotenant/sm/issuequeue"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/pipes"
	"cotenant/sm/queued"
	"cotenant/sm/tensor"
	"cotenant/sm/tlb"
	"cotenant/sm/tma"
	"cotenant/workload"
)

// Spec holds the parameters of an SM. Latencies are in cycles of its clock.
type Spec struct {
	// Schedulers is the number of warp schedulers, 1 to 8.
	Schedulers int `yaml:"schedulers" range:"1..8"`
	// Scheduler is the warp scheduling policy: gto, lrr, 2lvl-N, kernel-lrr.
	Scheduler string `yaml:"scheduler"`
	// IssueWidth is the number of instructions that a scheduler issues in one
	// cycle, all of one warp and each to another kind of unit; 1 or 2.
	IssueWidth int `yaml:"issue_width" range:"1..2"`
	// IssueSameUnit lets the second of them go to the same kind of arithmetic
	// pipe as the first, if another pipe of that kind is free (Kepler).
	IssueSameUnit bool `yaml:"issue_same_unit"`

	// GroupSlots is the number of warp slots in the first of each scheduler's two
	// groups, 0 to 64; the scheduler considers one group at a time (ews.Groups). 0, or
	// as many as it has: there is one group. HeteroCore's big SMs have groups; the first
	// is as large as on a baseline SM (3.2).
	GroupSlots int `yaml:"group_slots" range:"0..64"`

	// MemoryIssue says which loads, stores and atomics of global memory may issue: any,
	// all that are ready; mil, at most a limit in flight for each tenant, which follows
	// how often the L1 refuses its accesses; bmi, first the instructions of the tenant that
	// has sent fewest requests for a while (gate.MIL, gate.BMI).
	MemoryIssue string `yaml:"memory_issue"`

	// TBs is the number of thread-block slots.
	TBs int `yaml:"tbs" range:"1..256"`
	// Threads is the number of threads that fit; warp slots are Threads/32,
	// at most 64 for each scheduler.
	Threads int `yaml:"threads"`
	// Registers is the size of the register file in 32-bit registers.
	Registers int `yaml:"registers" range:"1..1<<30"`
	// SharedBytes lists the sizes to which shared memory can be set, ascending;
	// one entry if it is fixed.
	SharedBytes []int `yaml:"shared_bytes"`

	// UnifiedBytes is the memory that the L1 and shared memory have together; 0: each has its
	// own. Carveouts lists the sizes to which shared memory can be set in it, ascending: the
	// SM takes the least that holds the shared memory of its thread blocks, and the L1 has
	// the ways that fit into the rest; L1.Ways beside the least carve-out.
	UnifiedBytes int   `yaml:"unified_bytes,omitempty" range:"0..1<<24" json:",omitzero"`
	Carveouts    []int `yaml:"carveouts,omitempty" json:",omitempty"`

	FrontEnd frontend.Spec `yaml:"front_end"`
	// Queue holds the parameters of the issue queue, from which instructions issue out
	// of order. Without entries there is none, and warps issue in order from their
	// instruction buffers. With one the SM has one scheduler, IssueWidth counts for
	// nothing, fetch takes no cycle beside its own, and FrontEnd.BranchLatency is the
	// time from the issue of a control instruction to the fetch behind it.
	Queue issuequeue.Spec `yaml:"issue_queue"`
	// TLB holds the parameters of the L1 TLB. Without entries addresses are not
	// translated.
	TLB    tlb.Spec          `yaml:"tlb"`
	Faults queued.FaultsSpec `yaml:"faults"`
	Pipes  pipes.Spec        `yaml:"pipes"`
	// Tensor holds the parameters of the tensor cores, in addition to pipes.tensor.
	Tensor tensor.Spec `yaml:"tensor,omitempty" json:",omitzero"`
	// TMA makes bulk copies.
	TMA tma.Spec `yaml:"tma,omitempty" json:",omitzero"`
	LSU lsu.Spec `yaml:"lsu"`
	L1  l1.Spec  `yaml:"l1"`
	// IRC holds the parameters of the issue-rate controller, which takes the place of
	// the miss queue. Without sub-queues there is none.
	IRC egress.Spec `yaml:"irc"`
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

// ExtraBytes bounds what faults add to the context of a thread block.
func (s *Spec) ExtraBytes() int { return s.Faults.ExtraBytes(s.Queue.Entries, s.WarpSlots()) }

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

// validateTensor reports what does not go with a table of shapes.
func (s *Spec) validateTensor() error {
	switch p := &s.Pipes.Tensor; {
	case !s.Tensor.Any():
		return nil
	case s.Pipes.Matrix.Unit != "":
		return fmt.Errorf("they go with pipes.matrix.unit: \"\", not with %q", s.Pipes.Matrix.Unit)
	case p.PerSM || p.Units > 1:
		return errors.New("they are of one tensor core for each scheduler: pipes.tensor.units: 1, per_sm: false")
	case s.Queue.Entries > 0 && s.Tensor.Shapes.Stepped():
		return errors.New("steps go with issue_queue.entries: 0")
	}
	return s.Tensor.Shapes.CheckSteps()
}

// Validate reports the first field that is out of range, by its path.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if err := limits.In("threads", s.Threads, workload.WarpSize, s.Schedulers*ews.MaxSlots*workload.WarpSize); err != nil {
		return err
	}
	if err := s.validateQueue(); err != nil {
		return fmt.Errorf("issue_queue.%w", err)
	}
	if err := s.validateTensor(); err != nil {
		return fmt.Errorf("tensor.shapes: %w", err)
	}
	if err := s.Faults.Validate(s.TBs, s.Queue.Entries > 0, s.TLB.Entries > 0); err != nil {
		return fmt.Errorf("faults.%w", err)
	}
	if p, _ := l1.NewPrefetcher(s.L1.Prefetch); p != nil && s.TLB.Entries > 0 {
		return fmt.Errorf("l1.prefetch.kind is %q, which goes without a TLB (tlb.entries: 0): what it asks for would not be translated", s.L1.Prefetch.Kind)
	}
	if len(s.SharedBytes) == 0 || !slices.IsSorted(s.SharedBytes) || s.SharedBytes[0] < 0 {
		return errors.New("shared_bytes must list at least one size in bytes, ascending, none below 0")
	}
	if err := s.validateCarveouts(); err != nil {
		return err
	}
	if _, err := ews.New(s.Scheduler); err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	_, err := gate.NewMemory(s.MemoryIssue, s.Schedulers)
	return err
}
