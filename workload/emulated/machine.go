package emulated

import (
	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/sass"
)

// Machine lowers the kernels of one run of an application to machine code.
type Machine struct {
	codes  map[*exec.Program]*code
	target workload.Target
	rules  sass.Options
}

// NewMachine returns a Machine that has lowered nothing yet. target says how textures lie in memory and
// products of matrices round.
func NewMachine(target workload.Target, rules sass.Options) *Machine {
	return &Machine{codes: map[*exec.Program]*code{}, target: target, rules: rules}
}

// Kernel is a launch as the timing model takes it. Further launches of a Program share its machine
// code.
func (m *Machine) Kernel(l *kernels.Launch) (*workload.Kernel, error) {
	c, err := m.code(l.Program, l.RegistersPerThread)
	if err != nil {
		return nil, err
	}
	l.Program = c.program
	k := &workload.Kernel{Name: l.Name, Grid: l.Config.Grid, Block: l.Config.Block, SharedBytesPerTB: l.SharedBytesPerTB, Origin: l.Origin}
	k.RegistersPerTB = c.registers * k.ThreadsPerTB()
	l.Config.TextureLayout, l.Config.Numerics, l.Config.ClusterLag = m.target.TextureLayout, m.target.Numerics, uint64(m.target.ClusterLag)
	k.ClusterTBs = c.program.ClusterTBs(&l.Config)
	k.Idempotent = c.program.Idempotent(&l.Config)
	k.Source = &source{launch: *l, code: c}
	return k, nil
}

// Registers is the number of registers that a thread of a program takes.
func (m *Machine) Registers(p *exec.Program) (int, error) {
	c, err := m.code(p, 0)
	if err != nil {
		return 0, err
	}
	return c.registers, nil
}

func (m *Machine) code(p *exec.Program, registers int) (*code, error) {
	c := m.codes[p]
	if c == nil {
		var err error
		if c, err = newCode(p, registers, m.rules); err != nil {
			return nil, err
		}
		m.codes[p] = c
	}
	return c, nil
}
