package pipes

import (
	"errors"
	"fmt"

	"cotenant/components/limits"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// IntSpec holds the parameters of integer pipes, one for each scheduler beside its pipes of
// single precision, as GPUs have since Volta (Tesla V100 white paper: 16 lanes of each).
type IntSpec struct {
	// Interval and Latency mean what they mean in a PipeSpec. Interval 0: integer instructions are
	// executed by pipes.alu, and the rest counts for nothing.
	Interval int `yaml:"interval" range:"0..1023"`
	Latency  int `yaml:"latency" range:"0..1023"`
	// Shares says whose lanes they are: "", their own; alu-b, the second of two pipes of
	// alu, which executes single precision too (Ada white paper: 16 lanes for single
	// precision, 16 for either).
	Shares string `yaml:"shares,omitempty" json:",omitempty"`
}

// sharesALU is the value of Shares for lanes that execute single precision too.
const sharesALU = "alu-b"

// validate reports what is wrong with the integer pipes, by the field.
func (s *IntSpec) validate(alu *PipeSpec) error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if s.Interval > 0 && s.Latency == 0 {
		return errors.New("latency is 0, must be 1 to 1023 with an interval")
	}
	switch s.Shares {
	case "":
		return nil
	case sharesALU:
		if s.Interval > 0 && (alu.Units != 2 || alu.PerSM) {
			return fmt.Errorf("shares is %s, which goes with alu.units: 2 and alu.per_sm: false", sharesALU)
		}
		return nil
	}
	return fmt.Errorf("shares is %q, must be %s, or empty", s.Shares, sharesALU)
}

// divideIntegers gives integer instructions pipes of their own. Multiplications that name
// another unit leave them again.
func (p *Pipes) divideIntegers(spec *IntSpec) {
	if spec.Interval == 0 {
		return
	}
	p.detours = true
	p.lends = spec.Shares == sharesALU
	if p.lends {
		p.special |= 1<<warps.ALU | 1<<warps.Int
	}
	for _, f := range multiplications {
		kind := workload.KindOf(workload.Int, f)
		p.unit[kind], p.timing[kind] = warps.Int, timing{uint16(spec.Interval), uint16(spec.Latency)}
	}
}

// takeLent gives an instruction to one of a scheduler's two pipes of alu, of which the
// second executes integers too: single precision goes to the first if that is free.
func (p *Pipes) takeLent(scheduler int, u warps.Unit, cycle, until uint64) {
	freeAt, lane := p.several[warps.ALU][scheduler], 1
	if u == warps.ALU && freeAt[0] <= cycle {
		lane = 0
	}
	freeAt[lane] = until
	port := &p.ports[scheduler]
	port.freeAt[warps.ALU], port.freeAt[warps.Int] = min(freeAt[0], freeAt[1]), freeAt[1]
}
