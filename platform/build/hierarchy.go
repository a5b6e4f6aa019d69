package build

import (
	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
)

// Node is one module of a wired GPU, as the netlist shows it.
type Node struct {
	Name  string // instance, such as GPU.SM[3]
	Type  string // module
	Spec  any    // parameters, a struct with yaml tags
	Stats any    // counters, a pointer to a struct
	Ports []PortInfo
}

// PortInfo is one port of a module.
type PortInfo struct {
	Name  string // the module's name included
	Depth int    // messages that its incoming buffer holds, 0 for a stock Akita port, which does not tell
	Peer  string // name of the port at the other end of its link
}

// Hierarchy lists the modules in the order in which they were made.
func (p *Platform) Hierarchy() []Node {
	peers := map[sim.Port]string{} // of stock ports
	for _, m := range p.modules {
		for _, port := range m.Ports() {
			if own, ok := port.(*components.Port); ok && own.Peer() == nil && own.Other() != nil {
				peers[own.Other()] = own.Name()
			}
		}
	}
	var nodes []Node
	for _, m := range p.modules {
		n := Node{Name: m.Name(), Type: m.kind, Spec: m.spec, Stats: m.stats(0)}
		for _, port := range m.Ports() {
			info := PortInfo{Name: port.Name(), Peer: peers[port]}
			if own, ok := port.(*components.Port); ok {
				info.Depth = own.Depth()
				if other := own.Other(); other != nil {
					info.Peer = other.Name()
				}
			}
			n.Ports = append(n.Ports, info)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// Engine drives the GPU's clocks.
func (p *Platform) Engine() *components.Engine { return p.engine }

// Components lists the modules for Akita's tools.
func (p *Platform) Components() []sim.Component {
	var list []sim.Component
	for _, m := range p.modules {
		list = append(list, m.Component)
	}
	return list
}
