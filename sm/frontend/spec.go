package frontend

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/sm/icache"
)

// MaxFetchLatency bounds Spec.FetchLatency.
const MaxFetchLatency = 16

// Spec holds the parameters of fetch and the instruction buffers.
type Spec struct {
	// BufferDepth is the number of instructions that a warp's buffer holds, 1 to
	// 64.
	BufferDepth int `yaml:"buffer_depth" range:"1..64"`
	// FetchWidth is the number of instructions that a scheduler's fetch unit
	// brings to one warp in a cycle, 1 to 64.
	FetchWidth int `yaml:"fetch_width" range:"1..64"`
	// FetchLatency is the time from fetch to the buffer, 1 to 16 cycles.
	FetchLatency int `yaml:"fetch_latency" range:"1..16"`
	// BranchLatency is the time from the issue of a taken branch until its
	// target can be fetched, in cycles. The buffer is empty meanwhile: a control
	// hazard.
	BranchLatency int `yaml:"branch_latency" range:"1..1023"`
	// PerSM says that the schedulers share one fetch unit, which serves one warp
	// of the SM in a cycle, all warps in turn; otherwise each scheduler has its
	// own, for its warps (GPGPU-Sim 3.2.2, shader.cc, fetch: one).
	PerSM bool `yaml:"per_sm"`
	// Refill is when a warp is fetched for: while its buffer has room, those on
	// their way counted (room), or only once the buffer is empty and nothing is
	// on its way (empty; GPGPU-Sim 3.2.2).
	Refill string `yaml:"refill"`
	// ICache is the instruction cache, in which a fetch looks up the line of the warp's
	// next instruction. Further instructions of the same fetch come with it, even from
	// the next line (GPGPU-Sim 3.2.2, shader.cc, decode). It takes a Refill of empty:
	// otherwise a fetch would not know its address.
	ICache icache.Spec `yaml:"icache"`
}

// The values of Spec.Refill.
const (
	RefillRoom  = "room"
	RefillEmpty = "empty"
)

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if err := s.ICache.Validate(); err != nil {
		return fmt.Errorf("icache.%w", err)
	}
	if s.Refill != RefillRoom && s.Refill != RefillEmpty {
		return fmt.Errorf("refill is %q, must be %s or %s", s.Refill, RefillRoom, RefillEmpty)
	}
	if s.ICache.Sets > 0 && s.Refill != RefillEmpty {
		return fmt.Errorf("refill is %q, must be %s with an instruction cache", s.Refill, RefillEmpty)
	}
	return nil
}

// fetchedBelow is the number of instructions in a warp's buffer and on their way
// below which it is fetched for.
func (s *Spec) fetchedBelow() uint8 {
	if s.Refill == RefillEmpty {
		return 1
	}
	return uint8(s.BufferDepth)
}
