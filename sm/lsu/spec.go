package lsu

import "cotenant/sm/rocache"

// Spec holds the parameters of the load-store unit, shared memory, the
// constant cache and the texture units.
type Spec struct {
	// QueueDepth is the number of memory instructions that wait for the unit.
	QueueDepth int `yaml:"queue_depth" range:"1..256"`
	// Skip says that when the oldest instruction is refused, the unit may take the
	// oldest instruction of another tenant in the same cycle; a tenant's instructions
	// stay in order. Each tenant on the SM then has an equal share of the queue, at
	// least one entry; left-over entries go to the tenants that came first. Accesses
	// with late translations go before the queue, each before its own tenant's
	// instructions. False: all wait behind the oldest. (No publication has it; without
	// it a tenant that waits for credit holds up every tenant's requests.)
	Skip bool `yaml:"skip"`
	// SharedLatency is the load-to-use latency of shared memory without bank
	// conflicts. Each further conflicting access takes one cycle more.
	SharedLatency int `yaml:"shared_latency" range:"2..991"`
	// RemoteLatency is the load-to-use latency of the shared memory of another thread block of the
	// cluster, without bank conflicts; 0: the GPU has no clusters. What a thread block tells another one, at
	// an mbarrier or the cluster's barrier, is seen there after half of it: one way.
	RemoteLatency int `yaml:"remote_latency,omitempty" range:"0..991" json:",omitzero"`
	// SharedBanks is the number of 4-byte banks, at most 32.
	SharedBanks int `yaml:"shared_banks" range:"1..32"`
	// SharedFirstWord says that only the first word of each lane counts for bank
	// conflicts, so that an access of two or four words by each counts as an access of
	// a word, in GPGPU-Sim 3.2.2 (abstract_hardware_model.cc, generate_mem_accesses). False:
	// every word counts, as on the chips.
	SharedFirstWord bool `yaml:"shared_first_word"`
	// SharedPairs has the banks serve twice as many lanes together in a load of several words by each
	// lane, a whole warp for two words and half a warp for four, if lanes n and n^1 have the same
	// address for every n, or lanes n and n^2. GPUs of compute capability 7.0 to 7.5 do (NVIDIA
	// developer forums, 77228/2).
	SharedPairs bool `yaml:"shared_pairs,omitempty" json:",omitzero"`
	// SharedAtomicInterval is the number of cycles for which one lane's atomic
	// operation holds its bank; GPUs from Maxwell on have hardware for them
	// (Maxwell Tuning Guide, Fast Shared Memory Atomics). Lanes that meet in a
	// bank take turns, also if they share the word: operations of a warp on one
	// location are all serialized (CUDA C Programming Guide, SIMT Architecture).
	SharedAtomicInterval int `yaml:"shared_atomic_interval" range:"1..1023"`
	// ConstantLatency is the load-to-use latency of constant memory without a cache,
	// where every load hits, if all lanes read one word. Each further word takes
	// ConstantInterval more: a request is split into one for each different address, and its
	// throughput falls by that factor (CUDA C Programming Guide, Device Memory Accesses,
	// Constant Memory).
	ConstantLatency int `yaml:"constant_latency" range:"2..1023"`
	// ConstantInterval is the number of cycles for which each further word holds the unit, with
	// ConstantCache and without; 0: 1. The first takes a cycle.
	ConstantInterval int `yaml:"constant_interval,omitempty" range:"0..31" json:",omitzero"`
	// ConstantCache is the cache of constant memory. Without it all constants hit after
	// ConstantLatency; with it only constants of an address that their source does not
	// know. A lookup takes a cycle, and ConstantInterval for each
	// further word.
	ConstantCache rocache.Spec `yaml:"constant_cache"`
	// TextureCache is the cache of textures. Without one they go through the L1
	// data cache. TextureLinesPerCycle goes for either.
	TextureCache rocache.Spec `yaml:"texture_cache"`
	// ReadOnlyLoads says that loads of global memory that the program says are
	// read-only take the texture cache, one line a cycle, if there is one: Kepler's
	// read-only data cache (Kepler Tuning Guide, Read-Only Data Cache).
	ReadOnlyLoads bool `yaml:"read_only_loads"`
	// TexelsPerCycle is the number of texels that the SM's texture units deliver in one
	// cycle, at most 32. Each unit filters one, so it is the number of units (white
	// papers: GTX 980 eight, Kepler sixteen, Fermi four). A texture fetch takes the unit
	// at least its active lanes divided by this.
	TexelsPerCycle int `yaml:"texels_per_cycle" range:"1..32"`
	// TextureLinesPerCycle is the number of lines that one texture fetch can
	// look up in the L1 in one cycle, at most 32. Each texture unit computes an
	// address a clock (as reviews tell of Fermi's), so it is their number; 1
	// makes textures take the L1 as global loads do.
	TextureLinesPerCycle int `yaml:"texture_lines_per_cycle" range:"1..32"`
	// TextureBanks is the number of banks of 4 bytes from which texels come; 0: any texels come
	// together. Lanes are served in groups of TexelsPerCycle. Different words of a group in one bank
	// take a cycle each. With 32 the rates of a Titan V come out: texels of 16 bytes take twice the
	// time, and texels of 8 bytes where the lanes of a group are 32 bytes apart (sebbbi/perftest at d75b3af).
	TextureBanks int `yaml:"texture_banks,omitempty" range:"0..32" json:",omitzero"`
	// TextureTags is the number of memories of tags, 4, of which each looks up a line in a cycle for a
	// group of lanes; 0: tags are looked up by TextureLinesPerCycle alone. "The L1 tag stage can resolve 4 sets x 4
	// sectors per cycle" (NVIDIA developer forums, 312884).
	TextureTags int `yaml:"texture_tags,omitempty" range:"0,4" json:",omitzero"`
}
