package l2tlb

import (
	"fmt"

	"cotenant/components/limits"
)

// Spec holds the parameters of the L2 TLB. Cycles are of the core clock.
type Spec struct {
	// Entries is the number of pages that it holds, a multiple of Ways up to
	// 1,048,576 (thesis Table 6.1: 1,024). In a GPU's configuration 0 stands for
	// no address translation at all.
	Entries int `yaml:"entries" range:"1..1<<20"`
	// Ways is the number of entries of a set, 1 to 1,024 (thesis Table 6.1: 8). The
	// least recently used page of a set makes room.
	Ways int `yaml:"ways" range:"1..1<<10"`
	// MSHRs is the number of pages that can be walked for, 1 to 4,096 (thesis Table
	// 6.1: 128). Any number of requests can wait for one.
	MSHRs int `yaml:"mshrs" range:"1..1<<12"`
	// Latency is the time from an SM's request to the answer of a hit, links
	// included, 2 to 65,536 cycles (thesis Table 6.1: 70).
	Latency int `yaml:"latency" range:"2..1<<16"`
	// LookupsPerCycle is the number of requests taken, and looked up, in a cycle,
	// up to 1,024. 0: no limit (not published: 0).
	LookupsPerCycle int `yaml:"lookups_per_cycle" range:"0..1<<10"`
	// Queue is the number of requests that each SM's port holds, 1 to 65,536 (not
	// published: 8).
	Queue int `yaml:"queue" range:"1..1<<16"`
}

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if s.Entries%s.Ways != 0 {
		return fmt.Errorf("entries is %d, must be a multiple of ways, %d", s.Entries, s.Ways)
	}
	return nil
}
