package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"cotenant/platform/wiring"
)

// writeDot writes a GPU as a graph for Graphviz: a box for each module, an edge
// for each link, labelled with the ports' names and depths.
func writeDot(w io.Writer, gpu *wiring.Config, nodes []wiring.Node) error {
	out := bufio.NewWriter(w)
	type end struct {
		node  wiring.Node
		label string
	}
	ends := map[string]end{} // by port
	for _, n := range nodes {
		for _, p := range n.Ports {
			label := strings.TrimPrefix(p.Name, n.Name+".")
			if p.Depth > 0 { // else it is a stock component's
				label = fmt.Sprintf("%s:%d", label, p.Depth)
			}
			ends[p.Name] = end{n, label}
		}
	}
	fmt.Fprintf(out, "graph %s {\n  rankdir=LR;\n  node [shape=box];\n", identifier(gpu.Name))
	for _, n := range nodes {
		fmt.Fprintf(out, "  %s [label=\"%s\\n%s\"];\n", identifier(n.Name), n.Name, n.Type)
	}
	drawn := map[string]bool{}
	for _, n := range nodes {
		for _, p := range n.Ports {
			peer, ok := ends[p.Peer]
			if !ok || drawn[p.Name] {
				continue
			}
			drawn[p.Peer] = true
			fmt.Fprintf(out, "  %s -- %s [taillabel=%q, headlabel=%q];\n",
				identifier(n.Name), identifier(peer.node.Name), ends[p.Name].label, peer.label)
		}
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}
