package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"cotenant/workload"
	"cotenant/workload/kernels"
	ptxexec "cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/flow"
)

// Emulation says what a run without a GPU model did.
type Emulation struct {
	Launches         uint64
	WarpInstructions uint64        // of PTX
	Emulating        time.Duration // processor time that kernels took
	Faults           uint64        // that Spec.Check has found
}

// Emulate runs a program alone, without a GPU model: each kernel executes when it is launched. A kernel
// that fails is told on stderr, and from then on the program's calls return the error that CUDA has for it.
// Events tell the number of warp instructions as nanoseconds. An error is an ExitError if the program ends
// with a status other than 0.
func Emulate(ctx context.Context, spec Spec, stderr io.Writer) (e Emulation, err error) {
	return emulate(ctx, spec, stderr, func(p *process) peer { return p })
}

// emulate is Emulate with a peer around the process.
func emulate(ctx context.Context, spec Spec, stderr io.Writer, around func(*process) peer) (e Emulation, err error) {
	if err := spec.Validate(); err != nil {
		return e, err
	}
	spec.Found = func(text string) {
		e.Faults++
		fmt.Fprintln(stderr, text)
	}
	p, err := start(&spec)
	if err != nil {
		return e, err
	}
	plain := &plainMachine{}
	s := newSession(spec, around(p), plain)
	defer s.Close()
	defer context.AfterFunc(ctx, p.interrupt)()
	for {
		op, ok, err := s.Next()
		if ctx.Err() != nil {
			return e, ctx.Err()
		}
		if err != nil || !ok {
			return e, err
		}
		if op.Kernel != nil {
			e.Launches++
			began := processorTimeOfOwn()
			n, err := ptxexec.Execute(ctx, plain.launch.Program, &plain.launch.Config, resident)
			e.WarpInstructions += n
			e.Emulating += processorTimeOfOwn() - began
			if errors.Is(err, context.Canceled) {
				return e, err
			}
			if err != nil {
				fmt.Fprintf(stderr, "%v\n", err)
				s.spoiled = spoils(err)
			}
		}
		op.Complete(e.WarpInstructions)
	}
}

// resident is how many thread blocks of a kernel are on their way at a time.
const resident = 64

// processorTimeOfOwn is the processor time that the simulator has taken (getrusage(2)).
func processorTimeOfOwn() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// spoils is the error of CUDA for a kernel that has failed: that of a thread's fault, and for warps that wait for
// ever a launch's failure.
func spoils(err error) cudaError {
	if fault := (*ptxexec.Fault)(nil); errors.As(err, &fault) {
		return cudaError(fault.Kind)
	}
	return launchFailure
}

// plainMachine leaves PTX as it is.
type plainMachine struct{ launch kernels.Launch }

// Kernel keeps the launch.
func (m *plainMachine) Kernel(l *kernels.Launch) (*workload.Kernel, error) {
	m.launch = *l
	return &workload.Kernel{Name: l.Name, Grid: l.Config.Grid, Block: l.Config.Block}, nil
}

// Registers counts the registers that are live at a time.
func (m *plainMachine) Registers(p *ptxexec.Program) (int, error) {
	_, entry := p.At(0)
	return max(16, flow.MaxLive(entry)), nil
}
