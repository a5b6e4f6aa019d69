package host

import "cotenant/workload"

// Listener observes the host, for timelines and reports. Any function may be nil. The
// host calls them in the order of events, at the edge of the core clock at which it
// acts or learns of the event.
type Listener struct {
	// Arrived: a process has arrived.
	Arrived func(cycle uint64, process int)
	// CPU: a process computes from one cycle to another. The call comes when the phase
	// starts.
	CPU func(process int, from, to uint64)
	// Issued: a command of a process goes to its engine.
	Issued func(CommandEvent)
	// Completed: the engine has answered.
	Completed func(CommandEvent)
	// RunEnded: the application has run to its end.
	RunEnded func(process int, from, to uint64)
}

// CommandEvent is an event of a command.
type CommandEvent struct {
	Cycle   uint64 // of the core clock
	Process int
	Queue   int          // hardware queue
	Stream  int          // CUDA stream
	Op      *workload.Op // only valid during the call
}
