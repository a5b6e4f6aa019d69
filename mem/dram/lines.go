package dram

import "cotenant/protocol"

// lineFilter counts lines by a hash of their address, so that a read need only
// search the write queue for its line if the count is not zero.
type lineFilter [256]uint32

func (f *lineFilter) slot(addr uint64) *uint32 {
	line := addr / protocol.LineBytes
	return &f[uint8(line^line>>8^line>>16)]
}

func (f *lineFilter) add(addr uint64)          { *f.slot(addr)++ }
func (f *lineFilter) remove(addr uint64)       { *f.slot(addr)-- }
func (f *lineFilter) mayHold(addr uint64) bool { return *f.slot(addr) != 0 }
