package flow

import (
	"slices"

	"cotenant/workload/ptx"
)

// The passes that put instructions into another order look at a block as one, and
// their time and memory grow with the square of its length. So they take a longer
// block as several pieces, one behind the other, and nothing moves from piece to
// piece.

// pieceInsts is the length of the longest piece, in instructions. It is more than the
// longest block of the built-in kernels has (1,498, sha1_overlap).
const pieceInsts = 2048

// mostNames is the number of a function's registers from which on Rename gives the
// values of a piece names that earlier pieces have used.
const mostNames = 4096

// piecesOf cuts a function into blocks, and these into pieces.
func piecesOf(f *ptx.Func) []block {
	blocks := blocksOf(f)
	if !slices.ContainsFunc(blocks, func(b block) bool { return b.end-b.first > pieceInsts }) {
		return blocks
	}
	var pieces []block
	at := make([]int, len(blocks)) // the first piece of each block
	for i, b := range blocks {
		at[i] = len(pieces)
		for b.end-b.first > pieceInsts {
			pieces = append(pieces, block{first: b.first, end: b.first + pieceInsts, succs: []int{-1}, leaves: never})
			b.first += pieceInsts
		}
		pieces = append(pieces, b)
	}
	for i := range pieces {
		if p := &pieces[i]; len(p.succs) == 1 && p.succs[0] < 0 {
			p.succs[0] = i + 1
			continue
		}
		succs := slices.Clone(pieces[i].succs)
		for k, s := range succs {
			succs[k] = at[s]
		}
		pieces[i].succs = succs
	}
	return pieces
}
