package flow

import (
	"sort"

	"cotenant/workload/ptx"
)

// QuietFrom reports, for each of some instructions of a function, whether no path
// from it writes shared memory before it comes to a barrier.
func QuietFrom(f *ptx.Func, starts []int) []bool {
	blocks := blocksOf(f)
	noisy := noisyBlocks(f, blocks)
	quiet := make([]bool, len(starts))
	for i, start := range starts {
		// The block that holds the start, of which a path may come to the top again.
		at := sort.Search(len(blocks), func(k int) bool { return blocks[k].end > start })
		quiet[i] = true
		if at == len(blocks) {
			continue
		}
		writes, ended := firstEvent(f, start, blocks[at].end)
		if quiet[i] = !writes; writes || ended {
			continue
		}
		for _, s := range blocks[at].succs {
			quiet[i] = quiet[i] && !noisy[s]
		}
	}
	return quiet
}

// noisyBlocks reports of each block whether a path from its top writes shared memory
// before it comes to a barrier.
func noisyBlocks(f *ptx.Func, blocks []block) []bool {
	noisy, ended := make([]bool, len(blocks)), make([]bool, len(blocks))
	preds := predecessors(blocks)
	var pending []int
	for i, b := range blocks {
		if noisy[i], ended[i] = firstEvent(f, b.first, b.end); noisy[i] {
			pending = append(pending, i)
		}
	}
	for len(pending) > 0 {
		b := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, p := range preds[b] {
			if !noisy[p] && !ended[p] {
				noisy[p] = true
				pending = append(pending, p)
			}
		}
	}
	return noisy
}

// firstEvent tells whether the instructions from first to before end write shared
// memory, or may in a function that they call, or else come to a barrier of all warps.
func firstEvent(f *ptx.Func, first, end int) (writes, barrier bool) {
	for i := first; i < end; i++ {
		switch in := &f.Insts[i]; in.Op {
		case "call":
			return true, false
		case "st", "atom", "red":
			if in.Space == ptx.Shared || in.Space == ptx.Generic {
				return true, false
			}
		case "bar", "barrier":
			if !in.Has("warp") && in.Guard < 0 {
				return false, true
			}
		}
	}
	return false, false
}
