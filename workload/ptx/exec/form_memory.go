package exec

import "cotenant/workload/ptx"

// address sets where a memory instruction finds its address: a slot, an offset
// added to it, and the space it is in.
func (b *builder) address(x ptx.Operand) {
	o := &b.o
	o.space = b.in.Space
	switch {
	case x.Reg >= 0:
		o.a = b.at.slots[x.Reg]
		o.imm = x.Imm
		if b.f.Regs[x.Reg].Size() == 4 {
			o.addrMask = 1<<32 - 1
		}
	case x.Var != nil && x.Var.Texture:
		b.fail("%s is a texture; valid is tex", x.Var.Name)
	case x.Var != nil:
		o.a = b.addressOf(x.Var, x.Imm)
		if o.space == ptx.Generic {
			// A variable's name is an address in the variable's own space.
			o.space = x.Var.Space
		}
	default:
		o.a = b.constant(x.Imm)
	}
	// Arguments of calls are kept in local memory. What an address in a register
	// means is told by who can have it: the kernel's own parameters are read only.
	ofKernel := x.Var == nil && b.f.Entry && b.in.Op != "st" || x.Var != nil && b.isKernelParam(x.Var)
	if o.space == ptx.Param && !ofKernel {
		o.space = ptx.Local
	}
}

// element sets what a memory instruction accesses for each lane: a value, or some.
func (b *builder) element() {
	o, t := &b.o, b.kind()
	o.bytes, o.vec = uint8(t.Size()), uint8(max(b.in.Vec, 1))
	o.shift, o.signed = cut(t), t.IsSigned()
	// The program makes every access that the timing model sees.
	o.memory = b.in.Space != ptx.Param
	b.policy()
}

func buildLoad(b *builder) {
	b.element()
	o := &b.o
	if o.vec == 1 {
		o.list = []int32{o.dst}
	}
	switch {
	case o.space == ptx.Param && b.in.Src[0].Reg < 0:
		o.run = runLoadParam
	case o.bytes == 4:
		o.run = runLoadWords
	default:
		o.run = runLoad
	}
}

func buildStore(b *builder) {
	b.element()
	o := &b.o
	o.writes = true
	if o.vec == 1 {
		o.list = []int32{o.b}
	}
	if o.space == ptx.Const || o.space == ptx.Param {
		b.fail("space .%v cannot be written", o.space)
	}
	o.run = runStore
	if o.bytes == 4 {
		o.run = runStoreWords
	}
	if b.in.Prints != nil {
		b.print()
	}
	if b.in.Has("async") {
		b.asyncStore(runStore)
	}
}

// windows are where the spaces lie in the generic address space.
var windows = [...]uint64{ptx.Shared: sharedWindow, ptx.Local: localWindow, ptx.Param: paramWindow}

// buildCvta moves an address between its own space and the generic one.
func buildCvta(b *builder) {
	window := windows[b.in.Space]
	if b.in.Space == ptx.Param && !b.f.Entry {
		window = localWindow
	}
	switch {
	case window == 0:
		b.o.run = runMove
	case b.in.Has("to"):
		b.o.b = b.constant(window)
		b.o.run = runSub
	default:
		b.o.b = b.constant(window)
		b.o.run = runAdd
	}
}

func runIsSpace(w *Warp, o *op) {
	a := w.src(o.a)
	var holds uint32
	for i, addr := range a {
		space := spaceOf(addr)
		if space == ptx.Global {
			if m := w.memory.find(addr); m != nil && m.constant {
				space = ptx.Const
			}
		}
		in := space == o.inst.Space
		if in && space == ptx.Shared && !o.inst.InCluster { // it is the thread block's own
			there := w.tb.mapped(addr - sharedWindow)
			in = there == nil || there == w.tb
		}
		holds |= uint32(bit(in)) << i
	}
	w.setPred(o.pdst, holds)
}
