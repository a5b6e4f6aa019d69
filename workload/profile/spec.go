package profile

import "cotenant/workload/strictyaml"

// Spec is a profile file: one application, the kernels it launches and the
// statistics of their instructions.
type Spec struct {
	// Name is the application's name in reports. Required.
	Name string `yaml:"name"`
	// Kernels are launched in this order, each Launches times in a row, except
	// kernels that share a Loop. 1 to 64.
	Kernels []Kernel `yaml:"kernels"`

	at strictyaml.Positions // of the values; nil if they are from no file
}

// Kernel is one kernel: its grid, what each of its TBs takes of an SM, and the
// statistics of its warps.
type Kernel struct {
	// Name identifies the kernel within the file. It is also part of the seed
	// of the kernel's streams. Required.
	Name string `yaml:"name"`
	// TBs is the number of thread blocks of the grid. 1 to 2^31-1. Required.
	TBs int `yaml:"tbs"`
	// Launches is how often the application runs the kernel. 1 to 10,000.
	// Default 1.
	Launches int `yaml:"launches"`
	// Loop names the loop of the application that launches this kernel.
	// Neighbouring kernels with the same Loop take turns, one launch each,
	// until the launches of each are used up. Default none.
	Loop string `yaml:"loop"`
	// Demands are the resources of one TB, as compiled for one or for several
	// GPU architectures. The first is the default. At least one.
	Demands []Demand `yaml:"demands"`
	// Instructions is the mean number of instructions of one warp, barriers
	// and the final exit included. 1 to 10,000,000. Required.
	Instructions int `yaml:"instructions"`
	// Spread is the half-width of a TB's length: a TB runs Instructions times
	// a factor drawn evenly from 1-Spread to 1+Spread, the same for all its
	// warps. 0 to below 1. Default 0.
	Spread float64 `yaml:"spread"`
	// Phases are run one after another by every warp. 1 to 16.
	Phases []Phase `yaml:"phases"`
}

// Demand is what one TB takes of an SM.
type Demand struct {
	// Arch names the architecture the kernel was compiled for. Required when
	// a kernel has more than one Demand, and then different in each.
	Arch string `yaml:"arch"`
	// Threads is the number of threads of a TB. The last warp is part-filled
	// unless it is a multiple of 32. 1 to 1024. Required.
	Threads int `yaml:"threads"`
	// RegistersPerThread is the number of 32-bit registers of a thread, 1 to
	// 255. Either this or RegistersPerTB must be given.
	RegistersPerThread int `yaml:"registers_per_thread"`
	// RegistersPerTB is the number of 32-bit registers of a whole TB, from
	// Threads to 255 times Threads.
	RegistersPerTB int `yaml:"registers_per_tb"`
	// SharedBytesPerTB is the shared memory of a TB, static and dynamic. 0 to
	// 1 MiB. Default 0.
	SharedBytesPerTB int `yaml:"shared_bytes_per_tb"`
}

// Phase is a stretch of a kernel with its own statistics.
type Phase struct {
	// Share is the fraction of the warp's instructions that belong to this
	// phase. Above 0; the shares of a kernel sum to 1. Default 1.
	Share float64 `yaml:"share"`
	// Mix is the fraction of each class among the instructions that are not
	// barriers. Required.
	Mix Mix `yaml:"mix"`
	// Body is the length in instructions of the loop that the phase repeats:
	// PCs and registers recur after it, and fractions of the Mix are rounded
	// to multiples of 1/Body. A phase shorter than Body is its own body.
	// 1 to 1024. Default 256.
	Body int `yaml:"body"`
	// Distance is the mean number of instructions from the writer of a value
	// (without global memory) to a reader that waits for it. 1 is a chain;
	// larger is more instruction-level parallelism. Single distances are drawn
	// evenly from 1 to twice the mean, and end where the register is written
	// again. 1 to 64. Default 4.
	Distance float64 `yaml:"distance"`
	// LoadDistance is the same from a global load or atomic to its first use.
	// 1 to 256. Default 8.
	LoadDistance float64 `yaml:"load_distance"`
	// BarrierEvery makes every so-manyth instruction of the phase a barrier of
	// the whole TB. 0 for none, or 2 to 10,000,000. Default 0.
	BarrierEvery int `yaml:"barrier_every"`
	// SplitProbability is the probability that a branch splits the warp until
	// the next branch, barrier or phase. 0 to 1. Default 0.
	SplitProbability float64 `yaml:"split_probability"`
	// SplitActive is the mean fraction of the warp's lanes that are active
	// while it is split, to 1/256; at least one lane is. Above 0, to 1.
	// Default 0.5.
	SplitActive float64 `yaml:"split_active"`
	// SharedConflict is the mean number of different words that a shared
	// access asks of its busiest bank. 1 (no conflict) to 32, and no more than
	// fit in the TB's shared memory. Default 1.
	SharedConflict float64 `yaml:"shared_conflict"`
	// Load says where global_load goes. Default: Access's defaults.
	Load *Access `yaml:"load"`
	// Gather says where gather_load goes. Default: together with Load.
	Gather *Access `yaml:"gather"`
	// Store says where global_store goes. Default: together with Load.
	Store *Access `yaml:"store"`
	// Atomic says where atomic and reduction go. Default: together with Load.
	Atomic *Access `yaml:"atomic"`
}

