// Package host is the machine that the GPU is plugged into, and the GPU's front
// end to it: processes that compute, copy and launch kernels; the command queues
// that their streams use (Hyper-Q); and the command dispatcher, which issues the
// commands to the SM driver and to the copy engine (thesis 2.2, Figure 2.5).
// The copy engine is host/pcie.
//
// # Processes
//
// A process runs the host program of its application, workload.Host, step by
// step. A CPU phase takes its time on one of the CPU's hardware threads; phases
// for which there is none wait in order. A command goes into the queue of its
// stream, and the program waits for it to complete, or, if it is asynchronous,
// goes on. A run of the application has ended when its program has and all its
// commands have completed; its turnaround is the time from the process' arrival,
// or the end of the run before, to that moment.
//
// # Queues
//
// Each stream of a process is given one of HardwareQueues queues when it is
// first used, one after another; when there are more streams than queues they
// share them, and wait for each other. The dispatcher looks at the first command
// of every queue, issues it, and does not look at the queue again before the
// command has completed. Among several queues, the command that was submitted
// first goes first. A process has at most one kernel in the execution engine:
// one of another of its streams stays at the head of its queue meanwhile.
//
// # Time
//
// At one edge of the core clock the host takes what has completed, moves every
// process as far as it can go, and issues commands. A kernel whose predecessor's
// completion is seen at edge t is therefore sent at t, plus LaunchLatency.
//
// An ideal host leaves out CPU phases and copies: kernels follow one another
// without a pause, as where GPUs are studied without their hosts.
package host
