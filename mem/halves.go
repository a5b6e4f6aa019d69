package mem

import "fmt"

func init() { topologies.Add("halves", func(g Ground) Topology { return halves(g) }) }

// halves divides the L2 as the A100 does (NVIDIA A100 whitepaper, 2020: two partitions,
// each of which caches data for the SMs connected to it). The first half of the SMs is
// near to the slices of the first half of the channels. An SM asks its near half for every
// line: the home, or the slice at the home's place.
type halves Ground

func (h halves) Near(sm, home int) int {
	half := h.Channels / 2
	far := home%h.Channels >= half
	switch near := 2*sm >= h.SMs; {
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
