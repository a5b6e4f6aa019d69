package emulated

import (
	"errors"
	"slices"
	"sync"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/flow"
	"cotenant/workload/ptx/sass"
)

// fewestRegisters is what a thread takes at least: machine code needs some for
// addresses and the stack.
const fewestRegisters = 16

// fullOccupancy is how many registers a thread may take while 2048 of them
// share 65,536. Scheduling takes no more unless the code needs them anyway or
// the manifest states more.
const fullOccupancy = 32

// App makes an application of a manifest. size is a name of kernels.Sizes, arch
// chooses among the kernels' demands ("" their first). target says how textures lie in
// memory and products of matrices round. Every run has a memory of its own, filled anew. An error names the
// manifest and the line.
func App(m *kernels.Manifest, size, arch string, target workload.Target, rules sass.Options) (*workload.App, error) {
	start := func() (*host, error) {
		instance, err := m.New(size, arch, exec.NewMemory())
		if err != nil {
			return nil, err
		}
		return &host{instance: instance, machine: NewMachine(target, rules)}, nil
	}
	first, err := start()
	if err != nil {
		return nil, err
	}
	arrays := first.instance.Accessible() // before steps have swapped any
	kernel, err := first.preview()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range m.Kernels {
		names = append(names, k.Name)
	}
	var mu sync.Mutex // first goes to the first start of the application
	inspections := m.Inspections()
	if len(inspections) > 0 {
		// It has passed over those before the first launch.
		first = nil
	}
	app := &workload.App{Name: m.Name, KernelNames: names, Notes: m.Notes(), Inspections: inspections, Arrays: arrays, Host: func() (workload.Host, error) {
		mu.Lock()
		h := first
		first = nil
		mu.Unlock()
		if h != nil {
			return h, nil
		}
		return start()
	}}
	if kernel != nil {
		app.Ops = []workload.Op{{Kernel: kernel}}
	}
	return app, nil
}

// host is one run of a manifest's host program.
type host struct {
	instance *kernels.Instance
	// previewed are operations of the instance that are still to be returned.
	previewed []kernels.Operation
	machine   *Machine
	order     *exec.OrderWatch // nil unless Watch was called
	streams   bool             // launches of streams have been returned
}

// maxPreviewed bounds the operations before the first launch, which are kept.
const maxPreviewed = 100_000

// Inspect makes host a workload.Inspectable.
func (h *host) Inspect(i workload.Inspector) { h.instance.Inspect(i) }

// Arrays lists the program's arrays.
func (h *host) Arrays() []workload.Array { return h.instance.Arrays() }

// preview looks ahead for the first launch, which has no Source, as nothing is
// to be executed; nil if there is none.
func (h *host) preview() (*workload.Kernel, error) {
	for {
		op, ok, err := h.instance.Next()
		if err != nil || !ok {
			return nil, err
		}
		if op.Launch == nil && len(h.previewed) == maxPreviewed {
			return nil, h.instance.Errorf("makes more than %d copies and CPU phases before its first launch; make it fewer", maxPreviewed)
		}
		h.previewed = append(h.previewed, op)
		if op.Launch != nil {
			launch := *op.Launch
			k, err := h.kernel(&launch)
			if err != nil {
				return nil, err
			}
			k.Source = nil // which holds the memory
			return k, nil
		}
	}
}

// operation is the program's next one.
func (h *host) operation() (op kernels.Operation, ok bool, err error) {
	if len(h.previewed) == 0 {
		return h.instance.Next()
	}
	op = h.previewed[0]
	h.previewed = h.previewed[1:]
	return op, true, nil
}

// Watch begins to look for dependence on the order of execution. It must be
// called before the first Next.
func (h *host) Watch() { h.order = exec.NewOrderWatch(h.instance.Memory()) }

// OrderDependence says why what the launches so far have done depends on the
// order in which their warps executed, nil if it does not.
func (h *host) OrderDependence() error {
	if h.streams {
		return errors.New("kernels of several streams may run at once")
	}
	if h.order == nil {
		return nil
	}
	return h.order.Dependence()
}

