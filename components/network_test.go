package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// network describes modules that make messages and pass them on until a module
// without outputs takes them, each with its own clock and its own stalls.
type network struct {
	hz       []uint64
	nodes    []nodeSpec
	channels []channelSpec
}

type nodeSpec struct {
	domain   int
	messages int    // that it makes
	stalls   uint64 // edges out of 8, on average, at which it does nothing
}

// channelSpec leads from a node to one with a higher number, so that full
// buffers cannot wait for each other in a circle.
type channelSpec struct {
	from, to, depth int
	delay           uint64
}

func genNetwork(t *rapid.T) network {
	n := network{hz: rapid.SampledFrom([][]uint64{
		{1e9}, {1216e6, 700e6}, {1216e6, 1753e6, 700e6, 924e6}, {1e9, 1e9, 2e9},
	}).Draw(t, "clocks")}
	nodes := rapid.IntRange(2, 7).Draw(t, "nodes")
	for i := range nodes {
		n.nodes = append(n.nodes, nodeSpec{
			domain:   rapid.IntRange(0, len(n.hz)-1).Draw(t, "domain"),
			messages: rapid.IntRange(0, 40).Draw(t, "messages"),
			stalls:   rapid.Uint64Range(0, 7).Draw(t, "stalls"),
		})
		for range min(i, rapid.IntRange(1, 3).Draw(t, "inputs")) {
			n.channels = append(n.channels, channelSpec{
				from:  rapid.IntRange(0, i-1).Draw(t, "from"),
				to:    i,
				depth: rapid.IntRange(1, 4).Draw(t, "depth"),
				delay: rapid.SampledFrom([]uint64{1, 1, 2, 5, 600}).Draw(t, "delay"),
			})
		}
	}
	return n
}

type parcel struct {
	sim.MsgMeta
	id       uint64
	sequence int // on the channel
}

func (p *parcel) Meta() *sim.MsgMeta { return &p.MsgMeta }

type node struct {
	components.Module
	spec     nodeSpec
	id       uint64
	made     int
	in, out  []*components.Port
	sent     []int // on each output
	received []int // on each input
	log      []string
	sunk     int
}

// mix is a fixed pseudo-random function: what a node does depends on the edge
// and on the message alone, never on how often the node was ticked.
func mix(a, b uint64) uint64 {
	x := (a+1)*0x9E3779B97F4A7C15 ^ (b+1)*0xC2B2AE3D27D4EB4F
	x ^= x >> 31
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>29
}

func (n *node) stalled(cycle uint64) bool { return mix(n.id, cycle)%8 < n.spec.stalls }

func (n *node) Tick(cycle uint64) (progress bool) {
	if n.stalled(cycle) {
		for cycle++; n.stalled(cycle); {
			cycle++
		}
		n.WakeAt(cycle)
		return false
	}
	for i, port := range n.in {
		msg, ok := port.Front().(*parcel)
		if !ok {
			continue
		}
		if len(n.out) > 0 {
			sequence := msg.sequence
			if !n.send(msg) {
				continue
			}
			n.note(cycle, "passes %d, number %d of input %d", msg.id, sequence, i)
		} else {
			n.sunk++
			n.note(cycle, "keeps %d, number %d of input %d", msg.id, msg.sequence, i)
		}
		port.Pop()
		n.received[i]++
		progress = true
	}
	if n.made < n.spec.messages && len(n.out) > 0 && n.send(&parcel{id: n.id<<32 | uint64(n.made)}) {
		n.note(cycle, "makes %d", n.made)
		n.made++
		progress = true
	}
	return progress
}

func (n *node) send(p *parcel) bool {
	to := mix(p.id, n.id) % uint64(len(n.out))
	before := p.sequence
	p.sequence = n.sent[to]
	if !n.out[to].Push(p) {
		p.sequence = before
		return false
	}
	n.sent[to]++
	return true
}

func (n *node) note(cycle uint64, format string, args ...any) {
	n.log = append(n.log, fmt.Sprintf("%d: ", cycle)+fmt.Sprintf(format, args...))
}

// run builds the network in the given orders, shuffles it if seed is not 0, and
// returns what its nodes saw.
func (net network) run(t require.TestingT, domainOrder, nodeOrder, wakes []int, seed uint64) []*node {
	e := components.NewEngine()
	if seed != 0 {
		e.Shuffle(seed)
	}
	domains := make([]*components.Domain, len(net.hz))
	for _, i := range domainOrder {
		d, err := e.AddDomain(fmt.Sprintf("clock%d", i), net.hz[i])
		require.NoError(t, err)
		domains[i] = d
	}
	nodes := make([]*node, len(net.nodes))
	for _, i := range nodeOrder {
		nodes[i] = &node{spec: net.nodes[i], id: uint64(i)}
		nodes[i].Init(fmt.Sprintf("N[%d]", i), domains[net.nodes[i].domain], nodes[i])
	}
	for i, c := range net.channels {
		out := nodes[c.from].NewPort(fmt.Sprintf("Out[%d]", i), 1)
		in := nodes[c.to].NewPort(fmt.Sprintf("In[%d]", i), c.depth)
		_, err := components.Connect(out, in, c.delay)
		require.NoError(t, err)
		nodes[c.from].out = append(nodes[c.from].out, out)
		nodes[c.to].in = append(nodes[c.to].in, in)
	}
	for _, i := range nodeOrder {
		nodes[i].sent = make([]int, len(nodes[i].out))
		nodes[i].received = make([]int, len(nodes[i].in))
		nodes[i].Start()
		for _, w := range wakes {
			nodes[i].WakeAt(uint64(w))
		}
	}
	require.NoError(t, e.Run())
	return nodes
}

func TestNetworksLoseNothingAndDoNotDependOnTheOrderOfTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := genNetwork(t)
		natural := func(n int) []int {
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			return order
		}
		nodes := net.run(t, natural(len(net.hz)), natural(len(net.nodes)), nil, 0)

		made, sunk := 0, 0
		for _, n := range nodes {
			made += n.made
			sunk += n.sunk
			if len(n.out) > 0 {
				require.Equal(t, n.spec.messages, n.made, "%s", n.Name())
			}
		}
		require.Equal(t, made, sunk)
		checkOrder(t, net, nodes)

		again := net.run(t,
			rapid.Permutation(natural(len(net.hz))).Draw(t, "order of clocks"),
			rapid.Permutation(natural(len(net.nodes))).Draw(t, "order of nodes"),
			rapid.SliceOfN(rapid.IntRange(0, 3000), 0, 20).Draw(t, "needless wake-ups"),
			rapid.Uint64().Draw(t, "seed"))
		for i := range nodes {
			require.Equal(t, nodes[i].log, again[i].log, "%s", nodes[i].Name())
		}
	})
}

// checkOrder checks that every channel delivered what was sent on it, in order.
func checkOrder(t require.TestingT, net network, nodes []*node) {
	outs, ins := make([]int, len(nodes)), make([]int, len(nodes))
	for _, c := range net.channels {
		sent := nodes[c.from].sent[outs[c.from]]
		require.Equal(t, sent, nodes[c.to].received[ins[c.to]])
		outs[c.from]++
		ins[c.to]++
	}
	for _, n := range nodes {
		next := make([]int, len(n.in))
		for _, line := range n.log {
			var cycle, id uint64
			var verb string
			var number, input int
			if k, _ := fmt.Sscanf(line, "%d: %s %d, number %d of input %d", &cycle, &verb, &id, &number, &input); k < 5 {
				continue
			}
			require.Equal(t, next[input], number, "%s %s", n.Name(), line)
			next[input]++
		}
	}
}
