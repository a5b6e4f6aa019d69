package flow

// worklist is a stack of blocks that are to be looked at again, each at most once.
type worklist struct {
	stack []int
	there []bool
}

func newWorklist(blocks int) *worklist { return &worklist{there: make([]bool, blocks)} }

func (w *worklist) push(block int) {
	if !w.there[block] {
		w.there[block] = true
		w.stack = append(w.stack, block)
	}
}

// pop takes a block from the list; more is false if none is left.
func (w *worklist) pop() (block int, more bool) {
	if len(w.stack) == 0 {
		return 0, false
	}
	block = w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	w.there[block] = false
	return block, true
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
