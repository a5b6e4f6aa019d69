package host

import (
	"cotenant/tenant"
	"cotenant/workload"
)

// Process is an application, and when and how often it is run.
type Process struct {
	App *workload.App
	// Attributes are what the user says of the tenant.
	tenant.Attributes
	// Runs is the number of completed runs that the simulation waits for. 0
	// stands for 1, and with Restart for no number: the simulation ends by other
	// means.
	Runs int
	// Restart runs the application again for as long as the simulation lasts,
	// however many runs it has completed.
	Restart bool
}

// satisfied reports whether the simulation need not wait for the process.
func (p *Process) satisfied(completions uint64) bool {
	if p.Runs == 0 && p.Restart {
		return false
	}
	return completions >= uint64(max(1, p.Runs))
}

// phase is what a process is doing.
type phase uint8

const (
	absent     phase = iota // has not arrived
	between                 // is about to start a run
	advancing               // looks for the next step of its program
	stepping                // has a step that has not begun
	forCPU                  // waits for a hardware thread
	computing               // is in a CPU phase
	forCommand              // waits for its last command to complete
	draining                // has ended its program, and waits for its commands
	leaving                 // has ended, and has to say so
	ended
)

// process is where a Process stands.
type process struct {
	Process
	arrival  uint64 // cycle
	phase    phase
	program  workload.Host
	op       workload.Op // of phases from stepping to forCommand
	until    uint64      // end of the CPU phase; since when it waits for a thread
	charged  uint64      // cycle up to which the CPU phase has been counted
	started  uint64      // cycle at which the run began
	launches int         // of the run
	streams  streams
	// last is the order of the last command submitted.
	last uint64
	// Commands that have been submitted and have not completed: those of the
	// default stream, and those of others.
	onDefault, onOthers int
	// inEngine is the number of kernels that are in the execution engine.
	inEngine int
}

// outstanding is the number of commands that have not completed.
func (p *process) outstanding() int { return p.onDefault + p.onOthers }

// mayFollow reports whether a command of a stream can be submitted now: the
// default stream waits for all others, and they for it.
func (p *process) mayFollow(stream int) bool {
	if stream == 0 {
		return p.onOthers == 0
	}
	return p.onDefault == 0
}

func (p *process) count(stream, n int) {
	if stream == 0 {
		p.onDefault += n
	} else {
		p.onOthers += n
	}
}
