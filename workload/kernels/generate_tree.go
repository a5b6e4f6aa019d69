package kernels

import "math"

// Tree is a B+ tree of keys that grow by 1 to 4 from one to the next; the record
// of a key is its rank. Nodes lie level by level, the root first, and are half
// full.
//
// A node is two words, its level, 0 of leaves, and its number of keys, then
// Order + 1 keys and as many links: of an inner node the nodes that hold the keys
// from each of its own up to the next, of a leaf the records. The first key of
// the first node of each inner level is smaller than all, and behind a node's last
// key are keys larger than all.
//
// Parts: nodes and keys (s32), which has all keys in order. Numbers: count, the
// nodes, and height, the levels.
type Tree struct {
	seeded
	// Keys is the number of keys.
	Keys int `yaml:"keys" range:"1..1 << 24"`
	// Order is the most keys of a node.
	Order int `yaml:"order" range:"4..1024" default:"256"`
}

// nodeHeader is the number of words before the keys of a node.
const nodeHeader = 2

func (g *Tree) generate(place) output {
	r := g.random()
	count, order := g.Keys, g.Order
	keys := make([]int32, count)
	key := int32(0)
	for i := range keys {
		key += int32(1 + r.below(4))
		keys[i] = key
	}

	// The nodes of each level, leaves first, and where each level begins.
	var widths []int
	for n := count; len(widths) == 0 || n > 1; {
		n = (n + order/2 - 1) / (order / 2)
		widths = append(widths, n)
	}
	height, nodes := len(widths), 0
	starts := make([]int, height)
	for level := height - 1; level >= 0; level-- {
		starts[level] = nodes
		nodes += widths[level]
	}

	words := nodeHeader + 2*(order+1)
	data := make([]int32, nodes*words)
	covered, below := 1, count // keys below an entry of the level, and entries
	for level := range height {
		for n := range widths[level] {
			node := data[(starts[level]+n)*words:][:words]
			held := min(order/2, below-n*(order/2))
			node[0], node[1] = int32(level), int32(held)
			for k := range order + 1 {
				entry := n*(order/2) + k
				switch {
				case k >= held:
					node[nodeHeader+k] = math.MaxInt32
				case level == 0:
					node[nodeHeader+k], node[nodeHeader+order+1+k] = keys[entry], int32(entry)
				default:
					node[nodeHeader+k], node[nodeHeader+order+1+k] = keys[entry*covered], int32(starts[level-1]+entry)
				}
			}
			if level > 0 && n == 0 {
				node[nodeHeader] = math.MinInt32
			}
		}
		covered, below = covered*(order/2), widths[level]
	}
	return output{[]part{{"nodes", data}, {"keys", keys}}, []number{{"count", nodes}, {"height", height}}}
}
