// Package pcie models the data-transfer engines of a GPU: they carry out the command
// dispatcher's copies between host and device over the PCIe bus (thesis 2.2, Table 5.1).
//
// # Engines
//
// An engine carries out one copy at a time and never interrupts it. A GPU has Engines of them
// for all tenants, or, where it is divided into instances, each instance has its own (Share).
// Two copies of one direction do not go on at a time: several engines serve both directions.
// Of the waiting copies that have a free engine, Scheduler picks the next.
//
// # Time
//
// The engines run at the clock of the bus. A copy moves as bursts of up to BurstBytes. Each
// burst takes one cycle for every Lanes x LaneBits bits, rounded up, and BurstGap cycles more.
// Copies under way take turns, burst by burst. So an engine that sees a copy at edge t, alone
// on the bus, answers at edge t plus that sum, and starts its next copy at the same edge.
//
// The bus carries one burst at a time, or with Duplex one in each direction. Copies load it
// alone: neither the GPU's crossbars nor its DRAM.
package pcie
