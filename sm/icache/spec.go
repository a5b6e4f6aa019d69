package icache

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Spec holds the parameters of an instruction cache (GPGPU-Sim 3.2.2,
// configs/GTX480, gpgpu_cache:il1: 4 sets, 4 ways, lines of 128 bytes, 2 MSHRs).
type Spec struct {
	// Sets is the number of sets, 0 to 4096. 0: every fetch hits, and the other
	// fields count for nothing.
	Sets int `yaml:"sets" range:"0..4096"`
	// Ways is the number of lines of a set, 1 to 256; the least recently used one
	// makes room.
	Ways int `yaml:"ways" range:"1..256" if:"sets"`
	// LineBytes is the size of a line, a power of two from 16 to 1024. Where an
	// instruction lies is its source's: PTX is lowered to instructions of 16 bytes,
	// traces say it themselves, profiles have 8 bytes.
	LineBytes int `yaml:"line_bytes" range:"pow2 16..1024" if:"sets"`
	// MSHRs is the number of lines that can be on their way, 1 to 256. All warps
	// can wait for one.
	MSHRs int `yaml:"mshrs" range:"1..256" if:"sets"`
	// Misses says where a missing line comes from. fixed, or nothing: it is there after
	// MissLatency and passes neither the crossbar nor the L2 nor the DRAM. memory: a read
	// of one line of the L2 brings it, like data (GPGPU-Sim 3.2.2, shader.cc, fetch).
	// LineBytes is at most 256 then: PTX instructions have 16 bytes here and 8 in 3.2.2,
	// where a line of 128 bytes holds as many. Each kernel's code lies in its tenant's
	// memory, apart from all data. The read leaves the SM when no packet of the other
	// caches does: 3.2.2's shader_core_ctx::cycle serves the load-store unit before fetch.
	Misses Source `yaml:"misses" json:",omitzero"`
	// MissLatency is the number of cycles from the fetch that misses until the line is
	// there and the warp can be fetched for again, or, with misses from memory, until
	// the request can leave.
	MissLatency int `yaml:"miss_latency" range:"1..1023" if:"sets"`
}

// Source says where missing lines come from; "" is FixedTime.
type Source string

// The sources.
const (
	FixedTime  Source = "fixed"
	FromMemory Source = "memory"
)

// IsZero leaves the default out of JSON, so that a GPU without another source keeps the
// identity of its stored results.
func (s Source) IsZero() bool { return s == "" || s == FixedTime }

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	switch {
	case s.Misses != "" && s.Misses != FixedTime && s.Misses != FromMemory:
		return fmt.Errorf("misses is %q, must be %s or %s", s.Misses, FixedTime, FromMemory)
	case s.Misses == FromMemory && s.LineBytes > 2*protocol.LineBytes:
		return fmt.Errorf("misses is memory, which goes with line_bytes of %d at most, not %d", 2*protocol.LineBytes, s.LineBytes)
	}
	return nil
}

// codeStart is the first address of a tenant's code, above all data that a tenant can have.
const codeStart = 1 << 55

// LineAddress is where a line of code of an account's kernel lies in memory.
func LineAddress(line uint64, a tenant.Account) uint64 {
	return a.Tenant().Base() | codeStart | line*protocol.LineBytes
}
