// Package programs runs CUDA programs as they are: the program's process computes on the CPU, and the
// simulator serves its CUDA calls.
//
// # From source to process
//
// Package cc compiles CUDA sources by clang: device code to PTX, which the program embeds as text, and
// host code, which it links with the runtime library of folder runtime. The library's calls are requests
// to the simulator.
//
//	program                                simulator
//	main -> cudaMalloc                     Session.Next
//	        runtime/memory.c  --request--> message.go: which call with which arguments
//	                                       calls.go: the handler, with the device's memory.go
//	                          <---reply--- message.go: a cudaError_t and values
//
// # Messages
//
// The process gets two descriptors by its environment: one end of a socket pair, and the device's memory
// (memfd). A request is a head of fixed size with the protocol's version, its kind and eight numbers, and
// a payload; each has one reply of the same form. runtime/protocol.h has the numbers, and message.go the
// same. The memory is mapped on both sides, so a copy moves its bytes once.
//
// Under run, a launch like its kernel's last launch needs no reply: the runtime library queues it in shared
// memory (queue.go) and the program goes on. The simulator takes the queue before the next request, so
// the program still computes only while the simulator waits. A program does not run ahead if it shares memory
// with its kernels, or if it is told of faults.
//
// # Time
//
// A Session is the workload.Host of one run of the program. The program's process computes only while
// Next waits for its next request: simulated time stands still then. Requests that concern the GPU become
// operations: the program does not wait for a launch, but waits for cudaMemcpy. The reply goes
// out when Next is called again. Events record the simulated time at which their turn in the stream came (workload.Op.Done).
//
// # Determinism
//
// The same program with the same inputs makes the same requests: device addresses are in the order of
// allocation, memory is zero at first, the process runs without randomized addresses, and in its working folder
// as it was before the run (folder.go). sequence.go compares the requests of a program's runs.
//
// # Recordings
//
// capture.go writes down what a program asks and what it writes into the device's memory; replay.go is the
// peer that asks the same again. A Session does not know which of the two it serves.
//
// # Ends
//
// Close ends the process and all of its descendants, whatever state they are in (containment.go); a process
// whose simulator dies is killed by the kernel, and its descendants by a watch (runtime/watch.c). A request that cannot be read, a process that dies or computes
// without end, ends the run with an error.
package programs
