package flow

import (
	"cmp"
	"math"
	"slices"

	"cotenant/workload/ptx"
)

// node is what a list scheduler places: an instruction with the instructions that
// are part of it.
type node struct {
	insts []int
	cost  Cost
	at    int // its number in a list
}

// after is how many cycles after the start of a node of this cost a node that
// stays behind it may start.
func (c Cost) after(e edge) int {
	if e.waits && !c.Free {
		return c.Issue - 1 + c.Latency
	}
	return c.Issue
}

// list is the list scheduler of some consecutive nodes of a block, which are
// numbered in the given order.
type list struct {
	nodes  []*node
	needs  [][]edge // what each stays behind
	users  [][]edge // what stays behind it
	height []int    // cycles from the start of a node to the end
	level  []int    // see levels
	insts  []ptx.Inst
	first  []int // where each node's instructions start in insts
	tally  *tally
	tight  bool // over a limit, the node that takes the fewest registers comes next

	// State of a run.
	missing  []int // nodes that each needs and that are still to come
	earliest []int // cycle in which all that each waits for is there
	placed   []bool
	ready    []int // nodes that need none that is still to come
	order    []*node
}

// heuristic is how a list scheduler chooses among nodes.
type heuristic int

const (
	// longestPath takes of the nodes that can start first the highest.
	longestPath heuristic = iota
	// loadsFirst takes loads in the given order, each with what its address
	// needs, then loads that wait for these, and so on.
	loadsFirst
)

