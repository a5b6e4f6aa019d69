package workload

import (
	"fmt"
	"io"
	"time"
)

// Dim3 is a grid or block size, or a position in one.
type Dim3 struct{ X, Y, Z int }

// Count is the number of elements, X*Y*Z.
func (d Dim3) Count() int { return d.X * d.Y * d.Z }

// String writes the size as the traces do: (x,y,z).
func (d Dim3) String() string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

// Kernel is the shape of one launch and the source of its thread blocks.
type Kernel struct {
	Name             string
	Grid, Block      Dim3
	RegistersPerTB   int // 32-bit registers
	SharedBytesPerTB int // bytes, static and dynamic
	// ClusterTBs is the number of thread blocks of a cluster, which run at the same time; 0 and 1: thread blocks
	// are on their own.
	ClusterTBs int
	Stream     int // CUDA stream; 0 is the default stream
	// Priority is that of the stream: the smaller goes first, as in CUDA; 0 by default.
	Priority int
	// L2 is what the launch asks of the L2; nil: nothing.
	L2 *Residency
	// Idempotent says that a thread block can be dropped at any point and
	// started anew, because it overwrites nothing that it reads and has no
	// atomic operations (Chimera). The Launch is a Restarter then.
	Idempotent bool
	Source     Source
	// AnyShape says that the source knows the numbers of thread blocks and of
	// threads alone: Grid and Block have them along x, and stand for any shape.
	AnyShape bool
	// Origin is the file, and line if there is one, that states the shape, for
	// messages; "" if the kernel is from no file.
	Origin string
}

// TBs is the number of thread blocks of the grid.
func (k *Kernel) TBs() int { return k.Grid.Count() }

// ThreadsPerTB is the number of threads of one thread block.
func (k *Kernel) ThreadsPerTB() int { return k.Block.Count() }

// WarpsPerTB is the number of warps of one thread block, the last one possibly
// part-filled.
func (k *Kernel) WarpsPerTB() int { return (k.ThreadsPerTB() + WarpSize - 1) / WarpSize }

// Source opens a kernel for one run. It may be opened many times, also while
// an earlier Launch of it is still open, and every run yields the same streams.
type Source interface {
	Open() (Launch, error)
}

// Launch hands out the thread blocks of one run of a kernel.
type Launch interface {
	// Next fills tb with the next thread block, in the order of TB.ID from 0. The thread blocks of
	// a cluster follow each other.
	// It is called exactly Kernel.TBs times. An error names file and line of
	// the input at fault and ends the simulation.
	Next(tb *TB) error
	// Recycle gives back the memory of a thread block that has finished.
	Recycle(tb *TB)
	// Close releases files. It returns an error if the input holds more than
	// the kernel's grid asked for.
	Close() error
}

// Restarter is a Launch that can start its thread blocks anew.
type Restarter interface {
	Launch
	// Restart puts a thread block back to its beginning. An error ends the
	// simulation.
	Restart(tb *TB) error
}

// TB is one thread block, ready to run: one Stream for each of its warps.
// Position of the TB in the grid follows from ID, x fastest, unless it is in a cluster.
type TB struct {
	ID    int
	Warps []Stream
	// Data belongs to the Launch that filled the TB.
	Data any
	// Window is that of the launch; nil without. The SM driver sets it.
	Window *Window
	// Resident, if it is set, is told where the TB runs: by the SM that takes
	// it, before the first Fetch from its warps there.
	Resident Resident
}

// Resident is a thread block with streams that depend on where and when they run.
type Resident interface {
	// Placed tells the number of the SM, how many SMs the GPU has, and a clock,
	// which stays valid as long as the thread block is on the SM.
	Placed(sm, sms int, clock Clock)
}

// Clock is what a running program can read of the time. Both count from the
// start of the simulation.
type Clock interface {
	// Now returns the cycle of the core clock and the nanoseconds. While
	// Stream.Execute runs it is the cycle in which the instruction issues.
	Now() (cycle, nanoseconds uint64)
}

// App is what one tenant runs, in order. After the last operation it has
// completed once; a co-run may start it again from the first.
type App struct {
	Name string
	Ops  []Op
	// Host, if it is set, starts the application's host program, which decides
	// what comes next by what its kernels have computed. Ops then has kernels
	// that it launches, to be looked at; they may have no Source.
	Host func() (Host, error)
	// KernelNames are the names of the kernels that Host launches.
	KernelNames []string
	// Files are the paths of the files that determine the application; none if
	// it is built in.
	Files []string
	// Notes are what a user of the application should know, in a line each.
	Notes []string
	// Tell, if the user of the application sets it before the first Start, is given what else is to be
	// known, in a line, from any goroutine.
	Tell func(text string)
	// Inspections are the steps of the host program that look at arrays, in the
	// order in which they are written. The program is Inspectable then.
	Inspections []Step
	// Arrays are the arrays that its kernels may access, in the order of SortArrays,
	// without Data: the same list, with the same addresses, in every run. Empty if
	// the source does not know them, as a profile does not; a trace knows what its
	// list copies, and its kernels may access more.
	Arrays []Array
}

