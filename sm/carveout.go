package sm

import (
	"errors"
	"fmt"
	"slices"

	"cotenant/protocol"
)

// carve is the least carve-out that holds some shared memory.
func (s *Spec) carve(bytes int) int {
	i, _ := slices.BinarySearch(s.Carveouts, bytes)
	return s.Carveouts[min(i, len(s.Carveouts)-1)]
}

// waysBeside is the number of ways that the L1 has beside a carve-out.
func (s *Spec) waysBeside(carveout int) int {
	return (s.UnifiedBytes - carveout) / (s.L1.Sets * protocol.LineBytes)
}

// validateCarveouts reports what does not go with a memory for both L1 and shared memory.
func (s *Spec) validateCarveouts() error {
	switch {
	case s.UnifiedBytes == 0 && len(s.Carveouts) == 0:
		return nil
	case s.UnifiedBytes == 0:
		return errors.New("carveouts go with unified_bytes above 0")
	case len(s.Carveouts) == 0 || !slices.IsSorted(s.Carveouts) || s.Carveouts[0] < 0:
		return errors.New("carveouts must list at least one size in bytes, ascending, none below 0")
	}
	first, last := s.Carveouts[0], s.Carveouts[len(s.Carveouts)-1]
	switch {
	case last < slices.Max(s.SharedBytes):
		return fmt.Errorf("carveouts end with %d, must reach the %d of shared_bytes", last, slices.Max(s.SharedBytes))
	case s.waysBeside(last) < 1:
		return fmt.Errorf("carveouts end with %d, which leaves the L1 less than a way of its %d sets in unified_bytes, %d", last, s.L1.Sets, s.UnifiedBytes)
	case s.L1.Ways != s.waysBeside(first):
		return fmt.Errorf("l1.ways is %d, must be the %d that the least carve-out leaves of unified_bytes", s.L1.Ways, s.waysBeside(first))
	case !s.L1.AllocateOnFill || s.L1.Victim != "lru":
		return errors.New("unified_bytes goes with l1.allocate_on_fill: true and l1.victim: lru")
	}
	return nil
}

// Shares makes tenants a residency.SM: the L1 gives room to shared memory. It gets it back
// when the next thread block comes to the empty SM.
func (s tenants) Shares(bytes int, alone bool) {
	if s.spec.UnifiedBytes == 0 {
		return
	}
	carve := s.spec.carve(bytes)
	if !alone {
		carve = max(carve, s.carved)
	}
	if carve != s.carved {
		s.carved = carve
		s.l1.Resize(s.spec.waysBeside(carve))
	}
}
