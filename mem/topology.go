package mem

import (
	"cmp"
	"fmt"

	"cotenant/components/parts"
)

// Topology says which L2 slice an SM asks for a line: the line's home, or a slice that
// holds copies of the home's lines.
//
// The contract: Near is the slice that an SM asks for lines with a given home, from 0 to
// the number of slices - 1; the same for the whole run. Validate reports why the topology
// does not fit the GPU.
type Topology interface {
	Near(sm, home int) (slice int)
	Validate() error
}

// Ground is the GPU that a topology is made for.
type Ground struct {
	SMs  int
	GPCs []int // SMs of each GPC, in the order of the SMs; nil: not told apart
	AddressSpec
}

// topologies holds the topologies. The file of a topology adds it.
var topologies parts.Set[Ground, Topology]

func init() { topologies.Add("uniform", func(Ground) Topology { return nil }) }

// NewTopology makes a topology by its name. It returns nil for uniform, or "", where
// every SM asks a line's home.
func NewTopology(name string, g Ground) (Topology, error) {
	t, err := topologies.New("topology", cmp.Or(name, "uniform"), g)
	if t == nil {
		return nil, err
	}
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("topology is %q: %w", name, err)
	}
	return t, nil
}

// Holders lists the slices that hold copies of a home's lines, in the order of the SMs
// that ask them.
func (g Ground) Holders(t Topology, home int) (list []int) {
	seen := map[int]bool{home: true}
	for sm := range g.SMs {
		if near := t.Near(sm, home); !seen[near] {
			seen[near] = true
			list = append(list, near)
		}
	}
	return list
}
