package tlb

import (
	"fmt"

	"cotenant/components/limits"
)

// Spec holds the parameters of an L1 TLB.
type Spec struct {
	// Entries is the number of translations that it holds, a multiple of Ways, at most
	// 65,536 (thesis Table 6.1: 32). 0: the SM has none, and addresses are not
	// translated.
	Entries int `yaml:"entries" range:"1..1<<16" if:"entries"`
	// Ways is its associativity, with LRU replacement (thesis Table 6.1: 8).
	Ways int `yaml:"ways"`
	// MSHRs is the number of pages that it can wait for, 1 to 1,024. Any number of
	// accesses wait for one page. (Not published: 32, as many as the L1 has.)
	MSHRs int `yaml:"mshrs" range:"1..1024" if:"entries"`
}

// Validate returns an error that names the first field that is out of range.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil || s.Entries == 0 {
		return err
	}
	if err := limits.In("ways", s.Ways, 1, s.Entries); err != nil {
		return err
	}
	if s.Entries%s.Ways != 0 {
		return fmt.Errorf("entries is %d, must be a multiple of ways, which is %d", s.Entries, s.Ways)
	}
	return nil
}
