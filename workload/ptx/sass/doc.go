// Package sass turns PTX into what a machine would issue. PTX is not machine
// code: it has moves that no GPU executes, 64-bit integers that take two
// instructions, and divisions that take twenty. Optimize puts a kernel's
// instructions into the order in which an assembler leaves them, and Lower gives
// each the sequence of timing instructions that stands for it, by a few rules,
// each of which can be switched off.
package sass
