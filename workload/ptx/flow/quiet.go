package flow

import "cotenant/workload/ptx"

// QuietFrom reports, for each of some instructions of a function, whether no path
// from it writes shared memory before it comes to a barrier.
func QuietFrom(f *ptx.Func, starts []int) []bool {
	blocks := blocksOf(f)
	quiet := make([]bool, len(starts))
	for i, start := range starts {
		quiet[i] = quietFrom(f, blocks, start)
	}
	return quiet
}

func quietFrom(f *ptx.Func, blocks []block, start int) bool {
	seen := make([]bool, len(blocks))
	var pending []int
	for i, b := range blocks {
		if b.first <= start && start < b.end {
			pending = append(pending, i)
		}
	}
	from := start // in the first block, which may be entered again from its top
	for len(pending) > 0 {
		b := blocks[pending[0]]
		pending = pending[1:]
		ended := false
		for i := max(b.first, from); i < b.end && !ended; i++ {
			switch in := &f.Insts[i]; in.Op {
			case "call":
				return false
			case "st", "atom", "red":
				if in.Space == ptx.Shared || in.Space == ptx.Generic {
					return false
				}
			case "bar", "barrier":
				ended = !in.Has("warp") && in.Guard < 0
			}
		}
		from = 0
		if ended {
			continue
		}
		for _, s := range b.succs {
			if s < len(blocks) && !seen[s] {
				seen[s] = true
				pending = append(pending, s)
			}
		}
	}
	return true
}
