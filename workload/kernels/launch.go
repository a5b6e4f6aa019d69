package kernels

import (
	"fmt"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// Launch is one kernel launch of the host program.
type Launch struct {
	// Name is the kernel's in the manifest.
	Name string
	// Kernel is shared by all launches and must not be changed, like Program.
	Kernel  *ptx.Func
	Program *exec.Program
	Config  exec.LaunchConfig
	// RegistersPerThread is what the manifest states, 0 if it does not.
	RegistersPerThread int
	// SharedBytesPerTB is what a TB reserves: what the manifest states, and at
	// least what PTX and launch ask for.
	SharedBytesPerTB int
	// Origin is the file and line that state the launch.
	Origin string
}

// launch evaluates a launch.
func (i *Instance) launch(path string, s *LaunchStep) (Launch, error) {
	at := i.m.kernel(s.Kernel)
	k := &i.m.Kernels[at]
	l := Launch{Name: k.Name, Kernel: i.m.entries[at], Program: i.m.programs[at], Config: exec.LaunchConfig{Mem: i.memory},
		Origin: i.m.at.Nearest(path).String()}
	c := &l.Config
	block, demand := k.Block, k.demand(i.arch)
	if demand != nil {
		l.RegistersPerThread, l.SharedBytesPerTB = demand.RegistersPerThread, demand.SharedBytesPerTB
		if len(demand.Block) > 0 {
			block = demand.Block
		}
	}
	if len(s.Block) > 0 {
		block = s.Block
	}
	var err error
	if len(block) == 0 {
		return l, i.m.errorf(path, "has no block size; give block here or at the kernel")
	}
	if c.Block, err = i.dimensions(path+".block", block, 1, maxThreads); err != nil {
		return l, err
	}
	if n := c.Block.Count(); n > maxThreads {
		return l, i.m.errorf(path, "has blocks of %d threads; valid: at most %d", n, maxThreads)
	}
	if most := l.Kernel.MaxThreads; most > 0 && c.Block.Count() > most {
		return l, i.m.errorf(path, "has blocks of %d threads; valid: at most %d, the .maxntid of %s", c.Block.Count(), most, k.Name)
	}
	if required := l.Kernel.Block; required != (workload.Dim3{}) && c.Block != required {
		return l, i.m.errorf(path, "has blocks of %v; valid: %v, the .reqntid of %s", c.Block, required, k.Name)
	}
	i.numbers["block_x"], i.numbers["block_y"], i.numbers["block_z"] =
		wholeOf(int64(c.Block.X)), wholeOf(int64(c.Block.Y)), wholeOf(int64(c.Block.Z))
	if c.Grid, err = i.dimensions(path+".grid", s.Grid, 0, maxGrid); err != nil {
		return l, err
	}
	if err := i.shared(path, s, demand, &l); err != nil {
		return l, err
	}
	if err := i.textures(c); err != nil {
		return l, err
	}
	c.Params, err = i.params(path, s, l.Program)
	return l, err
}

func (i *Instance) dimensions(path string, list []Expr, low, high int64) (workload.Dim3, error) {
	d := [3]int{1, 1, 1}
	count := int64(1)
	for at := range list {
		v, err := list[at].whole(i, low, high)
		if err != nil {
			return workload.Dim3{}, i.m.errorf(fmt.Sprintf("%s[%d]", path, at), "%v", err)
		}
		d[at] = int(v)
		if count *= v; count > maxGrid {
			return workload.Dim3{}, i.m.errorf(path, "counts more than %d; make it smaller", maxGrid)
		}
	}
	return workload.Dim3{X: d[0], Y: d[1], Z: d[2]}, nil
}

// shared works out the shared memory of a launch.
func (i *Instance) shared(path string, s *LaunchStep, d *Demand, l *Launch) error {
	if s.Shared.given() {
		bytes, err := s.Shared.whole(i, 0, maxShared)
		if err != nil {
			return i.m.errorf(path+".shared", "%v", err)
		}
		l.Config.DynamicShared = int(bytes)
	}
	need := l.Program.SharedBytes() + l.Config.DynamicShared
	if l.SharedBytesPerTB == 0 {
		l.SharedBytesPerTB = need
	}
	if l.SharedBytesPerTB < need {
		return i.m.errorf(path, "needs %d bytes of shared memory, and the demands of %s state %d; valid: at least as much",
			need, s.Kernel, d.SharedBytesPerTB)
	}
	return nil
}
