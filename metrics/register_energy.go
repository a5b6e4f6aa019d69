package metrics

import (
	"fmt"
	"math"
)

// RegisterEnergySource is the source of RegisterAccess.
const RegisterEnergySource = "square root of the size, our choice; no published number"

// RegisterAccess is the energy of an access to a register file of scale times a baseline
// SM's registers in as many banks, as a multiple of one to the baseline's. It goes by
// the square root of the size: wires through an array are as long as its sides. That is
// our choice. HeteroCore enlarges each bank and leaves the crossbar alone (3.2), takes
// energies from GPUWattch (6.2), and prints none of registers; so claim ratios only.
func RegisterAccess(scale float64) float64 { return math.Sqrt(scale) }

// WithRegisters returns the energies with another cost of register accesses, as a multiple of
// the cost on a baseline SM: on SMs of one kind, or on average over instructions. Registers
// are only a part of a thread instruction.
func (c Energies) WithRegisters(access float64) Energies {
	c.Instruction += c.Registers * (access - 1)
	return c
}

// SMEnergyOfKind compares the registers of an SM of one kind with a baseline SM's.
type SMEnergyOfKind struct {
	Kind        string  `json:"kind"`
	Registers   int     `json:"registers"`   // of an SM
	Access      float64 `json:"access"`      // to a register, times that on a baseline SM
	Instruction float64 `json:"instruction"` // a thread instruction, without memory and idle power, times that on a baseline SM
}

// SMEnergyOf completes kinds with given name and registers. All numbers must be at least 1.
func SMEnergyOf(baseRegisters int, kinds []SMEnergyOfKind) (list []SMEnergyOfKind, err error) {
	if baseRegisters < 1 {
		return nil, fmt.Errorf("registers of a baseline SM are %d: must be at least 1", baseRegisters)
	}
	for _, k := range kinds {
		if k.Registers < 1 {
			return nil, fmt.Errorf("kind %s has %d registers: must be at least 1", k.Kind, k.Registers)
		}
		k.Access = RegisterAccess(float64(k.Registers) / float64(baseRegisters))
		k.Instruction = Maxwell.WithRegisters(k.Access).Instruction / Maxwell.Instruction
		list = append(list, k)
	}
	return list, nil
}
