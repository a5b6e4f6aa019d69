package host

import "cotenant/components/stats"

// maxTurnarounds bounds a process' list of runs.
const maxTurnarounds = 1000

// ProcessStats counts what one process did. Cycles are of the core clock.
type ProcessStats struct {
	// Arrived is the cycle at which the process arrived, if it has.
	Arrived uint64 `json:"-"`
	// Completions is the number of completed runs of the application.
	Completions uint64
	// FirstCompletion is the cycle of the first completion; 0 without any.
	FirstCompletion uint64 `json:"-"`
	// Turnarounds are the times of its first runs, up to 1000; TurnaroundCycles sums over
	// all.
	Turnarounds      []uint64
	TurnaroundCycles uint64
	// Launches and Copies are the commands issued to the engines.
	Launches uint64
	Copies   uint64
	// BytesToDevice and BytesToHost count the issued copies.
	BytesToDevice uint64
	BytesToHost   uint64
	// CPUCycles is the time of CPU phases so far, CPUWaitCycles the time that started
	// phases waited for a hardware thread.
	CPUCycles     uint64 `percycle:"cpu_threads"`
	CPUWaitCycles uint64
	// QueueCycles sums, over issued commands, the time from submission to issue.
	QueueCycles uint64
	// KernelCycles and CopyCycles sum, over completed commands, the time from issue to
	// completion, as the dispatcher sees them.
	KernelCycles uint64
	CopyCycles   uint64
}

// MeanTurnaround is the mean time of a completed run in core cycles, 0 if there
// is none.
func (s *ProcessStats) MeanTurnaround() float64 {
	return stats.Ratio(s.TurnaroundCycles, s.Completions)
}

// Stats counts the host's work, by process.
type Stats struct {
	Processes []ProcessStats `json:"tenants"`
}
