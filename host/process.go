package host

import (
	"cotenant/tenant"
	"cotenant/workload"
)

// Process is an application, its arrival and its number of runs.
type Process struct {
	App *workload.App
	// Attributes are set by the user.
	tenant.Attributes
	// Runs is the number of completed runs that the simulation waits for. 0 stands for 1;
	// with Restart it waits for none and ends by other means.
	Runs int
	// Restart restarts the application as long as the simulation lasts, after any number of
	// completed runs.
	Restart bool
}

// satisfied reports whether the simulation need not wait for the process.
func (p *Process) satisfied(completions uint64) bool {
	if p.Runs == 0 && p.Restart {
		return false
	}
	return completions >= uint64(max(1, p.Runs))
}

// phase is the state of a process.
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

// process is the progress of a Process.
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
	queues   map[int]int // by stream: its queue, from the first use on
	// last is the order of the last command submitted.
	last uint64
	// Uncompleted commands on the default stream, and on other streams.
	onDefault, onOthers int
	// inEngine is the number of kernels in the execution engine.
	inEngine int
}

// outstanding is the number of uncompleted commands.
func (p *process) outstanding() int { return p.onDefault + p.onOthers }

// mayFollow reports whether a command of a stream can be submitted: the default stream
// waits for all other streams, and they wait for it.
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

// close gives up what the run's program holds.
func (p *process) close() {
	workload.Close(p.program)
	p.program = nil
}
