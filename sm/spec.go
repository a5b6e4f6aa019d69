package sm

import (
	"errors"
	"fmt"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/sm/ews"
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

	FrontEnd FrontEndSpec `yaml:"front_end"`
	Pipes    PipesSpec    `yaml:"pipes"`
	LSU      LSUSpec      `yaml:"lsu"`
	L1       L1Spec       `yaml:"l1"`
}

// FrontEndSpec holds the parameters of fetch and the instruction buffers.
type FrontEndSpec struct {
	// BufferDepth is the number of instructions that a warp's buffer holds.
	BufferDepth int `yaml:"buffer_depth"`
	// FetchWidth is the number of instructions that a scheduler's fetch unit
	// brings to one warp in a cycle.
	FetchWidth int `yaml:"fetch_width"`
	// FetchLatency is the time from fetch to the buffer, 1 to 16.
	FetchLatency int `yaml:"fetch_latency"`
	// BranchLatency is the time from the issue of a taken branch until its
	// target can be fetched. The buffer is empty meanwhile: a control hazard.
	BranchLatency int `yaml:"branch_latency"`
}

// PipeSpec holds the parameters of one kind of execution pipe.
type PipeSpec struct {
	// Interval is the number of cycles from one instruction to the next: warp
	// size divided by lanes.
	Interval int `yaml:"interval"`
	// Latency is the number of cycles from an instruction's issue to the
	// earliest issue of one that depends on it.
	Latency int `yaml:"latency"`
	// PerSM says that the schedulers share one pipe; otherwise each has its own.
	PerSM bool `yaml:"per_sm"`
}

// PipesSpec holds the parameters of the arithmetic pipes.
type PipesSpec struct {
	ALU    PipeSpec `yaml:"alu"`    // integer and single precision
	FP64   PipeSpec `yaml:"fp64"`   // double precision
	SFU    PipeSpec `yaml:"sfu"`    // special functions
	Tensor PipeSpec `yaml:"tensor"` // matrix multiply
}

// LSUSpec holds the parameters of the load-store unit, shared memory, the
// constant cache and the texture units.
type LSUSpec struct {
	// QueueDepth is the number of memory instructions that wait for the unit.
	QueueDepth int `yaml:"queue_depth"`
	// SharedLatency is the load-to-use latency of shared memory without bank
	// conflicts. Each further conflicting access takes one cycle more.
	SharedLatency int `yaml:"shared_latency"`
	// SharedBanks is the number of 4-byte banks, at most 32.
	SharedBanks int `yaml:"shared_banks"`
	// SharedAtomicInterval is the number of cycles for which one lane's atomic
	// operation holds its bank; GPUs from Maxwell on have hardware for them
	// (Maxwell Tuning Guide, Fast Shared Memory Atomics). Lanes that meet in a
	// bank take turns, also if they share the word: operations of a warp on one
	// location are all serialized (CUDA C Programming Guide, SIMT Architecture).
	SharedAtomicInterval int `yaml:"shared_atomic_interval"`
	// ConstantLatency is the load-to-use latency of constant memory, whose cache
	// always hits, if all lanes read one word. Each further word takes one cycle
	// more: a request is split into one for each different address, and its
	// throughput falls by that factor (CUDA C Programming Guide, Device Memory
	// Accesses, Constant Memory).
	ConstantLatency int `yaml:"constant_latency"`
	// TexelsPerCycle is the number of texels that the SM's texture units deliver
	// in one cycle, at most 32: as many as there are units, of which each filters
	// one (white papers: GTX 980 eight, Kepler sixteen, Fermi four). A texture
	// fetch takes the unit at least its active lanes divided by this.
	TexelsPerCycle int `yaml:"texels_per_cycle"`
	// TextureLinesPerCycle is the number of lines that one texture fetch can
	// look up in the L1 in one cycle, at most 32. Each texture unit computes an
	// address a clock (as reviews tell of Fermi's), so it is their number; 1
	// makes textures take the L1 as global loads do.
	TextureLinesPerCycle int `yaml:"texture_lines_per_cycle"`
}

