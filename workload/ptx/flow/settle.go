package flow

// settle updates what is known of blocks until nothing changes. It follows from the
// block itself and from its sources: its successors or, if it goes forward, its
// predecessors.
func settle(blocks []block, forward bool, update func(block int, sources []int) (changed bool)) {
	succs, preds := make([][]int, len(blocks)), predecessors(blocks)
	pending, stack := make([]bool, len(blocks)), make([]int, len(blocks))
	for i := range blocks {
		succs[i], pending[i] = blocks[i].succs, true
		stack[i] = i // the last block is taken first
		if forward {
			stack[i] = len(blocks) - 1 - i
		}
	}
	sources, users := succs, preds
	if forward {
		sources, users = preds, succs
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack, pending[b] = stack[:len(stack)-1], false
		if !update(b, sources[b]) {
			continue
		}
		for _, u := range users[b] {
			if !pending[u] {
				pending[u] = true
				stack = append(stack, u)
			}
		}
	}
}

// predecessors are each block's predecessors.
func predecessors(blocks []block) [][]int {
	preds := make([][]int, len(blocks))
	for i, b := range blocks {
		for _, s := range b.succs {
			preds[s] = append(preds[s], i)
		}
	}
	return preds
}
