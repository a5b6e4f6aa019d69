package l2

import (
	"cmp"
	"fmt"

	"cotenant/components/limits"
	"cotenant/mem/cache"
)

// Spec holds the parameters of an L2 slice. Latencies and intervals are in
// cycles of its clock.
type Spec struct {
	// Sets and Ways give the slice's size: Sets x Ways x 128 bytes. Sets need
	// not be a power of two.
	Sets int `yaml:"sets" range:"1..1<<14"`
	Ways int `yaml:"ways" range:"1..64"`
	// SetIndex says which set holds a line, by the number of the line among the slice's own:
	// hash, linear or fermi (cache.Function); "" is hash.
	SetIndex cache.SetIndex `yaml:"set_index" json:",omitzero"`
	// Sectored says that a miss fetches the 32 B sectors that it lacks; else it
	// fetches the whole line.
	Sectored bool `yaml:"sectored"`
	// FetchOnWrite makes a write that misses fetch, and wait for, the sectors that it
	// covers in part; without sectors, the whole line, even if the write covers it
	// (GPGPU-Sim 3.2.2, gpu-cache.cc, wr_miss_wa). False: a write fetches nothing.
	FetchOnWrite bool `yaml:"fetch_on_write"`
	// ColdLaunches empties the slices whenever a kernel of an application's first run starts,
	// as a profiler does that flushes the caches before each kernel (Nsight Compute,
	// --cache-control all). What was dirty is lost without a write to the DRAM. Copies have
	// no such mode.
	ColdLaunches bool `yaml:"cold_launches,omitempty" json:",omitzero"`
	// DirtyWays is how many lines of a set may be dirty; 0: all. When a write makes one more
	// dirty, the least recently used of the rest is written to the DRAM and stays, clean. A
	// threshold of dirty lines for each set is in NVIDIA's patent US 9,639,466, whose DRAM
	// controller chooses the time and the line.
	DirtyWays int `yaml:"dirty_ways,omitempty" range:"0..64" json:",omitzero"`
	// SetAsideWays is how many ways of each set are set aside from the start for lines with
	// workload.EvictLast (CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT of MPS); applications may ask
	// for more. At most MaxSetAside.
	SetAsideWays int `yaml:"set_aside_ways,omitempty" range:"0..48" json:",omitzero"`
	// MSHRs is the number of lines that can be outstanding (CCBP Table 1: 256).
	MSHRs int `yaml:"mshrs" range:"1..1<<12"`
	// MSHRMerge is the number of requests that can wait for one line, the first
	// included.
	MSHRMerge int `yaml:"mshr_merge" range:"1..1<<8"`
	// RequestQueue is the number of requests that the port to the request
	// crossbar holds.
	RequestQueue int `yaml:"request_queue" range:"1..1<<16"`
	// ReplyQueue is the number of replies that wait for the reply crossbar.
	// While it is full, requests that need no DRAM wait.
	ReplyQueue int `yaml:"reply_queue" range:"1..1<<16"`
	// DRAMQueue is the number of fetches and write-backs that wait for the DRAM
	// controller, those on their DRAMLatency included; at least 2, because a
	// miss can need both. Less than DRAMLatency limits the rate of misses. It is
	// also the number of fetched lines that the port to the controller holds,
	// and of loads of contexts that can be outstanding.
	DRAMQueue int `yaml:"dram_queue" range:"2..1<<16"`
	// HitLatency is the time from the edge at which the slice sees a request to
	// the edge at which it passes on the reply, if nothing is in the way.
	HitLatency int `yaml:"hit_latency" range:"1..1<<16"`
	// FarHitLatency is HitLatency of requests of other slices (Copies): from the edge at
	// which the home sees the request to the edge at which it passes on the reply. 0: as
	// HitLatency. Without copies it counts for nothing.
	FarHitLatency int `yaml:"far_hit_latency,omitempty" range:"0..1<<16" json:",omitzero"`
	// DRAMLatency is the time that a fetch or write-back takes to the DRAM
	// controller, on top of HitLatency; 0 is valid.
	DRAMLatency int `yaml:"dram_latency" range:"0..1<<16"`
	// DataPortBytes is the width of the data array's read port in bytes per
	// cycle: 32, 64 or 128. A reply of a whole line holds it for 4, 2 or 1
	// cycles; a reply without data takes a cycle too.
	DataPortBytes int `yaml:"data_port_bytes" range:"32,64,128"`
	// AtomicInterval is the time that the slice's atomic unit takes for one
	// operation on a sector. Sectors of a line proceed side by side, operations
	// on the same sector one after another.
	AtomicInterval int `yaml:"atomic_interval" range:"1..1<<16"`
}

// farHitLatency is FarHitLatency, or what it is without.
func (s *Spec) farHitLatency() int { return cmp.Or(s.FarHitLatency, s.HitLatency) }

// MaxSetAside is the most ways of a set that can be set aside: three quarters (an A100's
// persistingL2CacheMaxSize is 30 of 40 MB).
func (s *Spec) MaxSetAside() int { return s.Ways * 3 / 4 }

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if s.DirtyWays > s.Ways {
		return fmt.Errorf("dirty_ways is %d, must be at most ways, %d", s.DirtyWays, s.Ways)
	}
	if s.SetAsideWays > s.MaxSetAside() {
		return fmt.Errorf("set_aside_ways is %d, must be at most three quarters of ways, %d", s.SetAsideWays, s.MaxSetAside())
	}
	_, err := cache.ParseFunction(s.SetIndex, s.Sets)
	return err
}
