package workload

import (
	"errors"
	"slices"
	"strings"
)

// ISA says what a GPU executes of a real kernel, whose code comes as PTX. The zero value is
// Machine.
type ISA uint8

const (
	// Machine is machine code, to which PTX is lowered (package sass), as on a chip.
	Machine ISA = iota
	// PTX is PTX as it stands, each of its instructions one of the GPU's, as in GPGPU-Sim
	// 3.2.2 (cuda-sim.cc, ptx_assemble).
	PTX
)

var isas = []string{Machine: "machine", PTX: "ptx"}

// String is the name in configurations.
func (i ISA) String() string { return isas[i] }

// Takes lists the names, for messages.
func (i ISA) Takes() string { return strings.Join(isas, " or ") }

// MarshalText writes the name.
func (i ISA) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads the name.
func (i *ISA) UnmarshalText(text []byte) error {
	n := slices.Index(isas, string(text))
	if n < 0 {
		return errors.New("must be " + i.Takes())
	}
	*i = ISA(n)
	return nil
}
