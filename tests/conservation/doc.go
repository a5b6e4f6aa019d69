// Package conservation draws runs at random and checks the invariants of every run, for
// any GPU, policy and applications:
//
//   - the counts of all tenants add up to the count of the GPU, and so do the counts of all SMs;
//   - issue and stalls of an SM's schedulers add up to its cycles;
//   - the DRAM has served the L2's requests, except requests on their way;
//   - nothing was busy for longer than the run lasted;
//   - no IPC and no bandwidth is above its peak;
//   - a thread block that began has finished, or is on an SM, or is saved;
//   - a recording and an exported trace of an application do what its emulation
//     does.
//
// A run that is invalid has to be refused with an error, and another is drawn. A
// run that fails names the command line that makes it again.
//
//	go test ./tests/conservation                     some runs, always the same
//	go test ./tests/conservation -runs 2000 -seed 0  different runs each time
package conservation