// Title is what results call the application: by its kernel if it has only one,
// however often that is launched, else by its own name.
func (a *App) Title() string {
	names := a.KernelNames
	for _, k := range a.Kernels() {
		names = append(names, k.Name)
	}
	for _, n := range names {
		if n != names[0] {
			return a.Name
		}
	}
	return names[0]
}

// Host is one run of an application's host program.
type Host interface {
	// Next returns the next operation, once the one before has completed, or
	// has been issued if it is Async. It reports false at the end of the
	// program. A Host that is an io.Closer is closed when nothing will call Next
	// again, also if the program has not ended.
	Next() (op Op, ok bool, err error)
}

// Start begins a run of the application.
func (a *App) Start() (Host, error) {
	if a.Host != nil {
		return a.Host()
	}
	return &listed{a.Ops}, nil
}

// Listed reports whether a host program carries out a list of operations: what its launches
// do does not depend on the execution of earlier launches.
func Listed(h Host) bool {
	_, ok := h.(*listed)
	return ok
}

// listed is the host program that carries out a list of operations.
type listed struct{ ops []Op }

// Next gives the operations in order; it returns no error.
func (l *listed) Next() (op Op, ok bool, err error) {
	if len(l.ops) == 0 {
		return Op{}, false, nil
	}
	op = l.ops[0]
	l.ops = l.ops[1:]
	return op, true, nil
}

// Op is one step of an application's host program: a kernel launch if Kernel is
// set, a CPU phase if CPU is not 0, and a copy if Bytes is not 0. An Op that is
// none of them takes no time.
//
// Commands to the GPU, launches and copies, are carried out in order within a
// stream. Different streams are independent, but for stream 0, the default
// stream: its commands wait for all the application's earlier ones, and later
// ones wait for them.
type Op struct {
	Kernel *Kernel // its Stream says on which stream
	// Graph says that the launch waits for another command of its CUDA graph.
	Graph bool
	// CPU is how long the host program computes.
	CPU time.Duration
	// Addr is the device's address of a copy.
	Addr   uint64
	Bytes  uint64
	ToHost bool // the copy is from device to host
	Stream int  // CUDA stream of a copy
	// Async says that the host program goes on once it has issued the command.
	// Otherwise it waits for the command to complete.
	Async bool
	// Sync says that the host program waits before this step until all its
	// earlier commands have completed.
	Sync bool
	// Until, if it is set, lets the host program wait before this step until it reports
	// true, which only a completed command of the application can change.
	Until func() bool
	// Mark makes the operation a command that takes no time: it completes once its
	// stream's earlier commands have, and, if After is set, After reports true.
	Mark  bool
	After func() bool
	// Done, if it is set, is called when the command completes, with the nanoseconds
	// since the start of the simulation. A host that leaves out copies takes one with
	// Done for a Mark.
	Done func(nanoseconds uint64)
}

// Complete tells that the command has completed, at a time in nanoseconds since the start.
func (o *Op) Complete(nanoseconds uint64) {
	if o.Done != nil {
		o.Done(nanoseconds)
	}
}

// Close closes a Host that holds something, when nothing will call Next again.
func Close(h Host) {
	if c, ok := h.(io.Closer); ok {
		_ = c.Close() // which has nothing to tell any more
	}
}

// StreamOf is the CUDA stream of a command.
func (o *Op) StreamOf() int {
	if o.Kernel != nil {
		return o.Kernel.Stream
	}
	return o.Stream
}

// Kernels lists the launches among Ops in order.
func (a *App) Kernels() []*Kernel {
	var ks []*Kernel
	for _, op := range a.Ops {
		if op.Kernel != nil {
			ks = append(ks, op.Kernel)
		}
	}
	return ks
}

// InputError is a fault in an input file, at a line (from 1; 0 when the whole
// file is meant). Its message is one line that names what is wrong and what
// would be valid.
type InputError struct {
	File string
	Line int
	Msg  string
}

// Error writes file:line: message.
func (e *InputError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Errorf makes an InputError for line of file.
func Errorf(file string, line int, format string, args ...any) error {
	return &InputError{File: file, Line: line, Msg: fmt.Sprintf(format, args...)}
}
