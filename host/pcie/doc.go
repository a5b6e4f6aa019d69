// Package pcie is the data-transfer engine of a GPU: it carries out the copies
// between host and device that the command dispatcher gives it, one at a time,
// over the PCIe bus (thesis 2.2, Table 5.1).
//
// # Time
//
// The engine runs at the clock of the bus. A copy moves as bursts of up to
// BurstBytes, each of which takes one cycle for every Lanes x LaneBits bits,
// rounded up, and BurstGap cycles more. A copy that the idle engine sees at
// edge t is answered at edge t plus that sum, and the next one starts at the
// same edge. A copy that has started is never interrupted.
//
// Copies in both directions share the engine. They load the bus alone: neither
// the GPU's crossbars nor its DRAM.
package pcie
