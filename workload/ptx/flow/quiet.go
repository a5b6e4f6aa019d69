package flow

import (
	"slices"
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
		writes, ended := false, at == len(blocks)
		if !ended {
			writes, ended = firstEvent(f, start, blocks[at].end)
		}
		quiet[i] = !writes && (ended || !slices.ContainsFunc(blocks[at].succs, func(s int) bool { return noisy[s] }))
	}
	return quiet
}

// noisyBlocks reports of each block whether a path from its top writes shared memory
// before it comes to a barrier.
func noisyBlocks(f *ptx.Func, blocks []block) []bool {
	noisy := make([]bool, len(blocks))
	settle(blocks, false, func(i int, succs []int) bool {
		writes, ended := firstEvent(f, blocks[i].first, blocks[i].end)
		before := noisy[i]
		noisy[i] = writes || !ended && slices.ContainsFunc(succs, func(s int) bool { return noisy[s] })
		return noisy[i] != before
	})
	return noisy
}

// firstEvent tells whether the instructions from first to before end write shared
// memory, or may in a function that they call, or else come to a barrier of all warps.
func firstEvent(f *ptx.Func, first, end int) (writes, barrier bool) {
	for i := first; i < end; i++ {
		switch in := &f.Insts[i]; in.Op {
		case "call":
			return true, false
		case "stmatrix", "cp", "mbarrier":
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
