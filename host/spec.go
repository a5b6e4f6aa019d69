package host

import "cotenant/components/limits"

// Spec holds the parameters of a Host.
type Spec struct {
	// Ideal leaves out CPU phases and copies. There is no copy engine then.
	Ideal bool `yaml:"ideal"`
	// LaunchLatency is the time from when a kernel launch becomes first in its queue until
	// it can be issued, in core cycles, 0 to 1,000,000.
	LaunchLatency int `yaml:"launch_latency" range:"0..1000000"`
	// HardwareQueues is the number of command queues, 1 to 1024 (Kepler white
	// paper, Hyper-Q: 32).
	HardwareQueues int `yaml:"hardware_queues" range:"1..1024"`
	// QueueDepth is the number of commands in a queue, the command under way included,
	// 1 to 65,536. A full queue stalls the process.
	QueueDepth int `yaml:"queue_depth" range:"1..1<<16"`
	// CPUThreads is the number of CPU phases that run at a time, 1 to 1024
	// (thesis Table 5.1: 4 cores, 2-way).
	CPUThreads int `yaml:"cpu_threads" range:"1..1024"`
}

// Validate reports the first field that is out of range, by its path.
func (s Spec) Validate() error { return limits.Check(s) }

// Bus describes the copy engine and its bus to a host.
type Bus struct {
	Hz     uint64                    // of its clock, at least 1
	Queue  int                       // copies that can wait at the engine, at least 1
	Cycles func(bytes uint64) uint64 // time of a copy in cycles of its clock
}
