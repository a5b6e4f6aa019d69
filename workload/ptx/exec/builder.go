package exec

import (
	"fmt"
	"math"
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// builder makes the op of one instruction. ptx.Parse has checked its modifiers and
// operands; what the builder still finds wrong is an error. The first one stays;
// after it the op has no meaning.
type builder struct {
	c  *compiler
	f  *ptx.Func
	at *placement
	in *ptx.Inst
	// meet is the index of the instruction at which the paths of a branch meet.
	meet int
	o    op
	err  error
	// clock is set if an operand changes from one instruction to the next.
	clock bool
	// place is set if an operand changes when the thread block moves.
	place bool
}

func (b *builder) build() op {
	in := b.in
	none := b.constant(0)
	b.o = op{inst: in, fn: b.f, a: none, b: none, c: none, guard: alwaysTrue, p: alwaysTrue,
		vec: 1, ftz: in.Has("ftz"), addrMask: ^uint64(0)}
	build, ok := forms[in.Op]
	if !ok {
		b.fail("operation is not known")
		return b.o
	}
	if in.Guard >= 0 {
		b.o.guard, b.o.guardFlip = b.predicate(ptx.Operand{Kind: ptx.Register, Reg: in.Guard, Not: in.GuardNot})
	}
	if in.Op != "call" && in.Op != "tex" && in.Op != "cp" && in.Op != "wgmma" { // which have operands of other kinds
		b.operands()
	}
	if b.err == nil {
		build(b)
	}
	if b.err == nil && b.o.run == nil {
		b.fail("types are not valid for the operation")
	}
	if b.clock {
		inner := b.o.run
		b.o.run = func(w *Warp, o *op) {
			w.readClocks()
			inner(w, o)
		}
	}
	b.o.turn = b.turn()
	return b.o
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = workload.Errorf(b.f.File, b.in.Line, "%s cannot be run: %s", b.in.Opcode(), fmt.Sprintf(format, args...))
	}
}

// types are the types of an instruction that has two: result and operand.
func (b *builder) types() (to, from ptx.Type) {
	return b.in.Types[0], b.in.Types[1]
}

// style reads the modifiers of floating-point operations.
func (b *builder) style() style {
	return style{round: chosen(b, roundings), ftz: b.o.ftz, sat: b.in.Has("sat"), relu: b.in.Has("relu"), bounded: b.in.Has("satfinite")}
}

// constant is the slot of a value that all lanes read.
func (b *builder) constant(bits uint64) int32 { return b.launchConstant(launchConstant{bits: bits}) }

func (b *builder) launchConstant(k launchConstant) int32 {
	c := b.c
	at, ok := c.consts[k]
	if !ok {
		at = ^int32(len(c.p.consts))
		c.consts[k] = at
		c.p.consts = append(c.p.consts, k)
	}
	return at
}

// value is the slot that an operand is read from.
func (b *builder) value(x ptx.Operand) int32 {
	switch x.Kind {
	case ptx.Register:
		return b.at.slots[x.Reg]
	case ptx.Immediate:
		if x.Float && x.Type.Size() != 8 {
			x.Imm = uint64(math.Float32bits(float32(math.Float64frombits(x.Imm))))
		}
		return b.constant(x.Imm)
	case ptx.Special:
		return b.special(ptx.SpecialRegister(x.Imm))
	case ptx.AddressOf:
		return b.addressOf(x.Var, x.Imm)
	}
	b.fail("an operand is not a value")
	return 0
}

func (b *builder) special(s ptx.SpecialRegister) int32 {
	b.clock = b.clock || s.IsClock()
	b.place = b.place || s.IsPlace()
	p := b.c.p
	for i, known := range p.specials {
		if known == s {
			return specialSlots + int32(i)
		}
	}
	p.specials = append(p.specials, s)
	return specialSlots + int32(len(p.specials)-1)
}

// addressOf is a variable's address in its own space, as a slot; that of a
// texture reference is its handle.
func (b *builder) addressOf(v *ptx.Var, offset uint64) int32 {
	c := b.c
	switch {
	case v.Texture:
		c.textureIndex(v) // for the launch to bind it
		return b.launchConstant(launchConstant{offset, v})
	case v.Space == ptx.Global || v.Space == ptx.Const:
		return b.launchConstant(launchConstant{offset, v})
	case v.Space == ptx.Shared && v.Bytes == 0:
		if !slices.Contains(c.dynamic, v) {
			c.dynamic = append(c.dynamic, v)
		}
		return b.launchConstant(launchConstant{offset, v})
	case v.Space == ptx.Shared:
		return b.constant(uint64(c.shared.place(v)) + offset)
	case b.isKernelParam(v):
		return b.constant(uint64(c.params.place(v)) + offset)
	}
	return b.constant(uint64(c.local.place(v)) + offset)
}

// isKernelParam tells the kernel's parameters, a block for the whole launch, from
// parameters of calls, which are in local memory.
func (b *builder) isKernelParam(v *ptx.Var) bool { return b.f.Entry && slices.Contains(b.f.Params, v) }

// result is the slot or predicate that an operand is written to.
func (b *builder) result(x ptx.Operand) int32 {
	if x.Kind == ptx.Register {
		return b.at.slots[x.Reg]
	}
	return unwanted
}

// predicate is a predicate that is read.
func (b *builder) predicate(x ptx.Operand) (p int32, flip uint32) {
	p = alwaysTrue
	switch x.Kind {
	case ptx.Register:
		p = b.at.slots[x.Reg]
	case ptx.Special:
		if b.in.Op != "mov" {
			b.fail("it reads %v; valid is a mov.pred of it", ptx.SpecialRegister(x.Imm))
		}
	default:
		x.Not = x.Not != (x.Imm == 0)
	}
	if x.Not {
		flip = allLanes
	}
	return p, flip
}

// operands gives an instruction's operands their places in the op, in the order of the text.
// Of the results, a value is dst, and predicates are pdst and pdst2. Of the sources, values
// are a, b and c, an address is a, and a predicate is p; of two, the first is q. Values that
// the instruction does not have read 0. The list takes the elements of a vector and a fourth
// value.
func (b *builder) operands() {
	o := &b.o
	results := []*int32{&o.pdst, &o.pdst2}
	for _, x := range b.in.Dst {
		switch {
		case x.Kind == ptx.Vector:
			for _, e := range x.Elems {
				o.list = append(o.list, b.result(e))
			}
		case x.Type == ptx.Pred:
			*results[0], results = b.result(x), results[1:]
		default:
			o.dst = b.result(x)
		}
	}
	values := []*int32{&o.a, &o.b, &o.c}
	for _, x := range b.in.Src {
		switch {
		case x.Kind == ptx.Address:
			b.address(x)
			values = values[1:]
		case x.Kind == ptx.Vector:
			for _, e := range x.Elems {
				o.list = append(o.list, b.value(e))
			}
		case x.Type == ptx.Pred:
			o.q, o.qFlip = o.p, o.pFlip
			o.p, o.pFlip = b.predicate(x)
		case len(values) == 0:
			o.list = append(o.list, b.value(x))
		default:
			*values[0], values = b.value(x), values[1:]
		}
	}
}
