// Package sm is the streaming multiprocessor. One SM is one module, made of parts
// that act inside its clock edge, each a package with a Spec and counters of its
// own:
//
//	frontend    fetch and instruction buffers
//	scoreboard  registers that are not settled
//	ews         warp schedulers: who issues
//	gate        who may: quotas and limits
//	barrier     where warps of a thread block meet
//	lsu         coalescing, bank conflicts, memory instructions in flight
//	l1          data cache, miss queue; cotenant/irc can take the queue's place
//	warps       the signals between them
//
// This package holds what they do not share: the order of the stages, warp slots
// and thread blocks, the arithmetic pipes, the charging of stalls, and the ports.
// A tick runs the stages back to front: replies from the memory system, results
// that are due, requests on their way out, the load-store unit, issue, fetch,
// and commands from the SM driver. An instruction that issues at edge t with a
// latency of n cycles lets a dependent one issue at t+n, exactly.
//
// Every scheduler's every cycle is charged to one cause (see Cause) and, unless
// no warp was there, to one kernel, so the charges of all kernels and the idle
// cycles add up to cycles times schedulers. An SM that sleeps is charged for
// the cycles it slept when it wakes.
package sm
