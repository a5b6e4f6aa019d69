package interconnect

import (
	"cmp"

	"cotenant/components/limits"
)

// Spec holds the parameters of a Crossbar.
type Spec struct {
	// Inputs and Outputs are the numbers of ports, 1 to 1024. They follow from
	// the numbers of SMs and L2 slices.
	Inputs  int `yaml:"-" range:"1..1024"`
	Outputs int `yaml:"-" range:"1..1024"`
	// FlitBytes is the size of a flit and the width of every port, in bytes per
	// cycle, 1 to 1024 (CCBP Table 1: 32).
	FlitBytes int `yaml:"flit_bytes" range:"1..1024"`
	// HeaderBytes is the size of a packet's header, 0 to 1024 bytes. Header and
	// payload follow each other without a gap, so that a packet has as many
	// flits as both together fill, the last one perhaps in part: with 8 B in
	// flits of 40 B a header and a sector share one (the configuration of the
	// reference runs). 0: the header takes a flit of its own, whatever
	// FlitBytes is (CCBP: a line of 128 B is a reply of five flits).
	HeaderBytes int `yaml:"header_bytes" range:"0..1024"`
	// InputBuffer is the number of packets that wait at one input, 1 to 4096.
	// The packet that is being moved is not among them.
	InputBuffer int `yaml:"input_buffer" range:"1..4096"`
	// OutputBuffer is the number of packets that wait at one output for a
	// receiver that is full, 1 to 4096. The pipeline holds further packets, at most
	// one for each cycle of Latency.
	OutputBuffer int `yaml:"output_buffer" range:"1..4096"`
	// Latency is the number of cycles from the edge at which the last flit of a
	// packet is moved to the edge at which the packet leaves, 1 to 4096. On an
	// idle crossbar a packet leaves its number of flits - 1 + Latency cycles
	// after it has arrived.
	Latency int `yaml:"latency" range:"1..4096"`
	// TPCBytes and GPCBytes are the widths of the links that the SMs of a TPC and of a GPC
	// share, in bytes per cycle, 0 to 65536; 0: there is none. See Tier.
	TPCBytes int `yaml:"tpc_bytes,omitempty" range:"0..65536" json:",omitzero"`
	GPCBytes int `yaml:"gpc_bytes,omitempty" range:"0..65536" json:",omitzero"`
	// GPCPorts is the number of links of a GPC, 0 to 64, each to its part of the DRAM channels
	// and their slices; 0: one to all.
	GPCPorts int `yaml:"gpc_ports,omitempty" range:"0..64" json:",omitzero"`
	// Arbiter chooses among the inputs that want one output: roundrobin, which
	// is also the default.
	Arbiter string `yaml:"arbiter"`
}

// Validate returns an error that names the first field that is out of range.
func (s Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	_, err := s.newArbiter()
	return err
}

// Flits is the number of flits of a packet by the bytes of its payload.
func (s Spec) Flits(payloadBytes int) int {
	return (payloadBytes + s.roundedHeader()) / s.FlitBytes
}

// roundedHeader is what to add to a payload before it is divided by FlitBytes:
// the header, and what rounds the quotient up. A header with a flit of its own
// is one as large as a flit.
func (s Spec) roundedHeader() int {
	return cmp.Or(s.HeaderBytes, s.FlitBytes) + s.FlitBytes - 1
}
