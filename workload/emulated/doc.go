// Package emulated makes applications of real kernels: a launch manifest says
// what the host program does, PTX what the kernels do, and the emulator computes
// it in the order in which the timing model issues.
package emulated
