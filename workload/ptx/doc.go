// Package ptx reads PTX assembly and runs it: a parser with control-flow
// analysis, and a functional emulator of warps that the timing model drives one
// instruction of one warp at a time.
//
// Parse turns text into a Module: kernels and functions as lists of Inst over
// numbered registers, with branch targets resolved and the point at which each
// branch's paths meet again (its immediate post-dominator) worked out. What the
// emulator cannot run is an error at Parse, with file and line, never a wrong
// result later.
//
// A driver steps each warp of a TB, one instruction at a time, in the order in
// which the timing model issues, so that accesses to memory happen in that
// order. Where no order makes a difference it may let a warp run ahead of it
// (RunAhead), which is faster. On amd64 the most frequent operations compute
// several lanes with one instruction; the tag purego leaves that out.
package ptx
