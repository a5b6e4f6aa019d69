package fill

import "cotenant/components/limits"

// Spec holds the parameters of the fill unit. Cycles are of the core clock.
type Spec struct {
	// Walkers is the number of walks under way at a time, 1 to 4,096 (thesis Table
	// 6.1: 64).
	Walkers int `yaml:"walkers" range:"1..1<<12"`
	// WalkLatency is the time of a walk, 3 to 65,536 cycles (thesis Table 6.1: 500).
	// It includes the links that its answer takes to the SM.
	WalkLatency int `yaml:"walk_latency" range:"3..1<<16"`
	// Queue is the number of walks that wait for a walker, 1 to 65,536 (not
	// published: 64, so that with the walkers the L2 TLB's MSHRs find room). A full
	// queue holds up the L2 TLB.
	Queue int `yaml:"queue" range:"1..1<<16"`
	// RegionBytes is the size of the aligned regions that a fault is served for, a
	// power of two from the page's size to 1 GiB (thesis 6.5.1: 64 KB).
	RegionBytes int `yaml:"region_bytes" range:"pow2 1..1<<30"`
	// Local leaves regions without a page in the CPU's memory to handlers on the SMs
	// (thesis 6.4.2); else the pager serves them, too.
	Local bool `yaml:"local"`
}

// Validate reports the first field that is out of range, by its name. mmu.Spec relates
// RegionBytes to the page.
func (s *Spec) Validate() error { return limits.Check(s) }
