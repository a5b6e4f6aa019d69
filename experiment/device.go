package experiment

import (
	"slices"
	"time"

	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload/programs"
)

// persistingSince is the compute capability from which on a part of the L2 can be set aside (CUDA C++ Programming
// Guide, L2 cache control).
const persistingSince = 8

// device is a GPU as CUDA programs see it. programs.Emulator has the limits that the GPU lacks and what its
// configuration leaves open.
func device(gpu *wiring.Config) programs.Device {
	d := programs.Emulator
	c := gpu.SM.Capacity()
	d.Name, d.SMs = gpu.Name, gpu.SMs.Count()
	d.ClockKHz, d.MemoryClockKHz = gpu.Clocks.Core*1000, gpu.Clocks.DRAM*1000*max(1, gpu.DRAM.DataRate)/2
	d.BusBits = 8 * gpu.DRAM.BusBytes * gpu.Address.Channels
	d.L2Bytes = gpu.L2.Sets * gpu.L2.Ways * protocol.LineBytes * gpu.Address.Slices
	d.SharedPerSM = slices.Max(c.SharedOptions)
	d.RegistersPerSM, d.ThreadsPerSM, d.BlocksPerSM = c.Registers, c.Threads, c.TBs
	d.CopyEngines = max(1, gpu.Host.PCIe.Engines)
	d.CallTime, d.CPUFactor = time.Duration(gpu.Host.CallUS*float64(time.Microsecond)), gpu.Host.CPUFactor()
	limit := func(to *int, value int) {
		if value > 0 {
			*to = min(*to, value)
		}
	}
	s := &gpu.Driver
	d.SharedPerBlockOptin = d.SharedPerSM
	limit(&d.SharedPerBlockOptin, s.SharedBytesPerTB)
	limit(&d.SharedPerBlock, d.SharedPerBlockOptin)
	if v := s.ComputeCapability; v > 0 {
		d.Major, d.Minor = v/10, v%10
	}
	if d.Major >= persistingSince {
		d.PersistingBytes = d.L2Bytes / gpu.L2.Ways * gpu.L2.MaxSetAside()
	}
	if s.MemoryBytes > 0 {
		d.MemoryBytes = s.MemoryBytes
	}
	limit(&d.ThreadsPerBlock, s.ThreadsPerTB)
	limit(&d.ThreadsPerBlock, c.Threads)
	for i, v := range []int{s.Grid.X, s.Grid.Y, s.Grid.Z} {
		limit(&d.Grid[i], v)
	}
	for i, v := range []int{s.Block.X, s.Block.Y, s.Block.Z} {
		limit(&d.Block[i], v)
	}
	return d
}
