// Package sm models the streaming multiprocessor. One SM is one module. Its parts act inside
// its clock edge, each a package with a small interface:
//
//	residency   thread blocks and warps on the SM: coming, ending, preemption
//	inorder     the pipeline of warps that issue in order: front end, scoreboard, turns
//	queued      the pipeline that issues from an issue queue and replays faults
//	pipes       execution pipes; tensor has the tensor cores
//	ews         warp schedulers: who issues
//	gate        who may: quotas and limits
//	barrier     where warps of a thread block meet
//	lsu         coalescing, bank conflicts, memory instructions in flight
//	async       groups of asynchronous copies and products; tma makes bulk copies
//	l1          data cache; rocache has the caches of constants and textures
//	egress      the way out: miss queue, or what paces it
//	paging      L1 TLB and page faults
//	idle        samples of idle warps
//	tally       counters, and the causes of stalls; hot counts for each line of a program
//	warps       the signals between the parts
//
// This package orders the stages, charges cycles without issue, and joins the ports. A
// tick runs the stages back to front: replies from the memory system, results that are
// due, requests on their way out, the load-store unit, issue, fetch, and commands from
// the SM driver.
//
// Each cycle of each scheduler is charged to one cause (tally.Cause) and, unless
// no warp was there, to one kernel. So the charges of all kernels and the idle cycles add
// up to cycles times schedulers. An SM that wakes is charged for the cycles it slept.
package sm
