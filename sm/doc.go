// Package sm is the streaming multiprocessor: TB slots, instruction buffers and
// fetch, scoreboard, warp schedulers, pipes, load-store unit, L1 data cache,
// barriers. One SM is one module; its parts act inside its clock edge.
//
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
