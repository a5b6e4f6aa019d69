package sm

import (
	"fmt"

	"cotenant/sm/warps"
)

// PipeSpec holds the parameters of one kind of execution pipe.
type PipeSpec struct {
	// Interval is the number of cycles from one instruction to the next: warp
	// size divided by lanes.
	Interval int `yaml:"interval"`
	// Latency is the number of cycles from an instruction's issue to the
	// earliest issue of one that depends on it.
	Latency int `yaml:"latency"`
	// PerSM says that the schedulers share one pipe; otherwise each has its own.
	PerSM bool `yaml:"per_sm"`
}

// PipesSpec holds the parameters of the arithmetic pipes.
type PipesSpec struct {
	ALU    PipeSpec `yaml:"alu"`    // integer and single precision
	FP64   PipeSpec `yaml:"fp64"`   // double precision
	SFU    PipeSpec `yaml:"sfu"`    // special functions
	Tensor PipeSpec `yaml:"tensor"` // matrix multiply
	// IMul is where integers are multiplied, and IMad where an addition goes with
	// it: IMUL; IMAD, XMAD and dot products of machine code. A 64-bit product is
	// several of the latter. GPGPU-Sim 3.2.2 has both on its special-function unit
	// (cuda-sim.cc, set_opcode_and_latency).
	IMul MultiplySpec `yaml:"imul"`
	IMad MultiplySpec `yaml:"imad"`
}

// MultiplySpec holds the parameters of integer multiplications.
type MultiplySpec struct {
	// Unit is the pipe that takes them: alu, fp64 or sfu. Empty: they are integer
	// instructions as others are, and Interval and Latency are 0.
	Unit string `yaml:"unit"`
	// Interval is the number of cycles from one of them to whatever the pipe takes
	// next, and Latency that from issue to the earliest issue of an instruction
	// that depends on it.
	Interval int `yaml:"interval"`
	Latency  int `yaml:"latency"`
}

// multipliers are the units that can multiply integers, by name.
var multipliers = map[string]warps.Unit{"alu": warps.ALU, "fp64": warps.FP64, "sfu": warps.SFU}

func (s *PipesSpec) validate() error {
	for _, part := range []struct {
		path string
		err  error
	}{
		{"alu", s.ALU.validate()}, {"fp64", s.FP64.validate()}, {"sfu", s.SFU.validate()}, {"tensor", s.Tensor.validate()},
		{"imul", s.IMul.validate()}, {"imad", s.IMad.validate()},
	} {
		if part.err != nil {
			return fmt.Errorf("%s.%w", part.path, part.err)
		}
	}
	return nil
}

func (p *PipeSpec) timing() timing { return timing{uint64(p.Interval), uint64(p.Latency)} }

func (p *PipeSpec) validate() error {
	return validateTiming(p.Interval, p.Latency)
}

func validateTiming(interval, latency int) error {
	for _, f := range []struct {
		name  string
		value int
	}{{"interval", interval}, {"latency", latency}} {
		if f.value < 1 || f.value > maxLatency {
			return fmt.Errorf("%s is %d, must be 1 to %d", f.name, f.value, maxLatency)
		}
	}
	return nil
}

func (m *MultiplySpec) validate() error {
	if m.Unit == "" {
		if m.Interval != 0 {
			return fmt.Errorf("interval is %d, must be 0 while unit is empty", m.Interval)
		}
		if m.Latency != 0 {
			return fmt.Errorf("latency is %d, must be 0 while unit is empty", m.Latency)
		}
		return nil
	}
	if _, ok := multipliers[m.Unit]; !ok {
		return fmt.Errorf("unit is %q, must be alu, fp64, sfu, or empty", m.Unit)
	}
	return validateTiming(m.Interval, m.Latency)
}
