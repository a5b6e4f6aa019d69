package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"cotenant/components/stats"
	"cotenant/platform/wiring"
)

// writeSystemVerilog writes a GPU in the style of SystemVerilog: a module for
// each type, with the parameters, ports and counters of its first instance, and a module
// for the GPU, with what no module knows, that instantiates and connects them. A link joins two ports and
// carries messages both ways; a port's depth is that of its buffer.
func writeSystemVerilog(w io.Writer, gpu *wiring.Config, nodes []wiring.Node) error {
	out := bufio.NewWriter(w)
	first := map[string]wiring.Node{} // of each type
	for _, n := range nodes {
		if _, ok := first[n.Type]; !ok {
			first[n.Type] = n
			declare(out, n)
		}
	}
	fmt.Fprintf(out, "module %s;\n", identifier(gpu.Name))
	for _, p := range parameters(gpu.Streams()) {
		fmt.Fprintf(out, "  localparam %s = %s;\n", p.name, p.value)
	}
	for i := range gpu.Instances {
		fmt.Fprintf(out, "  // instance %d: %s\n", i, gpu.Described(&gpu.Instances[i]))
	}
	nets := map[string]string{} // by port
	for _, n := range nodes {
		for _, p := range n.Ports {
			if p.Peer != "" && nets[p.Name] == "" {
				net := fmt.Sprintf("link_%d", len(nets)/2)
				nets[p.Name], nets[p.Peer] = net, net
				fmt.Fprintf(out, "  link %s; // %s <-> %s\n", net, p.Name, p.Peer)
			}
		}
	}
	for _, n := range nodes {
		instantiate(out, n, first[n.Type], nets)
	}
	fmt.Fprintln(out, "endmodule")
	return out.Flush()
}

// portArray is a port, or several that differ in their index only.
type portArray struct {
	name    string
	indexed bool
	ports   []wiring.PortInfo
}

// portArrays groups a module's ports.
func portArrays(n wiring.Node) []portArray {
	var list []portArray
	for _, p := range n.Ports {
		name, _, indexed := strings.Cut(strings.TrimPrefix(p.Name, n.Name+"."), "[")
		if last := len(list) - 1; last >= 0 && indexed && list[last].name == name {
			list[last].ports = append(list[last].ports, p)
			continue
		}
		list = append(list, portArray{name, indexed, []wiring.PortInfo{p}})
	}
	return list
}

// declare writes the module of a type.
func declare(out io.Writer, n wiring.Node) {
	var lines []string
	for _, p := range parameters(n.Spec) {
		lines = append(lines, fmt.Sprintf("  parameter %s = %s", p.name, p.value))
	}
	fmt.Fprintf(out, "module %s", identifier(n.Type))
	if len(lines) > 0 {
		fmt.Fprintf(out, " #(\n%s\n)", strings.Join(lines, ",\n"))
	}
	fmt.Fprintf(out, " (\n")
	arrays := portArrays(n)
	for i, a := range arrays {
		dimension, comma := "", ","
		if a.indexed {
			dimension = "[]"
		}
		if i == len(arrays)-1 {
			comma = ""
		}
		depth := "of a stock component"
		if a.ports[0].Depth > 0 {
			depth = fmt.Sprintf("depth %d", a.ports[0].Depth)
		}
		fmt.Fprintf(out, "  link %s%s%s // %s\n", a.name, dimension, comma, depth)
	}
	fmt.Fprint(out, ");\n")
	for _, name := range counters(n.Stats) {
		fmt.Fprintf(out, "  counter %s;\n", name)
	}
	fmt.Fprint(out, "endmodule\n\n")
}

// counters lists what a module counts, for itself and for each tenant.
func counters(of any) (names []string) {
	if of == nil {
		return nil
	}
	for _, c := range stats.List(of) {
		names = append(names, c.Name)
	}
	for _, c := range stats.Tenant(of, 0) {
		names = append(names, c.Name+"[tenants]")
	}
	return names
}

// instantiate writes one instance, with the parameters in which it differs from
// the type's declaration.
func instantiate(out io.Writer, n, declared wiring.Node, nets map[string]string) {
	var differing, connections []string
	defaults := parameters(declared.Spec)
	for i, p := range parameters(n.Spec) {
		if p != defaults[i] {
			differing = append(differing, fmt.Sprintf(".%s(%s)", p.name, p.value))
		}
	}
	for _, a := range portArrays(n) {
		var ends []string
		for _, p := range a.ports {
			ends = append(ends, nets[p.Name])
		}
		text := strings.Join(ends, ", ")
		if a.indexed {
			text = "'{" + text + "}"
		}
		connections = append(connections, fmt.Sprintf(".%s(%s)", a.name, text))
	}
	override := ""
	if len(differing) > 0 {
		override = " #(" + strings.Join(differing, ", ") + ")"
	}
	fmt.Fprintf(out, "  %s%s %s (%s);\n", identifier(n.Type), override, identifier(n.Name), strings.Join(connections, ", "))
}
