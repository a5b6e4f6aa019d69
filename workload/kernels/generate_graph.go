package kernels

// Road is a connected graph like a road network: crossings on a lattice, each
// linked to its left or upper neighbour, so that all can be reached, and to the
// other one with a probability. Links go both ways.
//
// Parts: offset (s32, nodes + 1) and edges (s32): the edges of node v are
// edges[offset[v]] to edges[offset[v+1]-1]. Numbers: nodes, links, which counts
// both ways, and start, a node in the middle.
type Road struct {
	seeded
	// Width and Height of the lattice.
	Width  int `yaml:"width" range:"2..8192"`
	Height int `yaml:"height" range:"2..8192"`
	// Extra is the probability of the other link: 0.4 makes 2.8 links per node.
	Extra float64 `yaml:"extra" range:"0..1" default:"0.4"`
}

// RMAT is a graph with few nodes of many links and many of few, as social
// networks have (Chakrabarti, Zhan and Faloutsos, SDM 2004): every link falls
// into the quadrants of the adjacency matrix with probabilities A, B, C and the
// rest, again and again. Links go both ways.
//
// Parts and numbers are as of Road; start is the node with the most links.
type RMAT struct {
	seeded
	// Scale: the graph has 2^Scale nodes.
	Scale int `yaml:"scale" range:"1..24"`
	// Links is the number of links per node before they go both ways.
	Links int `yaml:"links" range:"1..64" default:"8"`
	// A, B and C are by default as in Graph 500.
	A float64 `yaml:"a" range:"0..1" default:"0.57"`
	B float64 `yaml:"b" range:"0..1" default:"0.19"`
	C float64 `yaml:"c" range:"0..1" default:"0.19"`
}

// link joins two nodes, both ways.
type link struct{ a, b int32 }

func (g *Road) generate(place) output {
	r := g.random()
	width, height := g.Width, g.Height
	var links []link
	for y := range height {
		for x := range width {
			node := y*width + x
			left, up := x > 0, y > 0
			if left && up {
				first := r.chance(0.5)
				second := r.chance(g.Extra)
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

func (g *RMAT) generate(at place) output {
	r := g.random()
	count, sum := g.Links<<g.Scale, g.A+g.B+g.C
	if count > 1<<27 {
		at.fail("links", "makes %d links; valid: at most 2^27", count)
	}
	if sum > 1 {
		at.fail("a", "plus b plus c is %v; valid: at most 1", sum)
	}
	links := make([]link, 0, count)
	for range count {
		var l link
		for range g.Scale {
			l.a, l.b = 2*l.a, 2*l.b
			switch u := r.unit(); {
			case u < g.A:
			case u < g.A+g.B:
				l.b++
			case u < sum:
				l.a++
			default:
				l.a, l.b = l.a+1, l.b+1
			}
		}
		if l.a != l.b {
			links = append(links, l)
		}
	}
	return compress(1<<g.Scale, links, -1)
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
