// Package pcie models the data-transfer engine of a GPU: it carries out the command
// dispatcher's copies between host and device, one at a time, over the PCIe bus (thesis
// 2.2, Table 5.1).
//
// # Time
//
// The engine runs at the clock of the bus. A copy moves as bursts of up to BurstBytes.
// Each burst takes one cycle for every Lanes x LaneBits bits, rounded up, and BurstGap
// cycles more. If the idle engine sees a copy at edge t, it answers at edge t plus that
// sum, and the next copy starts at the same edge. A started copy is never interrupted.
//
// Copies in both directions share the engine. They load the bus alone: neither
// the GPU's crossbars nor its DRAM.
package pcie