// L1Spec holds the parameters of the L1 data cache: write-through, no write
// allocation, lines of 128 bytes.
type L1Spec struct {
	// Sets and Ways give the size: Sets x Ways x 128 bytes.
	Sets int `yaml:"sets"`
	Ways int `yaml:"ways"`
	// Sectored says that a miss fetches the missing 32 B sectors instead of
	// the line.
	Sectored bool `yaml:"sectored"`
	// AllocateOnFill says that a miss takes a line when its data arrive, not
	// when it is sent; then no line can be lacking.
	AllocateOnFill bool `yaml:"allocate_on_fill"`
	// HitLatency is the load-to-use latency of a hit.
	HitLatency int `yaml:"hit_latency"`
	// MissLatency is the time from the access until its miss can leave the SM.
	MissLatency int `yaml:"miss_latency"`
	// MSHRs is the number of lines that can be outstanding.
	MSHRs int `yaml:"mshrs"`
	// MSHRMerge is the number of accesses that can wait for one line.
	MSHRMerge int `yaml:"mshr_merge"`
	// MissQueue is the number of packets that can wait to leave the SM.
	MissQueue int `yaml:"miss_queue"`
	// StoreBuffer is the number of those that can be writes or atomics.
	StoreBuffer int `yaml:"store_buffer"`
	// ReplyQueue is the number of replies that the SM's port holds.
	ReplyQueue int `yaml:"reply_queue"`
}

// Capacity is what the SM offers to thread blocks.
func (s *Spec) Capacity() occupancy.Capacity {
	return occupancy.Capacity{TBs: s.TBs, Threads: s.Threads, Warps: s.Threads / workload.WarpSize,
		Registers: s.Registers, SharedOptions: s.SharedBytes}
}

// Validate reports the first field that is out of range, by its path.
func (s *Spec) Validate() error {
	type field struct {
		path     string
		value    int
		min, max int
	}
	const many = 1 << 30
	fields := []field{
		{"schedulers", s.Schedulers, 1, 8},
		{"issue_width", s.IssueWidth, 1, 2},
		{"tbs", s.TBs, 1, 256},
		{"threads", s.Threads, workload.WarpSize, max(s.Schedulers, 1) * ews.MaxSlots * workload.WarpSize},
		{"registers", s.Registers, 1, many},
		{"front_end.buffer_depth", s.FrontEnd.BufferDepth, 1, 64},
		{"front_end.fetch_width", s.FrontEnd.FetchWidth, 1, 64},
		{"front_end.fetch_latency", s.FrontEnd.FetchLatency, 1, maxFetchLatency},
		{"front_end.branch_latency", s.FrontEnd.BranchLatency, 1, maxLatency},
		{"lsu.queue_depth", s.LSU.QueueDepth, 1, 256},
		{"lsu.shared_latency", s.LSU.SharedLatency, 2, maxLatency - workload.WarpSize},
		{"lsu.shared_banks", s.LSU.SharedBanks, 1, 32},
		{"lsu.shared_atomic_interval", s.LSU.SharedAtomicInterval, 1, maxLatency},
		{"lsu.constant_latency", s.LSU.ConstantLatency, 2, maxLatency},
		{"lsu.texels_per_cycle", s.LSU.TexelsPerCycle, 1, workload.WarpSize},
		{"lsu.texture_lines_per_cycle", s.LSU.TextureLinesPerCycle, 1, workload.WarpSize},
		{"l1.sets", s.L1.Sets, 1, 1 << 12},
		{"l1.ways", s.L1.Ways, 1, 256},
		{"l1.hit_latency", s.L1.HitLatency, 2, maxLatency},
		{"l1.miss_latency", s.L1.MissLatency, 1, maxLatency},
		{"l1.mshrs", s.L1.MSHRs, 1, 1 << 12},
		{"l1.mshr_merge", s.L1.MSHRMerge, 1, 1 << 8},
		{"l1.miss_queue", s.L1.MissQueue, 1, 1 << 16},
		{"l1.store_buffer", s.L1.StoreBuffer, 1, 1 << 16},
		{"l1.reply_queue", s.L1.ReplyQueue, 1, 1 << 16},
	}
	for _, p := range []struct {
		name string
		spec PipeSpec
	}{{"alu", s.Pipes.ALU}, {"fp64", s.Pipes.FP64}, {"sfu", s.Pipes.SFU}, {"tensor", s.Pipes.Tensor}} {
		fields = append(fields,
			field{"pipes." + p.name + ".interval", p.spec.Interval, 1, maxLatency},
			field{"pipes." + p.name + ".latency", p.spec.Latency, 1, maxLatency})
	}
	for _, f := range fields {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("%s is %d, must be %d to %d", f.path, f.value, f.min, f.max)
		}
	}
	if len(s.SharedBytes) == 0 || !slices.IsSorted(s.SharedBytes) || s.SharedBytes[0] < 0 {
		return errors.New("shared_bytes must list at least one size in bytes, ascending, none below 0")
	}
	_, err := ews.New(s.Scheduler)
	if err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	return nil
}
