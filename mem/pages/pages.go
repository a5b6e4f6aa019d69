// Package pages models the GPU's page table: which pages are in its memory, which must be
// brought or given memory first, and which no access may touch (thesis 2.1, 6.4.2).
// Page-table walkers read the table and serving a fault changes it; other packages model
// the time that this takes.
package pages

import "cotenant/protocol"

// State is where a page's data are.
type State uint8

// The states.
const (
	// Resident: in the GPU's memory.
	Resident State = iota
	// CPU: in the CPU's memory, to be migrated.
	CPU
	// CPUClean: the CPU has the page, but nothing that the GPU needs: it is
	// allocated and no data move.
	CPUClean
	// Lazy: no physical memory has been given to it: it is allocated, by the CPU or
	// by a handler on the GPU.
	Lazy
	// Invalid: not part of any array.
	Invalid
)

// Access are the rights of a page beside its state.
type Access uint8

// ReadOnly: a write is a fault that ends the kernel.
const ReadOnly Access = 1

// Walk is what a page-table walk finds at a page.
type Walk struct {
	Fault protocol.Fault
	// Lazy: a handler on the GPU can serve the fault.
	Lazy bool
}
