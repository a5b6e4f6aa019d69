package wiring

import (
	"fmt"
	"strings"

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

// Hierarchy lists the modules in the order in which they were made, and then the parts of
// blocks at joints.
func (p *Platform) Hierarchy() []Node {
	var nodes []Node
	for _, m := range p.modules {
		nodes = append(nodes, Node{Name: m.Name(), Type: m.kind, Spec: m.spec, Stats: m.stats(0)})
	}
	for _, part := range p.parts {
		nodes = append(nodes, Node{Name: part.Name(), Type: strings.TrimPrefix(fmt.Sprintf("%T", part), "*"), Spec: struct{}{}})
	}
	peers := map[sim.Port]string{} // of stock ports
	for i, c := range p.Components() {
		for _, port := range c.Ports() {
			info := PortInfo{Name: port.Name()}
			if own, ok := port.(*components.Port); ok {
				info.Depth = own.Depth()
				if other := own.Other(); other != nil {
					info.Peer, peers[other] = other.Name(), own.Name()
				}
			}
			nodes[i].Ports = append(nodes[i].Ports, info)
		}
	}
	for i, c := range p.Components() {
		for j, port := range c.Ports() {
			if info := &nodes[i].Ports[j]; info.Peer == "" {
				info.Peer = peers[port]
			}
		}
	}
	return nodes
}

// Engine drives the GPU's clocks.
func (p *Platform) Engine() *components.Engine { return p.engine }

// Components lists the modules for Akita's tools, in the order of Hierarchy.
func (p *Platform) Components() []sim.Component {
	var list []sim.Component
	for _, m := range p.modules {
		list = append(list, m.Component)
	}
	return append(list, p.parts...)
}
