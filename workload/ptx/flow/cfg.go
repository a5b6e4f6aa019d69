package flow

import (
	"sort"

	"cotenant/workload/ptx"
)

// block is a run of instructions that only its first enters and only its last
// leaves.
type block struct {
	first, end int // instructions from first to before end
	succs      []int
	// leaves says how a path may end with the block, if it does.
	leaves ending
}

// ending is a way for paths to end. A path that can end in several ways counts
// for the first of them: see postDominators.
type ending uint8

const (
	byReturn ending = iota
	byExit
	byTrap
	never // for a block: its paths go on; for a path: it loops for ever
)

// Reconvergence gives, for each instruction of a function, the index of the
// instruction at which the paths of a branch meet again, len(f.Insts) if they do
// so only at the end. It is set for branches with a guard and for brx; -1 for
// the rest.
func Reconvergence(f *ptx.Func) []int {
	at := make([]int, len(f.Insts))
	for i := range at {
		at[i] = -1
	}
	blocks := blocksOf(f)
	ipdom := postDominators(blocks)
	for i, b := range blocks {
		in := &f.Insts[b.end-1]
		if in.Op != "brx" && (in.Op != "bra" || in.Guard < 0) {
			continue
		}
		at[b.end-1] = len(f.Insts)
		if d := ipdom[i]; d < len(blocks) {
			at[b.end-1] = blocks[d].first
		}
	}
	return at
}

// ends reports whether the instruction ends a block. A guarded exit or trap
// does not: the lanes that remain just go on.
func ends(in *ptx.Inst) bool {
	switch in.Op {
	case "bra", "brx", "ret":
		return true
	case "exit", "trap":
		return in.Guard < 0
	}
	return false
}

// blocksOf cuts a function into blocks, in the order of its instructions.
func blocksOf(f *ptx.Func) []block { return cut(f, len(f.Insts)) }

// cut cuts a function into blocks, and blocks of more instructions than a number into
// pieces of pieceInsts.
func cut(f *ptx.Func, whole int) []block {
	n := len(f.Insts)
	starts := make([]bool, n+1)
	starts[0] = true
	for i := range f.Insts {
		in := &f.Insts[i]
		if ends(in) {
			starts[i+1] = true
		}
		if in.Target >= 0 {
			starts[in.Target] = true
		}
		for _, t := range in.Targets {
			starts[t] = true
		}
	}
	for first, i := 0, 1; i <= n; i++ {
		if i < n && !starts[i] {
			continue
		}
		if i-first > whole {
			for at := first + pieceInsts; at < i; at += pieceInsts {
				starts[at] = true
			}
		}
		first = i
	}
	var blocks []block
	for i := 0; i < n; i++ {
		if starts[i] {
			blocks = append(blocks, block{first: i, leaves: never})
		}
		blocks[len(blocks)-1].end = i + 1
	}
	at := func(inst int) int { // the block that starts at an instruction
		return sort.Search(len(blocks), func(i int) bool { return blocks[i].first >= inst })
	}
	for i := range blocks {
		b := &blocks[i]
		in := &f.Insts[b.end-1]
		to := func(inst int) {
			if inst == n {
				b.leaves = byReturn
			} else {
				b.succs = append(b.succs, at(inst))
			}
		}
		switch {
		case in.Op == "bra":
			to(in.Target)
		case in.Op == "brx":
			for _, t := range in.Targets {
				to(t)
			}
		case in.Op == "ret":
			b.leaves = byReturn
		case in.Op == "exit" && in.Guard < 0:
			b.leaves = byExit
		case in.Op == "trap" && in.Guard < 0:
			b.leaves = byTrap
		}
		if !ends(in) || in.Guard >= 0 {
			to(b.end)
		}
	}
	return blocks
}
