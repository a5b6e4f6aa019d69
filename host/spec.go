package host

import (
	"fmt"
	"strconv"
	"strings"

	"cotenant/components/limits"
	"cotenant/workload"
)

// Spec holds the parameters of a Host.
type Spec struct {
	// Ideal leaves out CPU phases and copies. There are no copy engines then.
	Ideal bool `yaml:"ideal"`
	// LaunchLatency is the time from when a kernel launch becomes first in its queue until
	// it can be issued, in core cycles, 0 to 1,000,000.
	LaunchLatency int `yaml:"launch_latency" range:"0..1000000"`
	// GraphLaunchLatency is the same for a kernel that waits for another command of its CUDA graph,
	// which never waits longer than LaunchLatency. Zero: LaunchLatency.
	GraphLaunchLatency int `yaml:"graph_launch_latency" range:"0..1000000" json:",omitempty"`
	// CopyLatency is the time from when a copy becomes first in its queue until it can be issued,
	// in core cycles, 0 to 1,000,000.
	CopyLatency int `yaml:"copy_latency" range:"0..1000000" json:",omitempty"`
	// HardwareQueues is the number of command queues, 1 to 1024 (Kepler white
	// paper, Hyper-Q: 32).
	HardwareQueues int `yaml:"hardware_queues" range:"1..1024"`
	// QueueDepth is the number of commands in a queue, the command under way included,
	// 1 to 65,536. A full queue stalls the process.
	QueueDepth int `yaml:"queue_depth" range:"1..1<<16"`
	// CPUThreads is the number of CPU phases that run at a time, 1 to 1024
	// (thesis Table 5.1: 4 cores, 2-way).
	CPUThreads int `yaml:"cpu_threads" range:"1..1024"`
	// CallUS is the time in microseconds that a CUDA program's process takes for each call of the
	// runtime library, 0 to 1000. Zero: calls take no time.
	CallUS float64 `yaml:"call_us" json:",omitempty"`
	// CPU is measured, or measured*FACTOR, if the processor time that a CUDA program takes between its
	// calls on the machine that simulates counts as its time, times the factor: results then differ from
	// run to run. Empty: host code takes no time.
	CPU string `yaml:"cpu" json:",omitempty"`
}

// Limits of CallUS and of the factor of CPU.
const (
	maxCallUS    = 1000
	maxCPUFactor = 1000
)

// Validate reports the first field that is out of range, by its path.
func (s Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	_, ok := s.cpuFactor()
	switch {
	case !(s.CallUS >= 0 && s.CallUS <= maxCallUS):
		return fmt.Errorf("call_us is %v, must be 0 to %d", s.CallUS, maxCallUS)
	case !ok:
		return fmt.Errorf("cpu is %q, must be measured, measured*FACTOR with a factor above 0 and up to %d, or empty", s.CPU, maxCPUFactor)
	case s.Ideal && (s.CallUS > 0 || s.CPU != ""):
		return fmt.Errorf("call_us and cpu are times of the CPU, which an ideal host leaves out; must be without ideal: true")
	}
	return nil
}

// Latency is the time from when a launch or a copy becomes first in its queue until it can be
// issued, in core cycles.
func (s *Spec) Latency(op *workload.Op) uint64 {
	switch {
	case op.Mark:
		return 0
	case op.Kernel == nil:
		return uint64(s.CopyLatency)
	case op.Graph && s.GraphLaunchLatency > 0:
		return uint64(min(s.GraphLaunchLatency, s.LaunchLatency))
	}
	return uint64(s.LaunchLatency)
}

// CPUFactor is the factor of CPU, 0 if it is empty.
func (s *Spec) CPUFactor() float64 {
	factor, _ := s.cpuFactor()
	return factor
}

func (s *Spec) cpuFactor() (factor float64, ok bool) {
	if s.CPU == "" {
		return 0, true
	}
	text, measured := strings.CutPrefix(s.CPU, "measured")
	if text == "" {
		return 1, measured
	}
	text, times := strings.CutPrefix(text, "*")
	factor, err := strconv.ParseFloat(text, 64)
	return factor, measured && times && err == nil && factor > 0 && factor <= maxCPUFactor
}

// Bus describes the copy engines and their bus to a host.
type Bus struct {
	Hz     uint64                    // of its clock, at least 1
	Queue  int                       // copies that can wait at the engines, at least 1
	Cycles func(bytes uint64) uint64 // time of a copy in cycles of its clock
}
