package exec

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// compiler turns functions into ops. Each has one fixed place for its registers and its local
// memory: at any time a thread is in it at most once, or it has frames (flow.WithFrame).
type compiler struct {
	p       *Program
	shared  *layout
	local   *layout
	params  *layout // of the kernel
	consts  map[launchConstant]int32
	placed  map[*ptx.Func]*placement
	dynamic []*ptx.Var
	pending []*placement // instructions not compiled yet
}

// placement is where a function's parts are in the program.
type placement struct {
	f     *ptx.Func // with a frame, if it has one
	frame int       // bytes of the frame, 0 without
	// problem says why it has no frame and needs one.
	problem string
	pc      int32
	slots   []int32     // of its registers: slots, or numbers of predicates
	read    flow.RegSet // registers that some instruction reads; nil until asked for
}

func newCompiler(m *ptx.Module, kernel *ptx.Func) *compiler {
	return &compiler{
		p:      &Program{module: m, kernel: kernel, regs: firstSlot, preds: firstPred},
		shared: newLayout(),
		local:  newLayout(),
		params: newLayout(),
		consts: map[launchConstant]int32{},
		placed: map[*ptx.Func]*placement{},
	}
}

func (c *compiler) compile() error {
	p := c.p
	for _, v := range p.kernel.Params {
		p.params = append(p.params, c.params.place(v))
	}
	p.paramBytes = c.params.end
	c.place(p.kernel)
	for len(c.pending) > 0 {
		at := c.pending[0]
		c.pending = c.pending[1:]
		if err := c.function(at); err != nil {
			return err
		}
	}
	p.shared, p.sharedBytes = c.shared.clone(), c.shared.end
	c.local.align(flow.FrameAlign)
	if p.firstLocal = c.local.end; p.stack > 0 {
		p.stackBase = c.local.end
		p.firstLocal += firstStack
		c.local.end += stackBytes
	}
	p.localBytes = c.local.end
	if err := c.checkSizes(); err != nil {
		return err
	}
	c.placeDynamic()
	c.placeSpecials()
	c.findQuiet()
	p.footprint.list, p.footprint.known = flow.GlobalAccesses(p.kernel, p.params)
	return nil
}

// Limits of what a kernel declares. A thread's local memory and a kernel's
// parameters are as in the CUDA C++ Programming Guide 12 (technical
// specifications, and function parameters); no SM has as much shared memory.
const (
	maxParamBytes  = 32764
	maxLocalBytes  = 512 << 10
	maxSharedBytes = 1 << 20
	// stackBytes is a thread's stack, which functions that call themselves need. It begins with firstStack and grows,
	// as few programs go deep.
	stackBytes = 64 << 10
	firstStack = 1 << 10
)

func (c *compiler) checkSizes() error {
	for _, x := range []struct {
		what      string
		have, max int
	}{{"of parameters", c.params.end, maxParamBytes}, {"of local memory for a thread, with arguments of calls", c.local.end, maxLocalBytes},
		{"of shared memory", c.shared.end, maxSharedBytes}} {
		if x.have > x.max {
			return workload.Errorf(c.p.kernel.File, c.p.kernel.Line, "kernel %s takes %d bytes %s; valid is up to %d", c.p.kernel.Name, x.have, x.what, x.max)
		}
	}
	return nil
}

// place gives a function its registers and its place in the program.
func (c *compiler) place(f *ptx.Func) *placement {
	if at := c.placed[f]; at != nil {
		return at
	}
	p := c.p
	at := &placement{f: f, pc: int32(len(p.ops))}
	c.placed[f] = at
	c.pending = append(c.pending, at)
	stack := -1
	if f.Cycle > 0 && f.Fault == nil {
		frame, problem := flow.WithFrame(f)
		if problem != "" {
			at.problem = problem
			return at
		}
		if f, at.f, at.frame, stack = frame.Func, frame.Func, frame.Bytes, frame.Stack; p.stack == 0 {
			p.stack = p.regs
			p.regs++
		}
	}
	var shared int
	var fromStart bool
	at.slots, shared, fromStart = flow.ShareSlots(f)
	p.startsAtZero = p.startsAtZero || fromStart
	for i, t := range f.Regs {
		if t == ptx.Pred {
			at.slots[i] = int32(p.preds)
			p.preds++
		} else {
			at.slots[i] += int32(p.regs)
		}
	}
	if stack >= 0 {
		at.slots[stack] = int32(p.stack)
	}
	p.regs += shared
	p.ops = append(p.ops, make([]op, len(f.Insts)+1)...)
	return at
}

func (c *compiler) function(at *placement) error {
	f := at.f
	switch {
	case f.Fault != nil:
		return f.Fault
	case at.problem != "":
		return workload.Errorf(f.File, f.Line, "function %s calls itself, and %s", f.Name, at.problem)
	}
	meet := flow.Reconvergence(f)
	for i := range f.Insts {
		b := &builder{c: c, f: f, at: at, in: &f.Insts[i], meet: meet[i]}
		o := b.build()
		if b.err != nil {
			return b.err
		}
		o.ends = o.ends || i == len(f.Insts)-1
		c.p.ops[int(at.pc)+i] = o
	}
	c.p.ops[int(at.pc)+len(f.Insts)] = op{fn: f}
	return nil
}

// placeDynamic puts dynamic shared memory behind the static one. All its
// variables start at the same address.
func (c *compiler) placeDynamic() {
	for _, v := range c.dynamic {
		c.shared.align(v.Align)
	}
	c.p.dynamic = c.shared.end
	for i, k := range c.p.consts {
		if k.v != nil && k.v.Space == ptx.Shared {
			c.p.consts[i] = launchConstant{bits: k.bits + uint64(c.p.dynamic)}
		}
	}
}

// placeSpecials gives the special registers their places behind all registers. So
// far they are numbered from the first slot that no instruction can have.
func (c *compiler) placeSpecials() {
	p := c.p
	fix := func(s *int32) {
		if *s >= specialSlots {
			*s += int32(p.regs) - specialSlots
		}
	}
	for i := range p.ops {
		o := &p.ops[i]
		fix(&o.a)
		fix(&o.b)
		fix(&o.c)
		for k := range o.list {
			fix(&o.list[k])
		}
	}
	p.regs += len(p.specials)
}

const specialSlots = 1 << 30
