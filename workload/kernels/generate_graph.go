package kernels

// Road is a connected graph like a road network: crossings on a lattice, each
// linked to its left or upper neighbour, so that all can be reached, and to the
// other one with a probability. Links go both ways.
//
// Parts: offset (s32, nodes + 1) and edges (s32): the edges of node v are
// edges[offset[v]] to edges[offset[v+1]-1]. Numbers: nodes, links, which counts
// both ways, and start, a node in the middle.
type Road struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Width and Height of the lattice, 2 to 8192. Required.
	Width  Expr `yaml:"width"`
	Height Expr `yaml:"height"`
	// Extra is the probability of the other link, 0 to 1. Default 0.4, which
	// makes 2.8 links per node.
	Extra Expr `yaml:"extra"`
}

// RMAT is a graph with few nodes of many links and many of few, as social
// networks have (Chakrabarti, Zhan and Faloutsos, SDM 2004): every link falls
// into the quadrants of the adjacency matrix with probabilities A, B, C and the
// rest, again and again. Links go both ways.
//
// Parts and numbers are as of Road; start is the node with the most links.
type RMAT struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Scale: the graph has 2^Scale nodes. 1 to 24. Required.
	Scale Expr `yaml:"scale"`
	// Links is the number of links per node before they go both ways, 1 to 64.
	// Default 8.
	Links Expr `yaml:"links"`
	// A, B and C are 0 to 1. Default 0.57, 0.19 and 0.19, as in Graph 500.
	A Expr `yaml:"a"`
	B Expr `yaml:"b"`
	C Expr `yaml:"c"`
}

// link joins two nodes, both ways.
type link struct{ a, b int32 }

func (g *Road) generate(a *args) output {
	r := a.seed(&g.Seed)
	width := a.whole("width", &g.Width, 2, 8192, 0)
	height := a.whole("height", &g.Height, 2, 8192, 0)
	extra := a.number("extra", &g.Extra, 0, 1, 0.4)
	if a.err != nil {
		return output{}
	}
	var links []link
	for y := range height {
		for x := range width {
			node := y*width + x
			left, up := x > 0, y > 0
			if left && up {
				first := r.chance(0.5)
				second := r.chance(extra)
				left, up = first || second, !first || second
			}
			if left {
				links = append(links, link{int32(node), int32(node - 1)})
			}
			if up {
				links = append(links, link{int32(node), int32(node - width)})
			}
		}
	}
	return compress(width*height, links, height/2*width+width/2)
}

func (g *RMAT) generate(a *args) output {
	r := a.seed(&g.Seed)
	scale := a.whole("scale", &g.Scale, 1, 24, 0)
	per := a.whole("links", &g.Links, 1, 64, 8)
	pa := a.number("a", &g.A, 0, 1, 0.57)
	pb := a.number("b", &g.B, 0, 1, 0.19)
	pc := a.number("c", &g.C, 0, 1, 0.19)
	if per<<scale > 1<<27 {
		a.fail("links", "makes %d links; valid: at most 2^27", per<<scale)
	}
	if pa+pb+pc > 1 {
		a.fail("a", "plus b plus c is %v; valid: at most 1", pa+pb+pc)
	}
	if a.err != nil {
		return output{}
	}
	links := make([]link, 0, per<<scale)
	for range per << scale {
		var l link
		for range scale {
			l.a, l.b = 2*l.a, 2*l.b
			switch u := r.unit(); {
			case u < pa:
			case u < pa+pb:
				l.b++
			case u < pa+pb+pc:
				l.a++
			default:
				l.a, l.b = l.a+1, l.b+1
			}
		}
		if l.a != l.b {
			links = append(links, l)
		}
	}
	return compress(1<<scale, links, -1)
}

// compress makes lists of neighbours, in the order of the links. With a
// negative start it is the node with the most.
func compress(nodes int, links []link, start int) output {
	offset := make([]int32, nodes+1)
	for _, l := range links {
		offset[l.a+1]++
		offset[l.b+1]++
	}
	if start < 0 {
		start = 0
		for v := range nodes {
			if offset[v+1] > offset[start+1] {
				start = v
			}
		}
	}
	for v := range nodes {
		offset[v+1] += offset[v]
	}
	next := append([]int32(nil), offset...)
	edges := make([]int32, 2*len(links))
	for _, l := range links {
		edges[next[l.a]], edges[next[l.b]] = l.b, l.a
		next[l.a]++
		next[l.b]++
	}
	return output{
		[]part{{"offset", offset}, {"edges", edges}},
		[]number{{"nodes", nodes}, {"links", len(edges)}, {"start", start}},
	}
}