// Next makes host a workload.Host. The program waits for each operation, as it
// may look at results, but not for operations of streams.
func (h *host) Next() (workload.Op, bool, error) {
	op, ok, err := h.operation()
	switch {
	case err != nil || !ok:
		return workload.Op{}, false, err
	case op.Launch == nil:
		return workload.Op{CPU: op.CPU, Addr: op.Addr, Bytes: op.Bytes, ToHost: op.ToHost, Stream: op.Stream, Async: op.Stream > 0, Sync: op.Sync}, true, nil
	}
	k, err := h.kernel(op.Launch)
	if err != nil {
		return workload.Op{}, false, err
	}
	k.Stream, k.Priority = op.Stream, op.Launch.Priority
	h.streams = h.streams || op.Stream > 0
	return workload.Op{Kernel: k, Graph: op.Graph, Async: op.Stream > 0}, true, nil
}

// kernel is a launch as the timing model takes it.
func (h *host) kernel(l *kernels.Launch) (*workload.Kernel, error) {
	l.Config.Order = h.order
	return h.machine.Kernel(l)
}

// functionGap is the least distance between the code of functions, and what
// their addresses are multiples of, in bytes: a call never looks like falling
// through.
const functionGap = 4096

// code is a program as it runs and its lowered form by program counter: the
// sequence of each instruction, and what is issued in vain where a branch is
// predication. registers is the number that a thread takes.
type code struct {
	program     *exec.Program
	registers   int
	at, skipped [][]workload.Inst
}

// place is where the instruction was written that became the one at an address.
func (c *code) place(pc uint32) workload.Place {
	for i := range c.at {
		for _, sequence := range [][]workload.Inst{c.at[i], c.skipped[i]} {
			if slices.ContainsFunc(sequence, func(inst workload.Inst) bool { return inst.PC == pc }) {
				in, f := c.program.At(i)
				p := workload.Place{File: c.program.File(), Line: in.Line, Text: f.Source.Line(in.Line)}
				p.Source, p.SourceLine = f.Origin(in.Line)
				return p
			}
		}
	}
	return workload.Place{}
}

// newCode optimizes and lowers a program. registers is the number that a thread
// takes, 0 if the manifest does not say. Then it is the assembler's, which GPGPU-Sim takes
// too where it executes PTX (ptx_loader.cc, gpgpu_ptxinfo_load_from_string).
func newCode(p *exec.Program, registers int, rules sass.Options) (*code, error) {
	_, entry := p.At(0)
	optimized := func(registers int, rules sass.Options) *ptx.Func {
		return sass.Optimize(entry, registers, p.Place, &sass.Maxwell, rules)
	}
	bound := registers
	if registers == 0 {
		bound = fullOccupancy
		registers = rules.Units(max(fewestRegisters, flow.MaxLive(optimized(bound, sass.Options{Unit: rules.Unit}))))
	}
	if !rules.KeepOrder || !rules.KeepLoads {
		var err error
		if p, err = p.With(optimized(bound, rules)); err != nil {
			return nil, err
		}
	}
	c := &code{program: p, registers: registers, at: make([][]workload.Inst, p.Len()), skipped: make([][]workload.Inst, p.Len())}
	lowered := map[*ptx.Func]*sass.Code{}
	index := map[*ptx.Inst]int{}
	next := uint32(0) // address of the next function
	for pc := range c.at {
		in, f := p.At(pc)
		if in == nil {
			continue
		}
		if lowered[f] == nil {
			lowered[f] = sass.Lower(f, rules)
			for i := range f.Insts {
				index[&f.Insts[i]] = i
			}
			next = lowered[f].Move(next)
			next = (next + functionGap) &^ (functionGap - 1)
		}
		c.at[pc] = lowered[f].At(index[in])
		c.skipped[pc] = lowered[f].Skipped(index[in])
	}
	return c, nil
}
