// Package exec runs PTX: a functional emulator of warps that the timing model
// drives one instruction of one warp at a time.
//
// Compile makes a Program of a kernel, and Run executes a launch of it. A driver
// that has an order of its own binds the launch (Bind), begins thread blocks
// (NewTB) and steps each warp, one instruction at a time, in the order in which
// its timing model issues, so that accesses to memory happen in that order. Where
// no order makes a difference it may let a warp run ahead (RunAhead), which is
// faster. On amd64 the most frequent operations compute several lanes with one
// instruction; the tag purego leaves that out.
package exec
