package host

// maxTurnarounds bounds the list of runs that is kept of a process.
const maxTurnarounds = 1000

// ProcessStats counts what one process did. Cycles are of the core clock.
type ProcessStats struct {
	// Arrived is the cycle at which the process arrived, if it has.
	Arrived uint64 `json:"-"`
	// Completions is the number of times that the application ran to its end.
	Completions uint64
	// FirstCompletion is the cycle at which it first had; 0 if it has not.
	FirstCompletion uint64 `json:"-"`
	// Turnarounds are the times that its first runs took, up to 1000 of them;
	// TurnaroundCycles is the sum over all.
	Turnarounds      []uint64
	TurnaroundCycles uint64
	// Launches and Copies are the commands that were issued to the engines.
	Launches uint64
	Copies   uint64
	// BytesToDevice and BytesToHost are those of the copies issued.
	BytesToDevice uint64
	BytesToHost   uint64
	// CPUCycles is the time that CPU phases have taken so far, CPUWaitCycles the
	// time that those that have started waited for a hardware thread.
	CPUCycles     uint64 `percycle:"cpu_threads"`
	CPUWaitCycles uint64
	// QueueCycles is the sum over the commands issued of the time from their
	// submission until then.
	QueueCycles uint64
	// KernelCycles and CopyCycles are the sums over completed commands of the
	// time from issue to completion, as the dispatcher sees them.
	KernelCycles uint64
	CopyCycles   uint64
}

// MeanTurnaround is the mean time of a completed run in core cycles, 0 if there
// is none.
func (s *ProcessStats) MeanTurnaround() float64 {
	if s.Completions == 0 {
		return 0
	}
	return float64(s.TurnaroundCycles) / float64(s.Completions)
}

// Stats counts the host's work, by process.
type Stats struct {
	Processes []ProcessStats `json:"tenants"`
}
