package interconnect

import "fmt"

// Spec holds the parameters of a Crossbar.
type Spec struct {
	// Inputs and Outputs are the numbers of ports, 1 to 1024. They follow from
	// the numbers of SMs and L2 slices.
	Inputs  int `yaml:"-"`
	Outputs int `yaml:"-"`
	// FlitBytes is the payload of one flit and the width of every port, in
	// bytes per cycle, 1 to 1024 (CCBP Table 1: 32).
	FlitBytes int `yaml:"flit_bytes"`
	// InputBuffer is the number of packets that wait at one input, 1 to 4096.
	// The packet that is being moved is not among them.
	InputBuffer int `yaml:"input_buffer"`
	// OutputBuffer is the number of packets that wait at one output for a
	// receiver that is full, 1 to 4096. Those in the pipeline, at most one for
	// each cycle of Latency, are not among them.
	OutputBuffer int `yaml:"output_buffer"`
	// Latency is the number of cycles from the edge at which the last flit of a
	// packet is moved to the edge at which the packet leaves, 1 to 4096. On an
	// idle crossbar a packet leaves its number of flits - 1 + Latency cycles
	// after it has arrived.
	Latency int `yaml:"latency"`
	// Arbiter chooses among the inputs that want one output: roundrobin, which
	// is also the default.
	Arbiter string `yaml:"arbiter"`
}

const (
	maxPorts     = 1024
	maxFlitBytes = 1024
	maxDepth     = 4096
)

// Validate returns an error that names the first field that is out of range.
func (s Spec) Validate() error {
	for _, f := range []struct {
		name         string
		value, limit int
	}{
		{"inputs", s.Inputs, maxPorts}, {"outputs", s.Outputs, maxPorts}, {"flit_bytes", s.FlitBytes, maxFlitBytes},
		{"input_buffer", s.InputBuffer, maxDepth}, {"output_buffer", s.OutputBuffer, maxDepth},
		{"latency", s.Latency, maxDepth},
	} {
		if f.value < 1 || f.value > f.limit {
			return fmt.Errorf("%s is %d, must be 1 to %d", f.name, f.value, f.limit)
		}
	}
	_, err := s.newArbiter()
	return err
}
