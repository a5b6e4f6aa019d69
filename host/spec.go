package host

import "fmt"

// Spec holds the parameters of a Host.
type Spec struct {
	// Ideal leaves out CPU phases and copies. There is no copy engine then.
	Ideal bool `yaml:"ideal"`
	// LaunchLatency is the time from a kernel launch's becoming the first of its
	// queue until it can be issued, in core cycles, 0 to 1,000,000.
	LaunchLatency int `yaml:"launch_latency"`
	// HardwareQueues is the number of command queues, 1 to 1024 (Kepler white
	// paper, Hyper-Q: 32).
	HardwareQueues int `yaml:"hardware_queues"`
	// QueueDepth is the number of commands that a queue holds, the one that is
	// being carried out included, 1 to 65,536. A full queue stalls the process.
	QueueDepth int `yaml:"queue_depth"`
	// CPUThreads is the number of CPU phases that run at a time, 1 to 1024
	// (thesis Table 5.1: 4 cores, 2-way).
	CPUThreads int `yaml:"cpu_threads"`
}

// Validate reports the first field that is out of range, by its path.
func (s Spec) Validate() error {
	for _, f := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"launch_latency", s.LaunchLatency, 0, 1_000_000},
		{"hardware_queues", s.HardwareQueues, 1, 1024},
		{"queue_depth", s.QueueDepth, 1, 1 << 16},
		{"cpu_threads", s.CPUThreads, 1, 1024},
	} {
		if f.value < f.least || f.value > f.most {
			return fmt.Errorf("%s is %d, must be %d to %d", f.name, f.value, f.least, f.most)
		}
	}
	return nil
}

// Bus is what a host must know of the copy engine and its bus.
type Bus struct {
	Hz     uint64                    // of its clock, at least 1
	Queue  int                       // copies that wait at the engine, at least 1
	Cycles func(bytes uint64) uint64 // of its clock, that a copy takes
}
