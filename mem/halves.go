package mem

import "fmt"

func init() { topologies.Add("halves", func(g Ground) Topology { return halves(g) }) }

// halves divides the L2 as the A100 does (NVIDIA A100 whitepaper, 2020: two partitions,
// each of which caches data for the SMs connected to it). The SMs of the first half of the
// GPCs, of an odd number the lesser part, are near to the slices of the first half of the
// channels; without GPCs, the first half of the SMs. An SM asks its near half for every line:
// the home, or the slice at the home's place.
type halves Ground

// second reports whether an SM is near to the second half of the channels.
func (h halves) second(sm int) bool {
	if len(h.GPCs) == 0 {
		return 2*sm >= h.SMs
	}
	for _, n := range h.GPCs[:len(h.GPCs)/2] {
		sm -= n
	}
	return sm >= 0
}

func (h halves) Near(sm, home int) int {
	half := h.Channels / 2
	far := home%h.Channels >= half
	switch near := h.second(sm); {
	case near && !far:
		return home + half
	case far && !near:
		return home - half
	}
	return home
}

func (h halves) Validate() error {
	if h.Channels%2 != 0 {
		return fmt.Errorf("address.channels is %d, must be even", h.Channels)
	}
	return nil
}