// newList is that of nodes, before and behind which registers hold values.
func newList(s *scheduler, nodes []*node, before, behind RegSet) *list {
	l := &list{nodes: nodes, needs: make([][]edge, len(nodes)), users: make([][]edge, len(nodes)), height: make([]int, len(nodes)),
		missing: make([]int, len(nodes)), earliest: make([]int, len(nodes)), placed: make([]bool, len(nodes))}
	d := dependences{class: s.guide.Class}
	var insts []*ptx.Inst
	for i, n := range nodes {
		insts = insts[:0]
		l.first = append(l.first, len(l.insts))
		for _, at := range n.insts {
			insts = append(insts, &s.f.Insts[at])
			l.insts = append(l.insts, s.f.Insts[at])
		}
		l.needs[i] = d.next(insts...)
		for _, e := range l.needs[i] {
			l.users[e.node] = append(l.users[e.node], edge{i, e.waits})
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		c := nodes[i].cost
		l.height[i] = c.Issue + c.Latency
		for _, e := range l.users[i] {
			l.height[i] = max(l.height[i], c.after(e)+l.height[e.node])
		}
	}
	l.levels()
	l.number()
	l.tally, l.tight = newTally(s.p, l.insts, before, behind), s.guide.Limit > 0
	return l
}

// number numbers the nodes, which parts of the list may have done otherwise.
func (l *list) number() {
	for i, n := range l.nodes {
		n.at = i
	}
}

// levels has for each node how many slow loads, one waiting for another, come
// first, up to the first load that needs it: a node that no load needs has the
// highest.
func (l *list) levels() {
	depth := make([]int, len(l.nodes))
	l.level = make([]int, len(l.nodes))
	for i, n := range l.nodes {
		for _, e := range l.needs[i] {
			depth[i] = max(depth[i], depth[e.node])
		}
		l.level[i] = math.MaxInt
		if slowLoad(&l.insts[l.first[i]+len(n.insts)-1]) {
			depth[i]++
			l.level[i] = depth[i]
		}
	}
	for i := len(l.nodes) - 1; i >= 0; i-- {
		for _, e := range l.needs[i] {
			l.level[e.node] = min(l.level[e.node], l.level[i])
		}
	}
}

// slowLoad tells loads that may have to wait for memory.
func slowLoad(i *ptx.Inst) bool {
	return i.Op == "tex" || loads(i) && (i.Space == ptx.Global || i.Space == ptx.Local || i.Space == ptx.Generic)
}

// time is how long a warp takes for the nodes in an order that the dependences
// allow.
func (l *list) time(order []*node) (end int) {
	clear(l.earliest)
	now := 0
	for _, n := range order {
		i := n.at
		start := l.earliest[i]
		if !n.cost.Free {
			start = max(start, now)
			now = start + n.cost.Issue
			end = max(end, now+n.cost.Latency)
		}
		for _, e := range l.users[i] {
			l.earliest[e.node] = max(l.earliest[e.node], start+n.cost.after(e))
		}
	}
	return end
}

// run orders the nodes, so that no more registers than a limit hold values at
// once unless at some point every choice is over it.
func (l *list) run(h heuristic, limit int) []*node {
	l.tally.begin()
	l.order, l.ready = nil, l.ready[:0]
	clear(l.earliest)
	clear(l.placed)
	for i := range l.nodes {
		l.missing[i] = len(l.needs[i])
	}
	for i := range l.nodes {
		if len(l.needs[i]) == 0 {
			l.open(i)
		}
	}
	for now := 0; len(l.ready) > 0; {
		k := l.choose(h, now, limit)
		i := l.ready[k]
		l.ready = slices.Delete(l.ready, k, k+1)
		now = max(now, l.earliest[i])
		for _, j := range l.pending(i, nil) {
			l.order = append(l.order, l.nodes[j])
			l.count(j)
		}
		l.release(i, now)
		now += l.nodes[i].cost.Issue
	}
	for i, n := range l.nodes { // free ones that nothing here needs
		if !l.placed[i] {
			l.order = append(l.order, n)
		}
	}
	return l.order
}

// open takes a node with all that it needs placed. A free node takes no time; it
// is placed before the first node that needs it.
func (l *list) open(i int) {
	if l.nodes[i].cost.Free {
		l.release(i, l.earliest[i])
		return
	}
	l.ready = append(l.ready, i)
}

// release lets what stays behind a node follow, which starts in a cycle.
func (l *list) release(i, start int) {
	for _, e := range l.users[i] {
		l.earliest[e.node] = max(l.earliest[e.node], start+l.nodes[i].cost.after(e))
		if l.missing[e.node]--; l.missing[e.node] == 0 {
			l.open(e.node)
		}
	}
}

// choose returns the place in ready of the node to come next: among nodes
// that take no more registers than the limit, the heuristic's choice. If
// all take too many it is the first of the given order, which leads back to that, or fewest's.
func (l *list) choose(h heuristic, now, limit int) int {
	best, first := -1, 0
	for k, i := range l.ready {
		if i < l.ready[first] {
			first = k
		}
		if (best < 0 || l.prefers(h, now, i, l.ready[best])) && (limit == unlimited || l.registers(i) <= limit) {
			best = k
		}
	}
	switch {
	case best >= 0:
		return best
	case l.tight:
		return l.fewest()
	}
	return first
}

// fewest is the place in ready of the node that takes the fewest registers; of several, the
// one with the longest path behind it, whose users end the need of registers first.
func (l *list) fewest() (best int) {
	least := l.registers(l.ready[0])
	for k, i := range l.ready[1:] {
		n := l.registers(i)
		if cmp.Or(cmp.Compare(n, least), cmp.Compare(l.height[l.ready[best]], l.height[i]), cmp.Compare(i, l.ready[best])) < 0 {
			best, least = k+1, n
		}
	}
	return best
}

// prefers reports whether one node is better than another.
func (l *list) prefers(h heuristic, now, i, j int) bool {
	if h == loadsFirst {
		return cmp.Or(cmp.Compare(l.level[i], l.level[j]), cmp.Compare(i, j)) < 0
	}
	return cmp.Or(cmp.Compare(max(now, l.earliest[i]), max(now, l.earliest[j])), cmp.Compare(l.height[j], l.height[i]), cmp.Compare(i, j)) < 0
}

// pending marks a node and what it needs as placed, and appends what was not,
// in an order in which they can come.
func (l *list) pending(i int, to []int) []int {
	if l.placed[i] {
		return to
	}
	l.placed[i] = true
	for _, e := range l.needs[i] {
		to = l.pending(e.node, to)
	}
	return append(to, i)
}

// registers is how many hold values at once if a node comes next.
func (l *list) registers(i int) (most int) {
	var room [8]int
	coming := l.pending(i, room[:0])
	for _, j := range coming {
		most = max(most, l.count(j))
	}
	for k := len(coming) - 1; k >= 0; k-- {
		j := coming[k]
		l.placed[j] = false
		for at := l.first[j] + len(l.nodes[j].insts) - 1; at >= l.first[j]; at-- {
			l.tally.undo(at)
		}
	}
	return most
}

// count tallies a node.
func (l *list) count(i int) (most int) {
	for at := range l.nodes[i].insts {
		most = max(most, l.tally.do(l.first[i]+at))
	}
	return most
}
