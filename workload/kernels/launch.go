package kernels

import (
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
	// Priority is that of the stream.
	Priority int
	// Origin is the file and line that state the launch.
	Origin string
	// Fault takes the first error of a thread; all warps of the launch end then. Without it the error
	// ends the run.
	Fault func(error)
}

// launch evaluates a launch.
func (i *Instance) launch(path string, s *LaunchStep) Launch {
	at := i.m.kernel(s.Kernel)
	k := &i.m.Kernels[at]
	l := Launch{Name: k.Name, Kernel: i.m.entries[at], Program: i.m.programs[at], Config: exec.LaunchConfig{Mem: i.memory, CheckAsync: i.m.checksAsync},
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
	if len(block) == 0 {
		i.m.fail(path, "has no block size; give block here or at the kernel")
	}
	c.Block = i.dimensions(path+".block", block, 1, maxThreads)
	n, most := c.Block.Count(), l.Kernel.MaxThreads
	if n > maxThreads {
		i.m.fail(path, "has blocks of %d threads; valid: at most %d", n, maxThreads)
	}
	if most > 0 && n > most {
		i.m.fail(path, "has blocks of %d threads; valid: at most %d, the .maxntid of %s", n, most, k.Name)
	}
	if required := l.Kernel.Block; required != (workload.Dim3{}) && c.Block != required {
		i.m.fail(path, "has blocks of %v; valid: %v, the .reqntid of %s", c.Block, required, k.Name)
	}
	i.numbers["block_x"], i.numbers["block_y"], i.numbers["block_z"] =
		wholeOf(int64(c.Block.X)), wholeOf(int64(c.Block.Y)), wholeOf(int64(c.Block.Z))
	c.Grid = i.dimensions(path+".grid", s.Grid, 0, maxGrid)
	if len(s.Cluster) > 0 {
		c.Cluster = i.dimensions(path+".cluster", s.Cluster, 1, maxGrid)
	}
	i.shared(path, s, demand, &l)
	i.textures(c)
	c.Params = i.params(path, s, l.Program)
	return l
}

func (i *Instance) dimensions(path string, list Dimensions, low, high int64) workload.Dim3 {
	d := [3]int{1, 1, 1}
	count := int64(1)
	for at := range list {
		v := i.whole(&list[at], low, high)
		d[at] = int(v)
		if count *= v; count > maxGrid {
			i.m.fail(path, "counts more than %d; make it smaller", maxGrid)
		}
	}
	return workload.Dim3{X: d[0], Y: d[1], Z: d[2]}
}

// shared works out the shared memory of a launch.
func (i *Instance) shared(path string, s *LaunchStep, d *Demand, l *Launch) {
	l.Config.DynamicShared = int(i.wholeOr(&s.Shared, 0, maxShared, 0))
	need := l.Program.SharedBytes() + l.Config.DynamicShared
	if l.SharedBytesPerTB == 0 {
		l.SharedBytesPerTB = need
	}
	if l.SharedBytesPerTB < need {
		i.m.fail(path, "needs %d bytes of shared memory, and the demands of %s state %d; valid: at least as much",
			need, s.Kernel, d.SharedBytesPerTB)
	}
}
