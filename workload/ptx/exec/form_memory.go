package exec

import "cotenant/workload/ptx"

// address sets where a memory instruction finds its address: a slot, an offset
// added to it, and the space it is in.
func (b *builder) address(x ptx.Operand) {
	o := &b.o
	o.space = b.in.Space
	switch {
	case x.Reg >= 0:
		o.a = b.value(ptx.Operand{Kind: ptx.Register, Reg: x.Reg}, ptx.U64)
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
	// The program makes every access that the timing model sees.
	o.memory = b.in.Space != ptx.Param
}

// element sets what a memory instruction accesses for each lane: a value of a
// type, or some.
func (b *builder) element(t ptx.Type) {
	o := &b.o
	o.bytes, o.vec = uint8(t.Size()), uint8(max(b.in.Vec, 1))
	o.shift, o.signed = cut(t), t.IsSigned()
}

func buildLoad(b *builder) {
	b.address(b.in.Src[0])
	b.element(b.kind())
	d := b.in.Dst[0]
	o := &b.o
	if d.Kind == ptx.Vector {
		for _, e := range d.Elems {
			o.list = append(o.list, b.result(e))
		}
	} else {
		o.list = []int32{b.result(d)}
	}
	o.dst = o.list[0]
	o.run = runLoad
	switch {
	case o.bytes == 4 && !o.signed:
		o.run = runLoadWords
	case o.bytes == 4 && o.vec == 1:
		o.run = runLoad32
	}
	if o.space == ptx.Param && b.in.Src[0].Reg < 0 {
		o.run = runLoadParam
	}
}

func buildStore(b *builder) {
	b.address(b.in.Src[0])
	b.o.writes = true
	t := b.kind()
	b.element(t)
	s := b.in.Src[1]
	o := &b.o
	elems := []ptx.Operand{s}
	if s.Kind == ptx.Vector {
		elems = s.Elems
	}
	for _, e := range elems {
		o.list = append(o.list, b.value(e, t))
	}
	if o.space == ptx.Const || o.space == ptx.Param {
		b.fail("space .%v cannot be written", o.space)
	}
	o.run = runStore
	if o.bytes == 4 {
		o.run = runStoreWords
	}
}

// windows are where the spaces lie in the generic address space.
var windows = [...]uint64{ptx.Shared: sharedWindow, ptx.Local: localWindow, ptx.Param: paramWindow}

// buildCvta moves an address between its own space and the generic one.
func buildCvta(b *builder) {
	b.operands(ptx.U64)
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

func buildIsspacep(b *builder) {
	b.o.a = b.value(b.in.Src[0], ptx.U64)
	b.o.pdst = b.predicateResult(b.in.Dst[0])
	b.o.space = b.in.Space
	b.o.run = runIsSpace
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
		holds |= uint32(bit(space == o.space)) << i
	}
	w.setPred(o.pdst, holds)
}
