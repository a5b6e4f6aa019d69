package flow

// postDominators returns the immediate post-dominator of each block, where
// len(blocks) stands for the end of the function. It is the algorithm of
// Cooper, Harvey and Kennedy (A Simple, Fast Dominance Algorithm, 2001) on the
// reversed graph with a virtual exit.
//
// Paths that end in exit or trap must not keep other paths from meeting, so a
// block's successors count only if they can end as well as the block itself
// can: by return if it can, else by exit, else by trap. Where nothing ends,
// the last block of the loop is taken to.
func postDominators(blocks []block) []int {
	exit := len(blocks)
	preds := predecessors(blocks)
	end := make([]ending, exit)
	sink := make([]bool, exit)
	for i := range end {
		end[i] = never + 1
	}
	// reach notes that block i, and all that lead to it, can end so.
	var work []int
	reach := func(i int, e ending) {
		sink[i] = true
		for work = append(work, i); len(work) > 0; {
			i := work[len(work)-1]
			work = work[:len(work)-1]
			if end[i] <= e {
				continue
			}
			end[i] = e
			work = append(work, preds[i]...)
		}
	}
	for e := byReturn; e < never; e++ {
		for i, b := range blocks {
			if b.leaves == e && end[i] >= e {
				reach(i, e)
			}
		}
	}
	for i := exit - 1; i >= 0; i-- {
		if end[i] > never {
			reach(i, never)
		}
	}

	// The graph that counts.
	next := make([][]int, exit+1)
	preds = make([][]int, exit+1)
	edge := func(from, to int) {
		next[from] = append(next[from], to)
		preds[to] = append(preds[to], from)
	}
	for i, b := range blocks {
		for _, s := range b.succs {
			if end[s] == end[i] {
				edge(i, s)
			}
		}
		if sink[i] {
			edge(i, exit)
		}
	}
	return dominators(exit, preds, next)[:exit]
}

// dominators returns the immediate dominator of each node of a graph with
// edges succs (and reversed, preds). The root reaches all nodes.
func dominators(root int, succs, preds [][]int) []int {
	order, rank := postorder(root, succs)
	const unknown = -1
	idom := make([]int, len(succs))
	for i := range idom {
		idom[i] = unknown
	}
	idom[root] = root
	intersect := func(a, b int) int {
		for a != b {
			for rank[a] < rank[b] {
				a = idom[a]
			}
			for rank[b] < rank[a] {
				b = idom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- { // the root is last
			n := order[i]
			d := unknown
			for _, p := range preds[n] {
				switch {
				case idom[p] == unknown:
				case d == unknown:
					d = p
				default:
					d = intersect(d, p)
				}
			}
			if idom[n] != d {
				idom[n] = d
				changed = true
			}
		}
	}
	return idom
}

// postorder lists the nodes that root reaches so that each comes after those
// first reached through it, and gives each node's place in the list.
func postorder(root int, succs [][]int) (order, rank []int) {
	rank = make([]int, len(succs))
	seen := make([]bool, len(succs))
	type visit struct{ node, next int }
	seen[root] = true
	for stack := []visit{{root, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next < len(succs[top.node]) {
			s := succs[top.node][top.next]
			top.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, visit{s, 0})
			}
			continue
		}
		rank[top.node] = len(order)
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	return order, rank
}
