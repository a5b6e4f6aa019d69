// Package conservation draws runs at random and checks what holds of any run,
// whatever GPU, policy and applications share it:
//
//   - what tenants did adds up to what the GPU did, and what SMs did too;
//   - issue and stalls of an SM's schedulers add up to its cycles;
//   - what the L2 asked of the DRAM is what the DRAM served, but for what is on
//     its way;
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
