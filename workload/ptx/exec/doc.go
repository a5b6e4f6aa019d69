// Package exec runs PTX: a functional emulator of warps that the timing model
// drives one instruction of one warp at a time.
//
// Compile makes a Program of a kernel, Bind readies it for a launch, and NewTB
// begins a thread block. A driver steps each warp of a TB, one instruction at a
// time, in the order in which the timing model issues, so that accesses to
// memory happen in that order. Where no order makes a difference it may let a
// warp run ahead of it (RunAhead), which is faster. On amd64 the most frequent
// operations compute several lanes with one instruction; the tag purego leaves
// that out.
package exec