// Mix is the fraction of the instructions of each class. Fractions are 0 to 1
// and sum to 1 within 0.001; what is not given is 0.
type Mix struct {
	Int      float64 `yaml:"int"`      // integer, logic, moves, predicates
	FP32     float64 `yaml:"fp32"`     // single precision
	FP64     float64 `yaml:"fp64"`     // double precision
	SFU      float64 `yaml:"sfu"`      // special functions
	Tensor   float64 `yaml:"tensor"`   // matrix-multiply-accumulate
	Constant float64 `yaml:"constant"` // loads from the constant cache
	Branch   float64 `yaml:"branch"`   // the last closes the loop, any other may split the warp
	// Loads from global memory of two kinds, so that a streamed array and an
	// indexed one can be told apart.
	GlobalLoad   float64 `yaml:"global_load"`
	GatherLoad   float64 `yaml:"gather_load"`
	GlobalStore  float64 `yaml:"global_store"`
	Atomic       float64 `yaml:"atomic"`    // on global memory, returns the old value
	Reduction    float64 `yaml:"reduction"` // on global memory, returns nothing
	SharedLoad   float64 `yaml:"shared_load"`
	SharedStore  float64 `yaml:"shared_store"`
	SharedAtomic float64 `yaml:"shared_atomic"`
}

// Access says which memory the global accesses of one kind touch. An access is
// first placed by reuse: with the probabilities below it repeats something
// recent, and otherwise it goes on to where Pattern leads. So L1 hits follow
// from WarpReuse and TBReuse with small windows, L2 hits from GridReuse or a
// small Footprint, and DRAM rows from Pattern.
type Access struct {
	// Pattern is where the accesses that reuse nothing go:
	//   stream   through one array together: at its k-th access a warp takes
	//            the place next to its neighbour's, as in a grid-stride loop
	//   strided  every warp through a block of the footprint of its own
	//   random   anywhere in the footprint, every line on its own (two may be
	//            the same in a small one)
	// Default stream.
	Pattern string `yaml:"pattern"`
	// Lines is the mean number of 128-byte lines that a full warp touches. 1
	// is coalesced. Whole numbers of stream are wider elements, of strided a
	// stride between lanes; fractions are misaligned accesses. 1 to 32.
	// Default 1.
	Lines float64 `yaml:"lines"`
	// Footprint is the size of the array in bytes; it takes a suffix KiB, MiB
	// or GiB and is rounded down to lines. As large as one access to 64 GiB.
	// Default 64MiB.
	Footprint Bytes `yaml:"footprint"`
	// WarpReuse is the probability of repeating an access: one among the warp's
	// own last WarpWindow accesses that reused nothing. Default 0.
	WarpReuse float64 `yaml:"warp_reuse"`
	// WarpWindow is counted in such accesses. 1 to 1,000,000. Default 4.
	WarpWindow int `yaml:"warp_window"`
	// TBReuse is the probability of an access to data that the TB's warps
	// share: all walk one sequence, and each picks a place among its own last
	// TBWindow places in it. Default 0.
	TBReuse float64 `yaml:"tb_reuse"`
	// TBWindow is counted in accesses. 1 to 1,000,000. Default 1.
	TBWindow int `yaml:"tb_window"`
	// GridReuse is the probability of an access to the first GridSet bytes of
	// the footprint, which all TBs share. Default 0. WarpReuse, TBReuse and
	// GridReuse sum to at most 1.
	GridReuse float64 `yaml:"grid_reuse"`
	// GridSet is a size like Footprint, and no larger if GridReuse is above 0.
	// Default 512KiB.
	GridSet Bytes `yaml:"grid_set"`
}
