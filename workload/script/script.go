// Package script makes kernels from instructions written in Go: the
// microkernels that measure a latency or a bandwidth, and the inputs of tests.
package script

import "cotenant/workload"

// Program gives the instructions of one warp of one thread block. It is called
// when the thread block is placed and must give the same list each time.
type Program func(tb, warp int) []workload.Inst

// Kernel is a one-dimensional kernel of tbs thread blocks that takes no
// registers and no shared memory; set those fields if it should.
func Kernel(name string, tbs, threadsPerTB int, program Program) *workload.Kernel {
	k := &workload.Kernel{
		Name:  name,
		Grid:  workload.Dim3{X: tbs, Y: 1, Z: 1},
		Block: workload.Dim3{X: threadsPerTB, Y: 1, Z: 1},
	}
	k.Source = source{k, program}
	return k
}

// App runs kernels one after another.
func App(name string, kernels ...*workload.Kernel) *workload.App {
	app := &workload.App{Name: name}
	for _, k := range kernels {
		app.Ops = append(app.Ops, workload.Op{Kernel: k})
	}
	return app
}

// Op is an instruction without memory access: a class, the register written
// (workload.NoReg for none) and those read. All lanes are active.
func Op(class workload.Class, dst uint8, src ...uint8) workload.Inst {
	inst := workload.Inst{Class: class, Active: ^uint32(0), Dst: workload.NoRegs4, Src: workload.NoRegs10}
	inst.Dst[0] = dst
	copy(inst.Src[:], src)
	return inst
}

// Product is a product of matrices of a shape, with its registers as Op has them.
func Product(s workload.Shape, dst uint8, src ...uint8) workload.Inst {
	inst := Op(workload.Tensor, dst, src...)
	inst.Width = uint8(s)
	return inst
}

// Access is a memory instruction of a class from workload.Load to
// workload.Copy: each lane accesses width bytes, lane i at base + i*stride.
func Access(class workload.Class, space workload.Space, base uint64, stride int32, width, dst uint8, src ...uint8) workload.Inst {
	inst := Op(class, dst, src...)
	inst.Space, inst.Base, inst.Stride, inst.Width = space, base, stride, width
	return inst
}

type source struct {
	kernel  *workload.Kernel
	program Program
}

// Open makes source a workload.Source.
func (s source) Open() (workload.Launch, error) { return &launch{source: s}, nil }

type launch struct {
	source
	next int
}

func (l *launch) Next(tb *workload.TB) error {
	tb.ID = l.next
	l.next++
	return l.Restart(tb)
}

// Restart makes launch a workload.Restarter.
func (l *launch) Restart(tb *workload.TB) error {
	tb.Warps = tb.Warps[:0]
	for w := range l.kernel.WarpsPerTB() {
		tb.Warps = append(tb.Warps, &stream{list: l.program(tb.ID, w)})
	}
	return nil
}

func (l *launch) Recycle(*workload.TB) {}
func (l *launch) Close() error         { return nil }

type stream struct{ list []workload.Inst }

func (s *stream) Fetch(inst *workload.Inst) bool {
	if len(s.list) == 0 {
		return false
	}
	*inst = s.list[0]
	s.list = s.list[1:]
	return true
}

func (s *stream) Execute(*workload.Inst) {}
