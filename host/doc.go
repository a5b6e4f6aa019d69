// Package host models the machine around the GPU, and the GPU's front end to it:
// processes that compute, copy and launch kernels; the command queues of their streams
// (Hyper-Q); and the command dispatcher, which issues the commands to the SM driver and
// to the copy engines (thesis 2.2, Figure 2.5), which are in host/pcie.
//
// # Processes
//
// A process runs the host program of its application, workload.Host, step by step. A
// CPU phase takes its time on one hardware thread of the CPU; further phases wait in
// order. A command goes into the queue of its stream, and the program waits for it to
// complete, or, if it is asynchronous, continues. A run of the application has ended
// when its program has ended and all its commands have completed. Its turnaround is the
// time from the process' arrival, or the end of the run before, to that moment.
//
// # Queues
//
// Each stream of a process gets a queue at its first use, one of HardwareQueues in
// turn; if there are more streams than queues, they share queues and wait for each
// other. The dispatcher looks at the first command of every queue, issues it, and
// returns to the queue only after the command has completed. Among several queues, the
// command that was submitted first goes first. The execution engine holds at most one
// kernel of a process: meanwhile a kernel of another stream stays at the head of its
// queue.
//
// # Time
//
// At one edge of the core clock the host takes completions, moves every process as far
// as it can go, and issues commands. If it sees a kernel's completion at edge t, it
// sends the next kernel at t plus LaunchLatency, or GraphLaunchLatency if the kernel waits for
// another command of its CUDA graph. A copy goes to the copy engines CopyLatency after it became
// the first of its queue.
//
// An ideal host leaves out CPU phases and copies: kernels follow one another without a
// pause, as in studies of GPUs without their hosts.
package host
