package flow

import "cotenant/workload/ptx"

// The passes that put instructions into another order look at a block as one, and
// their time and memory grow with the square of its length. So they take a longer
// block as several pieces, one behind the other, and nothing moves from piece to
// piece.

// wholeInsts is the length of the longest block that is one piece, in instructions. It is
// more than the longest block of the built-in kernels has (1,498, sha1_overlap).
const wholeInsts = 2048

// pieceInsts is the length of the pieces of longer blocks, in instructions. It still holds
// more loads than a warp can have under way.
const pieceInsts = 512

// mostNames is the number of a function's registers from which on Rename gives the
// values of a piece names that earlier pieces have used.
const mostNames = 4096

// piecesOf cuts a function into blocks, and long blocks into pieces.
func piecesOf(f *ptx.Func) []block { return cut(f, wholeInsts) }
