package dispatcher

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/workload"
)

// Spec holds the parameters of the SM driver: the limits of a kernel launch, which apply
// even if an SM has room for more. 0 is no limit.
type Spec struct {
	// Grid is the largest grid, in thread blocks along each dimension.
	Grid Extent `yaml:"grid"`
	// Block is the largest thread block, in threads along each dimension.
	Block Extent `yaml:"block"`
	// ThreadsPerTB is the largest number of threads of a thread block.
	ThreadsPerTB int `yaml:"threads_per_tb"`
	// RegistersPerThread is the largest number of 32-bit registers of a thread.
	RegistersPerThread int `yaml:"registers_per_thread"`
	// SharedBytesPerTB is the largest shared memory of a thread block, static and dynamic
	// together, in bytes.
	SharedBytesPerTB int `yaml:"shared_bytes_per_tb"`
	// TPCSMs is the number of SMs of a TPC, the least part of the GPU that policy mps limits
	// a process to; 0: an SM.
	TPCSMs int `yaml:"tpc_sms,omitempty" range:"0..64" json:",omitzero"`
	// TimeSliceMicroseconds is the length of a time slice, which policy timeslice takes
	// unless its option slice says otherwise; 0: the GPU names none.
	TimeSliceMicroseconds int `yaml:"time_slice_us,omitempty" range:"0..1<<20" json:",omitzero"`
	// MPSClients is the largest number of processes that policy mps runs together; 0: the GPU names
	// none.
	MPSClients int `yaml:"mps_clients,omitempty" range:"0..1024" json:"-"`
	// ComputeCapability is what programs are told, ten times the major number plus the minor one; 0:
	// it is 70.
	ComputeCapability int `yaml:"compute_capability,omitempty" range:"0..199" json:"-"`
	// MemoryBytes is the size of the memory that programs are told and can allocate, in bytes, up to
	// 256 GiB; 0: it is 16 GiB.
	MemoryBytes int `yaml:"memory_bytes,omitempty" range:"0..274877906944" json:"-"`
	// TBInterval is the number of core cycles from one new thread block that leaves for an SM to
	// the next, whichever SM of the GPU that is for, or of an instance of MIG; 0: each SM takes one
	// a cycle.
	TBInterval int `yaml:"tb_interval,omitempty" range:"0..63" json:",omitzero"`
	// TBLatency is the number of core cycles that a new thread block then takes to its SM, beside
	// the cycle of the link. Its place there is taken meanwhile, and what the driver tells the SM
	// next, such as a quota or to let a thread block go, comes behind it.
	TBLatency int `yaml:"tb_latency,omitempty" range:"0..4095" json:",omitzero"`
	// BlockSwitching lets SMs switch thread blocks on page faults.
	BlockSwitching SwitchingSpec `yaml:"block_switching"`
}

// SwitchingSpec holds the parameters of switching on faults (thesis 6.4.1): when all
// warps of a thread block wait for faults, another thread block can take its place.
// Switching needs SMs with preemptible faults.
type SwitchingSpec struct {
	// Extra is the number of thread blocks that an SM can keep off the chip so that new
	// ones run instead, 0 to 64; 0: thread blocks stay where they are (thesis 6.5.3: 4).
	Extra int `yaml:"extra" range:"0..64"`
	// Ideal moves contexts in no time and without traffic (thesis Figure 6.13).
	Ideal bool `yaml:"ideal"`
}

// Extent is a size along three dimensions.
type Extent struct {
	X int `yaml:"x"`
	Y int `yaml:"y"`
	Z int `yaml:"z"`
}

// limit compares a field of a Spec with a launch.
type limit struct {
	path  string
	most  int
	asked int
	what  string // unit of asked, for errors
}

// limits compares a launch with all fields.
func (s *Spec) limits(k *workload.Kernel) []limit {
	threads := max(k.ThreadsPerTB(), 1)
	list := []limit{
		{"threads_per_tb", s.ThreadsPerTB, threads, "threads a thread block"},
		{"registers_per_thread", s.RegistersPerThread, (k.RegistersPerTB + threads - 1) / threads, "registers a thread"},
		{"shared_bytes_per_tb", s.SharedBytesPerTB, k.SharedBytesPerTB, "bytes of shared memory a thread block"},
	}
	grid, block := k.Grid, k.Block
	if k.AnyShape {
		grid, block = workload.Dim3{}, workload.Dim3{}
	}
	return append(list,
		limit{"grid.x", s.Grid.X, grid.X, "thread blocks along x"},
		limit{"grid.y", s.Grid.Y, grid.Y, "thread blocks along y"},
		limit{"grid.z", s.Grid.Z, grid.Z, "thread blocks along z"},
		limit{"block.x", s.Block.X, block.X, "threads along x"},
		limit{"block.y", s.Block.Y, block.Y, "threads along y"},
		limit{"block.z", s.Block.Z, block.Z, "threads along z"})
}

// Validate reports the first field that is out of range, by its path.
func (s *Spec) Validate() error {
	for _, l := range s.limits(&workload.Kernel{}) {
		if l.most < 0 {
			return fmt.Errorf("%s is %d, must be at least 1, or 0 for no limit", l.path, l.most)
		}
	}
	return limits.Check(s)
}

// check returns an error that names the first limit that a launch exceeds.
func (s *Spec) check(k *workload.Kernel) error {
	for _, l := range s.limits(k) {
		if l.most > 0 && l.asked > l.most {
			return fmt.Errorf("%d %s; valid: at most %d, driver.%s of the GPU", l.asked, l.what, l.most, l.path)
		}
	}
	return nil
}
