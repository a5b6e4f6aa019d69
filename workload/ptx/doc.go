// Package ptx reads PTX assembly.
//
// Parse turns text into a Module: kernels and functions as lists of Inst over
// numbered registers, with branch targets resolved. What the emulator cannot run
// is, with file and line, the Fault of the function that it is in. It keeps
// kernels that can come to it from being compiled, and is never a wrong result.
//
// What is found out about a function without running it is in the package flow,
// the emulator of warps in exec, and the lowering to machine instructions in
// sass.
package ptx
