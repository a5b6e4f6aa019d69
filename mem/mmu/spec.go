// Package mmu holds the parameters of the GPU's memory management unit. Its modules are
// the L2 TLB (mem/mmu/l2tlb) and the fill unit with its page-table walkers (mem/mmu/fill).
// Each SM has a first TLB of its own. The page table is mem/pages; host/pager serves
// faults on the CPU.
//
// Walks make no memory traffic, and nothing is ever taken out of the GPU's memory
// again.
package mmu

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/mmu/l2tlb"
	"cotenant/protocol"
)

// Spec holds the parameters of a memory management unit.
type Spec struct {
	// PageBytes is the size of a page, a power of two from 128 to the region that is
	// served as a whole (thesis 6.5.1: 4,096).
	PageBytes int `yaml:"page_bytes"`
	// L2TLB holds the parameters of the TLB that the SMs share. Without entries there
	// is no address translation, nor anything else of the unit.
	L2TLB l2tlb.Spec `yaml:"l2_tlb"`
	// Fill holds the parameters of the fill unit.
	Fill fill.Spec `yaml:"fill"`
}

// On reports whether there is such a unit.
func (s *Spec) On() bool { return s.L2TLB.Entries != 0 }

// Validate reports the first field that is out of range, by its path. Without a unit the
// fields do not count.
func (s *Spec) Validate() error {
	if !s.On() {
		return nil
	}
	if err := limits.Check(s); err != nil {
		return err
	}
	if n := s.PageBytes; n < protocol.LineBytes || n > s.Fill.RegionBytes || n&(n-1) != 0 {
		return fmt.Errorf("page_bytes is %d, must be a power of two from %d to fill.region_bytes, %d", n, protocol.LineBytes, s.Fill.RegionBytes)
	}
	return nil
}
