package preeng

import (
	"cotenant/components/limits"
	"cotenant/components/occupancy"
)

// Spec holds the parameters of a preemption engine.
type Spec struct {
	// WarpBytes is the part of the context for each warp beside registers and shared
	// memory: the pointer to its reconvergence stack and its barrier state, in bytes, 0 to
	// 1024.
	WarpBytes int `yaml:"warp_bytes" range:"0..1024"`
	// Bandwidth limits the rate at which an engine moves contexts, in MB/s; 0: only the
	// SM's port of the crossbars and the DRAM limit it. The thesis gives each SM its share
	// of the memory bandwidth (Table 5.2: 208 GB/s over 13 SMs).
	Bandwidth int `yaml:"bandwidth_mb_per_s" range:"0..1<<24"`
	// Outstanding is the largest number of packets without an answer, 1 to 4096.
	Outstanding int `yaml:"outstanding" range:"1..4096"`
}

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error { return limits.Check(s) }

// registerBytes is the size of a thread's register.
const registerBytes = 4

// ContextBytes is the size of a thread block's context.
func (s *Spec) ContextBytes(d occupancy.Demand) int {
	return registerBytes*d.Registers + d.SharedBytes + s.WarpBytes*d.Warps
}
