package mem

import "fmt"

func init() { topologies.Add("halves", func(g Ground) Topology { return halves{g, g.FirstHalf()} }) }

// halves divides the L2 as the A100 does (NVIDIA A100 whitepaper, 2020: two partitions,
// each of which caches data for the SMs connected to it). The SMs of FirstHalf are near to the
// slices of the first half of the channels. An SM asks its near half for every line: the home,
// or the slice at the home's place.
type halves struct {
	Ground
	first int // SMs in the first half
}

// FirstHalf is the number of SMs in the first half of the GPCs, of an odd number the lesser
// part; where the GPCs are not told apart, in the first half of the SMs.
func (g Ground) FirstHalf() (sms int) {
	if len(g.GPCs) == 0 {
		return (g.SMs + 1) / 2
	}
	for _, n := range g.GPCs[:len(g.GPCs)/2] {
		sms += n
	}
	return sms
}

func (h halves) Near(sm, home int) int {
	half := h.Channels / 2
	far := home%h.Channels >= half
	switch near := sm >= h.first; {
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
